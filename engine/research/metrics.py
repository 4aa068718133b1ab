"""Scores as the DECOR paper computes them, in plain numpy; agrees with scikit-learn's.

Labels are boolean arrays with True as the positive class. Scores are fractions (0-1, kappa from
-1); one that the data leaves undefined is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counts:
    """A two-by-two table of gold against predicted labels; tables add up across batches."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @classmethod
    def of(cls, gold: Booleans, predicted: Booleans) -> Counts:
        """Count two arrays of equal length."""
        if gold.shape != predicted.shape:
            raise ValueError("gold and predicted labels differ in number")
        both = int(np.count_nonzero(gold & predicted))
        positives, flagged = int(np.count_nonzero(gold)), int(np.count_nonzero(predicted))
        return cls(both, flagged - both, positives - both, gold.size - positives - flagged + both)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
            self.true_negatives + other.true_negatives,
        )

    @property
    def n(self) -> int:
        """How many labels were counted."""
        return self.positives + self.false_positives + self.true_negatives

    @property
    def positives(self) -> int:
        """How many are positive in the gold labels (the support)."""
        return self.true_positives + self.false_negatives

    @property
    def flagged(self) -> int:
        """How many are predicted positive."""
        return self.true_positives + self.false_positives

    @property
    def precision(self) -> float:
        """Of the predicted positives, the right ones; 0 where there are none."""
        return _ratio(self.true_positives, self.flagged)

    @property
    def recall(self) -> float:
        """Of the gold positives, those found; 0 where there are none."""
        return _ratio(self.true_positives, self.positives)

    @property
    def f1(self) -> float:
        """F1 of the positive class; 0 where it does not occur."""
        return _ratio(2 * self.true_positives, self.positives + self.flagged)

    @property
    def negative_f1(self) -> float:
        """F1 of the negative class; 0 where it does not occur."""
        missed = self.false_positives + self.false_negatives
        return _ratio(2 * self.true_negatives, 2 * self.true_negatives + missed)

    @property
    def weighted_f1(self) -> float | None:
        """F1 of both classes, weighted by how often the gold labels hold them."""
        if not self.n:
            return None
        negatives = self.n - self.positives
        return (self.positives * self.f1 + negatives * self.negative_f1) / self.n

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the classes that occur in the gold or the predicted labels."""
        if not self.n:
            return None
        present = []
        if self.positives or self.flagged:
            present.append(self.f1)
        if self.positives < self.n or self.flagged < self.n:
            present.append(self.negative_f1)
        return sum(present) / len(present)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where both sides hold one and the same class only."""
        if not self.n:
            return None
        observed = (self.true_positives + self.true_negatives) / self.n
        gold, flagged = self.positives / self.n, self.flagged / self.n
        expected = gold * flagged + (1 - gold) * (1 - flagged)
        return None if expected == 1 else (observed - expected) / (1 - expected)

    def majority(self) -> Counts:
        """The table of a model that always answers the more frequent gold class."""
        negatives = self.n - self.positives
        if self.positives > negatives:
            return Counts(self.positives, negatives, 0, 0)
        return Counts(0, 0, self.positives, negatives)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def auc(gold: Booleans, scores: Floats) -> float | None:
    """Area under the ROC curve: the chance that a positive outranks a negative, ties half.

    None unless both classes occur.
    """
    positives = int(np.count_nonzero(gold))
    negatives = gold.size - positives
    if not positives or not negatives:
        return None
    _, inverse, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    mean_ranks = ends - (sizes - 1) / 2
    rank_sum = float(mean_ranks[inverse][gold].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def average_precision(gold: Booleans, scores: Floats) -> float | None:
    """Area under the precision-recall steps; None where nothing is positive."""
    if not gold.any():
        return None
    precision, recall = precision_recall(gold, scores)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def precision_recall(gold: Booleans, scores: Floats) -> tuple[Floats, Floats]:
    """Precision and recall at each distinct threshold, from the highest score down."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(gold[order])
    last_of_tie = np.append(np.flatnonzero(np.diff(scores[order])), gold.size - 1)
    found = hits[last_of_tie]
    return found / (last_of_tie + 1), found / max(1, int(hits[-1]))


def calibration_bins(
    gold: Booleans, scores: Floats, *, bins: int = 10
) -> list[tuple[float, float, int]]:
    """(mean score, share of positives, n) of equally filled bins, from the lowest scores up."""
    parts = np.array_split(np.argsort(scores, kind="stable"), min(bins, scores.size))
    return [
        (float(scores[part].mean()), float(gold[part].mean()), part.size)
        for part in parts
        if part.size
    ]


def calibration_error(gold: Booleans, scores: Floats, *, bins: int = 10) -> float | None:
    """Expected calibration error over equally filled bins."""
    if not scores.size:
        return None
    found = calibration_bins(gold, scores, bins=bins)
    return sum(abs(mean - share) * n for mean, share, n in found) / scores.size


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% percentile bootstrap interval."""

    low: float
    high: float


def bootstrap(
    essays: Sequence[NDArray[np.intp]],
    measure: Callable[[NDArray[np.intp]], Sequence[float | None]],
    *,
    samples: int = 1000,
    seed: int = 0,
) -> list[Interval | None]:
    """95% intervals of the scores that `measure` returns, resampled over whole essays.

    Sentences of an essay are not independent, so essays are drawn, not pairs. `essays` holds each
    essay's places in the arrays that `measure` scores; `measure` is given the places of one
    resample. An interval is None where its score is undefined in every resample. The same seed
    gives the same intervals.
    """
    chooser = np.random.default_rng(seed)
    drawn: list[Sequence[float | None]] = []
    for _ in range(samples if len(essays) else 0):
        chosen = chooser.integers(0, len(essays), size=len(essays))
        drawn.append(measure(np.concatenate([essays[essay] for essay in chosen])))
    return [_interval(values) for values in zip(*drawn, strict=True)]


def _interval(values: Sequence[float | None]) -> Interval | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, high = np.percentile(known, (2.5, 97.5))
    return Interval(float(low), float(high))
