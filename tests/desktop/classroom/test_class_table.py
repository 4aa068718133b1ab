"""The class table: Qt's rules, what a row says, sorting by value and filtering."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from desktop.models.class_table import (
    FLAGS,
    STATE,
    STUDENT,
    WORDS,
    ClassFilter,
    ClassTableModel,
    reason_column,
)
from desktop.models.classes import ClassesModel
from engine.classroom.model import (
    Assignment,
    AssignmentRow,
    AssignmentSettings,
    SourceKind,
    State,
    Student,
    Submission,
)
from engine.essay import Notice
from engine.scheme import ReasonCode

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
R2, R3 = ReasonCode.R2, ReasonCode.R3


def submission(id: int, name: str, **fields: object) -> Submission:
    student = Student(f"key-{id}", name, group="8b" if id > 1 else "8a")
    one = Submission(student, (), "", alias=f"Student {id:02}", id=id, state=State.CHECKED)
    return replace(one, **fields)  # type: ignore[arg-type]


def sample(*, anonymous: bool = False) -> Assignment:
    failed = {"code": "damaged-file", "message": "The file is damaged.", "hint": "Ask again."}
    rows = (
        submission(1, "Örs Nagy", words=90, findings=3, reasons={R2: 1, R3: 2}),
        submission(2, "anna Kim", words=310, findings=1, reasons={R2: 1}, state=State.RELEASED),
        submission(3, "王小明", state=State.FAILED, error=failed),
        submission(4, "Zoe", state=State.WAITING, notices=(Notice("x", "Two files."),)),
    )
    settings = AssignmentSettings(anonymous=anonymous)
    return Assignment(1, "Parks", "/c", SourceKind.ZIP, settings, NOW, rows)


@pytest.fixture
def model(qtbot: QtBot) -> ClassTableModel:
    made = ClassTableModel()
    made.show(sample())
    return made


def column(proxy: ClassFilter, number: int) -> list[str]:
    return [proxy.index(row, number).data() for row in range(proxy.rowCount())]


def test_the_table_keeps_qts_rules(qtmodeltester: ModelTester, model: ClassTableModel) -> None:
    qtmodeltester.check(model)


def test_the_filter_keeps_qts_rules(qtmodeltester: ModelTester, model: ClassTableModel) -> None:
    qtmodeltester.check(ClassFilter(model))


def test_an_empty_table_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(ClassTableModel())


def test_the_list_of_classes_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    rows = ClassesModel()
    rows.show([AssignmentRow(1, "Parks", "/c", NOW, 12, 9, 3, 1)])
    qtmodeltester.check(rows)
    assert [rows.index(0, n).data() for n in (0, 2, 3)] == ["Parks", "9 of 12", "1"]
    assert rows.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "/c"


def test_a_row_says_name_state_and_numbers(model: ClassTableModel) -> None:
    cells = [model.index(0, n).data() for n in (STUDENT, STATE, WORDS, FLAGS)]
    assert cells == ["Örs Nagy", "To review", "90", "3"]
    assert model.index(0, reason_column(R3)).data() == "2"
    spoken = model.index(0, reason_column(R3)).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Linking word: 2"


def test_what_is_not_checked_has_no_numbers_and_a_cause(model: ClassTableModel) -> None:
    assert model.index(2, STATE).data() == "Not checked"
    assert model.index(2, WORDS).data() == "–"
    tip = model.index(2, STATE).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "The file is damaged.\nAsk again."
    assert str(model.index(3, STUDENT).data(Qt.ItemDataRole.ToolTipRole)).endswith("\nTwo files.")


def test_an_anonymous_class_shows_no_name(model: ClassTableModel) -> None:
    model.show(sample(anonymous=True))
    proxy = ClassFilter(model)
    assert column(proxy, STUDENT) == ["Student 01", "Student 02", "Student 03", "Student 04"]
    proxy.look_for("anna", None, None)
    assert proxy.rowCount() == 0
    proxy.look_for("8a", None, None)
    assert proxy.rowCount() == 0


def test_a_changed_row_is_shown_without_a_reset(model: ClassTableModel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.update_row(submission(4, "Zoe", words=5))
    assert model.index(3, STATE).data() == "To review"


def test_numbers_sort_by_value(model: ClassTableModel) -> None:
    proxy = ClassFilter(model)
    proxy.sort(WORDS, Qt.SortOrder.DescendingOrder)
    assert column(proxy, WORDS) == ["310", "90", "–", "–"]


def test_names_sort_without_regard_to_case(model: ClassTableModel) -> None:
    proxy = ClassFilter(model)
    proxy.sort(STUDENT)
    assert column(proxy, STUDENT)[0] == "anna Kim"


def test_states_sort_by_how_far_they_are(model: ClassTableModel) -> None:
    proxy = ClassFilter(model)
    proxy.sort(STATE)
    assert column(proxy, STATE) == ["Waiting", "Not checked", "To review", "Released"]


def test_rows_are_filtered_by_words_state_and_reason(model: ClassTableModel) -> None:
    proxy = ClassFilter(model)
    proxy.look_for("8B", None, None)
    assert column(proxy, STUDENT) == ["anna Kim", "王小明", "Zoe"]
    proxy.look_for("", State.FAILED, None)
    assert column(proxy, STUDENT) == ["王小明"]
    proxy.look_for("", None, R3)
    assert column(proxy, STUDENT) == ["Örs Nagy"]
    assert proxy.row_of(1) == 0
    assert proxy.row_of(2) == -1
