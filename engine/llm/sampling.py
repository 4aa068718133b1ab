"""Choosing the next token from a model's scores, the same way every time for the same seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""The logits of one position, one a token of the vocabulary."""


class Sampler:
    """Takes the likeliest token at temperature 0, else draws one from the top `top_p`.

    Every choice uses up exactly one random number, so that reading ahead does not change what a
    seed gives.
    """

    def __init__(self, *, temperature: float = 0.0, top_p: float = 1.0, seed: int = 0) -> None:
        self._temperature = temperature
        self._top_p = top_p
        self._random = np.random.default_rng(abs(seed))

    def pick(self, scores: Scores) -> int:
        """The index of the chosen token."""
        if self._temperature <= 0.0:
            return int(np.argmax(scores))
        chances = np.exp(log_chances(scores.astype(np.float64) / self._temperature))
        order = np.argsort(-chances, kind="stable")
        reached = np.cumsum(chances[order])
        kept = int(np.searchsorted(reached, self._top_p * reached[-1])) + 1
        reached = reached[:kept]
        place = int(np.searchsorted(reached, self._random.random() * reached[-1], side="right"))
        return int(order[min(place, len(reached) - 1)])


def log_chances(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The natural logarithms of the probabilities, along the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def mean_log_chance(rows: Scores, tokens: list[int]) -> float:
    """The mean log probability, in nats, of each token given the row of scores before it."""
    chances = log_chances(rows.astype(np.float64))
    return float(chances[np.arange(len(tokens)), tokens].mean())
