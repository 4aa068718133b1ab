"""What Tab can come to on a page, and whether whoever comes there sees it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


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


def check_tab_stops(page: QWidget, qtbot: QtBot) -> None:
    """Go to each stop of a page on show; fail where one is out of sight or shows no focus."""
    window = page.window()
    stops = tab_stops(page)
    assert stops
    for stop in stops:
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(stop.hasFocus, timeout=20_000)
        name = f"{type(stop).__name__} {stop.accessibleName()}"
        assert not stop.visibleRegion().isEmpty(), f"{name} is out of sight"
        focused = window.grab().toImage()
        stop.clearFocus()
        assert window.grab().toImage() != focused, f"{name} does not show the focus"
