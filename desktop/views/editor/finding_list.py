"""The list of findings beside the essay."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.models.findings import ITEM_ROLE, KEY_ROLE, FindingsModel, state_words
from desktop.services.finding_item import FindingItem, State
from desktop.theme import Theme
from engine.scheme import SCHEME, group_of


class FindingDelegate(QStyledItemDelegate):
    """Paints a row: the reason's tag, how sure or what was decided, and the sentence's start."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Qt: room for two lines."""
        line = QFontMetrics(_view_font(option)).height()
        return QSize(line * 9, round(line * 3.1))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Qt: draw the row."""
        item: FindingItem = index.data(ITEM_ROLE)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._background(painter, rect, state)
        font = _view_font(option)
        line = QFontMetrics(font).height()
        inner = rect.adjusted(line // 2 + 4, line // 2, -line // 2, -line // 3)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        first = QRect(inner.topLeft(), QSize(inner.width(), line))
        self._first_line(painter, first, font, item, selected=selected)
        palette = self._theme.palette
        faded = item.decided or item.state is State.STALE
        ink = palette.on_accent_soft if selected else palette.muted if faded else palette.text
        painter.setFont(font)
        painter.setPen(QColor(ink))
        second = QRect(inner.left(), inner.bottom() - line, inner.width(), line)
        words = QFontMetrics(font).elidedText(
            " ".join(item.sentence.split()), Qt.TextElideMode.ElideRight, second.width()
        )
        painter.drawText(second, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

    def _background(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        palette = self._theme.palette
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(palette.accent_soft))
            painter.fillRect(
                QRect(rect.left(), rect.top(), 4, rect.height()), QColor(palette.accent)
            )
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(palette.hover))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(palette.line))

    def _first_line(
        self, painter: QPainter, line: QRect, font: QFont, item: FindingItem, *, selected: bool
    ) -> None:
        palette = self._theme.palette
        group = group_of(item.finding.code)
        small = QFont(font)
        small.setPointSizeF(font.pointSizeF() * 0.86)
        words = state_words(item)
        tag_room = QFontMetrics(font).horizontalAdvance(SCHEME[item.finding.code].tag)
        if (
            QFontMetrics(small).horizontalAdvance(words) + tag_room + 2 * line.height()
            > line.width()
        ):
            # The card beside it repeats them; the tag matters more.
            words = ""
        painter.setFont(small)
        painter.setPen(QColor(palette.on_accent_soft if selected else palette.muted))
        painter.drawText(
            line, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), words
        )
        small.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetrics(small)
        room = line.width() - QFontMetrics(small).horizontalAdvance(words) - line.height()
        tag = metrics.elidedText(
            SCHEME[item.finding.code].tag, Qt.TextElideMode.ElideRight, max(room, line.height())
        )
        chip = QRect(line.topLeft(), QSize(metrics.horizontalAdvance(tag) + line.height(), 0))
        chip.setHeight(line.height() + 4)
        chip.translate(0, -2)
        painter.setPen(Qt.PenStyle.NoPen)
        faded = item.decided or item.state is State.STALE
        wash = palette.hover if faded else palette.wash(group)
        painter.setBrush(QColor(palette.surface if selected else wash))
        painter.drawRoundedRect(chip, chip.height() / 4, chip.height() / 4)
        painter.setFont(small)
        painter.setPen(QColor(palette.muted if faded else palette.ink(group)))
        painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), tag)


class FindingList(QListView):
    """The findings, one chosen; `chosen(key)` when another one is.

    `stepped(key)`: the writer asked for this one, by a click or as the next or previous one.
    """

    chosen = Signal(str)
    stepped = Signal(str)

    def __init__(self, theme: Theme, model: FindingsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(theme, self))
        self.setAccessibleName("Findings")
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.clicked.connect(lambda index: self.stepped.emit(str(index.data(KEY_ROLE))))

    def currentChanged(
        self,
        current: QModelIndex | QPersistentModelIndex,
        previous: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Qt: another row is the current one."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.chosen.emit(current.data(KEY_ROLE))

    @property
    def current_key(self) -> str:
        """The chosen finding's key, empty where none is."""
        index = self.currentIndex()
        return str(index.data(KEY_ROLE)) if index.isValid() else ""

    def choose(self, key: str) -> None:
        """Move to a finding; an unknown key clears the choice."""
        row = self._rows.row_of(key)
        index = self._rows.index(row) if row >= 0 else QModelIndex()
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index)

    def step(self, by: int) -> None:
        """Move down (1) or up (-1) to the next finding without a decision, around the end."""
        count = self._rows.rowCount()
        start = (
            self.currentIndex().row() if self.currentIndex().isValid() else (-1 if by > 0 else 0)
        )
        for distance in range(1, count + 1):
            row = (start + by * distance) % count
            if not self._rows.item(row).decided:
                self.setCurrentIndex(self._rows.index(row))
                self.stepped.emit(self.current_key)
                return


def _view_font(option: QStyleOptionViewItem) -> QFont:
    return QFont(option.font)
