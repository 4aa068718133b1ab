"""Original and rewrite side by side, the changed words marked by a line and a colour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QWidget

from desktop.theme import Palette, Theme
from desktop.views.layouts import FIELD_MARGINS, fit_height
from engine.analysis import Action, Edit, Rewrite
from engine.classroom.review import TEACHER_OPERATOR

_PRE = '<span style="white-space: pre-wrap;">{}</span>'
_LONG_WORD = re.compile(r"\S{16}(?=\S{16})")
DELETED_WORDS = "The sentence is left out."
REMAINS = "A mark would remain"
NARROW = 17
"""Below this many line heights of width, the two sides stand one above the other."""


def _shown(text: str) -> str:
    """As HTML, with places to break words so long that no line could hold them (addresses)."""
    return escape(_LONG_WORD.sub("\\g<0>\u200b", text))


def _removed(text: str, palette: Palette) -> str:
    return (
        f'<span style="text-decoration: line-through; color: {palette.removed}; '
        f'background-color: {palette.removed_soft};">{_shown(text)}</span>'
    )


def _added(text: str, palette: Palette) -> str:
    return (
        f'<span style="text-decoration: underline; font-weight: 600; color: {palette.added}; '
        f'background-color: {palette.added_soft};">{_shown(text)}</span>'
    )


def before_html(sentence: str, edits: Sequence[Edit], palette: Palette) -> str:
    """The original with the words that go struck through."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts.append(_shown(sentence[at : edit.start]))
        if edit.end > edit.start:
            parts.append(_removed(sentence[edit.start : edit.end], palette))
        at = edit.end
    parts.append(_shown(sentence[at:]))
    return _PRE.format("".join(parts))


def after_html(sentence: str, rewrite: Rewrite, palette: Palette) -> str:
    """The rewrite with the words that come underlined."""
    if rewrite.action is Action.DELETE:
        return f"<i>{escape(DELETED_WORDS)}</i>"
    parts: list[str] = []
    plain: list[str] = []
    at = 0
    for edit in rewrite.edits:
        parts.append(_shown(sentence[at : edit.start]))
        if edit.new:
            parts.append(_added(edit.new, palette))
        plain += [sentence[at : edit.start], edit.new]
        at = edit.end
    parts.append(_shown(sentence[at:]))
    if "".join(plain) + sentence[at:] != rewrite.text:
        # Never show anything but what Accept will write.
        return _PRE.format(_shown(rewrite.text))
    return _PRE.format("".join(parts))


def change_in_words(rewrite: Rewrite) -> str:
    """What a rewrite does, short enough for a button."""
    if rewrite.action is Action.DELETE:
        return "Delete the sentence"
    first = next(iter(rewrite.edits), None)
    if first is None:
        return _short(rewrite.text)
    old, new = first.old.strip(), first.new.strip()
    more = f" and {len(rewrite.edits) - 1} more" if len(rewrite.edits) > 1 else ""
    more += "" if rewrite.clears else " (a mark remains)"
    if old and new:
        return f"“{_short(old)}” → “{_short(new)}”{more}"
    if new:
        return f"Add “{_short(new)}”{more}"
    return f"Leave out “{_short(old)}”{more}"


def effect_in_words(before: float, rewrite: Rewrite) -> str:
    """What the rewrite does to the mark, by the model's own two judgements of the sentence.

    `before` is P(incoherent) of the sentence as it stands. Empty for a deletion, which leaves no
    sentence to judge, and for a teacher's own words, which no model has judged.
    """
    if rewrite.action is Action.DELETE or rewrite.operator == TEACHER_OPERATOR:
        return ""
    after = rewrite.probability_after
    chances = f"{before:.0%} now, {after:.0%} with this change."
    if rewrite.clears:
        return f"Chance of breaking the flow: {chances}"
    head = "This wording is better, but a mark would remain" if after < before else REMAINS
    return f"{head}. Chance of breaking the flow: {chances}"


def _short(text: str, limit: int = 28) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


class Comparison(QWidget):
    """The two sides; the right one turns into a text field while the writer edits it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sentence = ""
        self._rewrite: Rewrite | None = None
        self.before = _text_label("before", "Original sentence")
        self.after = _text_label("after", "Rewrite")
        self.field = QPlainTextEdit()
        self.field.setAccessibleName("Your own version of the sentence")
        self.field.setTabChangesFocus(True)
        self.field.setViewportMargins(*FIELD_MARGINS)
        self.field.hide()
        self.effect = _text_label("small", "What it does to the mark")
        self._right_caption = _caption("Rewrite")
        self._left_caption = _caption("Original")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._place(wide=True)

    @property
    def editing(self) -> bool:
        """Whether the text field is open."""
        return not self.field.isHidden()

    def show_rewrite(
        self, sentence: str, rewrite: Rewrite | None, *, before: float | None = None
    ) -> None:
        """Show a sentence and one of its rewrites; None shows the sentence alone.

        With `before`, the sentence's P(incoherent), also what the rewrite does to the mark.
        """
        self._sentence, self._rewrite = sentence, rewrite
        words = ""
        if before is not None and rewrite is not None:
            words = effect_in_words(before, rewrite)
        self.effect.setText(words)
        # Plainly, where Accept would not take the mark away.
        remains = rewrite is not None and not rewrite.clears
        self.effect.setProperty("role", "notice" if remains else "small")
        self.effect.style().unpolish(self.effect)
        self.effect.style().polish(self.effect)
        self.stop_editing()
        palette = self._theme.palette
        deleted = rewrite is not None and rewrite.action is Action.DELETE
        edits: Sequence[Edit] = () if rewrite is None else rewrite.edits
        if deleted:
            self.before.setText(_PRE.format(_removed(sentence, palette)))
        else:
            self.before.setText(before_html(sentence, edits, palette))
        self.before.setAccessibleDescription(sentence)
        self._show_right(shown=rewrite is not None)
        if rewrite is not None:
            self._right_caption.setText("Delete" if deleted else "Rewrite")
            self.after.setText(after_html(sentence, rewrite, palette))
            self.after.setAccessibleDescription(rewrite.text or DELETED_WORDS)

    def start_editing(self) -> None:
        """Open the field with the rewrite's words, or the sentence's own where there is none."""
        words = self._sentence
        if self._rewrite is not None and self._rewrite.action is Action.REPLACE:
            words = self._rewrite.text
        self._show_right(shown=True)
        self._right_caption.setText("Your version")
        self.after.hide()
        self.effect.hide()
        self.field.setPlainText(words)
        self.field.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        self.field.show()
        self.field.setFocus()
        self.field.selectAll()

    def stop_editing(self) -> None:
        """Close the field without taking its words."""
        self.field.hide()
        self._show_right(shown=self._rewrite is not None)
        self.effect.setVisible(bool(self.effect.text()))

    def field_text(self) -> str:
        """The writer's own version, line breaks turned into spaces."""
        raw = self.field.document().toRawText()
        return " ".join(part.strip() for part in raw.split("\u2029")).strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: side by side where there is room."""
        super().resizeEvent(event)
        wide = self.width() >= NARROW * self.fontMetrics().height()
        if wide is not self._is_wide:
            self._place(wide=wide)

    def _place(self, *, wide: bool) -> None:
        """Side by side the boxes share a row, and so their height; else one stands above the other."""
        self._is_wide = wide
        has_right = not self._right_caption.isHidden()
        row, column = (0, 1) if wide and has_right else (2, 0)
        for widget, where in (
            (self._left_caption, (0, 0)),
            (self.before, (1, 0)),
            (self._right_caption, (row, column)),
            # Of these two, one is hidden.
            (self.after, (row + 1, column)),
            (self.field, (row + 1, column)),
            (self.effect, (row + 2, 0, 1, column + 1)),
        ):
            self._grid.addWidget(widget, *where)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, column)
        self._grid.setHorizontalSpacing(8 * column)

    def _show_right(self, *, shown: bool) -> None:
        self._right_caption.setVisible(shown)
        self.after.setVisible(shown)
        self._place(wide=self._is_wide)


def _caption(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "caption")
    return label


def _text_label(role: str, name: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    label.setAccessibleName(name)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    fit_height(label)
    return label
