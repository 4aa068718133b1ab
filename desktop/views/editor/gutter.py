"""The margin beside the essay, with each finding's reason in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCursor,
)
from PySide6.QtWidgets import QToolTip, QWidget

from desktop.theme import Theme
from engine.scheme import SCHEME, Group

if TYPE_CHECKING:
    from desktop.views.editor.essay_edit import EssayEdit

RECHECKING = "re-checking"
PARAGRAPH = "¶"


@dataclass(frozen=True, slots=True)
class Label:
    """A tag to write beside the line that holds `position`; no group means a neutral one."""

    key: str
    position: int
    text: str
    group: Group | None
    stale: bool = False
    selected: bool = False


class Gutter(QWidget):
    """Draws the labels of an `EssayEdit` beside their lines; a click selects the finding."""

    clicked = Signal(str)

    def __init__(self, edit: EssayEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._theme: Theme | None = None
        self._font = QFont()
        self._places: list[tuple[QRect, Label]] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Reasons beside the essay")

    def restyle(self, theme: Theme) -> None:
        """Take over the theme's font size and colours."""
        self._theme = theme
        self._font = QFont(self._edit.font())
        self._font.setPointSizeF(max(7.5, theme.font_size * 0.78))
        self._font.setWeight(QFont.Weight.DemiBold)
        self.update()

    def width_needed(self) -> int:
        """Pixels for the widest tag that fits on a line; longer tags take two lines."""
        metrics = QFontMetrics(self._font)
        words = [info.tag for info in SCHEME.values()] + [RECHECKING]
        widths = sorted(metrics.horizontalAdvance(word) for word in words)
        return widths[-3] + metrics.height() * 2 + self._sign_width()

    def sizeHint(self) -> QSize:
        """Qt: as wide as the tags."""
        return QSize(self.width_needed(), 0)

    def label_at(self, y: int) -> Label | None:
        """The label drawn at a height, None between labels."""
        for place, label in self._places:
            if place.top() <= y <= place.bottom():
                return label
        return None

    def drawn_texts(self) -> list[str]:
        """The words drawn at the last painting, from top to bottom."""
        return [_words(label) for _place, label in self._places]

    def layout_labels(self) -> list[tuple[QRect, Label]]:
        """The visible labels and where they go, moved down where two would overlap."""
        edit = self._edit
        first = edit.firstVisibleBlock().blockNumber()
        last = edit.cursorForPosition(edit.viewport().rect().bottomLeft()).blockNumber()
        metrics = QFontMetrics(self._font)
        pad = metrics.height() // 4
        placed: list[tuple[QRect, Label]] = []
        floor = -self.height()
        for label in sorted(edit.labels(), key=lambda label: label.position):
            cursor = QTextCursor(edit.document())
            cursor.setPosition(label.position)
            if not first <= cursor.blockNumber() <= last:
                continue
            line = edit.cursorRect(cursor)
            wide = self.width() - self._sign_width() - 3 * pad
            room = QRect(0, 0, wide - pad, 4 * metrics.height())
            words = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), _words(label))
            box = QRect(2 * pad, 0, wide, words.height() + 2 * pad)
            box.moveTop(max(floor, line.top() + (line.height() - metrics.height()) // 2 - pad))
            placed.append((box, label))
            floor = box.bottom() + pad
        return placed

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt: draw the labels that are in view."""
        if self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        self._draw_paragraph_signs(painter, self._theme)
        self._places = self.layout_labels()
        for box, label in self._places:
            self._draw(painter, box, label, self._theme)
        painter.end()

    def _sign_width(self) -> int:
        return QFontMetrics(self._font).horizontalAdvance(PARAGRAPH) * 2

    def _draw_paragraph_signs(self, painter: QPainter, theme: Theme) -> None:
        """Show where paragraphs begin: plain text has no room between them."""
        edit = self._edit
        painter.setPen(QColor(theme.palette.border))
        block = edit.firstVisibleBlock()
        while block.isValid():
            line = edit.cursorRect(QTextCursor(block))
            if line.top() > self.height():
                break
            if block.text().strip():
                place = QRect(0, line.top(), self.width(), line.height())
                painter.drawText(place, int(Qt.AlignmentFlag.AlignRight), PARAGRAPH)
            block = block.next()

    def _draw(self, painter: QPainter, box: QRect, label: Label, theme: Theme) -> None:
        palette = theme.palette
        radius = theme.font_size * 0.4
        ink, wash = QColor(palette.muted), QColor(palette.surface)
        if label.group is not None and not label.stale:
            ink, wash = QColor(palette.ink(label.group)), QColor(palette.wash(label.group))
        painter.setPen(Qt.PenStyle.NoPen)
        if label.group is None:
            wash = QColor(palette.anchor_soft)
            ink = QColor(palette.text)
        elif label.stale:
            painter.setPen(QPen(ink, 1, Qt.PenStyle.DotLine))
        elif label.selected:
            painter.setPen(QPen(ink, 2))
        painter.setBrush(wash)
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius, radius)
        painter.setPen(ink)
        flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignCenter)
        painter.drawText(box, flags, _words(label))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a label chooses its finding."""
        label = self.label_at(int(event.position().y()))
        if label is not None and label.key:
            self.clicked.emit(label.key)

    def event(self, event: QEvent) -> bool:
        """Qt: the tool tip is the label in full."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            label = self.label_at(event.pos().y())
            QToolTip.showText(event.globalPos(), "" if label is None else _words(label), self)
            return True
        return super().event(event)


def _words(label: Label) -> str:
    return RECHECKING if label.stale else label.text
