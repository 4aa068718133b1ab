"""The mouse wheel scrolls the page, and changes no value that it happens to pass over."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox

_BY_USER = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


def keep_from_wheel(field: QComboBox | QAbstractSpinBox) -> None:
    """Let a field take the wheel only while it has the focus; else what is around it scrolls.

    The focus that a page gives its first field when it comes up does not count: whoever scrolls
    there has not gone to the field.
    """
    # Qt would give it the focus because of the wheel, before the filter sees the event.
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelFilter(field))


class _WheelFilter(QObject):
    """One a field: a filter on the whole application would slow down every event of it."""

    def __init__(self, field: QComboBox | QAbstractSpinBox) -> None:
        super().__init__(field)
        self._field = field
        self._is_chosen = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: an ignored wheel goes on to the page."""
        if isinstance(event, QFocusEvent) and event.gotFocus():
            # A window or a list that comes back to the front changes nothing.
            if event.reason() in (*_BY_USER, Qt.FocusReason.OtherFocusReason):
                self._is_chosen = event.reason() in _BY_USER
        elif event.type() is QEvent.Type.Wheel and not (self._is_chosen and self._field.hasFocus()):
            event.ignore()
            return True
        return super().eventFilter(watched, event)
