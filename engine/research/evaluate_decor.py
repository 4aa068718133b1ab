"""Detection and the four reasoning sub-tasks, scored as the DECOR paper scores them.

Detection is judged on all pairs: is the sentence incoherent? Each sub-task is judged on the pairs
that the experts found incoherent: is a reason of this group among them? Both by weighted F1 over
the two classes. Source: Zhang et al., DECOR (EMNLP 2024), sections 5.1 and 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.analysis import Judgement
from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.metrics import (
    Booleans,
    Counts,
    Floats,
    Interval,
    auc,
    average_precision,
    bootstrap,
    calibration_error,
)
from engine.scheme import CODES, Group, ReasonCode, group_of

DETECTION = "detection"
TASKS: tuple[str, ...] = (DETECTION, *(group.value for group in Group))
SCORES = ("weighted_f1", "macro_f1", "auc", "kappa")
"""The scores that get a bootstrap interval."""

ANNOTATED_ESSAYS = 100
"""So many essays the experts annotated, the first half by one of them, the rest by the other."""

_DEFAULT_CUT = 0.5
_UNJUDGED = Judgement(probability=None)

Judgements = Mapping[int, Judgement]
_Measured = tuple[float | None, float | None, float | None, float | None]


class JudgesSentences(Protocol):
    """What is evaluated: `engine.tagger.Tagger`, or anything else with its `judge`."""

    def judge(
        self, sentences: Sequence[str], topic: str, only: Collection[int] | None = None
    ) -> Mapping[int, Judgement]:
        """A judgement for each sentence."""


@dataclass(frozen=True)
class Cuts:
    """The probabilities from which a sentence is flagged, a group named and a code named."""

    detection: float = _DEFAULT_CUT
    groups: Mapping[Group, float] = field(default_factory=dict)
    codes: Mapping[ReasonCode, float] = field(default_factory=dict)

    @classmethod
    def of(cls, threshold: float, settings: Mapping[str, Any]) -> Cuts:
        """From a manifest's threshold and its `group_thresholds` and `code_thresholds`, if any."""
        groups: Mapping[str, float] = settings.get("group_thresholds", {})
        codes: Mapping[str, float] = settings.get("code_thresholds", {})
        return cls(
            threshold,
            {Group(name): float(cut) for name, cut in groups.items()},
            {ReasonCode(name): float(cut) for name, cut in codes.items()},
        )


def group_probabilities(judgement: Judgement) -> dict[Group, float]:
    """The chance that each group applies: those of its codes together, as one code is right."""
    found = dict.fromkeys(Group, 0.0)
    for reason in judgement.reasons:
        found[group_of(reason.code)] += reason.probability
    return found


def predict_groups(judgement: Judgement, thresholds: Mapping[Group, float]) -> dict[Group, bool]:
    """Which groups apply: those whose probability reaches their threshold (0.5 where none is set).

    A sentence without reasons, such as an opening, has none.
    """
    if not judgement.reasons:
        return dict.fromkeys(Group, False)
    return {
        group: probability >= thresholds.get(group, _DEFAULT_CUT)
        for group, probability in group_probabilities(judgement).items()
    }


def predict_codes(
    judgement: Judgement, thresholds: Mapping[ReasonCode, float]
) -> frozenset[ReasonCode]:
    """Which codes apply: the likeliest, which users are shown, and all that reach their threshold."""
    if not judgement.reasons:
        return frozenset()
    likeliest = max(judgement.reasons, key=lambda reason: reason.probability).code
    return frozenset(
        reason.code
        for reason in judgement.reasons
        if reason.code == likeliest
        or reason.probability >= thresholds.get(reason.code, _DEFAULT_CUT)
    )


def judge_essays(
    tagger: JudgesSentences,
    essays: Sequence[AnnotatedEssay],
    on_essay: Callable[[int], None] = lambda done: None,
) -> list[Judgements]:
    """Run the tagger once over each essay; `on_essay` is told how many are done."""
    judgements = []
    for done, essay in enumerate(essays, start=1):
        judgements.append(tagger.judge(essay.sentences, essay.topic))
        on_essay(done)
    return judgements


@dataclass(frozen=True)
class Predictions:
    """Gold labels and predictions of every pair, one row a pair.

    `essay` numbers the essays in file order. `gold_codes`, `codes` and `code_scores` have seven
    columns; the group mappings hold one array a group.
    """

    essay: NDArray[np.intp]
    gold: Booleans
    flagged: Booleans
    scores: Floats
    gold_groups: Mapping[Group, Booleans]
    groups: Mapping[Group, Booleans]
    group_scores: Mapping[Group, Floats]
    gold_codes: Booleans
    codes: Booleans
    code_scores: Floats

    @property
    def essays(self) -> int:
        """How many essays there are."""
        return int(self.essay.max()) + 1

    def where(self, chosen: Booleans) -> Predictions:
        """The pairs where `chosen` is true; essays are numbered anew."""
        _, essay = np.unique(self.essay[chosen], return_inverse=True)
        return Predictions(
            essay=essay,
            gold=self.gold[chosen],
            flagged=self.flagged[chosen],
            scores=self.scores[chosen],
            gold_groups={group: labels[chosen] for group, labels in self.gold_groups.items()},
            groups={group: labels[chosen] for group, labels in self.groups.items()},
            group_scores={group: scores[chosen] for group, scores in self.group_scores.items()},
            gold_codes=self.gold_codes[chosen],
            codes=self.codes[chosen],
            code_scores=self.code_scores[chosen],
        )


def predict(
    essays: Sequence[AnnotatedEssay], judgements: Sequence[Judgements], cuts: Cuts
) -> Predictions:
    """Turn judgements into predictions for every pair, in file order of the essays.

    An opening that a file labels is taken as judged coherent: it has no context to break with.
    """
    numbers = {name: i for i, name in enumerate(dict.fromkeys(essay.essay_id for essay in essays))}
    rows = [
        (numbers[essay.essay_id], pair, judged.get(pair.index, _UNJUDGED))
        for essay, judged in zip(essays, judgements, strict=True)
        for pair in essay.pairs
    ]
    pairs = [pair for _, pair, _ in rows]
    answers = [answer for _, _, answer in rows]
    scores = np.array([answer.probability or 0.0 for answer in answers])
    named_groups = [predict_groups(answer, cuts.groups) for answer in answers]
    group_scores = [group_probabilities(answer) for answer in answers]
    return Predictions(
        essay=np.array([number for number, _, _ in rows], dtype=np.intp),
        gold=np.array([pair.incoherent for pair in pairs], dtype=bool),
        flagged=np.array([answer.probability is not None for answer in answers], dtype=bool)
        & (scores >= cuts.detection),
        scores=scores,
        gold_groups={g: np.array([g in pair.groups for pair in pairs], bool) for g in Group},
        groups={g: np.array([named[g] for named in named_groups], bool) for g in Group},
        group_scores={g: np.array([found[g] for found in group_scores]) for g in Group},
        gold_codes=_gold_codes(pairs),
        codes=_code_table(predict_codes(answer, cuts.codes) for answer in answers),
        code_scores=np.array([_code_scores(answer) for answer in answers]),
    )


def _gold_codes(pairs: Sequence[AnnotatedPair]) -> Booleans:
    return _code_table(pair.reasons for pair in pairs)


def _code_table(rows: Iterable[Collection[ReasonCode]]) -> Booleans:
    return np.array([[code in row for code in CODES] for row in rows], dtype=bool)


def _code_scores(judgement: Judgement) -> list[float]:
    known = {reason.code: reason.probability for reason in judgement.reasons}
    return [known.get(code, 0.0) for code in CODES]


@dataclass(frozen=True)
class TaskScores:
    """One task's scores as fractions, None where undefined, with what the majority class gets."""

    counts: Counts
    weighted_f1: float | None
    macro_f1: float | None
    auc: float | None
    kappa: float | None
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many pairs were judged."""
        return self.counts.n

    @property
    def majority_weighted_f1(self) -> float | None:
        """Weighted F1 of always answering the more frequent class."""
        return self.counts.majority().weighted_f1

    @property
    def majority_macro_f1(self) -> float | None:
        """Macro F1 of always answering the more frequent class."""
        return self.counts.majority().macro_f1

    def as_dict(self) -> dict[str, float | None]:
        """The six published keys, percentages as numbers."""
        return {
            "n": self.n,
            "weighted_f1": percent(self.weighted_f1),
            "macro_f1": percent(self.macro_f1),
            "auc": percent(self.auc),
            "kappa": percent(self.kappa),
            "majority_weighted_f1": percent(self.majority_weighted_f1),
        }

    def details(self) -> dict[str, Any]:
        """What else is known of the task, percentages as numbers."""
        counts = self.counts
        return {
            "positives": counts.positives,
            "predicted_positives": counts.flagged,
            "precision": percent(counts.precision),
            "recall": percent(counts.recall),
            "f1": percent(counts.f1),
            "majority_macro_f1": percent(self.majority_macro_f1),
            "intervals": {
                name: None if found is None else [percent(found.low), percent(found.high)]
                for name, found in self.intervals.items()
            },
        }


@dataclass(frozen=True, slots=True)
class CodeScores:
    """How well one reason code is named, on the pairs that the experts found incoherent."""

    code: ReasonCode
    counts: Counts
    auc: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Plain data, percentages as numbers."""
        return {
            "precision": percent(self.counts.precision),
            "recall": percent(self.counts.recall),
            "f1": percent(self.counts.f1),
            "auc": percent(self.auc),
            "support": self.counts.positives,
            "predicted": self.counts.flagged,
        }


@dataclass(frozen=True)
class Report:
    """Everything that an evaluation found; `halves` is empty unless they were asked for."""

    predictions: Predictions
    tasks: Mapping[str, TaskScores]
    codes: tuple[CodeScores, ...]
    halves: Mapping[str, Mapping[str, TaskScores]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The published shape, one key a task, and the rest under `details`."""
        found = self.predictions
        return {
            **{name: scores.as_dict() for name, scores in self.tasks.items()},
            "details": {
                "unit": "percent",
                "essays": found.essays,
                "average_precision": percent(average_precision(found.gold, found.scores)),
                "calibration_error": percent(calibration_error(found.gold, found.scores)),
                "tasks": {name: scores.details() for name, scores in self.tasks.items()},
                "codes": {scores.code.value: scores.as_dict() for scores in self.codes},
                "halves": {
                    half: {name: scores.as_dict() for name, scores in tasks.items()}
                    for half, tasks in self.halves.items()
                },
            },
        }


def evaluate(
    predictions: Predictions, *, halves: bool | None = None, samples: int = 1000, seed: int = 0
) -> Report:
    """Score predictions, with intervals from `samples` bootstrap resamples over essays.

    `halves` also scores the first and the last half of the essays; None does so where the file
    holds all 100 of the experts', whose two annotators took one half each.
    """
    if halves is None:
        halves = predictions.essays == ANNOTATED_ESSAYS
    middle = predictions.essays // 2
    parts = {"first": predictions.essay < middle, "last": predictions.essay >= middle}
    return Report(
        predictions,
        {name: _score(predictions, name, samples, seed) for name in TASKS},
        tuple(_score_code(predictions, column) for column in range(len(CODES))),
        {
            name: {task: _score(predictions.where(chosen), task, 0, seed) for task in TASKS}
            for name, chosen in parts.items()
            if halves and chosen.any()
        },
    )


def _score(predictions: Predictions, task: str, samples: int, seed: int) -> TaskScores:
    gold, predicted, scores, essay = _labels(predictions, task)

    def measure(chosen: NDArray[np.intp]) -> _Measured:
        counts = Counts.of(gold[chosen], predicted[chosen])
        area = auc(gold[chosen], scores[chosen])
        return counts.weighted_f1, counts.macro_f1, area, counts.kappa

    members = [np.flatnonzero(essay == number) for number in range(predictions.essays)]
    intervals = bootstrap(members, measure, samples=samples, seed=seed)
    weighted_f1, macro_f1, area, kappa = measure(np.arange(gold.size))
    return TaskScores(
        Counts.of(gold, predicted),
        weighted_f1,
        macro_f1,
        area,
        kappa,
        dict(zip(SCORES, intervals, strict=False)),
    )


def _labels(
    predictions: Predictions, task: str
) -> tuple[Booleans, Booleans, Floats, NDArray[np.intp]]:
    """Gold labels, predictions, scores and essay numbers of the pairs that the task is judged on."""
    if task == DETECTION:
        return predictions.gold, predictions.flagged, predictions.scores, predictions.essay
    group, asked = Group(task), predictions.gold
    return (
        predictions.gold_groups[group][asked],
        predictions.groups[group][asked],
        predictions.group_scores[group][asked],
        predictions.essay[asked],
    )


def _score_code(predictions: Predictions, column: int) -> CodeScores:
    asked = predictions.gold
    gold = predictions.gold_codes[asked, column]
    counts = Counts.of(gold, predictions.codes[asked, column])
    return CodeScores(CODES[column], counts, auc(gold, predictions.code_scores[asked, column]))


def percent(score: float | None) -> float | None:
    """A fraction as a percentage with two decimals, as in the paper's tables."""
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    return None if score is None else round(100 * score, 2) + 0.0
