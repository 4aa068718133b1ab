"""The navigation rail at the left of the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QVBoxLayout, QWidget

from desktop.actions import shortcut_text
from desktop.icons import icon
from desktop.theme import Theme


@dataclass(frozen=True, slots=True)
class Place:
    """A page that the rail leads to; `command` names the action that does the same."""

    id: str
    title: str
    command: str


class Rail(QWidget):
    """A button a page; `chosen(row)` when one is pressed."""

    chosen = Signal(int)

    def __init__(
        self, places: Sequence[Place], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._places = tuple(places)
        self.setProperty("role", "rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Pages")
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 10, 6, 10)
        column.setSpacing(6)
        for row, place in enumerate(self._places):
            button = QToolButton()
            button.setText(place.title)
            button.setProperty("role", "rail")
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setToolTip(f"{place.title} ({shortcut_text(place.command)})")
            self._group.addButton(button, row)
            column.addWidget(button)
        column.addStretch(1)
        self.restyle()

    def show_chosen(self, row: int) -> None:
        """Mark the page that is on show; Tab comes to its button, and arrows to the others.

        Qt does the same of its own accord, but not before a button has had the focus.
        """
        self._group.button(row).setChecked(True)
        for button in self._group.buttons():
            policy = Qt.FocusPolicy.StrongFocus if button.isChecked() else Qt.FocusPolicy.ClickFocus
            button.setFocusPolicy(policy)

    def restyle(self) -> None:
        """Draw the icons in the theme's colours and size."""
        palette = self._theme.palette
        size = round(self._theme.font_size * 2.2)
        for row, place in enumerate(self._places):
            button = self._group.button(row)
            button.setIcon(
                icon(place.id, ink=palette.muted, ink_on=palette.on_accent_soft, size=size)
            )
            button.setIconSize(QSize(size, size))
        line = self.fontMetrics().height()
        width = max(self.fontMetrics().horizontalAdvance(place.title) for place in self._places)
        for row in range(len(self._places)):
            button = self._group.button(row)
            button.setFixedWidth(width + 2 * self._theme.font_size)
            # The style measures the words without the room that the style sheet leaves around.
            button.setMinimumHeight(size + line + 2 * self._theme.font_size)
