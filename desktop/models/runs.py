"""Past checks as Qt rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from engine.history import RunRow, RunStatus

RUN_ROLE = Qt.ItemDataRole.UserRole + 1
COLUMNS = ("Essay", "Class", "Checked", "Words", "Findings", "Decided", "Result")
_NUMBERS = frozenset({3, 4, 5})
_STATUS_WORDS = {
    RunStatus.RUNNING: "running",
    RunStatus.FINISHED: "finished",
    RunStatus.FAILED: "failed",
    RunStatus.INTERRUPTED: "stopped",
}
_ERROR_WORDS = {
    "cancelled": "stopped",
    "crashed": "broke off",
    "model": "no usable model",
    "backend": "the model could not run",
    "stale": "the text had changed",
}
"""What an error code of a run means; other codes are shown as they are."""

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


def local_time(moment: datetime) -> str:
    """A moment as the user's own clock and language write it."""
    there = QDateTime.fromMSecsSinceEpoch(round(moment.timestamp() * 1000))
    locale = QLocale()
    if locale.language() is QLocale.Language.C:
        # No language is set; its short format, "30 11 2026 20:46", nobody reads as a date.
        return locale.toString(there, "d MMM yyyy, HH:mm")
    return locale.toString(there, QLocale.FormatType.ShortFormat)


class RunsModel(QAbstractTableModel):
    """One row a check, newest first as the history lists them; `RUN_ROLE` is the `RunRow`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[RunRow] = []

    def show(self, rows: Sequence[RunRow]) -> None:
        """Take over these rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def run(self, row: int) -> RunRow:
        """The check on a row."""
        return self._rows[row]

    def rowCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of checks."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Qt: the columns' titles, over their numbers where they hold numbers."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: what a cell shows; see the class."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        run = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(run)[index.column()]
        if role == RUN_ROLE:
            return run
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return str(run.path) if run.path is not None else run.essay_name or "Untitled"
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 1:
            return run.class_name or None
        return None


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _cells(run: RunRow) -> tuple[str, ...]:
    result = _STATUS_WORDS[run.status]
    if run.error_code:
        result = _ERROR_WORDS.get(run.error_code, f"{result}: {run.error_code}")
    return (
        run.essay_name or "Untitled",
        run.class_name,
        local_time(run.started_at),
        str(run.word_count),
        str(run.finding_count),
        str(run.decision_count),
        result,
    )
