"""What Segue is, which version this is, and under which licence."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QWidget

from desktop.icons import icon
from desktop.theme import Theme
from desktop.views.layouts import fit_height
from engine import __version__

ABOUT = (
    f"<h3>Segue {__version__}</h3>"
    "<p>A coherence coach for people who write English as a second language. It marks the "
    "sentences that break an essay's flow, says why, and offers the smallest rewrite.</p>"
    "<p>It works on this computer alone. Its judgements come from a model and can be wrong: "
    "you decide.</p><p>Licence: Apache-2.0. Qt is used under the LGPL-3.0.</p>"
)
_COLUMNS = 50
"""Characters in a line: Qt's own box leaves three words of them on a small screen."""


class AboutDialog(QDialog):
    """Shows `ABOUT` beside the sign of Segue, drawn in the theme's colours."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Segue")
        accent, size = theme.palette.accent, 4 * theme.font_size
        drawing = icon("segue", ink=accent, ink_on=accent, size=size)
        self.sign = QLabel()
        self.sign.setPixmap(drawing.pixmap(QSize(size, size), self.devicePixelRatioF()))
        self.words = QLabel(ABOUT)
        self.words.setWordWrap(True)
        self.words.setMinimumWidth(self.fontMetrics().averageCharWidth() * _COLUMNS)
        fit_height(self.words)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        grid = QGridLayout(self)
        grid.setHorizontalSpacing(16)
        grid.addWidget(self.sign, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.words, 0, 1)
        grid.addWidget(buttons, 1, 0, 1, 2)
        grid.setRowStretch(0, 1)
