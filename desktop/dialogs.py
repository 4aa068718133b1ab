"""Every question that the window asks in a dialog of its own.

One object is made at the start and handed to whoever asks; tests hand in one that answers.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from desktop.services.autosave import Draft

READABLE = "*.docx *.odt *.txt *.md *.html *.htm *.rtf *.pdf"
WRITABLE = (
    "Word document (*.docx);;OpenDocument text (*.odt);;Plain text (*.txt);;"
    "Markdown (*.md);;Web page (*.html)"
)
ENCODINGS = {
    "Western European (Windows)": "cp1252",
    "Western European (ISO)": "iso8859_15",
    "Central European (Windows)": "cp1250",
    "Cyrillic (Windows)": "cp1251",
    "Turkish (Windows)": "cp1254",
    "Arabic (Windows)": "cp1256",
    "Vietnamese (Windows)": "cp1258",
    "Chinese, simplified": "gb18030",
    "Chinese, traditional": "big5hkscs",
    "Japanese": "cp932",
    "Korean": "cp949",
    "Unicode (UTF-8)": "utf-8",
    "Unicode (UTF-16)": "utf-16",
}
"""The encodings to choose from, by the words that the user sees."""
_BUTTON = QMessageBox.StandardButton


class Unsaved(Enum):
    """What to do with changes that are not saved."""

    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"


class Dialogs:
    """Asks with Qt's dialogs; `native` False keeps to Qt's own file dialogs."""

    def __init__(self, *, native: bool = True) -> None:
        self._options = QFileDialog.Option(0)
        if not native:
            self._options = QFileDialog.Option.DontUseNativeDialog

    def ask_open(self, parent: QWidget, folder: Path) -> Path | None:
        """The file to open, None if the user changed their mind."""
        name, _kind = QFileDialog.getOpenFileName(
            parent,
            "Open an essay",
            str(folder),
            f"Essays ({READABLE});;All files (*)",
            options=self._options,
        )
        return Path(name) if name else None

    def ask_folder(self, parent: QWidget, title: str) -> Path | None:
        """A folder, None if the user changed their mind."""
        options = self._options | QFileDialog.Option.ShowDirsOnly
        name = QFileDialog.getExistingDirectory(parent, title, str(Path.home()), options)
        return Path(name) if name else None

    def ask_file(self, parent: QWidget, title: str, kinds: str) -> Path | None:
        """A file of these kinds (as Qt's filters), None if the user changed their mind."""
        name, _kind = QFileDialog.getOpenFileName(
            parent, title, str(Path.home()), f"{kinds};;All files (*)", options=self._options
        )
        return Path(name) if name else None

    def ask_save(self, parent: QWidget, suggested: Path) -> Path | None:
        """Where to save; asks before it takes the place of another file."""
        name, kind = QFileDialog.getSaveFileName(
            parent, "Save the essay", str(suggested), WRITABLE, options=self._options
        )
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else path.with_suffix(_suffix(kind))

    def ask_encoding(self, parent: QWidget, name: str) -> str | None:
        """How a text file's letters are stored, as Python names it; None if nobody knows."""
        words, is_chosen = QInputDialog.getItem(
            parent,
            "Segue",
            f"The letters of {name} can be read in several ways.\nWhich language or system is "
            "it from?\nIf the text looks wrong then, open it again and choose another.",
            list(ENCODINGS),
            0,
            False,
        )
        return ENCODINGS[words] if is_chosen else None

    def ask_unsaved(self, parent: QWidget, name: str) -> Unsaved:
        """What to do before unsaved changes would be lost."""
        box = QMessageBox(parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Segue")
        box.setText(f"Save the changes to {name}?")
        box.setInformativeText("If you do not save them, they are lost.")
        box.setStandardButtons(_BUTTON.Save | _BUTTON.Discard | _BUTTON.Cancel)
        box.setDefaultButton(_BUTTON.Save)
        answer = box.exec()
        if answer == _BUTTON.Save:
            return Unsaved.SAVE
        return Unsaved.DISCARD if answer == _BUTTON.Discard else Unsaved.CANCEL

    def ask_recover(self, parent: QWidget, draft: Draft) -> bool:
        """Whether to bring back a draft that was never saved."""
        when = draft.saved_at.astimezone().strftime("%Y-%m-%d %H:%M")
        box = QMessageBox(parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Segue")
        box.setText(f"Bring back “{draft.content.name}”?")
        box.setInformativeText(
            f"Segue ended without saving it. The draft is from {when} and has "
            f"{len(draft.content.text.split())} words. If you do not bring it back, it is deleted."
        )
        box.setStandardButtons(_BUTTON.Yes | _BUTTON.No)
        box.setDefaultButton(_BUTTON.Yes)
        return box.exec() == _BUTTON.Yes

    def confirm_delete_class(self, parent: QWidget, name: str) -> bool:
        """Whether to delete a class with all that belongs to it."""
        answer = QMessageBox.question(
            parent,
            "Segue",
            f"Delete the class “{name}” with its essays, flags and your reviews?\n\n"
            "The students' own files and the reports that you exported are not touched.",
            _BUTTON.Yes | _BUTTON.No,
            _BUTTON.No,
        )
        return answer == _BUTTON.Yes

    def ask_licence(self, parent: QWidget, name: str, licence: str, address: str) -> bool:
        """Whether the user agrees to a licence that has conditions."""
        box = QMessageBox(parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Segue")
        box.setText(f"Do you agree to the {licence}?")
        box.setInformativeText(
            f"{name} may only be used under this licence. Read it first: {address}"
        )
        box.setStandardButtons(_BUTTON.Yes | _BUTTON.No)
        box.setDefaultButton(_BUTTON.No)
        return box.exec() == _BUTTON.Yes

    def confirm_remove_model(self, parent: QWidget, name: str, size: str) -> bool:
        """Whether to delete an installed model."""
        answer = QMessageBox.question(
            parent,
            "Segue",
            f"Remove {name} ({size}) from this computer?\n\n"
            "To use it again, you would have to download it or bring it in again.",
            _BUTTON.Yes | _BUTTON.No,
            _BUTTON.No,
        )
        return answer == _BUTTON.Yes

    def confirm_delete(self, parent: QWidget, name: str) -> bool:
        """Whether to delete a check from the history."""
        answer = QMessageBox.question(
            parent,
            "Segue",
            f"Delete the check of “{name}” with its findings and decisions from the history?\n\n"
            "Your own file is not touched.",
            _BUTTON.Yes | _BUTTON.No,
            _BUTTON.No,
        )
        return answer == _BUTTON.Yes


def _suffix(kind: str) -> str:
    _head, _star, tail = kind.partition("*")
    return tail.rstrip(")") or ".txt"
