"""The item models keep Qt's rules and say what a row is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from desktop.models.findings import ITEM_ROLE, KEY_ROLE, FindingsModel
from desktop.models.runs import COLUMNS, RUN_ROLE, RunsModel
from desktop.services.finding_item import State
from engine.essay import Essay
from engine.history import RunRow, RunStatus
from tests.desktop.views.view_fakes import (
    ASIDE,
    ESSAY,
    LINK,
    aside_finding,
    items_of,
    link_finding,
)


def run_row(number: int, name: str = "essay.docx", **fields: object) -> RunRow:
    row = RunRow(
        id=number,
        essay_name=name,
        path=None,
        content_hash="0",
        topic="",
        status=RunStatus.FINISHED,
        error_code="",
        started_at=datetime(2026, 1, number, 9, 30, tzinfo=UTC),
        finished_at=None,
        word_count=300,
        sentence_count=18,
        finding_count=4,
        decision_count=2,
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def test_findings_model_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    model = FindingsModel()
    model.show(items_of(Essay.from_text(ESSAY), [link_finding(), aside_finding()]))
    qtmodeltester.check(model)


def test_an_empty_findings_model_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(FindingsModel())


def test_a_finding_row_says_reason_and_confidence_in_words() -> None:
    model = FindingsModel()
    model.show(items_of(Essay.from_text(ESSAY), [link_finding()]))
    words = model.index(0).data()
    assert words == "Linking word, very likely: But it costs them hours of sleep."
    assert model.index(0).data(KEY_ROLE) == LINK


def test_a_stale_row_says_rechecking_and_a_decided_row_its_decision() -> None:
    model = FindingsModel()
    link, aside = items_of(Essay.from_text(ESSAY), [link_finding(), aside_finding()])
    model.show([replace(link, state=State.STALE), replace(aside, state=State.IGNORED)])
    assert "re-checking" in model.index(0).data()
    assert "ignored" in model.index(1).data()


def test_updating_one_finding_announces_that_row_alone(qtbot: QtBot) -> None:
    model = FindingsModel()
    link, aside = items_of(Essay.from_text(ESSAY), [link_finding(), aside_finding()])
    model.show([link, aside])
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.update(replace(aside, state=State.ACCEPTED))
    assert changed.args is not None
    assert changed.args[0].row() == changed.args[1].row() == model.row_of(ASIDE)
    assert model.index(1).data(ITEM_ROLE).state is State.ACCEPTED


def test_the_same_findings_again_do_not_reset_the_list(qtbot: QtBot) -> None:
    model = FindingsModel()
    items = items_of(Essay.from_text(ESSAY), [link_finding(), aside_finding()])
    model.show(items)
    with qtbot.assertNotEmitted(model.modelReset):
        model.show([replace(items[0], state=State.STALE), items[1]])


def test_runs_model_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    model = RunsModel()
    model.show([run_row(2), run_row(1)])
    qtmodeltester.check(model)


def test_a_run_row_shows_name_numbers_and_result() -> None:
    model = RunsModel()
    model.show([run_row(1, status=RunStatus.FAILED, error_code="model")])
    cells = [model.index(0, column).data() for column in range(len(COLUMNS))]
    assert cells[0] == "essay.docx"
    assert cells[3:] == ["300", "4", "2", "no usable model"]
    assert cells[1] == ""
    assert model.index(0, 0).data(RUN_ROLE).id == 1


def test_a_run_of_a_class_names_the_class_in_its_tool_tip_too() -> None:
    name = "Academic writing, second term, group B"
    model = RunsModel()
    model.show([run_row(1, class_name=name)])
    cell = model.index(0, 1)
    assert cell.data() == name
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == name


def test_a_run_of_an_essay_without_a_name_is_called_untitled() -> None:
    model = RunsModel()
    model.show([run_row(1, name="")])
    assert model.index(0, 0).data() == "Untitled"


def test_numbers_stand_right_and_under_their_titles() -> None:
    model = RunsModel()
    model.show([run_row(1)])
    role = Qt.ItemDataRole.TextAlignmentRole
    for column in range(len(COLUMNS)):
        title = model.headerData(column, Qt.Orientation.Horizontal, role)
        assert title == model.index(0, column).data(role)
