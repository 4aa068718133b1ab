"""Deleting the sentence: the experts' usual answer to a sentence that strays (R6, R5)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import Action
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import Relation, numbers_its_point, opening_marker
from engine.scheme import ReasonCode

DELETABLE = (ReasonCode.R6, ReasonCode.R5)
_NEARLY = 0.6
_IN_PASSING = frozenset({"then", "next", "after that", "at first", "last"})


def propose(situation: Situation) -> Iterator[Candidate]:
    """The deletion, where the sentence most likely strays, or nearly so."""
    share = max((situation.reasons.get(code, 0.0) for code in DELETABLE), default=0.0)
    best = max(situation.reasons.values(), default=0.0)
    if not share or carries_the_plan(situation.sentence):
        return
    code = max(DELETABLE, key=lambda option: situation.reasons.get(option, 0.0))
    if situation.top in DELETABLE:
        yield Candidate("", "delete", code, 1.0, Action.DELETE)
    elif share >= _NEARLY * best:
        yield Candidate("", "delete", code, 0.15, Action.DELETE)


def carries_the_plan(sentence: str) -> bool:
    """Whether the essay's order hangs on the sentence: it opens a numbered point or concludes.

    So does one that ends with a colon, for it introduces what follows.
    """
    if numbers_its_point(sentence) or sentence.rstrip().endswith(":"):
        return True
    found = opening_marker(sentence)
    if found is None or found.marker.text in _IN_PASSING:
        return False
    return found.marker.relation in (Relation.ORDER, Relation.CONCLUSION)
