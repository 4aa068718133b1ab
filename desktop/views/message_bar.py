"""The one place where the window tells of errors and news."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

INFO_MS = 8000
KEPT = 5
"""How many messages wait behind the one on show."""
_TITLES = {"info": "Note", "warning": "Warning", "error": "Problem"}


class MessageBar(QFrame):
    """A line above the pages: what happened and what to do.

    Warnings and errors stay until they are dismissed. The newest is on show; dismissing it brings
    the one before back, so that no warning is lost to the next one.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self.kind = ""
        self._earlier: list[tuple[str, str, str]] = []
        self._kind_label = QLabel()
        self._kind_label.setStyleSheet("font-weight: 600;")
        self.text = _label("Message")
        self.hint = _label("What to do")
        self.dismiss_button = QPushButton("Dis&miss")
        self.dismiss_button.clicked.connect(self.dismiss)
        words = QGridLayout()
        words.setVerticalSpacing(2)
        words.setColumnStretch(1, 1)
        words.addWidget(self._kind_label, 0, 0, Qt.AlignmentFlag.AlignTop)
        words.addWidget(self.text, 0, 1)
        words.addWidget(self.hint, 1, 1)
        self.waiting = QLabel()
        row = QHBoxLayout(self)
        row.addLayout(words, 1)
        row.setAlignment(words, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.waiting)
        row.setAlignment(self.waiting, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.dismiss_button, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        self.hide()

    def show_message(self, kind: str, text: str, hint: str = "") -> None:
        """Show a message of the kind "info", "warning" or "error".

        A passing note never takes the place of an error that nobody has dismissed.
        """
        if kind == "info" and self.kind == "error" and not self.isHidden():
            return
        self._keep_present()
        message = (kind, text, hint)
        self._earlier = [each for each in self._earlier if each != message]
        self._show(*message)

    def _keep_present(self) -> None:
        """Put aside what is on show, if it may not be lost."""
        if self.kind in ("warning", "error"):
            self._earlier.append((self.kind, self.text.text(), self.hint.text()))
            del self._earlier[:-KEPT]

    def _show(self, kind: str, text: str, hint: str) -> None:
        self.kind = kind
        self.setProperty("kind", kind)
        for widget in (self, self._kind_label, self.text, self.hint, self.waiting):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self._kind_label.setText(_TITLES.get(kind, kind.capitalize()))
        self.text.setText(text)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        count = len(self._earlier)
        self.waiting.setText(f"{count} more" if count else "")
        self.waiting.setVisible(bool(count))
        # As high as the button, so that the two stand in line.
        self.waiting.setFixedHeight(self.dismiss_button.sizeHint().height())
        name = f"{self._kind_label.text()}: {text} {hint}".strip()
        self.setAccessibleName(f"{name} ({count} more)" if count else name)
        self.show()
        if kind == "info":
            self._timer.start()
        else:
            self._timer.stop()

    def dismiss(self) -> None:
        """Take the message away; an earlier one that nobody has dismissed comes back."""
        self._timer.stop()
        self.kind = ""
        if self._earlier:
            self._show(*self._earlier.pop())
        else:
            self.hide()

    def dismiss_all(self) -> None:
        """Take every message away."""
        self._earlier.clear()
        self.dismiss()


def _label(name: str) -> QLabel:
    label = QLabel()
    label.setAccessibleName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
