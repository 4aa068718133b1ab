"""Which reports to write, and where."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs import Dialogs
from desktop.services.classroom_service import Export
from desktop.views.classroom.pieces import caption, push_button, words_label
from engine.classroom.model import Assignment, SourceKind, State

FORMATS = {
    "html": "Web pages, for reading on a phone or printing",
    "docx": "Word documents, with comments beside the text",
    "pdf": "PDF, for printing",
    "csv": "Tables of the class, for a spreadsheet",
}
ABOUT = (
    "Each student gets a report, and you get one on the class. Every mark says whether Segue or "
    "you made it; an essay that you have not reviewed says so. No report holds a grade."
)
MOODLE = (
    "This class came from Moodle: a zip file with the feedback, and the grading worksheet with "
    "your comments filled in if there was one, are written too. Upload them there as they are."
)


class ExportDialog(QDialog):
    """`wanted(Export)` once formats and folder are chosen."""

    wanted = Signal(object)

    def __init__(
        self, assignment: Assignment, dialogs: Dialogs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._dialogs = dialogs
        self.setWindowTitle("Export reports")
        self.formats = {kind: QCheckBox(words) for kind, words in FORMATS.items()}
        for kind in ("html", "csv"):
            self.formats[kind].setChecked(True)
        released = len(assignment.in_state(State.RELEASED))
        done = sum(one.state.is_done for one in assignment.submissions)
        self.only_released = QCheckBox(f"Only essays that are released ({released} of {done})")
        self.only_released.setChecked(released > 0)
        self.only_released.setEnabled(released > 0)
        self.folder = QLineEdit()
        self.folder.setAccessibleName("Folder for the reports")
        self.folder.setPlaceholderText("Where to write them")
        self.folder_button = push_button("&Choose…", name="Choose the folder for the reports")
        self.folder_button.clicked.connect(self._ask_folder)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.export_button = self.buttons.addButton(
            "&Export", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.export_button.setProperty("role", "primary")
        self.buttons.accepted.connect(self._export)
        self.buttons.rejected.connect(self.reject)
        self.folder.textChanged.connect(self._update)
        for box in self.formats.values():
            box.toggled.connect(self._update)
        self._arrange(is_moodle=assignment.kind is SourceKind.MOODLE)
        self._update()

    def _export(self) -> None:
        formats = tuple(kind for kind, box in self.formats.items() if box.isChecked())
        folder = Path(self.folder.text().strip()).expanduser()
        self.wanted.emit(Export(folder, formats, self.only_released.isChecked()))
        self.accept()

    def _ask_folder(self) -> None:
        path = self._dialogs.ask_folder(self, "The folder for the reports")
        if path is not None:
            self.folder.setText(str(path))

    def _update(self) -> None:
        some = any(box.isChecked() for box in self.formats.values())
        self.export_button.setEnabled(some and bool(self.folder.text().strip()))

    def _arrange(self, *, is_moodle: bool) -> None:
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(words_label(ABOUT))
        for box in self.formats.values():
            column.addWidget(box)
        column.addWidget(self.only_released)
        if is_moodle:
            column.addWidget(words_label(MOODLE, role="muted"))
        column.addWidget(caption("Folder", self.folder))
        row = QHBoxLayout()
        row.addWidget(self.folder, 1)
        row.addWidget(self.folder_button)
        column.addLayout(row)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.setMinimumWidth(self.fontMetrics().height() * 28)
        self.adjustSize()
