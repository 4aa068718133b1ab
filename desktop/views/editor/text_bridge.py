"""Between the text field and the session: UTF-16 units on one side, code points on the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QObject

from desktop.offsets import Utf16Map
from desktop.services.finding_item import Change, FindingItem
from desktop.views.editor.essay_edit import EssayEdit, Mark
from engine.scheme import SCHEME, group_of
from engine.spans import Span


class TextKeeper(Protocol):
    """Who keeps the text of record; the session does."""

    def text_edited(self, position: int, removed: int, added_text: str) -> None:
        """At a code point position, so many code points gave way to a text."""


class TextBridge(QObject):
    """Passes edits on as they happen and places findings in the field."""

    def __init__(self, edit: EssayEdit, keeper: TextKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edit = edit
        self._keeper = keeper
        self._map = Utf16Map("")
        edit.spliced.connect(self._spliced)

    def show(self, text: str) -> None:
        """Put another essay into the field."""
        self._map = Utf16Map(text)
        self._edit.show_text(text)

    def apply(self, change: Change) -> None:
        """Make a change in the field as one undo step; the keeper hears of it once."""
        start, end = self._map.span_to_qt(change.span)
        self._edit.replace_range(start, end, change.text)

    def mark(self, items: Iterable[FindingItem]) -> None:
        """Highlight the findings that wait for a decision."""
        marks = []
        for item in items:
            if item.span is None or item.decided:
                continue
            start, end = self._map.span_to_qt(item.span)
            code = item.finding.code
            stale = item.state == "stale"
            marks.append(Mark(item.key, start, end, SCHEME[code].tag, group_of(code), stale=stale))
        self._edit.set_marks(marks)

    def show_anchor(self, span: Span | None) -> None:
        """Mark the earlier sentence, None for none."""
        self._edit.set_anchor(None if span is None else self._map.span_to_qt(span))

    def reveal(self, span: Span, *, select: bool = False) -> None:
        """Scroll a piece of the text into view."""
        self._edit.reveal(*self._map.span_to_qt(span), select=select)

    def caret(self) -> int:
        """The caret's place in code points."""
        return self._map.from_qt(self._edit.textCursor().position())

    def _spliced(self, position: int, removed: int, added: str) -> None:
        span = self._map.span_from_qt(position, position + removed)
        self._map = self._map.edited(span.start, len(span), added)
        self._keeper.text_edited(span.start, len(span), added)
