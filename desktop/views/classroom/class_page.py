"""One class: its table, how far the check is, and what needs attention."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop.models.class_table import (
    FLAGS,
    STATE_WORDS,
    STUDENT,
    WORDS,
    ClassFilter,
    ClassTableModel,
    reason_column,
)
from desktop.views.classroom.pieces import chosen_reason, combo_box, set_up_table, words_label
from desktop.views.classroom.problems import ProblemsPanel
from desktop.views.classroom.run_bar import RunBar
from engine.classroom.model import Assignment, State, Submission
from engine.scheme import CODES, SCHEME

NO_MATCH = "No student matches. Clear the search and the choices beside it to see all."
LEAST_NAME = 6
"""The least width of a name, in line heights."""


class StudentsTable(QTableView):
    """`resized()` when there is more or less room for columns."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: also when a scroll bar comes or goes."""
        super().resizeEvent(event)
        self.resized.emit()


class ClassPage(QWidget):
    """`opened(Submission)` when the teacher goes to a student."""

    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.assignment: Assignment | None = None
        self.bar = RunBar()
        self.model = ClassTableModel(self)
        self.proxy = ClassFilter(self.model, self)
        self.table = StudentsTable()
        self.table.setModel(self.proxy)
        set_up_table(self.table, "Students of the class")
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(STUDENT, Qt.SortOrder.AscendingOrder)
        self.search = QLineEdit()
        self.search.setAccessibleName("Search for students")
        self.search.setPlaceholderText("Name, group or number")
        self.search.setClearButtonEnabled(True)
        self.state = combo_box("Show students in this state")
        self.state.addItem("Any state", None)
        for state, words in STATE_WORDS.items():
            self.state.addItem(words, state)
        self.reason = combo_box("Show students with a flag of this reason")
        self.reason.addItem("Any reason", None)
        for code in CODES:
            self.reason.addItem(SCHEME[code].tag, code)
        self.empty = words_label(NO_MATCH, role="muted")
        self.problems = ProblemsPanel()
        self._arrange()
        self.table.activated.connect(self._open_index)
        self.table.resized.connect(self._fit_names)
        self.search.textChanged.connect(self._filter)
        self.state.currentIndexChanged.connect(self._filter)
        self.reason.currentIndexChanged.connect(self._filter)

    def show_class(
        self, assignment: Assignment, *, running: bool, paused: bool, elsewhere: bool
    ) -> None:
        """Show a class as it is now; the choices stay where it is the same one."""
        is_other = self.assignment is None or self.assignment.id != assignment.id
        self.assignment = assignment
        if is_other:
            self.search.clear()
            self.state.setCurrentIndex(0)
            self.reason.setCurrentIndex(0)
        self.model.show(assignment)
        for code in CODES:
            self.table.setColumnHidden(reason_column(code), code not in assignment.settings.reasons)
        self._fit_columns()
        self.bar.show_class(assignment)
        self.bar.show_running(running=running, paused=paused, elsewhere=elsewhere)
        self.problems.show_class(assignment, can_retry=not running and not elsewhere)
        self._filter()
        if not self.table.currentIndex().isValid() and self.proxy.rowCount():
            self.table.setCurrentIndex(self.proxy.index(0, STUDENT))

    def restyle(self) -> None:
        """Give the columns the widths that the theme's size of text needs."""
        if self.assignment is not None:
            self._fit_columns()

    def chosen(self) -> Submission | None:
        """The student on the chosen row."""
        index = self.table.currentIndex()
        return self.proxy.submission(index.row()) if index.isValid() else None

    def open_chosen(self) -> None:
        """Go to the chosen student."""
        one = self.chosen()
        if one is not None:
            self.opened.emit(one)

    def neighbour(self, submission: int, by: int) -> Submission | None:
        """The next (1) or previous (-1) student in the table who is checked; None at the end."""
        row = self.proxy.row_of(submission) + by
        while 0 <= row < self.proxy.rowCount():
            one = self.proxy.submission(row)
            if one.state.is_done:
                return one
            row += by
        return None

    def choose(self, submission: int) -> None:
        """Move to a student's row."""
        row = self.proxy.row_of(submission)
        if row >= 0:
            self.table.setCurrentIndex(self.proxy.index(row, STUDENT))

    def _open_index(self, index: QModelIndex) -> None:
        self.opened.emit(self.proxy.submission(index.row()))

    def _filter(self) -> None:
        chosen: str | None = self.state.currentData()
        state = None if chosen is None else State(chosen)
        self.proxy.look_for(self.search.text(), state, chosen_reason(self.reason))
        self.empty.setVisible(self.model.rowCount() > 0 and self.proxy.rowCount() == 0)

    def _fit_columns(self) -> None:
        """Columns of small numbers are as wide as the words over them, and no wider."""
        header = self.table.horizontalHeader()
        font = header.font()
        font.setBold(True)
        metrics = QFontMetrics(font)
        # The longest name leaves room for what is said of the student.
        header.setMaximumSectionSize(metrics.height() * 12)
        for column in (WORDS, FLAGS, *map(reason_column, CODES)):
            words = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            widest = max(metrics.horizontalAdvance(line) for line in words.split("\n"))
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, widest + round(metrics.height() * 0.95))
        self._fit_names()

    def _fit_names(self) -> None:
        """The names give way, down to a readable beginning, before the table scrolls sideways."""
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(STUDENT, QHeaderView.ResizeMode.Interactive)
        others = header.length() - header.sectionSize(STUDENT)
        room = self.table.viewport().width() - others
        wanted = max(self.table.sizeHintForColumn(STUDENT), header.sectionSizeHint(STUDENT))
        least = self.fontMetrics().height() * LEAST_NAME
        header.resizeSection(STUDENT, min(wanted, max(least, room)))

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        label = QLabel("&Search")
        label.setBuddy(self.search)
        row.addWidget(label)
        row.addWidget(self.search, 2)
        row.addWidget(self.state, 1)
        row.addWidget(self.reason, 1)
        upper = QWidget()
        inside = QVBoxLayout(upper)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addLayout(row)
        inside.addWidget(self.empty)
        inside.addWidget(self.table, 1)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(12)
        splitter.addWidget(upper)
        splitter.addWidget(self.problems)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([400, 150])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.addWidget(self.bar)
        column.addWidget(splitter, 1)
