"""The classroom's first page: the classes so far, and a form for a new one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs import Dialogs
from desktop.models.classes import ClassesModel
from desktop.views.classroom.new_class import NewClassForm
from desktop.views.classroom.pieces import push_button, set_up_table, words_label
from desktop.views.layouts import PageScrollArea
from engine.classroom.model import AssignmentRow

NO_CLASSES = (
    "No classes yet.\n\nFill in the form to have a whole class checked. Segue marks the sentences; "
    "you review them and hand back reports that you stand behind."
)
NARROW = 44
"""Below this many line heights of width, the form goes below the list."""


class StartPage(QWidget):
    """`opened(id)` and `deleted(id)` name a class; the form speaks for itself."""

    opened = Signal(int)
    deleted = Signal(int)

    def __init__(self, dialogs: Dialogs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dialogs = dialogs
        self.model = ClassesModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        set_up_table(self.table, "Classes")
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.empty = words_label(NO_CLASSES, role="muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.open_button = push_button("&Open", role="primary", name="Open the chosen class")
        self.delete_button = push_button("&Delete…", role="danger", name="Delete the chosen class")
        self.form = NewClassForm(dialogs)
        self._arrange()
        self.open_button.clicked.connect(self.open)
        self.delete_button.clicked.connect(self.delete)
        self.table.activated.connect(lambda _index: self.open())
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._update_buttons())
        delete_key = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.table)
        delete_key.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete_key.activated.connect(self.delete)
        self.show_classes([])

    def show_classes(self, rows: Sequence[AssignmentRow]) -> None:
        """List these classes."""
        chosen = self.chosen()
        self.model.show(rows)
        self._stack.setCurrentWidget(self.table if rows else self._empty_page)
        ids = [row.id for row in rows]
        if rows:
            at = ids.index(chosen.id) if chosen is not None and chosen.id in ids else 0
            self.table.setCurrentIndex(self.model.index(at, 0))
        self._update_buttons()

    def chosen(self) -> AssignmentRow | None:
        """The class that is chosen in the list."""
        index = self.table.currentIndex()
        return self.model.row(index.row()) if index.isValid() else None

    def open(self) -> None:
        """Go to the chosen class."""
        row = self.chosen()
        if row is not None:
            self.opened.emit(row.id)

    def delete(self) -> None:
        """Delete the chosen class, if the teacher says so once more."""
        row = self.chosen()
        if row is not None and self._dialogs.confirm_delete_class(self, row.name):
            self.deleted.emit(row.id)

    def start_focus(self) -> QWidget:
        """Where work starts."""
        return self.table if self.model.rowCount() else self.form.source

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: in a narrow window the form goes below the list."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW * self.fontMetrics().height()
        self._splitter.setOrientation(
            Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        )

    def _arrange(self) -> None:
        title = QLabel("Classroom")
        title.setProperty("role", "title")
        self._empty_page = QFrame()
        self._empty_page.setProperty("role", "surface")
        QVBoxLayout(self._empty_page).addWidget(self.empty)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty_page)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.delete_button)
        buttons.addWidget(self.open_button)
        left = QWidget()
        left_column = QVBoxLayout(left)
        left_column.setContentsMargins(0, 0, 0, 0)
        left_column.addWidget(self._stack, 1)
        left_column.addLayout(buttons)
        scroll = PageScrollArea()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.form)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(left)
        self._splitter.addWidget(scroll)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        # The list has two columns of numbers and a date beside the names.
        self._splitter.setSizes([520, 560])
        self._splitter.setHandleWidth(12)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(self._splitter, 1)

    def _update_buttons(self) -> None:
        is_chosen = self.chosen() is not None
        self.open_button.setEnabled(is_chosen)
        self.delete_button.setEnabled(is_chosen)
