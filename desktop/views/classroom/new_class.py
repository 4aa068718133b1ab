"""The form for a new class."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs import Dialogs
from desktop.services.classroom_service import NewClass
from desktop.views.classroom.options import CheckOptions
from desktop.views.classroom.pieces import label_width, push_button, words_label

ABOUT = (
    "Give a folder or a zip file with one essay or one folder a student, or Moodle’s download of "
    "all submissions as it is. You can also drop it here. The essays are only read."
)
NO_SOURCE = "Say where the essays are."
NO_REASON = "Switch on at least one reason."


class NewClassForm(QFrame):
    """Asks for a `NewClass`; `wanted(NewClass)` when the teacher has filled it in."""

    wanted = Signal(object)
    message = Signal(str, str, str)

    def __init__(self, dialogs: Dialogs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dialogs = dialogs
        self._named = ""
        self.setProperty("role", "surface")
        self.setAcceptDrops(True)
        self.source = _field(
            "Folder or zip file with the essays", "Folder, zip file or Moodle download"
        )
        self.folder_button = push_button("Fo&lder…", name="Choose the folder with the essays")
        self.zip_button = push_button("&Zip file…", name="Choose the zip file with the essays")
        self.name = _field("Name of the class", "Such as “8b, week 3”")
        self.roster = _field("List of students", "CSV with a column “name” (optional)")
        self.roster_button = push_button("L&ist…", name="Choose the list of students")
        self.options = CheckOptions()
        self.start_button = push_button("Check the cla&ss", role="primary", command="class_start")
        self._arrange()
        self.folder_button.clicked.connect(self._ask_folder)
        self.zip_button.clicked.connect(self._ask_zip)
        self.roster_button.clicked.connect(self._ask_roster)
        self.start_button.clicked.connect(self.submit)
        self.source.editingFinished.connect(lambda: self._suggest_name(self.source.text()))

    def show_source(self, path: Path) -> None:
        """Fill in where the essays are, and a name after it."""
        self.source.setText(str(path))
        self._suggest_name(str(path))

    def submit(self) -> None:
        """Hand on what is filled in, or say what is missing."""
        source, options = self.source.text().strip(), self.options.settings()
        if not source:
            self.message.emit("warning", NO_SOURCE, "Choose a folder, or a zip file.")
            self.source.setFocus()
            return
        if not options.reasons:
            self.message.emit("warning", NO_REASON, "Without one, no flag would be shown.")
            return
        path = Path(source).expanduser()
        roster = self.roster.text().strip()
        self.wanted.emit(
            NewClass(
                source=path,
                name=self.name.text().strip() or path.stem,
                settings=options,
                roster=Path(roster).expanduser() if roster else None,
            )
        )

    def clear(self) -> None:
        """Empty the fields that belong to one class; the options are often the same again."""
        self._named = ""
        for field in (self.source, self.name, self.roster, self.options.topic):
            field.clear()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Qt: files and folders are welcome."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Qt: take what was dropped as the source."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.show_source(Path(paths[0]))

    def _suggest_name(self, source: str) -> None:
        if source.strip() and self.name.text().strip() in ("", self._named):
            self._named = Path(source.strip()).stem
            self.name.setText(self._named)

    def _ask_folder(self) -> None:
        path = self._dialogs.ask_folder(self, "The folder with the essays")
        if path is not None:
            self.show_source(path)

    def _ask_zip(self) -> None:
        path = self._dialogs.ask_file(self, "The zip file with the essays", "Zip files (*.zip)")
        if path is not None:
            self.show_source(path)

    def _ask_roster(self) -> None:
        path = self._dialogs.ask_file(self, "The list of students", "Tables (*.csv *.tsv *.txt)")
        if path is not None:
            self.roster.setText(str(path))

    def _arrange(self) -> None:
        title = QLabel("New class")
        title.setProperty("role", "heading")
        grid = QGridLayout()
        grid.setVerticalSpacing(8)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, label_width(self))
        for row, (words, field, buttons) in enumerate(
            (
                ("Essays", self.source, (self.folder_button, self.zip_button)),
                ("Name", self.name, ()),
                ("Students", self.roster, (self.roster_button,)),
            )
        ):
            label = QLabel(words)
            label.setBuddy(field)
            line = QHBoxLayout()
            line.setSpacing(8)
            line.addWidget(field, 1)
            for button in buttons:
                line.addWidget(button)
            grid.addWidget(label, row, 0)
            grid.addLayout(line, row, 1)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.start_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(10)
        column.addWidget(title)
        column.addWidget(words_label(ABOUT, role="muted"))
        column.addLayout(grid)
        column.addWidget(self.options)
        column.addLayout(last)
        column.addStretch(1)


def _field(name: str, hint: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    return field
