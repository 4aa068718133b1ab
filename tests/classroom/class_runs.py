"""Classes in a history, ready to be checked."""

from __future__ import annotations

from pathlib import Path

from engine.classroom.model import Assignment, AssignmentSettings
from engine.classroom.queue import ClassQueue, QueueEvent
from engine.classroom.sources import gather
from engine.history import History
from engine.history.assignments import Assignments
from tests.classroom.class_files import fake_engine


def begun(history: History, source: Path, settings: AssignmentSettings | None = None) -> Assignment:
    """A class that waits to be checked."""
    return Assignments(history).create(
        gather(source), name=source.stem, settings=settings or AssignmentSettings()
    )


def checked(
    history: History, source: Path, settings: AssignmentSettings | None = None
) -> Assignment:
    """A class that is checked as far as it can be."""
    assignment = begun(history, source, settings)
    ClassQueue(fake_engine(), Assignments(history)).run(assignment.id)
    return Assignments(history).load(assignment.id)


class Heard(list[QueueEvent]):
    """A listener that remembers everything."""

    def __call__(self, event: QueueEvent) -> None:
        self.append(event)
