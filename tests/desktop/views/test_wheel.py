"""The wheel scrolls; it changes a value only where the user has gone to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.main_window import MainWindow
from desktop.views.classroom.flag_editor import FlagEditor
from desktop.views.layouts import PageScrollArea
from desktop.views.wheel import keep_from_wheel


def combo() -> QComboBox:
    made = QComboBox()
    made.addItems(["None", "Some", "All"])
    return made


def number() -> QSpinBox:
    made = QSpinBox()
    made.setValue(12)
    return made


def value(field: QWidget) -> int:
    if isinstance(field, QComboBox):
        return field.currentIndex()
    assert isinstance(field, QSpinBox)
    return field.value()


def turn_wheel(widget: QWidget) -> bool:
    """One notch towards the user over a widget; whether the widget took it."""
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(widget.mapToGlobal(widget.rect().center())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


@pytest.fixture(params=[combo, number], ids=["combo", "number"])
def field(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[QWidget]:
    """A field in the midst of a page that scrolls, and that has no focus."""
    made: QWidget = request.param()
    content, area = QWidget(), PageScrollArea()
    qtbot.addWidget(area)
    column = QVBoxLayout(content)
    column.addWidget(made)
    for row in range(40):
        column.addWidget(QLabel(f"Line {row}"))
    area.setWidget(content)
    area.resize(300, 200)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow, timeout=20_000)
    made.clearFocus()
    yield made
    area.close()


def test_a_wheel_that_passes_over_a_field_is_left_to_the_page(field: QWidget) -> None:
    before = value(field)
    assert turn_wheel(field)
    assert value(field) != before, "Qt changes values by itself; if not, this is not needed"
    before = value(field)
    keep_from_wheel(field)  # type: ignore[arg-type]
    assert not turn_wheel(field)
    assert value(field) == before
    assert not field.focusPolicy().value & ~Qt.FocusPolicy.StrongFocus.value


def test_the_focus_that_a_page_gives_its_first_field_is_not_enough(
    field: QWidget, qtbot: QtBot
) -> None:
    keep_from_wheel(field)  # type: ignore[arg-type]
    field.setFocus()
    qtbot.waitUntil(field.hasFocus, timeout=20_000)
    assert not turn_wheel(field)


def test_a_field_that_the_user_went_to_takes_the_wheel(field: QWidget, qtbot: QtBot) -> None:
    keep_from_wheel(field)  # type: ignore[arg-type]
    field.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(field.hasFocus, timeout=20_000)
    before = value(field)
    assert turn_wheel(field)
    assert value(field) != before


def test_no_field_of_the_window_or_of_the_form_for_flags_takes_a_passing_wheel(
    window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    made, flags = window(), FlagEditor()
    qtbot.addWidget(flags)
    fields = [
        field
        for root in (made, flags)
        for kind in (QComboBox, QAbstractSpinBox)
        for field in root.findChildren(kind)
    ]
    assert len(fields) > 8
    for field in fields:
        field.clearFocus()
        assert not turn_wheel(field), field.accessibleName()
