"""A tagger without a model, for every test that needs judgements but not a network.

`FakeTagger` flags a sentence by what it says, so a test's essay shows what will be found:

- starting with "But" or "And"      R3 (linking word)
- the word "volcano" or "banana"    R6 (side remark) or R5 (off topic)
- starting with "They" or "It"      R2 (unclear reference)
- the word "never"                  R4 (contradiction)
- the word "purple"                 R7 (does not fit together)
- the word "suddenly"               R1 (weak link)
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from engine.analysis import Judgement, Reason
from engine.grammar import Fix
from engine.scheme import CODES, ReasonCode
from engine.spans import Span

FLAGGED = 0.9
"""P(incoherent) of a sentence that one of the rules fits."""
UNFLAGGED = 0.05

_RULES: tuple[tuple[re.Pattern[str], ReasonCode], ...] = (
    (re.compile(r"^\W*(But|And)\b"), ReasonCode.R3),
    (re.compile(r"\bvolcano", re.IGNORECASE), ReasonCode.R6),
    (re.compile(r"\bbanana", re.IGNORECASE), ReasonCode.R5),
    (re.compile(r"^\W*(They|It)\b"), ReasonCode.R2),
    (re.compile(r"\bnever\b", re.IGNORECASE), ReasonCode.R4),
    (re.compile(r"\bpurple\b", re.IGNORECASE), ReasonCode.R7),
    (re.compile(r"\bsuddenly\b", re.IGNORECASE), ReasonCode.R1),
)

MIXED_ESSAY = (
    "Many students work while they study. Work teaches them to plan their time. "
    "But it costs them hours of sleep. A volcano is very hot. "
    "Good plans make both possible."
)
"""Five sentences; the third (R3) and the fourth (R6) are flagged."""


def _nothing() -> None:
    """A cancel check that never stops anything."""


@dataclass(frozen=True)
class Call:
    """One call of `judge`, as a test may want to look at it."""

    sentences: tuple[str, ...]
    topic: str
    only: frozenset[int] | None


class FakeTagger:
    """Judges by keywords. `delay` seconds go by in each call, in `steps` passes.

    Between passes it asks whether to stop, unless it is `stubborn`, like a native call that
    cannot be interrupted.
    """

    def __init__(self, *, delay: float = 0.0, steps: int = 10, stubborn: bool = False) -> None:
        self.delay = delay
        self.steps = steps
        self.stubborn = stubborn
        self.calls: list[Call] = []

    def judge(
        self,
        sentences: Sequence[str],
        topic: str,
        only: Collection[int] | None = None,
        *,
        check_cancelled: Callable[[], None] = _nothing,
    ) -> dict[int, Judgement]:
        """A judgement for each sentence, or for those in `only`."""
        self.calls.append(Call(tuple(sentences), topic, None if only is None else frozenset(only)))
        for _step in range(self.steps if self.delay else 1):
            if not self.stubborn:
                check_cancelled()
            if self.delay:
                time.sleep(self.delay / self.steps)
        wanted = range(len(sentences)) if only is None else sorted(only)
        return {index: _judge_one(sentences, index) for index in wanted}


def _judge_one(sentences: Sequence[str], index: int) -> Judgement:
    if index == 0:
        return Judgement(None)
    for pattern, code in _RULES:
        if pattern.search(sentences[index]):
            return Judgement(FLAGGED, _ranked(code), index - 1)
    return Judgement(UNFLAGGED, _ranked(ReasonCode.R6), index - 1)


def _ranked(first: ReasonCode) -> tuple[Reason, ...]:
    """All seven reasons: the given one at 0.7, the others at 0.05 in the scheme's order."""
    return (Reason(first, 0.7), *(Reason(code, 0.05) for code in CODES if code is not first))


class Speller:
    """A grammar checker that knows one misspelling, and loads nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.prepared = 0

    def prepare(self) -> None:
        self.prepared += 1

    def mistakes(self, text: str) -> int:
        return text.count("volcanno")

    def fixes(self, text: str) -> tuple[Fix, ...]:
        self.asked.append(text)
        at = text.find("volcanno")
        return () if at < 0 else (Fix(Span(at, at + 8), "volcanno", "volcano"),)
