"""A class that is checked, the services around it, and the pages that show it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.class_runner import ClassRunner
from desktop.services.classroom_service import ClassroomService
from desktop.services.review_desk import ReviewDesk
from engine.classroom.model import Assignment, AssignmentSettings
from engine.history import History
from engine.history.assignments import Assignments
from tests.classroom.class_files import write_class, write_files
from tests.classroom.class_runs import begun, checked

PATIENCE = 120_000
"""Milliseconds; a test machine may be busy."""

RunnerWith = Callable[..., ClassRunner]
ClassOf = Callable[..., Assignment]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def class_of(database: Path, tmp_path: Path) -> ClassOf:
    """Record a class: `class_of(3, done=True, broken=True, anonymous=True)`."""

    def make(
        count: int,
        *,
        done: bool = False,
        broken: bool = False,
        settings: AssignmentSettings | None = None,
    ) -> Assignment:
        source = write_class(tmp_path / "class", count)
        if broken:
            write_files(source, {"Zoe Empty.txt": b""})
        with History.open(database) as history:
            return (checked if done else begun)(history, source, settings)

    return make


@pytest.fixture
def stored(database: Path) -> Callable[[int], Assignment]:
    """A class as the database has it now."""

    def read(assignment: int) -> Assignment:
        with History.open(database) as history:
            return Assignments(history).load(assignment)

    return read


@pytest.fixture
def service(qtbot: QtBot, database: Path) -> Iterator[ClassroomService]:
    made = ClassroomService(database)
    yield made
    made.close(PATIENCE)


@pytest.fixture
def desk(qtbot: QtBot, service: ClassroomService) -> ReviewDesk:
    return ReviewDesk(service, save_ms=10)


@pytest.fixture
def runner_with(qtbot: QtBot, database: Path) -> Iterator[RunnerWith]:
    """A runner whose child judges by keywords: `runner_with(delay=1.0, stubborn=True)`."""
    made: list[ClassRunner] = []

    def make(*, delay: float = 0.0, stubborn: bool = False, grace_ms: int = 3000) -> ClassRunner:
        command = [sys.executable, "-m", "tests.worker.fake_worker", "--delay", str(delay)]
        if stubborn:
            command.append("--stubborn")
        runner = ClassRunner(command, database, grace_ms=grace_ms)
        made.append(runner)
        return runner

    yield make
    for runner in made:
        runner.close(0)
