"""Which linking relation a sentence most likely needs, from cues on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.rewriter.cues import cues
from engine.rewriter.prior_weights import RELATIONS, WEIGHTS

DROP = "drop"
"""The outcome 'no marker at all'."""


def relation_probabilities(sentences: Sequence[str], index: int) -> dict[str, float]:
    """The learned probability of each relation (and of `DROP`) for `sentences[index]`."""
    totals = [0.0] * len(RELATIONS)
    for cue in cues(sentences, index):
        for place, weight in enumerate(WEIGHTS.get(cue, ())):
            totals[place] += weight / 100
    top = max(totals)
    shares = [math.exp(total - top) for total in totals]
    whole = sum(shares)
    return {name: share / whole for name, share in zip(RELATIONS, shares, strict=True)}
