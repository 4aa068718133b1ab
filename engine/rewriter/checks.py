"""Guards that need more than word lists: grammar no worse, meaning kept.

The rewriter knows neither a grammar checker nor a model; what measures is handed in by whoever
builds it. Without it the guard in `guard` stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from engine.analysis import Action
from engine.rewriter.candidates import Candidate, Situation

LEAST_LIKENESS = 0.6
"""Two sentences less alike than this do not say the same. See `Checks.likeness`."""
MOST_TRIED = 8
"""More candidates than this are never tried for one finding."""


@dataclass(frozen=True)
class Checks:
    """`mistakes` counts the grammar mistakes of a sentence; `likeness` is 1.0 for the same meaning.

    `likeness` costs a reading of both sentences, so only what can change the meaning is measured:
    edits whose `operator` is one of `can_drift`. The rules' own edits change so few words that
    the measure has nothing to find in them.
    """

    mistakes: Callable[[str], int] | None = None
    likeness: Callable[[str, str], float] | None = None
    can_drift: frozenset[str] = field(default=frozenset({"generated"}))

    def allows(self, candidate: Candidate, situation: Situation) -> bool:
        """Whether the candidate makes no new mistake and keeps the meaning."""
        if candidate.action is Action.DELETE:
            return True
        old, new = situation.sentence, candidate.text
        if self.mistakes is not None and self.mistakes(new) > self.mistakes(old):
            return False
        if self.likeness is None or candidate.operator not in self.can_drift:
            return True
        return self.likeness(old, new) >= LEAST_LIKENESS

    def allowed(self, proposed: Iterable[Candidate], situation: Situation) -> Iterator[Candidate]:
        """Those of the candidates that may be tried, at most `MOST_TRIED`."""
        return islice((one for one in proposed if self.allows(one, situation)), MOST_TRIED)
