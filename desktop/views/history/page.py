"""The history page: every past check, to search, reopen and delete."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs import Dialogs
from desktop.models.runs import COLUMNS, RunsModel
from desktop.services.history_service import HistoryService
from desktop.services.settings import Settings
from desktop.views.wheel import keep_from_wheel
from engine.history import RunKind, RunRecord, RunRow

SEARCH_MS = 250
LOADING = "Reading the history…"
NO_RUNS = "No checks yet.\n\nEvery essay that you check is listed here, so that you can reopen it."
NO_MATCH = (
    "No check matches the search.\n\n"
    "It looks in the essay's name, its class, its topic and its text."
)
NONE_OF_KIND = {
    RunKind.ALL: NO_RUNS,
    RunKind.OWN: "None of your own essays has been checked yet.\n\n"
    "Choose All checks to see those of your classes.",
    RunKind.CLASS: "No essay of a class has been checked yet.\n\n"
    "The Classroom page checks a whole class.",
}
NOT_ALL_SEARCHED = "\n\nOnly some checks are shown. Choose All checks to search in all of them."
_CLASS_COLUMN = COLUMNS.index("Class")
_SPARED = (COLUMNS.index("Words"), COLUMNS.index("Decided"))
"""What a narrow table does without."""
_NARROW = 16
"""Below this many line heights for the names of essay and class, a table is narrow."""


class HistoryPage(QWidget):
    """Lists the runs of a `HistoryService`; `reopened(RunRecord)` hands one to the editor.

    Who has checked a class can have their own essays apart from it, and the page remembers that.
    Who has not sees nothing of classes.
    """

    reopened = Signal(object)

    def __init__(
        self,
        history: HistoryService,
        settings: Settings,
        dialogs: Dialogs,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._history = history
        self._settings = settings
        self._dialogs = dialogs
        self._wanted: int | None = None
        self._has_classes = False
        self.model = RunsModel(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Name, class, topic or words of an essay")
        self.search.setAccessibleName("Search the history")
        self.search.setClearButtonEnabled(True)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("Which checks to show")
        for value, words in Settings.history_kind.choices.items():
            self.kinds.addItem(words, value)
        self.kinds.setCurrentIndex(self.kinds.findData(settings.history_kind))
        keep_from_wheel(self.kinds)
        self.table = QTableView()
        self.empty = QLabel(LOADING)
        self.empty.setProperty("role", "muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.open_button = QPushButton("&Reopen")
        self.open_button.setProperty("role", "primary")
        self.delete_button = QPushButton("&Delete…")
        self.delete_button.setProperty("role", "danger")
        # Typing a word asks the database once, not once a letter.
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SEARCH_MS)
        self._set_up_table()
        self._arrange()
        self._connect()
        self._show_classes(())
        self._update_buttons()

    @property
    def is_read(self) -> bool:
        """Whether the page shows what the history holds."""
        return self.empty.text() != LOADING

    def refresh(self) -> None:
        """Ask for the list again."""
        self._history.list_runs(self.search.text().strip(), kind=self._kind)

    @property
    def _kind(self) -> RunKind:
        return RunKind(self.kinds.currentData())

    def reopen(self) -> None:
        """Ask for the chosen run; `reopened` follows when it was read."""
        run = self._chosen()
        if run is not None:
            self._wanted = run.id
            self._history.load_run(run.id)

    def delete(self) -> None:
        """Delete the chosen run, if the user says so once more."""
        run = self._chosen()
        if run is not None and self._dialogs.confirm_delete(self, run.essay_name):
            self._history.delete_run(run.id)
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: the list is fresh whenever the page comes up."""
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the columns share the new width."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave most room to the name: numbers give way to it, and a long class name ends in "…"."""
        table, header = self.table, self.table.horizontalHeader()
        columns = range(1, len(COLUMNS))
        wanted = {c: max(table.sizeHintForColumn(c), header.sectionSizeHint(c)) for c in columns}
        of_class = wanted.pop(_CLASS_COLUMN)
        # The table itself gets its size only when it first comes up.
        frame = 2 * table.frameWidth() + table.verticalScrollBar().sizeHint().width()
        room = self._stack.width() - frame - sum(wanted.values())
        is_narrow = room < _NARROW * self.fontMetrics().height()
        for column in _SPARED:
            table.setColumnHidden(column, is_narrow)
            room += wanted[column] if is_narrow else 0
        header.resizeSection(_CLASS_COLUMN, max(1, min(of_class, 2 * room // 5)))

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAccessibleName("Past checks")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_CLASS_COLUMN, QHeaderView.ResizeMode.Fixed)

    def _arrange(self) -> None:
        title = QLabel("History")
        title.setProperty("role", "title")
        self._kinds_label = QLabel("Sho&w")
        self._kinds_label.setBuddy(self.kinds)
        label = QLabel("&Search")
        label.setBuddy(self.search)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.search, 1)
        row.addWidget(self._kinds_label)
        row.addWidget(self.kinds)
        row.addWidget(self.open_button)
        row.addWidget(self.delete_button)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self._stack.setCurrentWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(title)
        column.addLayout(row)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _text: self._pause.start())
        self._pause.timeout.connect(self.refresh)
        self.kinds.activated.connect(lambda _row: self._choose_kind())
        self.open_button.clicked.connect(self.reopen)
        self.delete_button.clicked.connect(self.delete)
        self.table.activated.connect(lambda _index: self.reopen())
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._update_buttons())
        self._history.runs_listed.connect(self._show)
        self._history.run_loaded.connect(self._hand_over)
        delete_key = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.table)
        delete_key.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete_key.activated.connect(self.delete)

    def _choose_kind(self) -> None:
        self._settings.history_kind = self._kind.value
        self.refresh()

    def _show_classes(self, rows: Sequence[RunRow]) -> None:
        """Speak of classes from when there is one to speak of; a search does not end that."""
        here = any(row.class_name for row in rows)
        self._has_classes = self._has_classes or here or self._kind is not RunKind.ALL
        self._kinds_label.setVisible(self._has_classes)
        self.kinds.setVisible(self._has_classes)
        # Among one's own essays the column would be empty.
        shown = self._has_classes and self._kind is not RunKind.OWN
        self.table.setColumnHidden(_CLASS_COLUMN, not shown)

    def _nothing_words(self) -> str:
        if not self.search.text().strip():
            return NONE_OF_KIND[self._kind]
        return NO_MATCH + (NOT_ALL_SEARCHED if self._kind is not RunKind.ALL else "")

    def _show(self, rows: Sequence[RunRow]) -> None:
        chosen = self._chosen()
        self.model.show(rows)
        self._show_classes(rows)
        self._fit_columns()
        self.empty.setText(self._nothing_words())
        self._stack.setCurrentWidget(self.table if rows else self.empty)
        ids = [row.id for row in rows]
        if rows:
            row = ids.index(chosen.id) if chosen is not None and chosen.id in ids else 0
            self.table.setCurrentIndex(self.model.index(row, 0))
        self._update_buttons()

    def _chosen(self) -> RunRow | None:
        index: QModelIndex = self.table.currentIndex()
        return self.model.run(index.row()) if index.isValid() else None

    def _hand_over(self, record: RunRecord) -> None:
        if record.row.id == self._wanted:
            self._wanted = None
            self.reopened.emit(record)

    def _update_buttons(self) -> None:
        chosen = self._chosen() is not None
        self.open_button.setEnabled(chosen)
        self.delete_button.setEnabled(chosen)
