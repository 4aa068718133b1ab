"""Past classes as Qt rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.models.runs import local_time
from engine.classroom.model import AssignmentRow

COLUMNS = ("Class", "Begun", "Checked", "Released")
_FIRST_NUMBER = 2

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


class ClassesModel(QAbstractTableModel):
    """One row a class, newest first as the history lists them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[AssignmentRow] = []

    def show(self, rows: Sequence[AssignmentRow]) -> None:
        """Take over these rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def row(self, row: int) -> AssignmentRow:
        """The class on a row."""
        return self._rows[row]

    def rowCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of classes."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Qt: the columns' titles."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: what a cell shows; the tool tip is where the essays came from."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        one = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(one)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return one.source if role == Qt.ItemDataRole.ToolTipRole else None


def _alignment(column: int) -> Qt.AlignmentFlag:
    is_number = column >= _FIRST_NUMBER
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _cells(one: AssignmentRow) -> tuple[str, ...]:
    checked = f"{one.done} of {one.submissions}"
    return (one.name, local_time(one.created_at), checked, str(one.released))
