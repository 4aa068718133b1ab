"""The history page lists, searches, reopens and deletes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.models.runs import COLUMNS
from desktop.services.history_service import HistoryService
from desktop.services.settings import Settings
from desktop.views.history.page import (
    NO_MATCH,
    NO_RUNS,
    NONE_OF_KIND,
    NOT_ALL_SEARCHED,
    HistoryPage,
)
from engine.history import RunKind, RunRow
from tests.desktop.views.test_item_models import run_row
from tests.desktop.views.view_fakes import Answers, FakeHistory

MINE, THEIRS = "mine.txt", "student.txt"
Shown = Callable[..., tuple[HistoryPage, FakeHistory, Answers]]


@pytest.fixture
def shown(qtbot: QtBot, settings: Settings) -> Shown:
    def make(*rows: RunRow, yes: bool = True) -> tuple[HistoryPage, FakeHistory, Answers]:
        history, answers = FakeHistory(rows), Answers(yes=yes)
        page = HistoryPage(cast(HistoryService, history), settings, answers)
        qtbot.addWidget(page)
        page.resize(900, 500)
        page.show()
        qtbot.waitExposed(page)
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow, timeout=20_000)
        return page, history, answers

    return make


def test_the_list_is_fresh_whenever_the_page_comes_up(shown: Shown) -> None:
    page, history, _ = shown(run_row(1))
    assert page.model.rowCount() == 1
    page.hide()
    history.rows.insert(0, run_row(2))
    page.show()
    assert page.model.rowCount() == 2


def test_without_runs_it_says_what_will_be_here(shown: Shown) -> None:
    page, _, _ = shown()
    assert page.empty.isVisible()
    assert page.empty.text() == NO_RUNS
    assert not page.open_button.isEnabled()
    assert not page.delete_button.isEnabled()


def test_the_search_asks_once_for_a_word(shown: Shown, qtbot: QtBot) -> None:
    page, history, _ = shown(run_row(1, "work.docx"), run_row(2, "films.txt"))
    qtbot.keyClicks(page.search, "film")
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert history.calls.count(("list_runs", "film")) == 1
    qtbot.keyClicks(page.search, "zzz")
    qtbot.waitUntil(page.empty.isVisible)
    assert page.empty.text() == NO_MATCH


def test_reopen_hands_the_run_over(shown: Shown, qtbot: QtBot) -> None:
    page, _, _ = shown(run_row(1), run_row(2))
    page.table.selectRow(1)
    with qtbot.waitSignal(page.reopened) as reopened:
        qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    assert reopened.args is not None
    assert reopened.args[0].row.id == 2


def test_enter_reopens_and_delete_deletes(shown: Shown, qtbot: QtBot) -> None:
    page, history, _ = shown(run_row(1), run_row(2))
    page.table.setFocus()
    with qtbot.waitSignal(page.reopened):
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert ("delete_run", 1) in history.calls


def test_deleting_asks_first_and_refreshes(shown: Shown) -> None:
    page, history, answers = shown(run_row(1), run_row(2))
    page.delete()
    assert answers.asked == ["delete"]
    assert [row.id for row in history.rows] == [2]
    assert page.model.rowCount() == 1


def test_a_no_deletes_nothing(shown: Shown) -> None:
    page, history, _ = shown(run_row(1), yes=False)
    page.delete()
    assert [row.id for row in history.rows] == [1]


def test_a_run_that_nobody_here_asked_for_is_not_handed_over(shown: Shown, qtbot: QtBot) -> None:
    page, history, _ = shown(run_row(1))
    with qtbot.assertNotEmitted(page.reopened):
        history.load_run(1)


def choose_kind(page: HistoryPage, kind: RunKind) -> None:
    page.kinds.setCurrentIndex(page.kinds.findData(kind.value))
    page.kinds.activated.emit(page.kinds.currentIndex())


def names_on(page: HistoryPage) -> list[str]:
    return [page.model.run(row).essay_name for row in range(page.model.rowCount())]


def test_who_has_checked_no_class_sees_nothing_of_classes(shown: Shown) -> None:
    page, _, _ = shown(run_row(1))
    assert not page.kinds.isVisible()
    assert page.table.isColumnHidden(1)


def test_ones_own_essays_stand_apart_from_those_of_a_class(shown: Shown) -> None:
    page, _, _ = shown(run_row(2, THEIRS, class_name="Group B"), run_row(1, MINE))
    assert page.kinds.isVisible()
    assert not page.table.isColumnHidden(1)
    assert names_on(page) == [THEIRS, MINE]
    choose_kind(page, RunKind.OWN)
    assert names_on(page) == [MINE]
    assert page.table.isColumnHidden(1)
    choose_kind(page, RunKind.CLASS)
    assert names_on(page) == [THEIRS]
    assert not page.table.isColumnHidden(1)


def test_the_choice_is_remembered(shown: Shown, settings: Settings) -> None:
    rows = (run_row(2, THEIRS, class_name="Group B"), run_row(1, MINE))
    choose_kind(shown(*rows)[0], RunKind.OWN)
    assert Settings(settings.file).history_kind == "own"
    again, _, _ = shown(*rows)
    assert again.kinds.currentText() == "My essays"
    assert again.kinds.isVisible()
    assert names_on(again) == [MINE]


def test_a_search_without_a_match_says_that_not_all_was_searched(
    shown: Shown, qtbot: QtBot
) -> None:
    page, _, _ = shown(run_row(2, THEIRS, class_name="Group B"))
    choose_kind(page, RunKind.OWN)
    assert page.empty.text() == NONE_OF_KIND[RunKind.OWN]
    qtbot.keyClicks(page.search, "student")
    qtbot.waitUntil(lambda: page.empty.text() == NO_MATCH + NOT_ALL_SEARCHED)
    choose_kind(page, RunKind.ALL)
    assert names_on(page) == [THEIRS]
    assert page.kinds.isVisible()


def test_in_a_narrow_window_names_have_the_room(shown: Shown, qtbot: QtBot) -> None:
    long = "Academic writing for international students, second term, group B"
    page, _, _ = shown(run_row(1, "Maximiliana-Alexandra von und zu Hohenstein", class_name=long))
    hidden = [column for column, name in enumerate(COLUMNS) if name in ("Words", "Decided")]
    assert not any(page.table.isColumnHidden(c) for c in hidden), "as soon as it comes up"
    page.resize(600, 500)
    qtbot.waitUntil(lambda: all(page.table.isColumnHidden(c) for c in hidden))
    viewport, header = page.table.viewport().width(), page.table.horizontalHeader()
    assert header.sectionSize(0) > header.sectionSize(1) > 60
    assert sum(header.sectionSize(c) for c in range(len(COLUMNS))) <= viewport
