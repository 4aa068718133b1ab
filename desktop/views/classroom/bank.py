"""The comment bank: comments kept for use again, each under a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.services.classroom_service import ClassroomService
from desktop.views.classroom.pieces import (
    caption,
    chosen_reason,
    combo_box,
    push_button,
    words_label,
)
from desktop.views.layouts import FIELD_MARGINS
from engine.scheme import CODES, SCHEME

if TYPE_CHECKING:
    from engine.history.reviews import BankComment

ABOUT = (
    "In any comment field, type ; and the first letters of a shortcut or of any word, "
    "then press Enter."
)
EMPTY = "The bank is empty. Write a comment below and keep it."
_COMMENT_ROLE = Qt.ItemDataRole.UserRole + 1


class BankDialog(QDialog):
    """Lists, keeps and forgets comments of a `ClassroomService`."""

    def __init__(
        self, service: ClassroomService, text: str = "", parent: QWidget | None = None
    ) -> None:
        """`text` is offered to be kept."""
        super().__init__(parent)
        self._service = service
        self.setWindowTitle("Comment bank")
        self.list = QListWidget()
        self.list.setAccessibleName("Comments in the bank")
        self.list.setWordWrap(True)
        self.empty = words_label(EMPTY, role="muted")
        self.text = QPlainTextEdit(text)
        self.text.setAccessibleName("Comment")
        self.text.setTabChangesFocus(True)
        self.text.setViewportMargins(*FIELD_MARGINS)
        self.text.setMaximumHeight(self.text.fontMetrics().lineSpacing() * 6)
        self.shortcut = QLineEdit()
        self.shortcut.setAccessibleName("Shortcut")
        self.shortcut.setPlaceholderText("A few letters, such as “np”")
        self.reason = combo_box("Reason that the comment goes with")
        self.reason.addItem("Any reason", None)
        for code in CODES:
            self.reason.addItem(SCHEME[code].tag, code)
        self.keep_button = push_button("&Keep", role="primary")
        self.forget_button = push_button("&Forget", role="danger")
        self.keep_button.clicked.connect(self.keep)
        self.forget_button.clicked.connect(self.forget)
        self.list.currentItemChanged.connect(lambda *_: self._show_chosen())
        service.comments_found.connect(self._show)
        self._arrange()
        service.find_comments()

    def keep(self) -> None:
        """Put what is written into the bank, or change its shortcut and reason."""
        text = self.text.toPlainText().strip()
        if text:
            self._service.keep_comment(
                text, shortcut=self.shortcut.text().strip(), reason=chosen_reason(self.reason)
            )

    def forget(self) -> None:
        """Take the chosen comment out of the bank."""
        comment = self._chosen()
        if comment is not None:
            self._service.forget_comment(comment)

    def _chosen(self) -> BankComment | None:
        # The stubs know no list without a current item; an empty one has none.
        item: QListWidgetItem | None = self.list.currentItem()
        found: BankComment | None = None if item is None else item.data(_COMMENT_ROLE)
        return found

    def _show(self, words: str, comments: Sequence[BankComment]) -> None:
        if words:
            return
        self.list.clear()
        for comment in comments:
            tag = f"  [{SCHEME[comment.reason].tag}]" if comment.reason else ""
            head = f"{comment.shortcut}  –  " if comment.shortcut else ""
            item = QListWidgetItem(f"{head}{comment.text}{tag}")
            item.setData(_COMMENT_ROLE, comment)
            self.list.addItem(item)
        self.empty.setVisible(not comments)
        self.list.setVisible(bool(comments))
        self.forget_button.setEnabled(self._chosen() is not None)

    def _show_chosen(self) -> None:
        comment = self._chosen()
        self.forget_button.setEnabled(comment is not None)
        if comment is not None:
            self.text.setPlainText(comment.text)
            self.shortcut.setText(comment.shortcut)
            self.reason.setCurrentIndex(max(0, self.reason.findData(comment.reason)))

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.shortcut, 1)
        row.addWidget(self.reason, 1)
        row.addWidget(self.keep_button)
        row.addWidget(self.forget_button)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(words_label(ABOUT, role="muted"))
        column.addWidget(self.list, 2)
        column.addWidget(self.empty, 2)
        column.addWidget(caption("Comment", self.text))
        column.addWidget(self.text, 1)
        column.addLayout(row)
        column.addWidget(buttons)
        line = self.fontMetrics().height()
        self.resize(line * 30, line * 24)
