"""Thresholds, chosen on out-of-fold predictions, with the precision and recall measured there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_score, recall_score

from engine.research.training.features import Table
from engine.research.training.heads_fit import FloatArray, OutOfFold
from engine.research.training.judging import GROUP_COLUMNS
from engine.scheme import Group

Booleans = NDArray[np.bool_]

STRICTNESS_SHARES = {"few": 0.15, "thorough": 0.55}
"""How much of the expert sentences the two outer settings flag; "balanced" is tuned instead."""


EXPERT_SHARES = {
    Group.COHESION: 0.41,
    Group.CONSISTENCY: 0.04,
    Group.RELEVANCE: 0.545,
    Group.OTHERS: 0.07,
}
"""How often DECOR's experts name a group of an incoherent sentence, over all of their 100 essays.

Sub-tasks are named as often, whatever the 40 essays say. There are only 161 incoherent sentences
in these to tune on, half as often with a wrong linking word as in the others; and of a reason so
rare that the best weighted F1 is to name it never, calls at the experts' own rate still score a
macro F1 of 50 on the average of many essays, calls never made less.
"""


def smooth_threshold(gold: Booleans, scores: Sequence[FloatArray], *, width: float = 0.03) -> float:
    """The threshold with the best weighted F1, averaged over neighbours and over predictions.

    Averaging over +-`width` keeps it from sitting on a lucky peak of a small sample.
    """
    grid = np.linspace(0.02, 0.95, 187)
    figures = np.mean([_weighted_f1(gold, score, grid) for score in scores], axis=0)
    reach = round(width / (grid[1] - grid[0]))
    kernel = np.ones(2 * reach + 1)
    smooth = np.convolve(figures, kernel, "same") / np.convolve(np.ones_like(grid), kernel, "same")
    return float(round(grid[int(np.argmax(smooth))], 4))


def detection_threshold(gold: Booleans, scores: Sequence[FloatArray]) -> float:
    """The threshold of detection: weighted F1 is all but flat in a wide stretch, so is the average.

    What is gained at one point of it on one version of the essays is lost on another.
    """
    return smooth_threshold(gold, scores, width=0.05)


def group_threshold(group: Group, scores: Sequence[FloatArray]) -> float:
    """The share from which a group is named, of incoherent sentences, as often as experts do."""
    cut = np.quantile(np.concatenate(list(scores)), 1 - EXPERT_SHARES[group])
    return float(round(float(cut), 4))


def _weighted_f1(gold: Booleans, score: FloatArray, cuts: NDArray[np.float64]) -> Any:
    """Weighted F1 at each of `cuts`, all at once."""
    flagged = score[None, :] >= cuts[:, None]
    hits = (flagged & gold).sum(axis=1)
    false = (flagged & ~gold).sum(axis=1)
    missed = gold.sum() - hits
    passed = (~gold).sum() - false
    wrong = false + missed
    positive = 2 * hits / np.maximum(2 * hits + wrong, 1)
    negative = 2 * passed / np.maximum(2 * passed + wrong, 1)
    return gold.mean() * positive + (1 - gold.mean()) * negative


def strictness_thresholds(gold: Booleans, chances: Sequence[FloatArray]) -> dict[str, float]:
    """P(incoherent) from which few, balanced and thorough flag a sentence."""
    pooled = np.concatenate(list(chances))
    balanced = detection_threshold(gold, chances)
    few = float(np.quantile(pooled, 1 - STRICTNESS_SHARES["few"]))
    thorough = float(np.quantile(pooled, 1 - STRICTNESS_SHARES["thorough"]))
    return {
        "few": round(max(few, balanced + 0.05), 4),
        "balanced": balanced,
        "thorough": round(min(thorough, balanced - 0.05), 4),
    }


def operating_points(
    gold: Booleans, chances: Sequence[FloatArray], thresholds: dict[str, float]
) -> dict[str, dict[str, Any]]:
    """Precision and recall of flagged sentences at each strictness, averaged over predictions."""
    points = {}
    for name, cut in thresholds.items():
        flagged = [score >= cut for score in chances]
        points[name] = {
            "threshold": cut,
            "precision": _mean([precision_score(gold, f, zero_division=0.0) for f in flagged]),
            "recall": _mean([recall_score(gold, f) for f in flagged]),
            "flagged": _mean([float(f.mean()) for f in flagged]),
            "n": len(gold),
        }
    return points


def group_gold(dev: Table) -> tuple[Booleans, dict[Group, Booleans]]:
    """Which rows experts found incoherent, and on those, which groups they named."""
    flagged = dev.targets > 0.5
    codes = dev.codes[flagged]
    gold = {group: codes[:, columns].sum(axis=1) > 0 for group, columns in GROUP_COLUMNS.items()}
    return flagged, gold


def group_thresholds(dev: Table, predictions: Sequence[OutOfFold]) -> dict[str, float]:
    """For each sub-task, the share from which the group is taken to apply."""
    flagged, _ = group_gold(dev)
    return {
        group.value: group_threshold(
            group,
            [each.shares[flagged][:, GROUP_COLUMNS[group]].sum(axis=1) for each in predictions],
        )
        for group in Group
    }


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)
