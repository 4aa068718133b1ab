"""Situations, scripted scorers and shorthand for the rewriter's tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from engine.analysis import Judgement, Reason
from engine.rewriter.candidates import Candidate, Situation
from engine.scheme import CODES, ReasonCode

THRESHOLD = 0.5
TOPIC = "Students should work while they study."
ESSAY = (
    "Many students work while they study.",
    "Work teaches them to plan their time.",
    "But it costs them hours of sleep.",
    "Good plans make both possible.",
    "Students need rest too.",
)


def judgement(code: ReasonCode, probability: float = 0.9, anchor: int | None = None) -> Judgement:
    """A flagged judgement whose most likely reason is `code`."""
    others = tuple(Reason(other, 0.05) for other in CODES if other is not code)
    return Judgement(probability, (Reason(code, 0.7), *others), anchor)


def situation(sentence: str, code: ReasonCode, *, context: Sequence[str] = ESSAY[:2]) -> Situation:
    """`sentence` at the end of `context`, flagged for `code`, with two sentences after it."""
    essay = (*context, sentence, ESSAY[3], ESSAY[4], ESSAY[1], ESSAY[0])
    return Situation(essay, TOPIC, len(context), judgement(code))


def texts(candidates: Sequence[Candidate]) -> list[str]:
    """The candidates' texts."""
    return [candidate.text for candidate in candidates]


class ScriptedScorer:
    """Scores by a function of (sentences, index) and remembers every pass."""

    def __init__(self, rule: Callable[[Sequence[str], int], float]) -> None:
        self.rule = rule
        self.passes: list[tuple[tuple[str, ...], frozenset[int]]] = []

    def __call__(
        self, sentences: Sequence[str], topic: str, only: Collection[int]
    ) -> Mapping[int, Judgement]:
        """One pass over the essay."""
        self.passes.append((tuple(sentences), frozenset(only)))
        return {index: Judgement(self.rule(sentences, index) if index else None) for index in only}
