"""Following pieces of a text through edits, so that nothing is ever applied to moved text.

Pure Python over code points. A `Mark` is a piece of text (a sentence) that either stands at
`start`, exactly as it was, or is lost; it is never approximately somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from engine.analysis import reanchor
from engine.spans import Span

_FIRST_STEP = 64


@dataclass(frozen=True, slots=True)
class TextEdit:
    """At `position`, `removed` code points gave way to `added`."""

    position: int
    removed: int
    added: str

    @property
    def end(self) -> int:
        """Where the removed stretch ended in the text before the edit."""
        return self.position + self.removed

    @property
    def shift(self) -> int:
        """By how much everything after the edit moved."""
        return len(self.added) - self.removed

    def apply(self, text: str) -> str:
        """The text after the edit."""
        return text[: self.position] + self.added + text[self.end :]

    def moved(self, place: int) -> int:
        """Where a place of the text before the edit is afterwards.

        Text put in exactly at the place pushes it on; a place inside the removed stretch goes to
        the start of the edit.
        """
        if place >= self.end:
            return place + self.shift
        if place <= self.position:
            return place
        return self.position


def narrowed(text: str, edit: TextEdit) -> TextEdit:
    """The same edit of `text` without what it only replaces by itself.

    Qt reports whole blocks as changed; a piece is only lost if its own characters changed.
    Positions outside the text are clamped.
    """
    position = min(max(edit.position, 0), len(text))
    end = min(max(edit.end, position), len(text))
    old, new = text[position:end], edit.added
    head = common_prefix(old, new)
    tail = common_prefix(old[head:][::-1], new[head:][::-1])
    return TextEdit(position + head, len(old) - head - tail, new[head : len(new) - tail])


def common_prefix(left: str, right: str, *, start: int = 0) -> int:
    """The length of the longest common prefix; the first `start` characters are known equal."""
    limit = min(len(left), len(right))
    at, step = min(start, limit), _FIRST_STEP
    while at < limit:
        end = min(at + step, limit)
        if left[at:end] == right[at:end]:
            at, step = end, step * 2
        elif step == 1:
            return at
        else:
            step = max(1, (end - at) // 2)
    return at


@dataclass(slots=True)
class CheckedText:
    """A text as it was sent to be judged, and how far the current text still agrees with it."""

    text: str
    topic: str
    job_id: str
    content_hash: str
    agrees: int = 0
    edits: list[TextEdit] | None = field(default_factory=list)

    def __post_init__(self) -> None:
        self.agrees = len(self.text)

    def follow(self, edit: TextEdit, current: str) -> None:
        """Take note of an edit; `current` is the text after it."""
        if self.edits is not None:
            self.edits.append(edit)
        if edit.position <= self.agrees:
            self.agrees = common_prefix(self.text, current, start=edit.position)

    def settle(self) -> None:
        """Forget the edits: no more results will arrive that are to be carried over."""
        self.edits = None

    def place(self, span: Span) -> int:
        """Where the start of a span of the checked text is in the current text."""
        place = span.start
        for edit in self.edits or ():
            place = edit.moved(place)
        return place


@dataclass(slots=True)
class Mark:
    """A piece of text followed through edits.

    `before` and `after` are the characters next to it when it was judged ("" at the text's ends):
    typing a letter right next to a sentence changes the sentence even though its own characters
    all stand. `is_unique` says that the judged text held the piece once, so that it may be found
    again after it was moved by cut and paste.
    """

    piece: str
    start: int
    before: str
    after: str
    is_unique: bool
    is_lost: bool = False

    @classmethod
    def in_checked(cls, checked: CheckedText, span: Span, current: str) -> Self:
        """A mark for a span of the checked text, looked up in the current text."""
        text = checked.text
        piece = span.of(text)
        mark = cls(
            piece,
            checked.place(span),
            text[span.start - 1 : span.start] if span.start else "",
            text[span.end : span.end + 1],
            is_unique=bool(piece) and text.find(piece) == text.rfind(piece),
        )
        mark.look(current)
        return mark

    @property
    def span(self) -> Span | None:
        """Where it stands, None while it is lost."""
        return None if self.is_lost else Span(self.start, self.start + len(self.piece))

    def stands_at(self, text: str, start: int) -> bool:
        """Whether the piece is at `start`, as a piece of its own."""
        end = start + len(self.piece)
        if start < 0 or not self.piece or not text.startswith(self.piece, start):
            return False
        return self._is_edge(text[start - 1 : start] if start else "", self.before) and (
            self._is_edge(text[end : end + 1], self.after)
        )

    @staticmethod
    def _is_edge(found: str, judged: str) -> bool:
        return not found or found.isspace() or found == judged

    def look(self, text: str, window: Span | None = None) -> None:
        """Find the piece in `text`: at its place, else in `window` (default: anywhere).

        Elsewhere than at its place it is only taken if it cannot be taken for another sentence
        with the same words.
        """
        self.is_lost = not self.stands_at(text, self.start)
        if not self.is_lost or not self.is_unique:
            return
        left, right = (window.start, window.end) if window else (0, len(text))
        found = reanchor(text[left:right], self.piece, self.start - left)
        if found is None or text.find(self.piece) != text.rfind(self.piece):
            return
        if self.stands_at(text, found.start + left):
            self.start, self.is_lost = found.start + left, False

    def follow(self, edit: TextEdit, current: str) -> None:
        """Move along with an edit; `current` is the text after it."""
        end = self.start + len(self.piece)
        touches = edit.position <= end and edit.end >= self.start
        self.start = edit.moved(self.start)
        if touches or self.is_lost:
            # A piece can only reappear where the edit has put some of it or freed its edges.
            reach = len(self.piece) + 1
            left = max(0, edit.position - reach)
            self.look(current, Span(left, edit.position + len(edit.added) + reach))
