"""The right side of the editor page: the list of findings above the card of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.models.findings import FindingsModel
from desktop.services.finding_item import FindingItem, State
from desktop.theme import Theme
from desktop.views.editor.card import FindingCard
from desktop.views.editor.finding_list import FindingList

QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's own largest size, which its Python binding does not name."""
NOT_CHECKED = (
    "No check yet.\n\nWrite or open an essay and press Check. "
    "The sentences that break the flow will be listed here."
)
CHECKING = "Checking…\n\nYou can keep writing. Findings appear here as they come."
NOTHING_FOUND = (
    "No sentence stands out.\n\nAt this strictness every sentence seems to follow from the ones "
    "before it. Choose Thorough to see the doubtful ones too."
)


class FindingsPanel(QWidget):
    """Keeps list and card on the same finding; `chosen(key)` tells which (empty for none)."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FindingsModel(self)
        self.list = FindingList(theme, self.model)
        self.card = FindingCard(theme)
        self.heading = QLabel("Findings")
        self.heading.setProperty("role", "heading")
        self.empty = QLabel(NOT_CHECKED)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("role", "muted")
        self._draft: tuple[int, str] | None = None
        self.list.chosen.connect(self._show_chosen)
        self._arrange()
        self.show_items([], busy=False, checked=False)

    def show_items(self, items: Sequence[FindingItem], *, busy: bool, checked: bool) -> None:
        """Show these findings, or say why there are none."""
        key = self.list.current_key
        self.model.show(items)
        left = sum(not item.decided for item in items)
        self.heading.setText(f"Findings: {left} of {len(items)} to decide" if items else "Findings")
        self.empty.setText(CHECKING if busy else NOTHING_FOUND if checked else NOT_CHECKED)
        self._stack.setCurrentWidget(self._splitter if items else self._empty_page)
        self._fit_list()
        if self.model.row_of(key) < 0:
            key = next((item.key for item in items if not item.decided), "")
        if key != self.list.current_key:
            self.list.choose(key)
        self.refresh_card()

    def update_item(self, item: FindingItem) -> None:
        """Show one finding's new state."""
        self.model.update(item)
        items = [self.model.item(row) for row in range(self.model.rowCount())]
        left = sum(not each.decided for each in items)
        self.heading.setText(f"Findings: {left} of {len(items)} to decide")
        if item.key == self.list.current_key:
            self.refresh_card()

    def refresh_card(self) -> None:
        """Show the chosen finding as it now is."""
        row = self.model.row_of(self.list.current_key)
        self.card.show_item(self.model.item(row) if row >= 0 else None)
        self._refresh_draft()

    def show_draft(self, sentence: int, text: str) -> None:
        """A language model is writing for a sentence of the checked text; `text` is its draft."""
        self._draft = (sentence, text)
        self._refresh_draft()

    def end_draft(self) -> None:
        """Nobody writes any more."""
        self._draft = None
        self._refresh_draft()

    def set_wide(self, *, wide: bool) -> None:
        """Put list and card side by side (`wide`, below the essay) or one above the other."""
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._splitter.orientation() is not orientation:
            self._splitter.setOrientation(orientation)
            self._splitter.setSizes([360, 640] if wide else [100, 250])
            self._fit_list()

    def restyle(self) -> None:
        """Draw again in the theme's colours."""
        self.card.restyle()
        self._fit_list()
        self.list.viewport().update()
        self.list.scheduleDelayedItemsLayout()

    def _refresh_draft(self) -> None:
        """Show the draft on the card of its sentence, and on no other."""
        item = self.card.item
        is_here = (
            self._draft is not None
            and item is not None
            and item.state is State.OPEN
            and item.finding.sentence == self._draft[0]
        )
        self.card.show_draft(self._draft[1] if self._draft is not None and is_here else None)

    def _fit_list(self) -> None:
        """Above the card, the list is no higher than its rows: the card needs the room."""
        rows = self.model.rowCount()
        highest = QWIDGETSIZE_MAX
        if rows and self._splitter.orientation() is Qt.Orientation.Vertical:
            highest = rows * self.list.sizeHintForRow(0) + 2 * self.list.frameWidth() + 2
        self.list.setMaximumHeight(highest)

    def _show_chosen(self, key: str) -> None:
        self.refresh_card()
        self.chosen.emit(key)

    def _arrange(self) -> None:
        self._empty_page = QFrame()
        self._empty_page.setProperty("role", "surface")
        inside = QVBoxLayout(self._empty_page)
        inside.addWidget(self.empty)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(8)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.list)
        self._splitter.addWidget(self.card)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 3)
        self._splitter.setSizes([100, 250])
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty_page)
        self._stack.addWidget(self._splitter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self._stack, 1)
