"""Fitting the linking head: the encoder's vectors correct what word cues say of relations.

The examples are those of the cues (`marker_examples`). Every essay is read once, without the
linking words in question. What the cues say of a training sentence comes from cues fitted on other
essays, as it will of a sentence that nobody has seen.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from engine.research.data import TrainingEssay
from engine.research.training.marker_examples import MarkerExample, Origin, marker_examples
from engine.research.training.marker_fit import MarkerRecipe, fit, fold_numbers
from engine.rewriter.relations import unmarked
from engine.tagger.heads import FloatArray
from engine.tagger.linking import LinkingHead, cue_row
from engine.tagger.tagger import Tagger

log = logging.getLogger(__name__)

_STRENGTH = 0.1
_VECTOR_SHARE = 0.12
"""How strongly standardized vectors count beside the cues; chosen by cross-validation."""

_FEWEST = 20
"""Fewer examples than this teach nothing."""


@dataclass(frozen=True)
class LinkingTable:
    """Examples with the vectors (n, 2 * width) of their sentence and of the one before."""

    examples: tuple[MarkerExample, ...]
    vectors: FloatArray


def read_linking(essays: Sequence[TrainingEssay], tagger: Tagger) -> LinkingTable:
    """Read every essay that holds an example, once."""
    examples: list[MarkerExample] = []
    rows: list[FloatArray] = []
    for number, essay in enumerate(essays):
        found = marker_examples([essay])
        if found:
            examples += found
            rows.append(_vectors(essay, found, tagger))
        if number % 200 == 0:
            log.info("linking: %d of %d essays", number, len(essays))
    vectors = np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)
    return LinkingTable(tuple(examples), vectors)


def table_of(essays: Sequence[TrainingEssay], vectors: FloatArray) -> LinkingTable:
    """The table of vectors that `read_linking` read of the same essays before."""
    return LinkingTable(tuple(marker_examples(essays)), vectors)


def _vectors(essay: TrainingEssay, examples: Sequence[MarkerExample], tagger: Tagger) -> FloatArray:
    places = [example.index for example in examples]
    texts = unmarked([sentence.text for sentence in essay.sentences], places)
    asked = sorted({at for place in places for at in (place - 1, place)})
    read = dict(zip(asked, tagger.read(texts, essay.topic, asked).vectors, strict=True))
    return np.stack([np.concatenate([read[place], read[place - 1]]) for place in places])


def fit_linking(table: LinkingTable, recipe: MarkerRecipe) -> dict[str, NDArray[Any]] | None:
    """The arrays of a `LinkingHead`, names included; None where there is too little to learn."""
    if len(table.examples) < _FEWEST or len(_names(table.examples)) < 2:
        return None
    names = _names(table.examples)
    folds = fold_numbers(table.examples, recipe)
    return _head(table, _cue_rows(table.examples, folds, names, recipe), names, recipe)


def measure_linking(table: LinkingTable, recipe: MarkerRecipe) -> dict[str, dict[str, float]]:
    """Accuracy (percent) on essays left out, by origin: of the cues alone and of both together."""
    names = _names(table.examples)
    folds = fold_numbers(table.examples, recipe)
    right: dict[str, list[tuple[bool, bool]]] = {origin.value: [] for origin in Origin}
    for fold in sorted(set(folds)):
        kept = np.flatnonzero(folds == fold)
        others = np.flatnonzero(folds != fold)
        seen = [table.examples[at] for at in others]
        rows = _cue_rows(seen, folds[others], names, recipe)
        arrays = _head(LinkingTable(tuple(seen), table.vectors[others]), rows, names, recipe)
        head = LinkingHead(names, arrays)
        cues = fit(seen, recipe)
        width = table.vectors.shape[1] // 2
        for at in kept:
            example, vector = table.examples[at], table.vectors[at]
            cued = cues.probabilities(example.cues)
            both = head.chances(cued, vector[:width], vector[width:])
            answers = (max(cued, key=cued.__getitem__), max(both, key=both.__getitem__))
            right[example.origin.value].append(
                (answers[0] == example.relation, answers[1] == example.relation)
            )
    return {origin: _accuracy(pairs) for origin, pairs in right.items() if pairs}


def _accuracy(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    cues, both = (round(100 * float(np.mean(column)), 1) for column in zip(*pairs, strict=True))
    return {"n": len(pairs), "cues": cues, "cues and vectors": both}


def _names(examples: Sequence[MarkerExample]) -> tuple[str, ...]:
    return tuple(sorted({example.relation for example in examples}))


def _cue_rows(
    examples: Sequence[MarkerExample],
    folds: NDArray[np.int64],
    names: tuple[str, ...],
    recipe: MarkerRecipe,
) -> FloatArray:
    """What cues fitted on the other folds say of each example: log probabilities (n, R)."""
    rows = np.zeros((len(examples), len(names)), dtype=np.float32)
    for fold in sorted(set(folds)):
        cues = fit([e for e, at in zip(examples, folds, strict=True) if at != fold], recipe)
        for place, example in enumerate(examples):
            if folds[place] == fold:
                rows[place] = cue_row(cues.probabilities(example.cues), names)
    return rows


def _head(
    table: LinkingTable, cue_rows: FloatArray, names: tuple[str, ...], recipe: MarkerRecipe
) -> dict[str, NDArray[Any]]:
    centre = table.vectors.mean(axis=0)
    scale = np.maximum(table.vectors.std(axis=0), 1e-6)
    standard = (table.vectors - centre) / scale * _VECTOR_SHARE
    model = LogisticRegression(C=_STRENGTH, max_iter=2000)
    model.fit(
        np.concatenate([cue_rows, standard], axis=1),
        [example.relation for example in table.examples],
        sample_weight=[recipe.weight(example) for example in table.examples],
    )
    count = len(names)
    weights = np.zeros((count + standard.shape[1], count), dtype=np.float32)
    bias = np.full(count, -8.0, dtype=np.float32)
    columns = [names.index(name) for name in model.classes_]
    fitted, offsets = model.coef_, model.intercept_
    if len(columns) == 2:  # of two classes scikit-learn keeps only the second one's weights
        fitted, offsets = np.vstack([-fitted, fitted]) / 2, np.concatenate([-offsets, offsets]) / 2
    weights[:, columns] = fitted.T
    bias[columns] = offsets
    return {
        "names": np.array(names),
        "centre": centre.astype(np.float32),
        "scale": scale.astype(np.float32),
        "cue_weight": weights[:count],
        "weight": weights[count:] * np.float32(_VECTOR_SHARE),
        "bias": bias,
    }
