"""The list of findings as Qt rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.services.finding_item import FindingItem, State
from engine.scheme import SCHEME

KEY_ROLE = Qt.ItemDataRole.UserRole + 1
ITEM_ROLE = Qt.ItemDataRole.UserRole + 2

STATE_WORDS: dict[State, str] = {
    State.OPEN: "",
    State.STALE: "re-checking",
    State.ACCEPTED: "accepted",
    State.EDITED: "accepted, edited",
    State.REJECTED: "rejected",
    State.IGNORED: "ignored",
    State.REMOVED: "removed",
}

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


def state_words(item: FindingItem) -> str:
    """What stands at the right of a row: the state, or how sure the tagger is."""
    return STATE_WORDS[item.state] or item.finding.confidence


class FindingsModel(QAbstractListModel):
    """One row a finding, in text order.

    DisplayRole is the whole row in words, for screen readers; `KEY_ROLE` is the finding's key,
    `ITEM_ROLE` its `FindingItem`.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[FindingItem] = []

    def show(self, items: Sequence[FindingItem]) -> None:
        """Take over these rows, keeping the views' selection where only contents changed."""
        if [item.key for item in items] == [item.key for item in self._items]:
            for row, item in enumerate(items):
                self._put(row, item)
            return
        self.beginResetModel()
        self._items = list(items)
        self.endResetModel()

    def update(self, item: FindingItem) -> None:
        """Show one finding's new state; a finding that is not listed is left out."""
        row = self.row_of(item.key)
        if row >= 0:
            self._put(row, item)

    def row_of(self, key: str) -> int:
        """The row of a finding, -1 where it is not listed."""
        return next((row for row, item in enumerate(self._items) if item.key == key), -1)

    def item(self, row: int) -> FindingItem:
        """The finding on a row."""
        return self._items[row]

    def rowCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of findings."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: what a role shows; see the class."""
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        info = SCHEME[item.finding.code]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{info.tag}, {state_words(item)}: {item.sentence}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return info.meaning
        if role == KEY_ROLE:
            return item.key
        if role == ITEM_ROLE:
            return item
        return None

    def _put(self, row: int, item: FindingItem) -> None:
        if self._items[row] != item:
            self._items[row] = item
            index = self.index(row)
            self.dataChanged.emit(index, index)
