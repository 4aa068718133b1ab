"""The essay's text field: plain text with findings laid over it.

Highlights are extra selections, so they never enter the undo history, and their cursors move
along with the text while the writer types. All positions here are Qt's UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QInputMethodEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from desktop.offsets import piece_of_document
from desktop.theme import UNDERLINES, Theme
from desktop.views.editor.gutter import Gutter, Label
from engine.scheme import Group


@dataclass(frozen=True, slots=True)
class Mark:
    """A sentence to highlight: its finding's key, its place, its reason's tag and group."""

    key: str
    start: int
    end: int
    tag: str
    group: Group
    stale: bool = False


class EssayEdit(QPlainTextEdit):
    """A plain-text field that shows marks and reports each change as a splice.

    `spliced(position, removed, added)` reports a change of the text, undo and redo included; it
    may cover more than what changed, for Qt reports the whole paragraph after an input method.
    `show_text` is not reported. `mark_clicked(key)` and `file_dropped(path)` report the mouse.
    """

    spliced = Signal(int, int, str)
    mark_clicked = Signal(str)
    file_dropped = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marks: tuple[Mark, ...] = ()
        self._cursors: dict[str, QTextCursor] = {}
        self._selected = ""
        self._anchor_cursor: QTextCursor | None = None
        self._quiet = False
        self._composing = False
        self._waiting = False
        self.setProperty("role", "essay")
        self.setAccessibleName("Essay")
        self.setPlaceholderText(
            "Write or paste your essay here, or open a file with Ctrl+O.\n\n"
            "Then press Check. Segue marks the sentences that break the flow, says why, "
            "and offers the smallest rewrite that mends them."
        )
        self.setTabChangesFocus(True)
        self.setAcceptDrops(True)
        self._gutter = Gutter(self)
        self._gutter.clicked.connect(self.mark_clicked)
        self.updateRequest.connect(lambda _rect, _dy: self._gutter.update())
        self.document().contentsChange.connect(self._report)
        self.restyle()

    @property
    def gutter(self) -> Gutter:
        """The margin with the reason tags."""
        return self._gutter

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks as last set; `live_span` says where one stands now."""
        return self._marks

    @property
    def composing(self) -> bool:
        """Whether an input method is in the middle of a word."""
        return self._composing

    def restyle(self) -> None:
        """Take over the theme's colours and font size."""
        font = QFont(self.font())
        font.setPointSize(self._theme.font_size + 1)
        self.setStyleSheet(f"QPlainTextEdit {{ font-size: {self._theme.font_size + 1}pt; }}")
        self.document().setDocumentMargin(self._theme.font_size)
        self.setCursorWidth(max(1, self._theme.font_size // 8))
        self._gutter.restyle(self._theme)
        # On the right for the placeholder, which Qt draws up to the edge.
        self.setViewportMargins(self._gutter.width_needed(), 0, self._theme.font_size // 2, 0)
        self._place_gutter()
        self._overlay()

    def show_text(self, text: str) -> None:
        """Replace everything, as for an essay just opened; clears the undo history."""
        self._quiet = True
        try:
            self.setPlainText(text)
        finally:
            self._quiet = False
        self.set_marks(())
        self.set_anchor(None)

    def replace_range(self, start: int, end: int, text: str) -> None:
        """Put `text` in place of the range: one undo step, reported as one splice."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        try:
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(text)
        finally:
            cursor.endEditBlock()
        self.setTextCursor(cursor)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show these marks; while an input method composes, they wait for its commit."""
        self._marks = tuple(marks)
        if self._composing:
            self._waiting = True
            return
        self._cursors = {mark.key: self._cursor(mark.start, mark.end) for mark in self._marks}
        self._overlay()

    def select_mark(self, key: str) -> None:
        """Draw one mark as the selected one; an empty key selects none."""
        self._selected = key
        self._overlay()

    def set_anchor(self, span: tuple[int, int] | None) -> None:
        """Show the earlier sentence that the selected finding should connect to."""
        self._anchor_cursor = None if span is None else self._cursor(*span)
        self._overlay()

    def live_span(self, key: str) -> tuple[int, int] | None:
        """Where a mark stands now, after whatever was typed since it was set."""
        cursor = self._cursors.get(key)
        return None if cursor is None else (cursor.selectionStart(), cursor.selectionEnd())

    def reveal(self, start: int, end: int, *, select: bool = False) -> None:
        """Scroll a range into view with the caret at its start, or with the range selected."""
        # Its end first: where there is no room for all of it, its beginning counts.
        self.setTextCursor(self._cursor(end, end))
        self.ensureCursorVisible()
        self.setTextCursor(self._cursor(end, start) if select else self._cursor(start, start))
        self.ensureCursorVisible()

    def mark_at(self, position: int) -> str:
        """The key of the mark over a position, or an empty string."""
        for key, cursor in self._cursors.items():
            if cursor.selectionStart() <= position < cursor.selectionEnd():
                return key
        return ""

    def labels(self) -> list[Label]:
        """What the gutter writes beside the text."""
        found = [
            Label(
                mark.key,
                self._cursors[mark.key].selectionStart(),
                mark.tag,
                mark.group,
                stale=mark.stale,
                selected=mark.key == self._selected,
            )
            for mark in self._marks
            if mark.key in self._cursors and self._cursors[mark.key].hasSelection()
        ]
        if self._anchor_cursor is not None and self._anchor_cursor.hasSelection():
            found.append(Label("", self._anchor_cursor.selectionStart(), "Connects to", None))
        return found

    def _cursor(self, start: int, end: int) -> QTextCursor:
        last = max(0, self.document().characterCount() - 1)
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(start, last))
        cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _overlay(self) -> None:
        selections = [self._marked(mark) for mark in self._marks if mark.key in self._cursors]
        if self._anchor_cursor is not None:
            palette = self._theme.palette
            style = QTextCharFormat()
            style.setBackground(QColor(palette.anchor_soft))
            style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            style.setUnderlineColor(QColor(palette.muted))
            selections.append(_selection(self._anchor_cursor, style))
        self.setExtraSelections(selections)
        self._gutter.update()

    def _marked(self, mark: Mark) -> QTextEdit.ExtraSelection:
        palette = self._theme.palette
        style = QTextCharFormat()
        if mark.stale:
            style.setForeground(QColor(palette.muted))
            style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            style.setUnderlineColor(QColor(palette.muted))
        else:
            style.setUnderlineStyle(UNDERLINES[mark.group])
            style.setUnderlineColor(QColor(palette.ink(mark.group)))
            if mark.key == self._selected:
                style.setBackground(QColor(palette.wash(mark.group)))
        return _selection(self._cursors[mark.key], style)

    def _report(self, position: int, removed: int, added: int) -> None:
        if self._quiet:
            return
        text = piece_of_document(self.document(), position, position + added)
        self.spliced.emit(position, removed, text)

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(
            inside.left(), inside.top(), self._gutter.width_needed(), inside.height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the gutter follows the height."""
        super().resizeEvent(event)
        self._place_gutter()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Qt: no highlight changes while a word is being composed."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        if self._waiting and not self._composing:
            self._waiting = False
            self.set_marks(self._marks)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a mark chooses its finding."""
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            key = self.mark_at(self.cursorForPosition(event.position().toPoint()).position())
            if key:
                self.mark_clicked.emit(key)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Qt: whatever has words in it."""
        return source.hasText() or source.hasHtml()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Qt: paste and drop as plain text."""
        if source.hasText():
            self.insertPlainText(source.text())
        elif source.hasHtml():
            self.insertPlainText(QTextDocumentFragment.fromHtml(source.html()).toPlainText())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Qt: files are welcome."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Qt: files are welcome everywhere."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Qt: a dropped file is opened, dropped text is put in."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.file_dropped.emit(paths[0])
        else:
            super().dropEvent(event)


def _selection(cursor: QTextCursor, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = style
    return selection
