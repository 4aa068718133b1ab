"""The final heads: regularized regression on what the encoder gives, then the experts' habits.

Two steps. First a linear model learns the soft labels of the training essays: ridge regression for
detection, on all features, with the labels of stories (CoheSentia) beside them; multinomial logistic regression for reasons, on all but the vectors,
because the encoder's own reason head has taken from those what carries over to experts. Then a few
numbers are fitted on expert essays: for detection a logistic regression over the first step's
score and a handful of plain features; for reasons a scale, seven offsets and a tilt by three
features, because experts name R6 far more often than the training labels do, the more so the
surer the flag is. Everything ends as one linear map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, Ridge

from engine.research.training.examples import UNKNOWN
from engine.research.training.features import Table
from engine.scheme import CODES
from engine.tagger.heads import DERIVED, softmax
from engine.tagger.surface import FEATURES

PLAIN = len(DERIVED) + len(FEATURES)
"""How many columns follow the vector."""

_STORY_CHANCES = (0.75, 0.1)
"""What one annotator's yes and no are worth as P(incoherent): about what soft labels say."""

FloatArray = NDArray[np.float32]
Indexes = NDArray[np.intp]

ADAPTED: tuple[str, ...] = (
    "detection logit",
    "detection logit, mean of the window",
    "surprise, mean",
    "surprise, mean less that of the window",
    "opens with but",
    "opens with so",
    "opens with and",
    "opens with you",
    "words (log)",
    "place in the essay",
    "shared words with all before",
)
"""Plain features whose weight for detection the expert essays may move."""


TILTED: tuple[str, ...] = (
    "detection logit",
    "detection logit, mean of the window",
    "opens with but",
    "opens with so",
    "opens with and",
)
"""Features by which the expert essays may tilt the reasons."""


@dataclass(frozen=True)
class FitSettings:
    """Strengths of regularization, chosen by cross-validation over expert essays.

    `stories` is how much a sentence of a story counts in detection, beside one of an essay.
    """

    ridge: float = 30000.0
    stories: float = 2.0
    reasons: float = 0.1
    adapt: float = 0.05
    offsets: float = 0.2
    tilt: float = 0.1
    adapted: tuple[str, ...] = ADAPTED
    tilted: tuple[str, ...] = TILTED


@dataclass(frozen=True)
class LinearHeads:
    """Weights on raw features: `detection` (F,), `reasons` (F, 7) and their biases."""

    centre: FloatArray
    scale: FloatArray
    detection: FloatArray
    detection_bias: float
    reasons: FloatArray
    reasons_bias: FloatArray

    def chances(self, features: FloatArray) -> FloatArray:
        """P(incoherent) of each row."""
        logits = self._standard(features) @ self.detection + self.detection_bias
        result: FloatArray = 1.0 / (1.0 + np.exp(-logits))
        return result

    def shares(self, features: FloatArray) -> FloatArray:
        """The share of each reason (n, 7)."""
        return softmax(self._standard(features) @ self.reasons + self.reasons_bias)

    def _standard(self, features: FloatArray) -> FloatArray:
        return (features - self.centre) / self.scale

    def arrays(self) -> dict[str, FloatArray]:
        """As stored in `heads.npz`."""
        return {
            "centre": self.centre,
            "scale": self.scale,
            "final_detection_weight": self.detection,
            "final_detection_bias": np.array(self.detection_bias, dtype=np.float32),
            "final_reasons_weight": self.reasons,
            "final_reasons_bias": self.reasons_bias,
        }


def column_names(count: int) -> list[str]:
    """The names of `count` feature columns: vector parts, derived, surface."""
    parts = count - len(DERIVED) - len(FEATURES)
    return [*(f"vector {number}" for number in range(parts)), *DERIVED, *FEATURES]


@dataclass
class FirstStep:
    """The linear models of the training essays' soft labels, on standardized features."""

    settings: FitSettings
    centre: FloatArray = field(init=False)
    scale: FloatArray = field(init=False)
    detection: FloatArray = field(init=False)
    detection_bias: float = field(init=False)
    reasons: FloatArray = field(init=False)
    reasons_bias: FloatArray = field(init=False)

    def fit(self, synth: Table, stories: Table | None = None) -> FirstStep:
        """Fit on the training essays alone; no expert label on an essay is seen.

        Detection also learns from `stories`, lest all that is no argument be taken for a digression.
        """
        self.centre = synth.features.mean(axis=0)
        self.scale = np.maximum(synth.features.std(axis=0), 1e-3)
        standard = self._standard(synth)
        rows, chances = [standard], [np.clip(synth.targets, 0.02, 0.98)]
        weights = [np.ones(len(synth.targets))]
        if stories is not None:
            rows.append(self._standard(stories))
            chances.append(np.where(stories.targets > 0.5, *_STORY_CHANCES))
            weights.append(np.full(len(stories.targets), self.settings.stories))
        wanted = np.concatenate(chances)
        ridge = Ridge(alpha=self.settings.ridge).fit(
            np.concatenate(rows),
            np.log(wanted / (1 - wanted)),
            sample_weight=np.concatenate(weights),
        )
        self.detection = ridge.coef_.astype(np.float32)
        self.detection_bias = float(ridge.intercept_)
        self._fit_reasons(standard, synth)
        return self

    def _standard(self, table: Table) -> FloatArray:
        standard: FloatArray = (table.features - self.centre) / self.scale
        return standard

    def _fit_reasons(self, standard: FloatArray, synth: Table) -> None:
        given = synth.reasons != UNKNOWN
        plain = standard[given][:, -PLAIN:]
        model = LogisticRegression(C=self.settings.reasons, max_iter=500)
        model.fit(plain, synth.reasons[given], sample_weight=synth.targets[given])
        # A code that no sentence carries, as may be on little data, stays all but impossible.
        self.reasons = np.zeros((standard.shape[1], len(CODES)), dtype=np.float32)
        self.reasons_bias = np.full(len(CODES), -8.0, dtype=np.float32)
        self.reasons[-PLAIN:, model.classes_] = model.coef_.T
        self.reasons_bias[model.classes_] = model.intercept_

    def adapt(self, dev: Table, rows: Indexes) -> LinearHeads:
        """Fit the few numbers that follow the experts, on the chosen rows of their essays."""
        standard = self._standard(dev)[rows]
        weight, bias = self._adapted_detection(standard, dev.targets[rows])
        reasons, reasons_bias = self._adapted_reasons(standard, dev.codes[rows])
        return LinearHeads(self.centre, self.scale, weight, bias, reasons, reasons_bias)

    def _adapted_detection(
        self, standard: FloatArray, targets: FloatArray
    ) -> tuple[FloatArray, float]:
        names = column_names(standard.shape[1])
        columns = [names.index(name) for name in self.settings.adapted]
        score = standard @ self.detection
        spread = float(score.std()) or 1.0
        plain = np.concatenate([(score / spread)[:, None] * 3.0, standard[:, columns]], axis=1)
        model = LogisticRegression(C=self.settings.adapt, max_iter=500)
        model.fit(plain, targets > 0.5)
        weight = self.detection * (3.0 * model.coef_[0, 0] / spread)
        weight[columns] += model.coef_[0, 1:]
        return weight.astype(np.float32), float(model.intercept_[0])

    def _adapted_reasons(
        self, standard: FloatArray, codes: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        names = column_names(standard.shape[1])
        columns = [names.index(name) for name in self.settings.tilted]
        given = codes.sum(axis=1) > 0
        logits = (standard @ self.reasons + self.reasons_bias)[given]
        tilts = np.clip(standard[given][:, columns], -4.0, 4.0)
        gold = codes[given] / codes[given].sum(axis=1, keepdims=True)
        count, kinds = len(gold), len(CODES)

        def loss(numbers: NDArray[np.float64]) -> float:
            tilt = numbers[1 + kinds :].reshape(len(columns), kinds)
            scaled = logits * np.exp(numbers[0]) + numbers[1 : 1 + kinds] + tilts @ tilt
            scaled = scaled - scaled.max(axis=1, keepdims=True)
            surprise = np.log(np.exp(scaled).sum(axis=1)) - (gold * scaled).sum(axis=1)
            penalty = self.settings.offsets * (numbers[: 1 + kinds] ** 2).sum()
            penalty += self.settings.tilt * (tilt**2).sum()
            return float(surprise.sum() / count + penalty)

        start = np.zeros(1 + kinds + len(columns) * kinds)
        found = minimize(loss, start, method="L-BFGS-B").x
        weight = self.reasons * np.float32(np.exp(found[0]))
        weight[columns] += found[1 + kinds :].reshape(len(columns), kinds)
        bias = self.reasons_bias * np.exp(found[0]) + found[1 : 1 + kinds]
        return weight.astype(np.float32), bias.astype(np.float32)


def divisions(essays: NDArray[np.int64], *, folds: int, seed: int) -> list[Indexes]:
    """The rows kept out in each fold; whole essays stay together."""
    names = np.unique(essays)
    order = np.random.default_rng(seed).permutation(names)
    return [np.flatnonzero(np.isin(essays, part)) for part in np.array_split(order, folds)]


@dataclass(frozen=True)
class OutOfFold:
    """What heads fitted on the other essays say of each expert row: (n,) and (n, 7)."""

    chances: FloatArray
    shares: FloatArray


def cross_validate(
    first: FirstStep,
    dev: Table,
    *,
    asked: Table | None = None,
    folds: int = 10,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
) -> list[OutOfFold]:
    """Out-of-fold predictions, one set a seed; the first step never saw expert labels.

    `asked` has the rows to predict where they are not the same text as those fitted on.
    """
    asked = asked or dev
    results = []
    everything = np.arange(len(dev.targets))
    for seed in seeds:
        chances = np.zeros(len(dev.targets), dtype=np.float32)
        shares = np.zeros((len(dev.targets), len(CODES)), dtype=np.float32)
        for kept in divisions(dev.essays, folds=folds, seed=seed):
            heads = first.adapt(dev, np.setdiff1d(everything, kept))
            chances[kept] = heads.chances(asked.features[kept])
            shares[kept] = heads.shares(asked.features[kept])
        results.append(OutOfFold(chances, shares))
    return results
