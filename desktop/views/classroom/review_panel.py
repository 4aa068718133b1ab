"""The right side of a review: the flags, the chosen one, and the teacher's words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.models.findings import FindingsModel
from desktop.services.finding_item import FindingItem, State
from desktop.theme import Theme
from desktop.views.classroom.comment_field import CommentField
from desktop.views.classroom.flag_editor import FlagEditor
from desktop.views.classroom.pieces import caption, push_button, words_label
from desktop.views.editor.card import FindingCard
from desktop.views.editor.finding_list import FindingList
from desktop.views.layouts import FlowLayout

NO_FLAG = "There is no flag on this sentence.\n\n“{}”"
NOTHING = (
    "Choose a flag in the list, or click into a sentence of the essay to add a flag or a note."
)
FLAG_COMMENT = "Your comment on this flag"
NOTE = "Your note on this sentence"


class ReviewPanel(QWidget):
    """`chosen(key)` when the teacher moves to a flag (empty for none)."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FindingsModel(self)
        self.list = FindingList(theme, self.model)
        self.list.setAccessibleName("Flags")
        self.card = FindingCard(theme, decides=False)
        self.editor = FlagEditor()
        self.heading = QLabel("Flags")
        self.heading.setProperty("role", "heading")
        self.origin = words_label(role="small", name="Whose flag this is")
        self.no_flag = words_label(NOTHING, role="muted", name="The chosen sentence")
        self.add_button = push_button("&Add a flag", command="flag_add")
        self.edit_button = push_button("Ed&it…", command="flag_edit")
        self.remove_button = push_button("&Remove", command="flag_remove")
        self.restore_button = push_button("As Se&gue had it")
        self.comment = CommentField(FLAG_COMMENT)
        self.list.chosen.connect(self._show_chosen)
        self._arrange()

    @property
    def is_editing(self) -> bool:
        """Whether the form for a flag is open."""
        return self._stack.currentWidget() is self.editor

    def show_items(self, items: Sequence[FindingItem]) -> None:
        """List these flags, keeping the chosen one."""
        key = self.list.current_key
        self.model.show(items)
        held = sum(item.state is not State.REMOVED for item in items)
        removed = len(items) - held
        self.heading.setText(f"Flags: {held}" + (f", {removed} removed" if removed else ""))
        if self.model.row_of(key) >= 0 and key != self.list.current_key:
            self.list.choose(key)

    def show_flag(self, item: FindingItem, origin: str, comment: str, *, touched: bool) -> None:
        """Show a flag, whose it is, and what the teacher says of it."""
        removed = item.state is State.REMOVED
        self.card.show_item(item)
        self._leave_editor(self.card)
        self.origin.setText(origin)
        self.comment.setEnabled(not removed)
        self._show_comment(FLAG_COMMENT, comment)
        self._show_buttons(flag=True, removed=removed, touched=touched)

    def show_sentence(self, sentence: str, note: str, *, can_add: bool) -> None:
        """Show a sentence without a flag; empty for no sentence at all."""
        self.card.show_item(None)
        words = " ".join(sentence.split())
        self.no_flag.setText(NO_FLAG.format(words) if words else NOTHING)
        self._leave_editor(self._plain)
        self.origin.setText("")
        self.comment.setEnabled(can_add)
        self._show_comment(NOTE, note)
        self._show_buttons(flag=False, removed=False, touched=False)
        self.add_button.setEnabled(can_add)

    def show_editor(self) -> None:
        """Put the form in the card's place."""
        self._stack.setCurrentWidget(self.editor)
        self.origin.hide()
        for widget in (*self._buttons, self.list, self._comments):
            widget.hide()

    def _leave_editor(self, view: QWidget) -> None:
        self._stack.setCurrentWidget(view)
        self.list.show()
        self._comments.show()

    def set_wide(self, *, wide: bool) -> None:
        """Put list, flag and comment side by side (`wide`, below the essay) or in a column."""
        self._splitter.setOrientation(
            Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        )
        self._splitter.setSizes([200, 340, 180] if wide else [130, 360, 100])

    def restyle(self) -> None:
        """Draw again in the theme's colours."""
        self.card.restyle()
        self.list.viewport().update()
        self.list.scheduleDelayedItemsLayout()

    def _show_comment(self, name: str, text: str) -> None:
        self._comment_caption.setText(name)
        self.comment.setAccessibleName(name)
        self.comment.show_text(text)

    def _show_buttons(self, *, flag: bool, removed: bool, touched: bool) -> None:
        self.add_button.setVisible(not flag)
        self.edit_button.setVisible(flag and not removed)
        self.remove_button.setVisible(flag and not removed)
        self.restore_button.setVisible(removed or touched)
        self.restore_button.setText("&Bring it back" if removed else "As Se&gue had it")
        self.origin.setVisible(bool(self.origin.text()))

    def _show_chosen(self, key: str) -> None:
        self.chosen.emit(key)

    def _arrange(self) -> None:
        self._plain = QFrame()
        self._plain.setProperty("role", "surface")
        self.no_flag.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self._plain).addWidget(self.no_flag)
        self._stack = QStackedWidget()
        for widget in (self._plain, self.card, self.editor):
            self._stack.addWidget(widget)
        self._buttons = (
            self.add_button,
            self.edit_button,
            self.remove_button,
            self.restore_button,
        )
        buttons = FlowLayout()
        buttons.setSpacing(8)
        for button in self._buttons:
            buttons.addWidget(button)
        self._comment_caption = caption(FLAG_COMMENT)
        middle = QWidget()
        inside = QVBoxLayout(middle)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self._stack, 1)
        inside.addWidget(self.origin)
        inside.addLayout(buttons)
        self._comments = QWidget()
        below = QVBoxLayout(self._comments)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self._comment_caption)
        below.addWidget(self.comment, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(8)
        self._splitter.setChildrenCollapsible(False)
        for part in (self.list, middle, self._comments):
            self._splitter.addWidget(part)
        self._splitter.setSizes([130, 360, 100])
        self._splitter.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self._splitter, 1)
