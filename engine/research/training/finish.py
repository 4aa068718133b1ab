"""The last stage: final heads, thresholds, scores and the card of a model folder."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.models.manifest import Manifest
from engine.research.training.card import Measured, write_folder
from engine.research.training.config import TrainingConfig
from engine.research.training.crossvalidated import STORIES, figures, story_figures
from engine.research.training.features import FloatArray, Table
from engine.research.training.heads_fit import FirstStep, FitSettings, cross_validate
from engine.research.training.operating import (
    group_thresholds,
    operating_points,
    strictness_thresholds,
)

log = logging.getLogger(__name__)


def finish(
    config: TrainingConfig,
    neural: Mapping[str, FloatArray],
    tables: Mapping[str, Table],
    work: Path,
    output: Path,
    *,
    linking: Mapping[str, Mapping[str, float]] | None = None,
) -> Manifest:
    """Fit what is fitted on features, measure it, and complete the folder `output`.

    `tables` has the training essays, `synth`, and the expert essays, `dev`. It may have `slipped`,
    the latter with learners' slips put in, for the thresholds to serve both; and `stories`,
    labelled texts of another kind, from which detection learns, too. `linking` has the accuracy
    of the linking head, for the card.
    """
    synth, dev = tables["synth"], tables["dev"]
    slipped, stories = tables.get("slipped"), tables.get("stories")
    settings = FitSettings()
    first = FirstStep(settings).fit(synth, stories)
    heads = first.adapt(dev, np.arange(len(dev.targets)))
    np.savez(output / "heads.npz", **neural, **heads.arrays())  # type: ignore[arg-type]
    predictions = cross_validate(first, dev)
    gold = dev.targets > 0.5
    chances = [each.chances for each in predictions]
    mistyped = cross_validate(first, dev, asked=slipped) if slipped else []
    thresholds = strictness_thresholds(gold, [*chances, *(each.chances for each in mistyped)])
    scores = figures(first, dev, slipped)
    if stories is not None:
        scores[STORIES] = story_figures(
            synth, stories, dev, thresholds["balanced"], settings=settings
        )
    for task, values in scores.items():
        log.info("%s %s", task, values)
    measured = Measured(
        recipe=config.as_dict(),
        epochs=_epochs(work),
        scores=scores,
        thresholds=thresholds,
        operating_points=operating_points(gold, chances, thresholds),
        group_thresholds=group_thresholds(dev, predictions),
        history=_history(config),
        linking=linking or {},
    )
    return write_folder(output, measured)


def _epochs(work: Path) -> list[dict[str, Any]]:
    progress = json.loads((work / "progress.json").read_text(encoding="utf-8"))
    history: list[dict[str, Any]] = progress["history"]
    return history


def _history(config: TrainingConfig) -> str:
    from engine.resources import resources_folder

    path = resources_folder() / "training" / "history.md"
    return path.read_text(encoding="utf-8") if config.card_history and path.exists() else ""
