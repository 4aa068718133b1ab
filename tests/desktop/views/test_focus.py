"""The keyboard: whoever moves with Tab always sees where they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.main_window import CLASSROOM, EDITOR, HISTORY, MODELS, SETTINGS, MainWindow
from desktop.views.layouts import PageScrollArea
from tests.desktop.views.view_fakes import FakeSession, aside_finding, link_finding


def tab_stops(page: QWidget) -> list[QWidget]:
    """Everything on a page that Tab can come to."""
    return [
        widget
        for widget in page.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    ]


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
    stops = tab_stops(page)
    assert stops
    for stop in stops:
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(stop.hasFocus, timeout=20_000)
        name = f"{type(stop).__name__} {stop.accessibleName()}"
        assert not stop.visibleRegion().isEmpty(), f"{name} is out of sight"
        focused = made.grab().toImage()
        stop.clearFocus()
        assert made.grab().toImage() != focused, f"{name} does not show the focus"


def test_the_settings_begin_at_their_first_field(window: Callable[..., MainWindow]) -> None:
    made = window()
    made.show_page(SETTINGS)
    assert made.settings_page.editors["theme"].hasFocus()


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
