"""From hidden states to judgements: pooling, linear heads and calibration, all in floats.

The encoder is quantized, these few numbers are not: rounding them would move labels while saving
nothing. Everything here is plain numpy and the same for every runtime.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.scheme import CODES
from engine.tagger.inputs import Window

FloatArray = NDArray[np.float32]

DERIVED: tuple[str, ...] = (
    "detection logit",
    "detection logit of the sentence before",
    "detection logit of the sentence after",
    "detection logit, mean of the window",
    *(f"leaning to {code.value}" for code in CODES),
    "surprise, mean",
    "surprise, mean less that of the window",
    "surprise, highest",
    "surprise of the first tokens",
    "likeness to the sentence before",
    "likeness to all before",
)
FIRST_TOKENS = 5

ARRAYS: tuple[str, ...] = (
    "detection_weight",
    "detection_bias",
    "reasons_weight",
    "reasons_bias",
    "surprise_weight",
    "surprise_bias",
    "query_weight",
    "query_bias",
    "key_weight",
    "key_bias",
    "centre",
    "scale",
    "final_detection_weight",
    "final_detection_bias",
    "final_reasons_weight",
    "final_reasons_bias",
)


@dataclass(frozen=True)
class Rows:
    """One row a sentence, for those that were read: features of its tokens.

    `vectors` (n, width), `derived` (n, len(DERIVED)), `queries` and `keys` (n, anchor width).
    """

    vectors: FloatArray
    derived: FloatArray
    queries: FloatArray
    keys: FloatArray


@contextmanager
def opened_arrays(path: Path) -> Iterator[Mapping[str, np.ndarray[Any, Any]]]:
    """The arrays of a model's `.npz` file; ModelError where it is not what it should be."""
    # Asked first, because numpy leaves a broken object behind when it finds out for itself.
    if not zipfile.is_zipfile(path):
        raise ModelError(f"The model file {path.name} cannot be read.")
    try:
        with np.load(path, allow_pickle=False) as stored:
            yield stored
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"The model file {path.name} cannot be read.") from error


class Heads:
    """The linear heads of a model folder (`heads.npz`)."""

    def __init__(self, arrays: dict[str, FloatArray]) -> None:
        self._arrays = arrays

    @classmethod
    def load(cls, path: Path) -> Heads:
        """Read the heads; ModelError where the file is not what it should be."""
        with opened_arrays(path) as stored:
            return cls({name: stored[name].astype(np.float32) for name in ARRAYS})

    @property
    def width(self) -> int:
        """How long the vector of one sentence is."""
        return len(self._arrays["detection_weight"])

    def read(self, hidden: FloatArray, window: Window) -> tuple[list[int], FloatArray, Rows]:
        """The sentences of a window in order, their token counts, and their features.

        A sentence in several pieces inside one window counts as one.
        """
        sentences = list(dict.fromkeys(place.sentence for place in window.places))
        positions: dict[int, list[int]] = {sentence: [] for sentence in sentences}
        for place in window.places:
            positions[place.sentence].extend(range(place.start, place.end))
        where = [positions[sentence] for sentence in sentences]
        vectors = np.stack([hidden[at].mean(axis=0) for at in where])
        surprise = _product(hidden, self._arrays["surprise_weight"])
        surprise = surprise + self._arrays["surprise_bias"]
        queries = _product(vectors, self._arrays["query_weight"]) + self._arrays["query_bias"]
        keys = _product(vectors, self._arrays["key_weight"]) + self._arrays["key_bias"]
        derived = self._derived(vectors, [surprise[at] for at in where])
        counts = np.array([len(at) for at in where], dtype=np.float32)
        return sentences, counts, Rows(vectors, derived, queries, keys)

    def _derived(self, vectors: FloatArray, surprise: Sequence[FloatArray]) -> FloatArray:
        arrays = self._arrays
        logits = _product(vectors, arrays["detection_weight"]) + arrays["detection_bias"]
        leanings = _product(vectors, arrays["reasons_weight"]) + arrays["reasons_bias"]
        leanings = leanings - leanings.mean(axis=1, keepdims=True)
        before = np.concatenate([logits[:1], logits[:-1]])
        after = np.concatenate([logits[1:], logits[-1:]])
        means = np.array([values.mean() for values in surprise])
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        earlier = np.cumsum(unit, axis=0) - unit
        earlier /= np.maximum(np.linalg.norm(earlier, axis=1, keepdims=True), 1e-6)
        previous = np.concatenate([unit[:1], unit[:-1]])
        columns = [
            logits,
            before,
            after,
            np.full_like(logits, logits.mean()),
            *leanings.T,
            means,
            means - means.mean(),
            np.array([values.max() for values in surprise]),
            np.array([values[:FIRST_TOKENS].mean() for values in surprise]),
            (unit * previous).sum(axis=1),
            (unit * earlier).sum(axis=1),
        ]
        return np.stack(columns, axis=1).astype(np.float32)

    def probabilities(
        self, vectors: FloatArray, derived: FloatArray, surface: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """P(incoherent) (n,) and, given that, the share of each reason (n, 7)."""
        arrays = self._arrays
        features = (join(vectors, derived, surface) - arrays["centre"]) / arrays["scale"]
        logits = _rowwise(features, arrays["final_detection_weight"])
        logits = logits + arrays["final_detection_bias"]
        columns = [_rowwise(features, weight) for weight in arrays["final_reasons_weight"].T]
        reasons = np.stack(columns, axis=1) + arrays["final_reasons_bias"]
        chances = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
        return chances, softmax(reasons.astype(np.float32))


def _rowwise(features: FloatArray, weight: FloatArray) -> FloatArray:
    """Each row times `weight`, summed up row by row.

    A matrix product rounds differently for other numbers of rows, and a sentence's judgement
    must not depend on how many others were asked for.
    """
    result: FloatArray = (features * weight).sum(axis=1)
    return result


def _product(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """`rows @ weight` on this thread alone.

    The linear algebra library would wait for a second thread, while the encoder's threads still
    spin on the processors for a while after each pass: 20 ms instead of less than one.
    """
    result: FloatArray = np.einsum("ij,j...->i...", rows, weight)
    return result


def join(vectors: FloatArray, derived: FloatArray, surface: FloatArray) -> FloatArray:
    """The feature matrix that the final heads are fitted on."""
    return np.concatenate([vectors, derived, surface], axis=1)


def softmax(logits: FloatArray) -> FloatArray:
    """Shares that add up to one in each row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: FloatArray = raised / raised.sum(axis=1, keepdims=True)
    return result
