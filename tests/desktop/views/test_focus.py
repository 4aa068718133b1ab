"""The keyboard: whoever moves with Tab always sees where they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.main_window import CLASSROOM, EDITOR, HISTORY, MODELS, SETTINGS, MainWindow
from desktop.views.layouts import PageScrollArea
from tests.desktop.tab_stops import check_tab_stops
from tests.desktop.views.view_fakes import FakeSession, aside_finding, link_finding


@pytest.mark.parametrize("row", [EDITOR, CLASSROOM, HISTORY, MODELS, SETTINGS])
def test_every_stop_of_tab_is_in_sight_and_shows_the_focus(
    window: Callable[..., MainWindow], session: FakeSession, qtbot: QtBot, row: int
) -> None:
    made = window()
    made.resize(900, 600)
    session.show([link_finding(), aside_finding()])
    qtbot.waitUntil(lambda: made.editor.panel.model.rowCount() == 2)
    made.show_page(row)
    page = made.pages.currentWidget()
    assert page is not None
    check_tab_stops(page, qtbot)


def test_the_settings_begin_at_their_first_field(window: Callable[..., MainWindow]) -> None:
    made = window()
    made.show_page(SETTINGS)
    assert made.settings_page.editors["theme"].hasFocus()


def test_the_rail_is_one_stop_of_tab_before_the_page(
    window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    made = window()
    made.show_page(SETTINGS)
    chosen = made.rail.findChildren(QToolButton)[SETTINGS]
    first_field = made.settings_page.editors["theme"]
    qtbot.keyClick(first_field, Qt.Key.Key_Backtab)
    assert chosen.hasFocus()
    qtbot.keyClick(chosen, Qt.Key.Key_Tab)
    assert first_field.hasFocus()


def test_arrows_turn_the_pages_and_stay_on_the_rail(
    window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    made = window()
    made.show_page(EDITOR)
    buttons = made.rail.findChildren(QToolButton)
    buttons[EDITOR].setFocus(Qt.FocusReason.TabFocusReason)
    for row in (CLASSROOM, HISTORY, MODELS, SETTINGS):
        qtbot.keyClick(buttons[row - 1], Qt.Key.Key_Down)
        assert buttons[row].hasFocus()
        assert made.pages.currentIndex() == row
    qtbot.keyClick(buttons[SETTINGS], Qt.Key.Key_Up)
    assert buttons[MODELS].hasFocus()
    assert made.pages.currentIndex() == MODELS


def test_space_on_the_rail_goes_to_where_the_work_starts(
    window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    made = window()
    made.show_page(EDITOR)
    chosen = made.rail.findChildren(QToolButton)[EDITOR]
    chosen.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(chosen, Qt.Key.Key_Space)
    assert made.editor.edit.hasFocus()


def test_a_focus_from_outside_is_scrolled_to(qtbot: QtBot) -> None:
    holder, content = QWidget(), QWidget()
    outside, inside = QPushButton("Outside"), QPushButton("Inside")
    qtbot.addWidget(holder)
    inner = QVBoxLayout(content)
    for number in range(40):
        inner.addWidget(QLabel(f"Line {number}"))
    inner.addWidget(inside)
    area = PageScrollArea()
    area.setWidget(content)
    column = QVBoxLayout(holder)
    column.addWidget(outside)
    column.addWidget(area)
    holder.resize(300, 200)
    holder.show()
    holder.activateWindow()
    qtbot.waitUntil(holder.isActiveWindow, timeout=20_000)
    outside.setFocus()
    assert inside.visibleRegion().isEmpty()
    inside.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: inside.visibleRegion().boundingRect() == inside.rect())
