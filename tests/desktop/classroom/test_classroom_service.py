"""Classes without the GUI thread waiting: reading them in, the bank, deleting, and what fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.classroom_service import ClassroomService, Export, NewClass
from engine.classroom.model import Assignment, AssignmentSettings, State
from engine.history.reviews import BankComment
from engine.scheme import ReasonCode
from tests.classroom.class_files import write_class
from tests.desktop.classroom.conftest import PATIENCE, ClassOf

Stored = Callable[[int], Assignment]


def comments(qtbot: QtBot, service: ClassroomService, words: str = "") -> list[BankComment]:
    # Keeping and forgetting are followed by answers of their own, about the whole bank.
    with qtbot.waitSignal(
        service.comments_found, timeout=PATIENCE, check_params_cb=lambda asked, _: asked == words
    ) as found:
        service.find_comments(words)
    assert found.args is not None
    result: list[BankComment] = found.args[1]
    return result


def error_of(qtbot: QtBot, service: ClassroomService, ask: Callable[[], None]) -> dict[str, str]:
    with qtbot.waitSignal(service.failed, timeout=PATIENCE) as failed:
        ask()
    assert failed.args is not None
    error: dict[str, str] = failed.args[0]
    return error


def test_a_folder_becomes_a_class_that_waits(
    qtbot: QtBot, service: ClassroomService, tmp_path: Path
) -> None:
    source = write_class(tmp_path / "class", 2)
    wanted = NewClass(source, "Week 3", AssignmentSettings(topic="Parks"))
    with qtbot.waitSignal(service.created, timeout=PATIENCE) as created:
        service.create(wanted)
    assert created.args is not None
    assignment = created.args[0]
    assert assignment.name == "Week 3"
    assert assignment.settings.topic == "Parks"
    assert [one.state for one in assignment.submissions] == [State.WAITING] * 2
    with qtbot.waitSignal(service.listed, timeout=PATIENCE) as listed:
        service.list_classes()
    assert listed.args is not None
    assert [row.id for row in listed.args[0]] == [assignment.id]


def test_a_source_without_essays_is_told_of(
    qtbot: QtBot, service: ClassroomService, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    wanted = NewClass(tmp_path / "empty", "None", AssignmentSettings())
    assert error_of(qtbot, service, lambda: service.create(wanted))["code"] == "empty-essay"


def test_a_class_can_be_checked_differently(
    qtbot: QtBot, service: ClassroomService, class_of: ClassOf
) -> None:
    assignment = class_of(1, done=True)
    with qtbot.waitSignal(service.loaded, timeout=PATIENCE) as loaded:
        service.change_settings(assignment.id, AssignmentSettings(strictness="thorough"))
    assert loaded.args is not None
    assert loaded.args[0].submissions[0].state is State.WAITING


def test_the_bank_keeps_finds_counts_and_forgets(qtbot: QtBot, service: ClassroomService) -> None:
    service.keep_comment("Name the person.", shortcut="np", reason=ReasonCode.R2)
    service.keep_comment("A strong ending.")
    service.used_comment(comments(qtbot, service, "np")[0])
    (found,) = comments(qtbot, service, "np")
    assert (found.text, found.uses, found.reason) == ("Name the person.", 1, ReasonCode.R2)
    service.forget_comment(found)
    assert [one.text for one in comments(qtbot, service, "on")] == ["A strong ending."]


def test_a_shortcut_that_is_taken_is_told_of(qtbot: QtBot, service: ClassroomService) -> None:
    service.keep_comment("Name the person.", shortcut="np")
    error = error_of(qtbot, service, lambda: service.keep_comment("No plan.", shortcut="NP"))
    assert "shortcut" in error["message"]


def test_a_deleted_class_is_gone(
    qtbot: QtBot, service: ClassroomService, class_of: ClassOf
) -> None:
    assignment = class_of(1, done=True)
    with qtbot.waitSignal(service.deleted, timeout=PATIENCE):
        service.delete(assignment.id)
    assert error_of(qtbot, service, lambda: service.load(assignment.id))["code"] == "history"


def test_reports_are_written_for_what_is_checked(
    qtbot: QtBot, service: ClassroomService, class_of: ClassOf, tmp_path: Path
) -> None:
    assignment = class_of(2, done=True, broken=True)
    wanted = Export(tmp_path / "out", ("html", "csv"))
    with qtbot.waitSignal(service.exported, timeout=PATIENCE) as exported:
        service.export(assignment.id, wanted)
    assert exported.args == [wanted, 2]
    written = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {"Student 01.html", "Student 02.html", "class.html", "class.csv"} <= written
    page = (tmp_path / "out" / "students" / "Student 01.html").read_text(encoding="utf-8")
    assert "no teacher has read it yet" in page


@pytest.mark.parametrize("only_released", [True, False])
def test_nothing_to_report_on_is_told_of(
    qtbot: QtBot,
    service: ClassroomService,
    class_of: ClassOf,
    tmp_path: Path,
    only_released: bool,
) -> None:
    assignment = class_of(1, done=only_released)
    wanted = Export(tmp_path / "out", ("html",), only_released)
    assert error_of(qtbot, service, lambda: service.export(assignment.id, wanted))["hint"]


def test_reports_are_never_put_among_the_essays(
    qtbot: QtBot, service: ClassroomService, class_of: ClassOf
) -> None:
    assignment = class_of(1, done=True)
    wanted = Export(Path(assignment.source) / "out", ("html",))
    error = error_of(qtbot, service, lambda: service.export(assignment.id, wanted))
    assert error["code"] == "usage"


def test_a_report_that_cannot_be_written_leaves_the_others_written(
    qtbot: QtBot, service: ClassroomService, class_of: ClassOf, tmp_path: Path
) -> None:
    assignment = class_of(3, done=True)
    out = tmp_path / "out"
    held = [out / "students/Student 02.html", out / "class.csv"]
    for path in held:
        (path / "held").mkdir(parents=True)
    wanted = Export(out, ("html", "csv"))
    error = error_of(qtbot, service, lambda: service.export(assignment.id, wanted))
    assert all(path.name in error["message"] for path in held)
    for name in ("students/Student 01.html", "students/Student 03.html", "class.html"):
        assert (out / name).is_file()
    for path in held:
        (path / "held").rmdir()
        path.rmdir()
    with qtbot.waitSignal(service.exported, timeout=PATIENCE):
        service.export(assignment.id, wanted)
    assert all(path.is_file() for path in held)
