"""The features that the final heads are fitted on, read by the exported encoder itself.

Fitting on what ships (8 bits, ONNX) lets the heads make up for part of the rounding.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.research.data import TrainingEssay
from engine.research.training.examples import targets_of
from engine.research.training.network import EssayTagger
from engine.scheme import CODES
from engine.tagger.heads import DERIVED, Heads, join
from engine.tagger.inputs import load_tokenizer
from engine.tagger.network import Encoder
from engine.tagger.surface import FEATURES, surface_features
from engine.tagger.tagger import Tagger

log = logging.getLogger(__name__)

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class Table:
    """Sentences as rows: `features` (n, F); soft `targets` (n,); `reasons` (n,), UNKNOWN if none.

    `codes` (n, 7) are 0/1 where experts gave several; `essays` (n,) numbers the essay.
    """

    features: FloatArray
    targets: FloatArray
    reasons: NDArray[np.int64]
    codes: FloatArray
    essays: NDArray[np.int64]

    def rows(self, indexes: NDArray[np.intp]) -> Table:
        """Some of the sentences, in the order of `indexes`."""
        return Table(*(getattr(self, each.name)[indexes] for each in fields(self)))


def neural_arrays(model: EssayTagger) -> dict[str, FloatArray]:
    """The heads that were trained with the encoder, as arrays."""

    def weight(layer: object) -> FloatArray:
        values: FloatArray = layer.weight.detach().float().cpu().numpy().T  # type: ignore[attr-defined]
        return values

    def bias(layer: object) -> FloatArray:
        values: FloatArray = layer.bias.detach().float().cpu().numpy()  # type: ignore[attr-defined]
        return values

    return {
        "detection_weight": weight(model.detection)[:, 0],
        "detection_bias": bias(model.detection)[0],
        "reasons_weight": weight(model.reasons),
        "reasons_bias": bias(model.reasons),
        "surprise_weight": weight(model.surprise)[:, 0],
        "surprise_bias": bias(model.surprise)[0],
        "query_weight": weight(model.query),
        "query_bias": bias(model.query),
        "key_weight": weight(model.key),
        "key_bias": bias(model.key),
    }


def blank_final(width: int) -> dict[str, FloatArray]:
    """Final heads that say nothing yet, so that a `Heads` can be made to read features."""
    count = width + len(DERIVED) + len(FEATURES)
    return {
        "centre": np.zeros(count, dtype=np.float32),
        "scale": np.ones(count, dtype=np.float32),
        "final_detection_weight": np.zeros(count, dtype=np.float32),
        "final_detection_bias": np.zeros((), dtype=np.float32),
        "final_reasons_weight": np.zeros((count, len(CODES)), dtype=np.float32),
        "final_reasons_bias": np.zeros(len(CODES), dtype=np.float32),
    }


def reading_tagger(folder: Path, encoder: Encoder, arrays: dict[str, FloatArray]) -> Tagger:
    """A tagger that reads features; it judges nothing yet."""
    heads = Heads({**arrays, **blank_final(len(arrays["detection_weight"]))})
    return Tagger(load_tokenizer(folder / "tokenizer.json"), heads, encoder)


def read_table(
    folder: Path, encoder: Encoder, arrays: dict[str, FloatArray], essays: Sequence[TrainingEssay]
) -> Table:
    """Features and targets of every labelled sentence after the first of its essay."""
    tagger = reading_tagger(folder, encoder, arrays)
    parts = []
    for number, essay in enumerate(essays):
        part = _essay_rows(tagger, essay, number)
        if part is not None:
            parts.append(part)
        if number % 50 == 0:
            log.info("features: %d of %d essays", number, len(essays))
    columns = [np.concatenate([part[column] for part in parts]) for column in range(5)]
    return Table(*columns)


def _essay_rows(
    tagger: Tagger, essay: TrainingEssay, number: int
) -> tuple[FloatArray, FloatArray, NDArray[np.int64], FloatArray, NDArray[np.int64]] | None:
    texts = [sentence.text for sentence in essay.sentences]
    targets = targets_of(essay)
    asked = [i for i, target in enumerate(targets) if i and not np.isnan(target.probability)]
    if not asked:
        return None
    reading = tagger.read(texts, essay.topic, asked)
    surface = surface_features(texts, essay.topic)[asked]
    codes = np.array(
        [[float(code in essay.sentences[i].reasons) for code in CODES] for i in asked],
        dtype=np.float32,
    )
    return (
        join(reading.vectors, reading.derived, surface),
        np.array([targets[i].probability for i in asked], dtype=np.float32),
        np.array([targets[i].reason for i in asked], dtype=np.int64),
        codes,
        np.full(len(asked), number, dtype=np.int64),
    )


def save_table(table: Table, path: Path) -> None:
    """Write a table as .npz, in one step."""
    partial = path.with_suffix(".part.npz")
    np.savez(partial, **vars(table))
    partial.replace(path)


def load_table(path: Path) -> Table:
    """Read back what `save_table` wrote."""
    with np.load(path) as stored:
        return Table(**{name: stored[name] for name in Table.__dataclass_fields__})
