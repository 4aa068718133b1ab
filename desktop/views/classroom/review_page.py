"""One student's essay under review: the learners' view of it, with the teacher's pen."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from desktop.models.class_table import STATE_WORDS
from desktop.offsets import showable
from desktop.services.finding_item import State as ItemState
from desktop.services.review_desk import FlagDraft, ReviewDesk
from desktop.theme import Theme
from desktop.views.classroom.comment_field import CommentField
from desktop.views.classroom.pieces import caption, push_button
from desktop.views.classroom.review_panel import ReviewPanel
from desktop.views.editor.essay_edit import EssayEdit
from desktop.views.editor.text_bridge import TextBridge
from desktop.views.layouts import ElidedLabel, FlowLayout
from engine.classroom.model import State
from engine.spans import Span

GENERAL = "Your comment on the whole essay"
NARROW = 44
"""Below this many line heights of width, the flags go below the essay."""


class _Reader:
    """Keeps the text of a field that nobody can edit."""

    def text_edited(self, position: int, removed: int, added_text: str) -> None:
        """A read-only field reports nothing."""


class ReviewPage(QWidget):
    """Shows what lies on the desk. `step_asked(1 or -1)` asks for another student."""

    back_asked = Signal()
    step_asked = Signal(int)

    def __init__(self, desk: ReviewDesk, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._sentence: int | None = None
        self._state = State.CHECKED
        self._is_moving = False
        self.name = ElidedLabel()
        self.name.setProperty("role", "title")
        # A name in Arabic or Hebrew stays beside the buttons, too.
        self.name.setAlignment(
            Qt.AlignmentFlag.AlignLeft
            | Qt.AlignmentFlag.AlignAbsolute
            | Qt.AlignmentFlag.AlignVCenter
        )
        self.state = QLabel()
        self.state.setProperty("role", "small")
        self.state.setAccessibleName("State of the review")
        self.back_button = push_button("C&lass", name="Back to the class")
        self.previous_button = push_button("&Previous student", command="previous_student")
        self.next_button = push_button("Next st&udent", command="next_student")
        self.reviewed_button = push_button("Mark as reviewe&d", command="mark_reviewed")
        self.release_button = push_button("Relea&se", command="mark_released", role="primary")
        self.edit = EssayEdit(theme)
        self.edit.setReadOnly(True)
        self.edit.setAcceptDrops(False)
        self.edit.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.edit.setAccessibleName("The student's essay")
        self.edit.setPlaceholderText("")
        self.panel = ReviewPanel(theme)
        self.general = CommentField(GENERAL)
        self._reader = _Reader()
        self.bridge = TextBridge(self.edit, self._reader, self)
        self._arrange()
        self._listen()

    def show_name(self, name: str) -> None:
        """Whose essay it is."""
        self.name.show_text(name)

    def show_state(self, state: State) -> None:
        """How far the review is; the buttons offer the next step, or the step back."""
        self._state = state
        self.state.setText(STATE_WORDS[state])
        seen = state in (State.REVIEWED, State.RELEASED)
        self.reviewed_button.setText("Open again" if seen else "Mark as reviewe&d")
        self.release_button.setText("Take back" if state is State.RELEASED else "Relea&se")
        self.release_button.setToolTip(
            "Released reports may go to the student." if state is not State.RELEASED else ""
        )

    def show_neighbours(self, *, has_previous: bool, has_next: bool) -> None:
        """Whether there is another student before and after this one."""
        self.previous_button.setEnabled(has_previous)
        self.next_button.setEnabled(has_next)

    # What the commands do

    def add_flag(self) -> None:
        """Open the form for a new flag on the sentence at the caret."""
        if self._sentence is None or self._desk.key_at(self._sentence):
            return
        self.panel.show_editor()
        self.panel.editor.begin(self._desk.sentence(self._sentence), None)

    def edit_flag(self) -> None:
        """Open the form for the chosen flag."""
        flag = self._desk.flag(self.panel.list.current_key)
        if flag is not None:
            self._sentence = flag.sentence
            self.panel.show_editor()
            self.panel.editor.begin(self._desk.sentence(flag.sentence), flag)

    def remove_or_restore(self) -> None:
        """Take the chosen flag away, or bring it back."""
        key = self.panel.list.current_key
        if self._desk.flag(key) is None:
            self._desk.restore(key)
        else:
            self._desk.remove(key)

    def restore(self) -> None:
        """Put the chosen flag back to what the machine says."""
        self._desk.restore(self.panel.list.current_key)

    def toggle_reviewed(self) -> None:
        """Mark as reviewed, or open again."""
        if self._desk.submission is not None:
            is_open = self._state is State.CHECKED
            self._desk.mark(State.REVIEWED if is_open else State.CHECKED)

    def toggle_released(self) -> None:
        """Release, or take the release back."""
        if self._desk.submission is not None:
            is_released = self._state is State.RELEASED
            self._desk.mark(State.REVIEWED if is_released else State.RELEASED)

    def step_flag(self, by: int) -> None:
        """Move to the next (1) or previous (-1) flag."""
        self.panel.list.step(by)

    def jump_to_anchor(self) -> None:
        """Show the earlier sentence that the chosen flag should connect to."""
        item = self.panel.card.item
        if item is not None and item.anchor_span is not None:
            self._reveal(item.anchor_span, select=True)
            self.edit.setFocus()

    def restyle(self) -> None:
        """Draw everything in the theme's colours and sizes."""
        self.edit.restyle()
        self.panel.restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: in a narrow window the flags go below the essay."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW * self.fontMetrics().height()
        along, across = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        if narrow:
            along, across = across, along
        if self._splitter.orientation() is along:
            return
        self._splitter.setOrientation(along)
        self._left.setOrientation(across)
        self._splitter.setSizes([420, 580] if narrow else [520, 480])
        self._left.setSizes([480, 220] if narrow else [480, 100])
        self.panel.set_wide(wide=narrow)
        QTimer.singleShot(0, self, self._reveal_chosen)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: only now has the essay its size, so only now can a place in it be shown."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self._reveal_chosen)

    # Inside

    def _listen(self) -> None:
        desk, panel = self._desk, self.panel
        self.back_button.clicked.connect(self.back_asked)
        self.previous_button.clicked.connect(lambda: self.step_asked.emit(-1))
        self.next_button.clicked.connect(lambda: self.step_asked.emit(1))
        self.reviewed_button.clicked.connect(self.toggle_reviewed)
        self.release_button.clicked.connect(self.toggle_released)
        panel.add_button.clicked.connect(self.add_flag)
        panel.edit_button.clicked.connect(self.edit_flag)
        panel.remove_button.clicked.connect(self.remove_or_restore)
        panel.restore_button.clicked.connect(self.restore)
        panel.chosen.connect(self._show_flag)
        panel.card.anchor_asked.connect(lambda _key: self.jump_to_anchor())
        panel.comment.edited.connect(self._keep_comment)
        self.general.edited.connect(desk.set_comment)
        panel.editor.saved.connect(self._save_flag)
        panel.editor.cancelled.connect(self._close_editor)
        self.edit.mark_clicked.connect(panel.list.choose)
        self.edit.cursorPositionChanged.connect(self._follow_caret)
        desk.opened.connect(self._show_essay)
        desk.changed.connect(self._show_flags)
        desk.state_changed.connect(lambda state: self.show_state(State(state)))

    def _show_essay(self) -> None:
        essay, one = self._desk.essay, self._desk.submission
        self._sentence = None
        self._is_moving = True
        self.bridge.show("" if essay is None else showable(essay.text))
        self._is_moving = False
        self.panel.list.choose("")
        self.general.show_text(self._desk.review.comment)
        if one is not None:
            self.show_state(one.state)

    def _show_flags(self) -> None:
        items = self._desk.items()
        self.bridge.mark(items)
        self.panel.show_items(items)
        key = self.panel.list.current_key
        if not key and self._sentence is None and items:
            self.panel.list.choose(items[0].key)
        elif key:
            self._show_flag(key)
        else:
            self._show_sentence()

    def _show_flag(self, key: str) -> None:
        item = next((one for one in self._desk.items() if one.key == key), None)
        if item is None:
            self._show_sentence()
            return
        self._sentence = item.finding.sentence
        flag = self._desk.flag(key)
        comment = "" if flag is None else flag.comment
        touched = self._desk.is_touched(key)
        self.panel.show_flag(item, self._desk.origin(key), comment, touched=touched)
        self.edit.select_mark(key)
        held = item.state is not ItemState.REMOVED
        self.bridge.show_anchor(item.anchor_span if held else None)
        if item.span is not None and not self.edit.hasFocus():
            self._reveal(item.span)

    def _show_sentence(self) -> None:
        index = self._sentence
        self.edit.select_mark("")
        self.bridge.show_anchor(None)
        if index is None:
            self.panel.show_sentence("", "", can_add=False)
            return
        note = self._desk.review.remarks.get(index, "")
        self.panel.show_sentence(self._desk.sentence(index), note, can_add=True)

    def _follow_caret(self) -> None:
        """The sentence at the caret is the chosen one."""
        if self._is_moving or self._desk.essay is None:
            return
        index = self._desk.sentence_at(self.bridge.caret())
        if index == self._sentence:
            return
        key = "" if index is None else self._desk.key_at(index)
        self._sentence = index
        self.panel.list.choose(key)
        if not key:
            self._show_sentence()

    def _reveal(self, span: Span, *, select: bool = False) -> None:
        """Move the caret without taking its new place for the teacher's choice."""
        self._is_moving = True
        self.bridge.reveal(span, select=select)
        self._is_moving = False

    def _reveal_chosen(self) -> None:
        """Bring the chosen flag's sentence back where the essay has another size."""
        item = self.panel.card.item
        if item is not None and item.span is not None and not self.edit.hasFocus():
            self._reveal(item.span)

    def _keep_comment(self, text: str) -> None:
        key = self.panel.list.current_key
        if key:
            self._desk.set_flag_comment(key, text)
        elif self._sentence is not None:
            self._desk.set_remark(self._sentence, text)

    def _save_flag(self, draft: FlagDraft) -> None:
        key = self.panel.list.current_key
        if self._desk.flag(key) is not None:
            self._desk.edit(key, draft)
        elif self._sentence is not None:
            key = self._desk.add(self._sentence, draft)
            if key:
                self.panel.list.choose(key)
        self._close_editor()

    def _close_editor(self) -> None:
        key = self.panel.list.current_key
        if key:
            self._show_flag(key)
        else:
            self._show_sentence()
        self.panel.list.setFocus()

    def _general_part(self) -> QWidget:
        part = QWidget()
        inside = QVBoxLayout(part)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(caption(GENERAL))
        inside.addWidget(self.general, 1)
        return part

    def _arrange(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(12)
        first.addWidget(self.back_button)
        first.addWidget(self.name, 1)
        first.addWidget(self.state)
        buttons = FlowLayout()
        buttons.setSpacing(8)
        for button in (
            self.previous_button,
            self.next_button,
            self.reviewed_button,
            self.release_button,
        ):
            buttons.addWidget(button)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(12)
        self._left = QSplitter(Qt.Orientation.Vertical)
        self._left.setHandleWidth(8)
        self._left.setChildrenCollapsible(False)
        self._left.addWidget(self.edit)
        self._left.addWidget(self._general_part())
        self._left.setStretchFactor(0, 1)
        self._left.setSizes([480, 100])
        self._splitter.addWidget(self._left)
        self._splitter.addWidget(self.panel)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([520, 480])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.addLayout(first)
        column.addLayout(buttons)
        column.addWidget(self._splitter, 1)
