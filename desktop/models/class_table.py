"""A class as Qt rows, and a proxy that sorts and filters them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from engine.classroom.model import Assignment, State, Submission
from engine.scheme import CODES, SCHEME, ReasonCode

SUBMISSION_ROLE = Qt.ItemDataRole.UserRole + 1
SORT_ROLE = Qt.ItemDataRole.UserRole + 2

STATE_WORDS: dict[State, str] = {
    State.WAITING: "Waiting",
    State.CHECKING: "Checking…",
    State.FAILED: "Not checked",
    State.CHECKED: "To review",
    State.REVIEWED: "Reviewed",
    State.RELEASED: "Released",
}
STUDENT, STATE, WORDS, FLAGS, FIRST_REASON = range(5)
HEADS = ("Student", "State", "Words", "Flags")
_NONE = "–"

AnyIndex = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()


def reason_column(code: ReasonCode) -> int:
    """The column that counts the flags of a reason."""
    return FIRST_REASON + CODES.index(code)


class ClassTableModel(QAbstractTableModel):
    """One row a student: name, state, words, flags, and a column of flags for each reason.

    `SUBMISSION_ROLE` is the row's `Submission`, `SORT_ROLE` what a column sorts by. An anonymous
    class shows aliases. AccessibleTextRole says each cell with its heading.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Submission] = []
        self._is_anonymous = False

    def show(self, assignment: Assignment | None) -> None:
        """Take over a class; None for none. Views keep their place where the students are same."""
        fresh = [] if assignment is None else list(assignment.submissions)
        is_anonymous = assignment is not None and assignment.settings.anonymous
        same = [one.id for one in fresh] == [one.id for one in self._rows]
        if same and is_anonymous is self._is_anonymous:
            for submission in fresh:
                self.update_row(submission)
            return
        self.beginResetModel()
        self._rows, self._is_anonymous = fresh, is_anonymous
        self.endResetModel()

    def update_row(self, submission: Submission) -> None:
        """Show one student's new state; one who is not listed is left out."""
        for row, one in enumerate(self._rows):
            if one.id == submission.id:
                if one != submission:
                    self._rows[row] = submission
                    last = self.index(row, self.columnCount() - 1)
                    self.dataChanged.emit(self.index(row, 0), last)
                return

    def submissions(self) -> tuple[Submission, ...]:
        """All rows, in the order of the source."""
        return tuple(self._rows)

    def name_of(self, submission: Submission) -> str:
        """The student's name as the table shows it."""
        return submission.shown_name(anonymous=self._is_anonymous)

    def rowCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of students."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        """Qt: the number of columns."""
        return 0 if parent.isValid() else FIRST_REASON + len(CODES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Qt: the columns' titles; the tool tip says what a reason means."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _in_two_lines(_head(section))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _head(section)
        if role == Qt.ItemDataRole.ToolTipRole and section >= FIRST_REASON:
            return SCHEME[CODES[section - FIRST_REASON]].meaning
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: what a cell shows; see the class."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        one, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(one, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_head(column)}: {self._cell(one, column)}"
        if role == SUBMISSION_ROLE:
            return one
        if role == SORT_ROLE:
            return self._sort_key(one, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column in (STUDENT, STATE):
            # The name too, because a narrow column cuts it.
            name = self.name_of(one) if column == STUDENT else ""
            return "\n".join(filter(None, (name, about(one))))
        return None

    def _cell(self, one: Submission, column: int) -> str:
        if column == STUDENT:
            return self.name_of(one)
        if column == STATE:
            return STATE_WORDS[one.state]
        if not one.state.is_done:
            return _NONE
        if column == WORDS:
            return str(one.words)
        if column == FLAGS:
            return str(one.findings)
        return str(one.reasons.get(CODES[column - FIRST_REASON], 0))

    def _sort_key(self, one: Submission, column: int) -> str | int:
        if column == STUDENT:
            return self.name_of(one).casefold()
        if column == STATE:
            return list(State).index(one.state)
        shown = self._cell(one, column)
        return -1 if shown == _NONE else int(shown)


class ClassFilter(QSortFilterProxyModel):
    """Sorts by value, and shows the rows that fit a search, a state and a reason."""

    def __init__(self, model: ClassTableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._state: State | None = None
        self._reason: ReasonCode | None = None
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)
        self.setSortLocaleAware(True)

    def look_for(self, words: str, state: State | None, reason: ReasonCode | None) -> None:
        """Show students whose name, group or number holds `words`, in a state, with a reason."""
        self._words = words.strip().casefold()
        self._state, self._reason = state, reason
        self.invalidate()

    def submission(self, row: int) -> Submission:
        """The student on a row."""
        found: Submission = self.index(row, 0).data(SUBMISSION_ROLE)
        return found

    def row_of(self, submission: int) -> int:
        """The row of a student by the submission's id, -1 where it is not shown."""
        rows = range(self.rowCount())
        return next((row for row in rows if self.submission(row).id == submission), -1)

    def filterAcceptsRow(self, source_row: int, source_parent: AnyIndex) -> bool:
        """Qt: whether a row is shown."""
        index = self.sourceModel().index(source_row, 0, source_parent)
        one: Submission = index.data(SUBMISSION_ROLE)
        if self._state is not None and one.state is not self._state:
            return False
        if self._reason is not None and not one.reasons.get(self._reason):
            return False
        shown = str(index.data())
        # What an anonymous class hides must not be found either.
        others = () if shown == one.alias else (one.student.group, one.student.number)
        return any(self._words in text.casefold() for text in (shown, *others))


def about(one: Submission) -> str:
    """What is to be said of a submission besides its numbers: the cause of a failure, notices."""
    lines: Iterable[str] = (notice.message for notice in one.notices)
    error = one.error or {}
    return "\n".join(filter(None, (error.get("message"), error.get("hint"), *lines)))


def _head(column: int) -> str:
    if column < FIRST_REASON:
        return HEADS[column]
    return SCHEME[CODES[column - FIRST_REASON]].tag


def _in_two_lines(words: str) -> str:
    """The words with the space nearest to their middle turned into a line break."""
    spaces = [place for place, sign in enumerate(words) if sign == " "]
    if not spaces:
        return words
    best = min(spaces, key=lambda place: abs(place - len(words) / 2))
    return f"{words[:best]}\n{words[best + 1 :]}"


def _alignment(column: int) -> Qt.AlignmentFlag:
    is_number = column >= WORDS
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
