"""Deleting the sentence: the experts' usual answer to a sentence that strays (R6, R5)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import Action
from engine.rewriter.candidates import Candidate, Situation
from engine.scheme import ReasonCode

DELETABLE = (ReasonCode.R6, ReasonCode.R5)
_NEARLY = 0.6


def propose(situation: Situation) -> Iterator[Candidate]:
    """The deletion, where the sentence most likely strays, or nearly so."""
    share = max((situation.reasons.get(code, 0.0) for code in DELETABLE), default=0.0)
    best = max(situation.reasons.values(), default=0.0)
    if not share:
        return
    code = max(DELETABLE, key=lambda option: situation.reasons.get(option, 0.0))
    if situation.top in DELETABLE:
        yield Candidate("", "delete", code, 1.0, Action.DELETE)
    elif share >= _NEARLY * best:
        yield Candidate("", "delete", code, 0.15, Action.DELETE)
