"""Which linking relation a sentence most likely needs, from cues on the page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine.errors import ModelError
from engine.resources import resources_folder
from engine.rewriter.cues import cues

DROP = "drop"
"""The outcome 'no marker at all'."""
WEIGHTS_FILE = "weights.json"


@dataclass(frozen=True)
class RelationPredictor:
    """A multinomial logistic regression over cues; `weights` are hundredths of a logit.

    For each cue there is one weight for each of the `relations`; unknown cues count for nothing.
    """

    relations: tuple[str, ...]
    weights: Mapping[str, Sequence[int]]

    def probabilities(self, found: Iterable[str]) -> dict[str, float]:
        """P(relation), `DROP` included, given the cues that were found."""
        totals = [0] * len(self.relations)  # whole numbers: the order of the cues changes nothing
        for cue in found:
            for place, weight in enumerate(self.weights.get(cue, ())):
                totals[place] += weight
        top = max(totals)
        shares = [math.exp((total - top) / 100) for total in totals]
        whole = sum(shares)
        return {name: share / whole for name, share in zip(self.relations, shares, strict=True)}


def read_predictor(path: Path) -> RelationPredictor:
    """The predictor in a file that `segue train markers` wrote. Raises ModelError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        relations = tuple(data["relations"])
        weights = {name: tuple(map(int, row)) for name, row in data["weights"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"The weights of the linking words ({path.name}) cannot be read.",
            hint="Install Segue again.",
        ) from error
    if not relations or any(len(row) != len(relations) for row in weights.values()):
        raise ModelError(
            f"The weights of the linking words ({path.name}) are damaged.",
            hint="Install Segue again.",
        )
    return RelationPredictor(relations, weights)


@lru_cache(maxsize=1)
def _shipped() -> RelationPredictor:
    return read_predictor(resources_folder() / "markers" / WEIGHTS_FILE)


def relation_probabilities(sentences: Sequence[str], index: int) -> dict[str, float]:
    """The learned probability of each relation (and of `DROP`) for `sentences[index]`."""
    return _shipped().probabilities(cues(sentences, index))
