"""The card of the chosen finding: why it is flagged, what to connect it to, what to do."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.actions import shortcut_text
from desktop.services.finding_item import FindingItem, State
from desktop.theme import Theme
from desktop.views.editor.comparison import Comparison, change_in_words
from desktop.views.layouts import FlowLayout, fit_height
from engine.analysis import Action, Rewrite
from engine.scheme import SCHEME, group_of

NOTHING_CHOSEN = "Choose a finding in the list, or click a marked sentence in the essay."
ANCHOR_WORDS = "Should connect to:"
STALE_WORDS = "re-checking: the text around this sentence changed."
PENDING_WORDS = "Looking for a small rewrite…"
DECIDED_WORDS = {
    State.ACCEPTED: "You accepted a rewrite. Undo in the essay takes it back.",
    State.EDITED: "You put your own version here. Undo in the essay takes it back.",
    State.REJECTED: "You rejected this suggestion.",
    State.IGNORED: "You chose to ignore this finding.",
    State.REMOVED: "You removed this flag. The student will not see it.",
}


class FindingCard(QFrame):
    """Shows one `FindingItem` and reports what the writer decides.

    Where the reader is not the writer (`decides` False), the buttons to decide are left out.
    Signals carry the finding's key: `accepted(key, rewrite index)`, `edited(key, own text)`,
    `rejected(key, rewrite index or -1)`, `ignored(key)`, `reopened(key)`, `anchor_asked(key)`.
    """

    accepted = Signal(str, int)
    edited = Signal(str, str)
    rejected = Signal(str, int)
    ignored = Signal(str)
    reopened = Signal(str)
    anchor_asked = Signal(str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, decides: bool = True
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._decides = decides
        self._item: FindingItem | None = None
        self._option = 0
        self.setProperty("role", "surface")
        self.setAccessibleName("The chosen finding")
        self._build_texts()
        self._build_buttons()
        self._arrange()
        self.show_item(None)

    @property
    def item(self) -> FindingItem | None:
        """The finding on show."""
        return self._item

    @property
    def option(self) -> int:
        """The index of the rewrite on show, -1 where there is none."""
        return self._option if self._rewrite() is not None else -1

    @property
    def option_buttons(self) -> list[QAbstractButton]:
        """A button a rewrite, where there is more than one."""
        return self._group.buttons()

    def show_item(self, item: FindingItem | None) -> None:
        """Show a finding, or the empty state."""
        same = item is not None and self._item is not None and item.key == self._item.key
        if same and item == self._item:
            return
        keep_editing = same and self.comparison.editing
        if not same:
            self._option = 0
            self._scroll.verticalScrollBar().setValue(0)
        self._item = item
        self._empty.setVisible(item is None)
        self._scroll.setVisible(item is not None)
        self._footer.setVisible(item is not None and self._decides)
        if item is None:
            return
        self._fill_head(item)
        if not keep_editing:
            self._fill_options(item)
            self._show_option()
        self._fill_state(item)
        self._update_buttons()

    def restyle(self) -> None:
        """Draw again in the theme's colours."""
        if self._item is not None and not self.comparison.editing:
            self._show_option()
            self._fill_head(self._item)

    def accept(self) -> None:
        """Accept the rewrite on show, or the writer's own version while the field is open."""
        if self._item is None or not self.accept_button.isEnabled():
            return
        if self.comparison.editing:
            self._accept_own()
        elif self._rewrite() is not None:
            self.accepted.emit(self._item.key, self._option)

    def edit(self) -> None:
        """Open the field for the writer's own version."""
        if self._item is not None and self.edit_button.isEnabled():
            self.comparison.start_editing()
            self._update_buttons()
            self._scroll.ensureWidgetVisible(self.comparison.field)

    def cancel_edit(self) -> None:
        """Close the field and go back to the suggestion."""
        self._show_option()
        self._update_buttons()

    def reject(self) -> None:
        """Reject the rewrite on show, or the finding itself where there is no rewrite."""
        if self._item is not None and self.reject_button.isEnabled():
            self.rejected.emit(self._item.key, self.option)

    def ignore(self) -> None:
        """Ignore the finding."""
        if self._item is not None and self.ignore_button.isEnabled():
            self.ignored.emit(self._item.key)

    def next_option(self) -> None:
        """Show the next rewrite, after the last one the first."""
        if self._item is not None and len(self._item.finding.rewrites) > 1:
            self._choose_option((self._option + 1) % len(self._item.finding.rewrites))

    def ask_for_anchor(self) -> None:
        """Ask to be taken to the earlier sentence."""
        if self._item is not None and self._item.anchor_span is not None:
            self.anchor_asked.emit(self._item.key)

    def _build_texts(self) -> None:
        self._empty = QLabel(NOTHING_CHOSEN)
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._tag = QLabel()
        self._tag.setProperty("role", "tag")
        self._state = _wrapping("notice")
        self._name = QLabel()
        self._name.setProperty("role", "muted")
        self._name.setAccessibleName("Kind of problem, and how sure")
        self._explanation = _wrapping("")
        self._explanation.setAccessibleName("Explanation")
        self._anchor = _wrapping("")
        self._anchor.setAccessibleName("The earlier sentence")
        self._anchor.setTextFormat(Qt.TextFormat.RichText)
        self._anchor.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self._anchor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._anchor.setToolTip(f"Show it in the essay ({shortcut_text('anchor')})")
        self._anchor.linkActivated.connect(lambda _link: self.ask_for_anchor())
        self._options_caption = _wrapping("caption")
        self._options_caption.setText(f"Options ({shortcut_text('other_option')})")
        self._note = _wrapping("muted")
        self.comparison = Comparison(self._theme)

    def _build_buttons(self) -> None:
        self.accept_button = _button("&Accept", "accept", "primary")
        self.edit_button = _button("E&dit…", "edit")
        self.reject_button = _button("&Reject", "reject")
        self.ignore_button = _button("&Ignore", "ignore")
        self.reopen_button = _button("&Back to open")
        self.cancel_button = _button("Cance&l")
        self.accept_button.clicked.connect(self.accept)
        self.edit_button.clicked.connect(self.edit)
        self.reject_button.clicked.connect(self.reject)
        self.ignore_button.clicked.connect(self.ignore)
        self.reopen_button.clicked.connect(self._reopen)
        self.cancel_button.clicked.connect(self.cancel_edit)
        escape_key = QShortcut(Qt.Key.Key_Escape, self.comparison.field)
        escape_key.setContext(Qt.ShortcutContext.WidgetShortcut)
        escape_key.activated.connect(self.cancel_edit)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self._choose_option)

    def _arrange(self) -> None:
        head = FlowLayout()
        head.setSpacing(10)
        head.addWidget(self._tag)
        head.addWidget(self._name)
        self._options = QWidget()
        self._options.setProperty("role", "plain")
        self._options_box = QVBoxLayout(self._options)
        self._options_box.setContentsMargins(0, 0, 0, 0)
        content = QWidget()
        content.setProperty("role", "plain")
        column = QVBoxLayout(content)
        column.addLayout(head)
        for widget in (
            self._state,
            self._explanation,
            self.comparison,
            self._note,
            self._anchor,
            self._options_caption,
            self._options,
        ):
            column.addWidget(widget)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(content)
        self._footer = QWidget()
        flow = FlowLayout(self._footer)
        flow.setContentsMargins(0, 0, 0, 0)
        flow.setSpacing(8)
        for button in (
            self.accept_button,
            self.cancel_button,
            self.edit_button,
            self.reject_button,
            self.ignore_button,
            self.reopen_button,
        ):
            flow.addWidget(button)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._footer.setSizePolicy(policy)
        outer = QVBoxLayout(self)
        outer.addWidget(self._empty, 1)
        outer.addWidget(self._scroll, 1)
        outer.addWidget(self._footer)

    def _fill_head(self, item: FindingItem) -> None:
        info = SCHEME[item.finding.code]
        self._tag.setText(info.tag)
        self._tag.setProperty("group", group_of(item.finding.code).value)
        self._tag.style().unpolish(self._tag)
        self._tag.style().polish(self._tag)
        kind = f"{info.name} ({info.code.value})"
        sure = item.finding.confidence
        self._name.setText(f"{kind}, {sure}" if sure else kind)
        self._explanation.setText(item.finding.explanation or info.meaning)
        has_anchor = bool(item.anchor_sentence)
        self._anchor.setVisible(has_anchor)
        if has_anchor:
            words = escape(_shortened(item.anchor_sentence))
            colour = self._theme.palette.accent
            link = f'<a href="anchor" style="color: {colour};">{words}</a>'
            place = link if item.anchor_span is not None else words
            self._anchor.setText(f"{ANCHOR_WORDS} {place}")

    def _fill_state(self, item: FindingItem) -> None:
        words = DECIDED_WORDS.get(item.state, "")
        if item.state is State.STALE:
            words = STALE_WORDS
        elif item.span is None and not item.decided:
            words = "This sentence is no longer in the essay."
        self._state.setText(words[:1].upper() + words[1:])
        self._state.setVisible(bool(words))
        if item.rewrites_pending:
            self._note.setText(PENDING_WORDS)
        else:
            self._note.setText(item.finding.note)
        self._note.setVisible(bool(self._note.text()) and not item.decided)

    def _fill_options(self, item: FindingItem) -> None:
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._options_box.removeWidget(button)
            button.hide()
            button.deleteLater()
        rewrites = item.finding.rewrites
        self._option = min(self._option, max(0, len(rewrites) - 1))
        several = len(rewrites) > 1 and not item.decided
        self._options_caption.setVisible(several)
        self._options.setVisible(several)
        for number, rewrite in enumerate(rewrites if several else ()):
            button = QPushButton(f"{number + 1}.  {change_in_words(rewrite)}".replace("&", "&&"))
            button.setProperty("role", "option")
            button.setCheckable(True)
            button.setToolTip(rewrite.text or "Delete the sentence")
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self._group.addButton(button, number)
            self._options_box.addWidget(button)
            button.show()

    def _choose_option(self, number: int) -> None:
        self._option = number
        self._show_option()
        self._update_buttons()

    def _show_option(self) -> None:
        if self._item is None:
            return
        before = None if self._item.decided else self._item.finding.probability
        self.comparison.show_rewrite(self._item.sentence, self._rewrite(), before=before)
        button = self._group.button(self._option)
        if button is not None:
            button.setChecked(True)

    def _update_buttons(self) -> None:
        item, editing, rewrite = self._item, self.comparison.editing, self._rewrite()
        if item is None:
            return
        open_ = not item.decided
        deleting = rewrite is not None and rewrite.action is Action.DELETE
        label = "&Accept my version" if editing else "&Accept: delete" if deleting else "&Accept"
        self.accept_button.setText(label)
        self.accept_button.setVisible(open_)
        usable = item.span is not None and (editing or rewrite is not None)
        self.accept_button.setEnabled(open_ and usable)
        self.cancel_button.setVisible(editing)
        self.edit_button.setVisible(open_ and not editing)
        self.edit_button.setEnabled(open_ and item.span is not None)
        for button in (self.reject_button, self.ignore_button):
            button.setVisible(open_ and not editing)
            button.setEnabled(open_ and not editing)
        taken_back = item.state in (State.REJECTED, State.IGNORED)
        self.reopen_button.setVisible(taken_back)
        self._footer.updateGeometry()

    def _accept_own(self) -> None:
        text = self.comparison.field_text()
        if self._item is not None and text:
            key = self._item.key
            self.cancel_edit()
            self.edited.emit(key, text)

    def _reopen(self) -> None:
        if self._item is not None:
            self.reopened.emit(self._item.key)

    def _rewrite(self) -> Rewrite | None:
        if self._item is None or not 0 <= self._option < len(self._item.finding.rewrites):
            return None
        return self._item.finding.rewrites[self._option]


def _wrapping(role: str) -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    fit_height(label)
    return label


def _button(text: str, command: str = "", role: str = "") -> QPushButton:
    button = QPushButton(text)
    if role:
        button.setProperty("role", role)
    if command:
        button.setToolTip(shortcut_text(command))
    return button


def _shortened(text: str, limit: int = 180) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else joined[:limit].rsplit(" ", 1)[0] + "…"
