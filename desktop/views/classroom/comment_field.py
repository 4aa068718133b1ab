"""A field for the teacher's words, with her comment bank a few keystrokes away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QWidget

from desktop.views.layouts import FIELD_MARGINS

if TYPE_CHECKING:
    from engine.history.reviews import BankComment

HINT = "; and a few letters, or Ctrl+Space, for a comment from your bank"
_TRIGGER = re.compile(r"(?:^|(?<=\s));(\w*)$")
_WORD = re.compile(r"\w*$")
_COMMENT_ROLE = Qt.ItemDataRole.UserRole + 1
_LONGEST = 90
_FOR_THE_LIST = frozenset(
    {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape,
     Qt.Key.Key_Up, Qt.Key.Key_Down}
)  # fmt: skip


class CommentField(QPlainTextEdit):
    """`comments_wanted(words)` asks for the bank, `show_comments` answers.

    `comment_used(BankComment)` when one was put in. `edited(text)` is the teacher's typing only.
    """

    comments_wanted = Signal(str)
    comment_used = Signal(object)
    edited = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wanted: str | None = None
        self._replaced = 0
        self._is_quiet = False
        self.setAccessibleName(name)
        self.setAccessibleDescription(HINT)
        self.setPlaceholderText(HINT)
        self.setViewportMargins(*FIELD_MARGINS)
        self.setTabChangesFocus(True)
        self._model = QStandardItemModel(self)
        self.completer = QCompleter(self._model, self)
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.offers = QListView()
        self.offers.setAccessibleName("Comments from your bank")
        self.completer.setPopup(self.offers)
        self.completer.setWidget(self)
        self.completer.activated[QModelIndex].connect(self._put_in)  # type: ignore[index]
        self.textChanged.connect(self._on_text)

    @property
    def words(self) -> str:
        """The text."""
        return self.document().toRawText().replace("\u2029", "\n")

    def show_text(self, text: str) -> None:
        """Put another text into the field; it is not reported."""
        if text == self.words:
            return
        self._is_quiet = True
        try:
            self.setPlainText(text)
        finally:
            self._is_quiet = False

    def show_comments(self, words: str, comments: Sequence[BankComment]) -> None:
        """Offer these comments, if they are what was asked for last."""
        if words != self._wanted or not self.hasFocus():
            return
        self._model.clear()
        for comment in comments:
            shown = " ".join(comment.text.split())
            shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
            item = QStandardItem(f"{comment.shortcut}   {shown}" if comment.shortcut else shown)
            item.setToolTip(comment.text)
            item.setData(comment, _COMMENT_ROLE)
            self._model.appendRow(item)
        if not comments:
            self._hide_list()
            return
        place = self.cursorRect()
        place.setWidth(max(self.viewport().width() - 8, self.fontMetrics().height() * 16))
        place.moveLeft(0)
        self.completer.complete(place)
        self.offers.setCurrentIndex(self.completer.completionModel().index(0, 0))

    def ask_for_comments(self) -> None:
        """Offer comments that fit the word before the caret."""
        found = _TRIGGER.search(self._before_caret()) or _WORD.search(self._before_caret())
        if found is not None:
            self._ask(found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: the list takes the keys that it needs; Ctrl+Space opens it."""
        if self.offers.isVisible() and event.key() in _FOR_THE_LIST:
            event.ignore()
            return
        is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if is_control and event.key() == Qt.Key.Key_Space:
            self.ask_for_comments()
            return
        super().keyPressEvent(event)

    def _on_text(self) -> None:
        if self._is_quiet:
            return
        self.edited.emit(self.words)
        found = _TRIGGER.search(self._before_caret())
        if found is not None:
            self._ask(found)
        else:
            self._hide_list()

    def _ask(self, found: re.Match[str]) -> None:
        self._replaced = len(found.group())
        self._wanted = found.group().removeprefix(";")
        self.comments_wanted.emit(self._wanted)

    def _hide_list(self) -> None:
        self._wanted = None
        self.offers.hide()

    def _before_caret(self) -> str:
        cursor = self.textCursor()
        return cursor.block().text()[: cursor.positionInBlock()]

    def _put_in(self, index: QModelIndex) -> None:
        comment: BankComment = index.data(_COMMENT_ROLE)
        cursor = self.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, self._replaced
        )
        cursor.insertText(comment.text)
        self.setTextCursor(cursor)
        self._hide_list()
        self.comment_used.emit(comment)
