"""Fitting the predictor of linking relations, and measuring it on essays that it has not seen."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from engine.research.training.marker_examples import MarkerExample, Origin
from engine.rewriter.prior import RelationPredictor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"


@dataclass(frozen=True)
class MarkerRecipe:
    """Every number that the weights depend on.

    `strength` is the inverse of the L2 penalty; the weights of examples are relative to those of
    repairs. A cue counts from `least_count` sentences on, one that is only a word from
    `least_word_count`; rows whose weights all lie under `least_weight` hundredths are left out.
    """

    seed: int = 7
    folds: int = 5
    strength: float = 0.1
    aside_weight: float = 0.5
    masked_weight: float = 0.3
    least_count: int = 5
    least_word_count: int = 15
    least_weight: int = 4

    def as_dict(self) -> dict[str, Any]:
        """Plain data, to be written beside the weights."""
        return asdict(self)

    def weight(self, example: MarkerExample) -> float:
        """How much an example counts."""
        shares = {Origin.ASIDE: self.aside_weight, Origin.MASKED: self.masked_weight}
        return shares.get(example.origin, 1.0)


@dataclass(frozen=True)
class Accuracy:
    """How often the right answer is the first, and is among the first three, of `n`."""

    n: int
    at_1: float
    at_3: float

    def as_dict(self) -> dict[str, float]:
        """Plain data; shares to three digits."""
        return {"n": self.n, "at_1": round(self.at_1, 3), "at_3": round(self.at_3, 3)}


@dataclass(frozen=True)
class Guess:
    """What was predicted of an example without having seen its essay, best first.

    `majority` is what a predictor without eyes would say: the relations by how often they are
    right in the training folds. `markers` are the usual words for the predicted relations.
    """

    example: MarkerExample
    relations: tuple[str, ...]
    majority: tuple[str, ...]
    markers: tuple[str, ...]


def fit(examples: Sequence[MarkerExample], recipe: MarkerRecipe) -> RelationPredictor:
    """The predictor, its weights rounded as they ship."""
    import numpy as np
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    known = _vocabulary(examples, recipe)
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform([dict.fromkeys(sorted(e.cues & known), 1) for e in examples])
    model = LogisticRegression(C=recipe.strength, max_iter=1000)
    model.fit(
        rows,
        [example.relation for example in examples],
        sample_weight=[recipe.weight(example) for example in examples],
    )
    table, bias = model.coef_, model.intercept_
    if len(model.classes_) == 2:  # of two classes scikit-learn keeps only the second one's weights
        table, bias = np.vstack([-table, table]) / 2, np.concatenate([-bias, bias]) / 2
    weights: dict[str, tuple[int, ...]] = {}
    for place, name in enumerate(vectorizer.get_feature_names_out()):
        column = table[:, place] + (bias if name == "bias" else 0.0)
        row = tuple(round(float(weight) * 100) for weight in column)
        if name == "bias" or max(map(abs, row)) >= recipe.least_weight:
            weights[str(name)] = row
    return RelationPredictor(tuple(map(str, model.classes_)), weights)


def _vocabulary(examples: Sequence[MarkerExample], recipe: MarkerRecipe) -> set[str]:
    counts = Counter(cue for example in examples for cue in example.cues)
    return {
        cue
        for cue, count in counts.items()
        if count >= (recipe.least_word_count if cue.startswith("word ") else recipe.least_count)
    }


def cross_validate(examples: Sequence[MarkerExample], recipe: MarkerRecipe) -> list[Guess]:
    """A guess for each example, by a predictor that was fitted without its essay."""
    folds = fold_numbers(examples, recipe)
    guesses: list[Guess] = []
    for fold in range(recipe.folds):
        seen = [one for one, at in zip(examples, folds, strict=True) if at != fold]
        unseen = [one for one, at in zip(examples, folds, strict=True) if at == fold]
        guesses += predict(fit(seen, recipe), seen, unseen)
    return guesses


def fold_numbers(examples: Sequence[MarkerExample], recipe: MarkerRecipe) -> NDArray[np.int64]:
    """The fold (n,) that each example is kept out in; an essay's examples stay together."""
    import numpy as np

    names = sorted({example.essay_id for example in examples})
    random.Random(recipe.seed).shuffle(names)  # noqa: S311 - a division, not a secret
    fold_of = {name: place % recipe.folds for place, name in enumerate(names)}
    return np.array([fold_of[example.essay_id] for example in examples], dtype=np.int64)


def predict(
    predictor: RelationPredictor, seen: Sequence[MarkerExample], unseen: Sequence[MarkerExample]
) -> list[Guess]:
    """Guesses for `unseen`; majority and usual markers are counted in `seen`."""
    usual = usual_markers(seen)
    majority = {origin: _by_count(seen, origin) for origin in Origin}
    guesses = []
    for example in unseen:
        chances = predictor.probabilities(example.cues)
        ranked = tuple(sorted(chances, key=lambda name: -chances[name]))
        markers = tuple(usual.get(name, ("",))[0] for name in ranked)
        guesses.append(Guess(example, ranked, majority[example.origin], markers))
    return guesses


def _by_count(examples: Sequence[MarkerExample], origin: Origin) -> tuple[str, ...]:
    counts = Counter(one.relation for one in examples if one.origin is origin)
    return tuple(name for name, _ in counts.most_common())


def usual_markers(examples: Sequence[MarkerExample]) -> dict[str, tuple[str, ...]]:
    """For each relation the markers that the labels write, the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for example in examples:
        if example.origin is not Origin.MASKED:
            counts.setdefault(example.relation, Counter())[example.marker] += 1
    return {name: tuple(m for m, _ in found.most_common()) for name, found in counts.items()}


def measure(guesses: Sequence[Guess]) -> dict[str, dict[str, Any]]:
    """Accuracy for each origin and for all: of the relation, of the majority, of the marker."""
    groups: Mapping[str, list[Guess]] = {
        ALL: list(guesses),
        **{origin.value: [g for g in guesses if g.example.origin is origin] for origin in Origin},
    }
    return {
        name: {
            "relation": _share(_relations(group), [g.relations for g in group]).as_dict(),
            "majority": _share(_relations(group), [g.majority for g in group]).as_dict(),
            "marker": _share(
                [g.example.marker for g in group], [g.markers for g in group]
            ).as_dict(),
        }
        for name, group in groups.items()
        if group
    }


def _relations(guesses: Sequence[Guess]) -> list[str]:
    return [guess.example.relation for guess in guesses]


def _share(right: Sequence[str], ranked: Sequence[Sequence[str]]) -> Accuracy:
    first = sum(answer in told[:1] for answer, told in zip(right, ranked, strict=True))
    third = sum(answer in told[:3] for answer, told in zip(right, ranked, strict=True))
    count = max(1, len(right))
    return Accuracy(len(right), first / count, third / count)
