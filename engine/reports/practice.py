"""The two or three things that a writer should practise, from what was marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.reports.wording import counted, listed
from engine.scheme import SCHEME, ReasonCode

MOST_THINGS = 3
_MOST_NUMBERS = 6


@dataclass(frozen=True, slots=True)
class Practice:
    """One thing to practise: a reason, the numbers of the marks to look at, and the advice."""

    code: ReasonCode
    numbers: tuple[int, ...]

    @property
    def tag(self) -> str:
        """The reason in two or three words."""
        return SCHEME[self.code].tag

    @property
    def meaning(self) -> str:
        """What the reason means."""
        return SCHEME[self.code].meaning

    @property
    def advice(self) -> str:
        """What to do about it."""
        return SCHEME[self.code].advice

    @property
    def where(self) -> str:
        """Where to look: "Look at mark 2" or "Look at marks 1, 3 and 4"."""
        first = [str(number) for number in self.numbers[:_MOST_NUMBERS]]
        rest = len(self.numbers) - len(first)
        if rest:
            return f"Look at marks\N{NO-BREAK SPACE}{', '.join(first)} and {counted(rest, 'other')}"
        return f"Look at mark{'s' if len(first) > 1 else ''}\N{NO-BREAK SPACE}{listed(first)}"


def things_to_practise(marks: Sequence[tuple[int, ReasonCode]]) -> tuple[Practice, ...]:
    """The most frequent reasons, at most three; of two as frequent, the one that comes first.

    `marks` are (number, first reason) in text order.
    """
    numbers: dict[ReasonCode, list[int]] = {}
    for number, code in marks:
        numbers.setdefault(code, []).append(number)
    ranked = sorted(numbers.items(), key=lambda item: (-len(item[1]), item[1][0]))
    return tuple(Practice(code, tuple(found)) for code, found in ranked[:MOST_THINGS])
