"""The head that tells which relation links a sentence to the one before.

A few word cues know something of it, and the encoder's vectors of the two sentences know more. The
head weighs both: it takes the cues' probabilities and corrects them. It comes with the encoder
whose vectors it was fitted on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.errors import ModelError
from engine.tagger.heads import FloatArray, opened_arrays, softmax

LINKING_FILE = "linking.npz"
ARRAYS: tuple[str, ...] = ("centre", "scale", "weight", "bias", "cue_weight")
LEAST_CHANCE = 1e-4
"""What the cues think impossible counts as this likely, so that its logarithm is a number."""


class LinkingHead:
    """A multinomial logistic regression over two vectors and the cues' log probabilities.

    `names` are the R relations; `weight` is (2 * width, R) on standardized vectors, `cue_weight`
    (R, R), `bias` (R,).
    """

    def __init__(self, names: tuple[str, ...], arrays: Mapping[str, FloatArray]) -> None:
        self.names = names
        self._arrays = arrays

    @classmethod
    def load(cls, path: Path) -> LinkingHead:
        """Read the head; ModelError where the file is not what it should be."""
        with opened_arrays(path) as stored:
            arrays = {name: stored[name].astype(np.float32) for name in ARRAYS}
            names = tuple(str(name) for name in stored["names"])
        if not _fits(arrays, len(names)):
            raise ModelError(f"The model file {path.name} is damaged.")
        return cls(names, arrays)

    @property
    def width(self) -> int:
        """How long the vector of one sentence is."""
        return len(self._arrays["centre"]) // 2

    def chances(
        self, cued: Mapping[str, float], vector: FloatArray, before: FloatArray
    ) -> dict[str, float]:
        """P(relation), given what the cues say and the vectors (width,) of both sentences."""
        arrays = self._arrays
        both = (np.concatenate([vector, before]) - arrays["centre"]) / arrays["scale"]
        logits = (both[:, None] * arrays["weight"]).sum(axis=0) + arrays["bias"]
        logits = logits + cue_row(cued, self.names) @ arrays["cue_weight"]
        shares = softmax(logits[None, :].astype(np.float32))[0]
        return dict(zip(self.names, map(float, shares), strict=True))


def _fits(arrays: Mapping[str, FloatArray], count: int) -> bool:
    """Whether the arrays have the shapes that belong together and hold numbers."""
    both = arrays["centre"].shape
    shapes = {
        "centre": both,
        "scale": both,
        "weight": (*both, count),
        "cue_weight": (count, count),
        "bias": (count,),
    }
    return len(both) == 1 and all(
        arrays[name].shape == shape and bool(np.isfinite(arrays[name]).all())
        for name, shape in shapes.items()
    )


def cue_row(cued: Mapping[str, float], names: tuple[str, ...]) -> FloatArray:
    """The logarithms of the cues' probabilities, in the order of `names`."""
    values = [max(cued.get(name, 0.0), LEAST_CHANCE) for name in names]
    return np.log(np.array(values, dtype=np.float32))
