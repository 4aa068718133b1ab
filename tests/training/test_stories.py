"""Detection learns from texts that are no essays, and is measured on them."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import pytest

from engine.errors import UnreadableFile
from engine.models.manifest import load_manifest
from engine.research.training.command import run
from engine.research.training.features import FloatArray, Table
from engine.research.training.heads_fit import PLAIN, FirstStep, FitSettings
from engine.tagger.similarity import SIMILARITY_FILE, TOKENIZER_FILE, load_similarity
from tests.training.conftest import made_up_essay

CHANCE = np.random.default_rng(4)
WIDTH = 6


def table(kind: float, targets: FloatArray) -> Table:
    """Sentences of a kind that the first feature tells; the second ranks them, but its level is no
    sign of how often their kind is flagged.
    """
    features = CHANCE.normal(0, 0.1, (len(targets), WIDTH + PLAIN)).astype(np.float32)
    features[:, 0] += kind
    features[:, 1] += targets - targets.mean() + 0.5
    return Table(
        features,
        targets,
        np.arange(len(targets)) % 7,
        np.zeros((len(targets), 7), dtype=np.float32),
        np.arange(len(targets)) // 10,
    )


def test_stories_teach_that_their_kind_is_flagged_less_and_essays_stay_as_they_were() -> None:
    essays = table(0.0, CHANCE.uniform(0.1, 0.9, 400).astype(np.float32))
    stories = table(1.0, (np.arange(200) % 10 == 0).astype(np.float32))
    settings = FitSettings(ridge=1.0)
    without = FirstStep(settings).fit(essays)
    taught = FirstStep(settings).fit(essays, stories)

    def mean(step: FirstStep, rows: Table) -> float:
        standard = (rows.features - step.centre) / step.scale
        return float((standard @ step.detection + step.detection_bias).mean())

    assert mean(taught, stories) < mean(without, stories) - 0.5
    assert mean(taught, essays) == pytest.approx(mean(without, essays), abs=0.2)


def write_stories(path: Path) -> Path:
    """Ten stories as CoheSentia writes them, every third sentence labelled as incoherent."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        labels = ("coherence", "cohesion", "consistency", "relevance")
        writer.writerow(
            ["", "topic", "context", "sentence", *(f"{one}_per_sent" for one in labels)]
        )
        for number in range(10):
            texts = made_up_essay(300 + number)
            for at, text in enumerate(texts):
                flagged = at > 0 and (at + number) % 3 == 0
                row = [number, "A day out", " ".join(texts[:at]), text]
                writer.writerow([*row, flagged, flagged, False, False])
    return path


def test_the_card_tells_how_stories_are_judged(
    arguments: argparse.Namespace, tmp_path: Path
) -> None:
    arguments.stories = write_stories(tmp_path / "stories.csv")
    arguments.similarity = arguments.base
    assert run(arguments) == 0
    assert {SIMILARITY_FILE, TOKENIZER_FILE} <= set(load_manifest(arguments.output).files)
    assert load_similarity(arguments.output) is not None
    card = (arguments.output / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| detection, stories | " in card


def test_stories_that_are_not_there_are_named_before_any_work(
    arguments: argparse.Namespace, tmp_path: Path
) -> None:
    arguments.stories = tmp_path / "gone.csv"
    with pytest.raises(UnreadableFile, match="gone"):
        run(arguments)
    assert not arguments.work.exists()
