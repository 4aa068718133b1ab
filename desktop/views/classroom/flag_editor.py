"""The form in which a teacher adds or edits a flag."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop.services.review_desk import FlagDraft
from desktop.views.classroom.pieces import (
    caption,
    chosen_reason,
    combo_box,
    push_button,
    words_label,
)
from desktop.views.editor.comparison import change_in_words
from desktop.views.layouts import FIELD_MARGINS, PageScrollArea
from engine.analysis import Action, Rewrite
from engine.classroom.review import Author, EffectiveFinding, teacher_rewrite
from engine.scheme import CODES, SCHEME, ReasonCode


class FlagEditor(QFrame):
    """`saved(FlagDraft)` or `cancelled` when the teacher is done."""

    saved = Signal(object)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = ""
        self._shown = ""
        self._given: list[tuple[QCheckBox, Rewrite]] = []
        self.setProperty("role", "surface")
        self.heading = QLabel()
        self.heading.setProperty("role", "heading")
        self.quote = words_label(role="muted", name="The sentence")
        self.reason = _reasons("Reason")
        self.also = _reasons("Second reason", none="No second reason")
        self.explanation = _field("Why, in your words (empty: in Segue’s)", lines=3)
        self.own = _field("What to write instead (optional)", lines=2)
        self.delete_box = QCheckBox("Suggest to leave the sentence out")
        self.save_button = push_button("&Keep the flag", role="primary")
        self.save_button.setToolTip("Ctrl+Return")
        self.cancel_button = push_button("Cancel")
        self.cancel_button.setToolTip("Esc")
        self.save_button.clicked.connect(self.save)
        self.cancel_button.clicked.connect(self.cancelled)
        self.delete_box.toggled.connect(lambda on: self.own.setEnabled(not on))
        self.reason.currentIndexChanged.connect(self._show_meaning)
        for key, slot in (("Ctrl+Return", self.save), ("Esc", self.cancelled.emit)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)
        self._arrange()

    def begin(self, sentence: str, flag: EffectiveFinding | None) -> None:
        """Open the form on a sentence; without a `flag` a new one is added."""
        self._sentence = sentence
        self.heading.setText("Edit the flag" if flag else "New flag")
        self.quote.setText(" ".join(sentence.split()))
        first = flag.reasons[0] if flag else CODES[0]
        second = flag.reasons[1] if flag and len(flag.reasons) > 1 else None
        self.reason.setCurrentIndex(self.reason.findData(first))
        self.also.setCurrentIndex(max(0, self.also.findData(second)))
        self._shown = flag.explanation if flag else ""
        self.explanation.setPlainText(self._shown)
        self.own.clear()
        self.delete_box.setChecked(False)
        self._show_given(flag)
        self._show_meaning()
        self.reason.setFocus()

    def save(self) -> None:
        """Hand on what is filled in."""
        self.saved.emit(self._draft())

    def _draft(self) -> FlagDraft:
        first, second = chosen_reason(self.reason) or CODES[0], chosen_reason(self.also)
        reasons: tuple[ReasonCode, ...] = (first,)
        if second is not None and second is not first:
            reasons = (first, second)
        rewrites = [rewrite for box, rewrite in self._given if box.isChecked()]
        own = " ".join(self.own.toPlainText().split())
        if self.delete_box.isChecked():
            if all(one.action is not Action.DELETE for one in rewrites):
                rewrites.append(teacher_rewrite(self._sentence, "", reason=first))
        elif own and own not in (self._sentence, *(one.text for one in rewrites)):
            # Her own version comes first: it is what she wants the student to see.
            rewrites.insert(0, teacher_rewrite(self._sentence, own, reason=first))
        return FlagDraft(reasons, self.explanation.toPlainText().strip(), tuple(rewrites))

    def _show_meaning(self) -> None:
        code = chosen_reason(self.reason)
        if code is not None:
            self.explanation.setPlaceholderText(SCHEME[code].meaning)

    def _show_given(self, flag: EffectiveFinding | None) -> None:
        for box, _rewrite in self._given:
            self._given_box.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._given = []
        for one in flag.rewrites if flag else ():
            whose = "yours" if one.author is Author.TEACHER else "Segue’s"
            box = QCheckBox(f"{change_in_words(one.rewrite)} ({whose})".replace("&", "&&"))
            box.setToolTip(one.rewrite.text or "Leave the sentence out")
            box.setChecked(True)
            self._given.append((box, one.rewrite))
            self._given_box.addWidget(box)
        self._given_caption.setVisible(bool(self._given))

    def _arrange(self) -> None:
        reasons = QHBoxLayout()
        reasons.addWidget(self.reason, 1)
        reasons.addWidget(self.also, 1)
        self._given_caption = caption("Suggestions to keep")
        self._given_box = QVBoxLayout()
        content = QWidget()
        content.setProperty("role", "plain")
        inside = QVBoxLayout(content)
        inside.addWidget(self.heading)
        inside.addWidget(self.quote)
        inside.addWidget(caption("Reason, and perhaps a second one", self.reason))
        inside.addLayout(reasons)
        inside.addWidget(caption("Why", self.explanation))
        inside.addWidget(self.explanation)
        inside.addWidget(self._given_caption)
        inside.addLayout(self._given_box)
        inside.addWidget(caption("Your own version", self.own))
        inside.addWidget(self.own)
        inside.addWidget(self.delete_box)
        inside.addStretch(1)
        scroll = PageScrollArea()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.addWidget(scroll, 1)
        column.addLayout(buttons)


def _reasons(name: str, *, none: str = "") -> QComboBox:
    box = combo_box(name)
    if none:
        box.addItem(none, None)
    for code in CODES:
        box.addItem(SCHEME[code].tag, code)
        box.setItemData(box.count() - 1, SCHEME[code].meaning, Qt.ItemDataRole.ToolTipRole)
    return box


def _field(name: str, *, lines: int) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(name)
    field.setTabChangesFocus(True)
    field.setViewportMargins(*FIELD_MARGINS)
    field.setFixedHeight(field.fontMetrics().lineSpacing() * lines + 24)
    return field
