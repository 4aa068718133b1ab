"""Honest figures on expert essays: heads and thresholds fitted on the other essays each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, f1_score, roc_auc_score

from engine.research.training.features import Table
from engine.research.training.heads_fit import (
    FirstStep,
    FitSettings,
    FloatArray,
    cross_validate,
    divisions,
)
from engine.research.training.judging import GROUP_COLUMNS
from engine.research.training.operating import (
    Booleans,
    detection_threshold,
    group_gold,
    group_threshold,
)
from engine.scheme import Group

SLIPPED = "detection, with slips"
STORIES = "detection, stories"

Choice = Callable[[Booleans, Sequence[FloatArray]], float]
"""Chooses a threshold for gold labels and the scores that it is to part."""


def figures(
    first: FirstStep,
    dev: Table,
    slipped: Table | None = None,
    *,
    folds: int = 10,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
) -> dict[str, dict[str, Any]]:
    """Scores of detection and of the sub-tasks, as percentages, averaged over divisions.

    In each division the heads come from the other essays, and the thresholds from out-of-fold
    predictions on those other essays' side only. Of the expert essays with learners' slips put in,
    `slipped`, detection is scored, too; its threshold serves both.
    """
    predictions = cross_validate(first, dev, folds=folds, seeds=seeds)
    detection, rows = dev.targets > 0.5, np.arange(len(dev.targets))
    chances = [each.chances for each in predictions]
    if slipped is None:
        results = {"detection": _average(detection, dev, chances, rows, seeds)}
    else:
        mistyped = [
            each.chances
            for each in cross_validate(first, dev, asked=slipped, folds=folds, seeds=seeds)
        ]
        results = {
            "detection": _average(detection, dev, chances, rows, seeds, beside=mistyped),
            SLIPPED: _average(detection, dev, mistyped, rows, seeds, beside=chances),
        }
    flagged, gold = group_gold(dev)
    rows = np.flatnonzero(flagged)
    for group in Group:
        scores = [each.shares[rows][:, GROUP_COLUMNS[group]].sum(axis=1) for each in predictions]
        results[group.value] = _average(
            gold[group], dev, scores, rows, seeds, choose=partial(_as_often, group)
        )
    return results


def story_figures(
    synth: Table, stories: Table, dev: Table, threshold: float, *, settings: FitSettings
) -> dict[str, Any]:
    """Scores of detection on stories, by heads fitted on the other stories, at `threshold`."""
    gold = stories.targets > 0.5
    everything = np.arange(len(gold))
    chances = np.zeros(len(gold), dtype=np.float32)
    for kept in divisions(stories.essays, folds=5, seed=0):
        others = stories.rows(np.setdiff1d(everything, kept))
        heads = FirstStep(settings).fit(synth, others).adapt(dev, np.arange(len(dev.targets)))
        chances[kept] = heads.chances(stories.features[kept])
    majority = np.full(len(gold), gold.mean() >= 0.5)
    return {
        "n": len(gold),
        **_one(gold, chances, chances >= threshold),
        "majority_weighted_f1": _percent(f1_score(gold, majority, average="weighted")),
        "majority_macro_f1": _percent(f1_score(gold, majority, average="macro")),
    }


def _as_often(group: Group, _gold: Booleans, scores: Sequence[FloatArray]) -> float:
    return group_threshold(group, scores)


def _average(
    gold: Booleans,
    dev: Table,
    scores: Sequence[FloatArray],
    rows: np.ndarray[Any, np.dtype[np.intp]],
    seeds: Sequence[int],
    *,
    choose: Choice = detection_threshold,
    beside: Sequence[FloatArray] = (),
) -> dict[str, Any]:
    each = [
        _one(gold, score, _nested_labels(gold, [score, *others], dev.essays[rows], seed, choose))
        for score, seed, *others in zip(scores, seeds, *([beside] if beside else []), strict=True)
    ]
    mean = {name: round(float(np.mean([one[name] for one in each])), 1) for name in each[0]}
    majority = np.full(len(gold), gold.mean() >= 0.5)
    return {
        "n": len(gold),
        **mean,
        "majority_weighted_f1": _percent(f1_score(gold, majority, average="weighted")),
        "majority_macro_f1": _percent(f1_score(gold, majority, average="macro")),
    }


def _nested_labels(
    gold: Booleans, scores: Sequence[FloatArray], essays: Any, seed: int, choose: Choice
) -> Booleans:
    """Labels by the first of `scores`, at a threshold chosen without the essay that it is used on.

    The threshold is the one that parts all of `scores` best.
    """
    labels = np.zeros(len(gold), dtype=bool)
    for kept in divisions(essays, folds=10, seed=seed + 100):
        others = np.setdiff1d(np.arange(len(gold)), kept)
        labels[kept] = scores[0][kept] >= choose(gold[others], [each[others] for each in scores])
    return labels


def _one(gold: Booleans, score: FloatArray, labels: Booleans) -> dict[str, float]:
    return {
        "weighted_f1": _percent(f1_score(gold, labels, average="weighted")),
        "macro_f1": _percent(f1_score(gold, labels, average="macro")),
        "auc": _percent(roc_auc_score(gold, score)),
        "kappa": _percent(cohen_kappa_score(gold, labels)),
    }


def _percent(value: float) -> float:
    return round(100.0 * float(value), 1)
