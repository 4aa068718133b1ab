"""A layout and a label that Qt lacks, and the frame of a page that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

FIELD_MARGINS = (6, 4, 6, 4)
"""Room around the words of a field of several lines: what a field of one line has."""
_WIDEST = 900
"""Lines of text wider than this are hard to read."""


class FlowLayout(QLayout):
    """Places its widgets in a row and begins a new row where the width ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: append."""
        self._items.append(item)

    def count(self) -> int:
        """Qt: how many."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Qt: one of them, None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Qt: remove one."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: it takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Qt: yes."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: the height of the rows at a width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Qt: place everything."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """Qt: all in one row."""
        hints = [item.sizeHint() for item in self._visible()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Qt: the widest and the highest one."""
        size = QSize()
        for item in self._visible():
            size = size.expandedTo(item.minimumSize())
        return size

    def _visible(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        y = rect.y()
        for number, row in enumerate(self._rows(rect.width())):
            x = rect.x()
            y += self.spacing() if number else 0
            height = max(item.sizeHint().height() for item in row)
            for item in row:
                hint = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), height))
                if move:
                    item.setGeometry(QRect(QPoint(x, y + (height - hint.height()) // 2), hint))
                x += hint.width() + self.spacing()
            y += height
        return y - rect.y()

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = []
        used = 0
        for item in self._visible():
            wanted = item.sizeHint().width()
            if not rows or used + self.spacing() + wanted > width:
                rows.append([item])
                used = wanted
            else:
                rows[-1].append(item)
                used += self.spacing() + wanted
        return rows


def titled_page(page: QWidget, title: str, content: QWidget, *, spacing: int) -> QVBoxLayout:
    """Fill an empty page with `content`, scrolling, under a title; the column to add to."""
    content.setProperty("role", "plain")
    content.setMaximumWidth(_WIDEST)
    column = QVBoxLayout(content)
    column.setContentsMargins(16, 12, 16, 16)
    column.setSpacing(spacing)
    head = QLabel(title)
    head.setProperty("role", "title")
    column.addWidget(head)
    scroll = PageScrollArea()
    scroll.setWidget(content)
    outer = QVBoxLayout(page)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.addWidget(scroll)
    return column


def fit_height(widget: QWidget) -> None:
    """Let a wrapping widget be as high as its text needs, and no higher."""
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)


class PageScrollArea(QScrollArea):
    """Scrolls what is in it, is no stop for Tab itself, and follows the focus.

    Qt follows only a Tab that was pressed inside the area, not one that comes in from outside.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    def _follow(self, _old: QWidget | None, now: QWidget | None) -> None:
        content = self.widget()
        if now is not None and content is not None and content.isAncestorOf(now):
            self.ensureWidgetVisible(now)


class SteadyScrollArea(PageScrollArea):
    """Scrolls downwards; its text keeps its width, and so its lines, whether or not a bar is there."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().rangeChanged.connect(self._keep_room)

    def reveal(self, widget: QWidget) -> None:
        """Scroll to a widget; where it is higher than the room there is, to its beginning."""
        self.ensureWidgetVisible(widget)
        bar, content = self.verticalScrollBar(), self.widget()
        if content is not None:
            head = 2 * self.fontMetrics().height()
            if widget.height() + head > self.viewport().height():
                bar.setValue(widget.mapTo(content, QPoint(0, 0)).y() - head)

    def _keep_room(self, _least: int, most: int) -> None:
        """Where there is no bar, leave its room empty."""
        bar = self.verticalScrollBar()
        self.setViewportMargins(0, 0, 0 if most > 0 else bar.sizeHint().width(), 0)


class ElidedLabel(QLabel):
    """One line that ends in "…" where the room ends; the tool tip has the whole.

    `least` is the width that it asks for at least where its text has it, in line heights.
    """

    def __init__(
        self, *, keep: Qt.TextElideMode = Qt.TextElideMode.ElideRight, least: int = 0
    ) -> None:
        super().__init__()
        self._whole = ""
        self._mode = keep
        self._least = least
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    @property
    def whole(self) -> str:
        """The text before it is cut."""
        return self._whole

    def show_text(self, text: str) -> None:
        """Show a text, cut to the room there is."""
        self._whole = text
        self.setToolTip(text)
        self.setAccessibleDescription(text)
        self.updateGeometry()
        self._cut()

    def sizeHint(self) -> QSize:
        """Qt: room for the whole text."""
        hint = super().sizeHint()
        # Two pixels to spare, because the text is measured in fractions of one.
        hint.setWidth(self.fontMetrics().horizontalAdvance(self._whole) + 2)
        return hint

    def minimumSizeHint(self) -> QSize:
        """Qt: room for the beginning, or for nothing."""
        hint = self.sizeHint()
        least = max(1, self._least * self.fontMetrics().height())
        return QSize(min(hint.width(), least), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: cut anew."""
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._whole, self._mode, self.width()))
