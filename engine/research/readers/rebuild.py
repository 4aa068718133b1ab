"""Essays rebuilt from rows of (context, sentence), where a context is all earlier sentences joined.

The longest row of an essay holds its text; every other row marks where one sentence starts and
ends in it. Places are counted without white space, since files differ in how they join. What no
row marks is split where DECOR split: after each full stop, even that of an abbreviation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_AFTER_FULL_STOP = re.compile(r"(?<=\.)\s+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """An essay's sentences, and for each of its rows (by place in the input) its sentence index."""

    sentences: tuple[str, ...]
    indexes: tuple[tuple[int, int], ...]


def rebuild(rows: Sequence[tuple[str, str]]) -> list[Rebuilt]:
    """Rebuild one essay from its (context, sentence) rows, in any order and with any missing.

    Usually gives one essay. Rows that contradict the others (another context, a sentence that
    overlaps another) found an essay of their own, so that each row is kept exactly once, with
    the context it was judged in. Ordered by the first row of each.
    """
    marks = [_Mark.of(place, context, sentence) for place, (context, sentence) in enumerate(rows)]
    drafts: list[_Draft] = []
    for mark in sorted(marks, key=lambda mark: (-mark.end, mark.place)):
        home = next((draft for draft in drafts if draft.holds(mark)), None)
        if home is None:
            context, sentence = rows[mark.place]
            home = _Draft(mark.squeezed, f"{context} {sentence}")
            drafts.append(home)
        home.add(mark, rows[mark.place][1])
    drafts.sort(key=lambda draft: min(mark.place for mark in draft.marks))
    return [draft.finish() for draft in drafts]


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a row's sentence lies in its essay; offsets count characters other than white space."""

    place: int
    squeezed: str
    start: int

    @property
    def end(self) -> int:
        return len(self.squeezed)

    @classmethod
    def of(cls, place: int, context: str, sentence: str) -> _Mark:
        before = _SPACE.sub("", context)
        return cls(place, before + _SPACE.sub("", sentence), len(before))


@dataclass
class _Draft:
    """An essay under construction: its longest row's text and the sentences marked in it."""

    squeezed: str
    text: str
    marks: list[_Mark] = field(default_factory=list)
    marked: dict[tuple[int, int], str] = field(default_factory=dict)

    def holds(self, mark: _Mark) -> bool:
        """Whether the row tells of this text and its sentence cuts across no other."""
        if (mark.start, mark.end) not in self.marked and any(
            mark.start < end and start < mark.end for start, end in self.marked
        ):
            return False
        return self.squeezed.startswith(mark.squeezed)

    def add(self, mark: _Mark, sentence: str) -> None:
        self.marks.append(mark)
        self.marked.setdefault((mark.start, mark.end), sentence.strip())

    def finish(self) -> Rebuilt:
        places = [place for place, char in enumerate(self.text) if not char.isspace()]
        sentences: list[str] = []
        index_of: dict[tuple[int, int], int] = {}
        done = 0
        for start, end in sorted(self.marked):
            if start > done:
                sentences += split_at_full_stops(self.text[places[done] : places[start - 1] + 1])
            index_of[start, end] = len(sentences)
            sentences.append(self.marked[start, end])
            done = end
        marks = sorted(self.marks, key=lambda mark: mark.place)
        indexes = tuple((mark.place, index_of[mark.start, mark.end]) for mark in marks)
        return Rebuilt(tuple(sentences), indexes)


def split_at_full_stops(text: str) -> list[str]:
    """Split as DECOR's authors did: after every full stop that white space follows."""
    return [part for part in _AFTER_FULL_STOP.split(text.strip()) if part]
