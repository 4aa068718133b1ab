"""The page of keyboard shortcuts, written from the table of commands."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from desktop.actions import COMMANDS

_ALSO = (
    ("In a dialog or field", "Go to the next or previous control", "Tab, Shift+Tab"),
    ("In a dialog or field", "Press a button or open a menu", "Alt + the underlined letter"),
    ("In your own version", "Give up the change", "Esc"),
    ("In the classroom", "Open the chosen class or student", "Enter"),
    ("In the classroom", "Offer comments from your bank", "; and letters, or Ctrl+Space"),
    ("In the classroom", "Keep a flag, or give its form up", "Ctrl+Return, Esc"),
    ("In the history", "Reopen or delete the chosen check", "Enter, Delete"),
)


def keyboard_html() -> str:
    """The shortcuts as tables under their menus' names."""
    rows: list[str] = []
    last = ""
    entries = [
        (
            command.menu.replace("&", ""),
            command.plain_title.rstrip("…"),
            " or ".join(
                QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
                for keys in command.keys
            ),
        )
        for command in COMMANDS
    ]
    for menu, title, keys in (*entries, *_ALSO):
        if menu != last:
            rows.append(f'<tr><td colspan="2"><h3>{escape(menu)}</h3></td></tr>')
            last = menu
        rows.append(f"<tr><td>{escape(title)}</td><td><b>{escape(keys)}</b></td></tr>")
    return f'<table cellpadding="4" width="100%">{"".join(rows)}</table>'


class KeyboardDialog(QDialog):
    """Shows the shortcuts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard")
        self.text = QTextBrowser()
        self.text.setAccessibleName("Keyboard shortcuts")
        self.text.setProperty("role", "lines")
        self.text.setHtml(keyboard_html())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        line = self.fontMetrics().height()
        self.resize(line * 30, line * 34)
