"""Rewrites scored against the experts' and by the tagger.

For every sentence that experts flagged and answered, with a text or with DELETE:

- **Edits**, on the sentences that the experts rewrote: edit precision, recall and F0.5 of the first
  suggestion that keeps the sentence (`engine.research.rewrites.edits` defines them; no suggestion
  counts as no edit); the same of the very first suggestion, where a deletion is one edit; exact
  match, which copying reaches where the experts changed nothing; and where something is changed:
  the share of changed words, the number of edits, and the meaning kept, as the cosine of the
  tagger's vectors of the two sentences, each read alone.
- **Deletions**, on all of them: is the first suggestion to delete, and was the expert's answer?
- **Acceptance**, on the findings that the tagger flags as the essay stands: does the first
  suggestion clear the flag (`accepted`), does any (`clears`)? See `SecondReading`.
- **Cost**: seconds for each finding, and generated tokens a second.

In two settings. `experts`: the experts' findings with the experts' reasons. `own`: the product from
end to end, with the tagger's own findings and reasons on the same essays; a sentence that it does
not flag stays as it is, acceptance is counted over all of its findings, and `everywhere` scores
edits and deletions again over all judged sentences, those that experts found coherent included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis import Judgement
from engine.research.data import AnnotatedEssay
from engine.research.evaluate_decor import JudgesSentences
from engine.research.metrics import Counts, Floats, Interval, bootstrap
from engine.research.rewrites.acceptance import SecondReading
from engine.research.rewrites.answers import Answer
from engine.research.rewrites.edits import (
    EditCounts,
    changed_word_ratio,
    token_edits,
    tokens,
)
from engine.research.rewrites.items import (
    RewriteItem,
    Task,
    expert_tasks,
    is_flagged,
    own_tasks,
    rewrite_items,
)
from engine.research.rewrites.systems import AnswersFindings
from engine.scheme import CODES, ReasonCode

EXPERTS, OWN = "experts", "own"
SETTINGS: dict[str, str] = {
    EXPERTS: "The experts' findings, with the experts' reasons",
    OWN: "The product's own findings and reasons, end to end",
}

WITH_INTERVALS = (
    "edit_f05",
    "exact",
    "changed_median",
    "meaning",
    "delete_f1",
    "accepted",
    "clears",
)
"""The scores that get a bootstrap interval."""

Vectors = Callable[[str], Floats]
"""A sentence's vector."""

Places = NDArray[np.intp]
Values = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class ItemResult:
    """A system's answer to one item, scored.

    `kept` compares the first suggestion that keeps the sentence, `first` the very first one.
    `changed`, `edits` and `meaning` are None where the sentence stays as it is, or `meaning`
    where there are no vectors. `asked` says that the sentence was a finding, `flagged` that the
    tagger flags it as the essay stands. `clears` goes up to the first suggestion that clears the
    flag; it is empty where there is no flag.
    """

    item: RewriteItem
    answer: Answer
    kept: EditCounts
    first: EditCounts
    exact: bool
    changed: float | None
    edits: int | None
    meaning: float | None
    asked: bool
    flagged: bool
    accepted: bool
    clears: tuple[bool, ...]


class Scorekeeper:
    """Scores answers; reads each changed essay and each sentence only once."""

    def __init__(
        self,
        judged: Sequence[Sequence[Judgement]],
        reading: SecondReading,
        threshold: float,
        vectors: Vectors | None = None,
    ) -> None:
        self._judged = judged
        self._reading = reading
        self._threshold = threshold
        self._vectors = vectors
        self._known: dict[str, Floats] = {}

    def result(self, item: RewriteItem, task: Task, answer: Answer | None) -> ItemResult:
        """The score of an answer, which is None where the sentence was not asked about."""
        given = answer or Answer()
        sentence, kept = item.sentence, given.kept_text(item.sentence)
        wanted = token_edits(sentence, item.rewrite or "")
        made = token_edits(sentence, kept)
        own = self._judged[item.part]
        flagged = is_flagged(own[item.index], self._threshold)
        clears = self._clears(item, given) if flagged else ()
        return ItemResult(
            item=item,
            answer=given,
            kept=EditCounts.of(wanted, made),
            first=EditCounts.of(wanted, token_edits(sentence, given.first_text(sentence))),
            exact=not item.delete and tokens(kept) == tokens(item.rewrite or ""),
            changed=changed_word_ratio(sentence, kept) if made else None,
            edits=len(made) if made else None,
            meaning=self._meaning(sentence, kept) if made and not item.delete else None,
            asked=item.index in task.findings,
            flagged=flagged,
            accepted=bool(clears) and clears[0],
            clears=clears,
        )

    def _clears(self, item: RewriteItem, answer: Answer) -> tuple[bool, ...]:
        """Which suggestions clear the flag, up to the first that does: no other need be read."""
        found: list[bool] = []
        for suggestion in answer.suggestions:
            own = self._judged[item.part]
            found.append(
                self._reading.clears(item.sentences, item.topic, own, item.index, suggestion)
            )
            if found[-1]:
                break
        return tuple(found)

    def _meaning(self, old: str, new: str) -> float | None:
        if self._vectors is None:
            return None
        one, other = self._vector(old), self._vector(new)
        size = float(np.linalg.norm(one) * np.linalg.norm(other))
        return float(one @ other) / size if size else None

    def _vector(self, sentence: str) -> Floats:
        if self._vectors is None:
            raise ValueError("there are no vectors")
        if sentence not in self._known:
            self._known[sentence] = np.asarray(self._vectors(sentence), dtype=np.float64)
        return self._known[sentence]


class Columns:
    """One system's results as arrays, one row an item; what is undefined is not a number."""

    def __init__(self, results: Sequence[ItemResult]) -> None:
        def column(value: Callable[[ItemResult], float | None]) -> Floats:
            known = [value(result) for result in results]
            return np.array([np.nan if one is None else one for one in known], dtype=np.float64)

        def mask(value: Callable[[ItemResult], bool]) -> NDArray[np.bool_]:
            return np.array([value(result) for result in results], dtype=bool)

        self.incoherent = mask(lambda r: r.item.incoherent)
        self.gold_delete = mask(lambda r: r.item.delete)
        self.deletes = mask(lambda r: r.answer.deletes)
        self.asked = mask(lambda r: r.asked)
        self.flagged = mask(lambda r: r.flagged)
        self.accepted = mask(lambda r: r.accepted)
        self.clears = mask(lambda r: any(r.clears))
        self.answered = mask(lambda r: bool(r.answer.suggestions))
        self.exact = mask(lambda r: r.exact)
        self.kept = _edit_table([r.kept for r in results])
        self.first = _edit_table([r.first for r in results])
        self.changed = column(lambda r: r.changed)
        self.edits = column(lambda r: r.edits)
        self.meaning = column(lambda r: r.meaning)
        self.seconds = column(lambda r: r.answer.seconds)
        self.tokens = column(lambda r: r.answer.tokens)
        self.generating = column(lambda r: r.answer.generating)
        self.group = np.array([r.item.group for r in results], dtype=np.intp)

    def measure(self, places: Places, *, everywhere: bool = False) -> dict[str, float | None]:
        """Every score of the rows at `places` by name; `everywhere` counts coherent ones too."""
        judged = places if everywhere else places[self.incoherent[places]]
        texts = judged[~self.gold_delete[judged]]
        asked = places[self.asked[places]]
        flagged = asked[self.flagged[asked]]
        deletions = Counts.of(self.gold_delete[judged], self.deletes[judged])
        kept, first = _total(self.kept[texts]), _total(self.first[texts])
        return {
            "items": float(judged.size),
            "text_items": float(texts.size),
            "findings": float(asked.size),
            "flagged_findings": float(flagged.size),
            "edit_precision": kept.precision,
            "edit_recall": kept.recall,
            "edit_f05": kept.f05,
            "first_edit_f05": first.f05,
            "exact": _mean(self.exact[texts]),
            "changed_items": float(np.count_nonzero(~np.isnan(self.changed[texts]))),
            "changed_median": _median(self.changed[texts]),
            "changed_mean": _mean(self.changed[texts]),
            "edits_mean": _mean(self.edits[texts]),
            "meaning": _mean(self.meaning[texts]),
            "deletions": float(deletions.flagged),
            "delete_precision": deletions.precision if deletions.flagged else None,
            "delete_recall": deletions.recall if deletions.positives else None,
            "delete_f1": deletions.f1 if deletions.flagged or deletions.positives else None,
            "accepted": _mean(self.accepted[flagged]),
            "clears": _mean(self.clears[flagged]),
            "answered": _mean(self.answered[asked]),
            "seconds_median": _median(self.seconds[asked]),
            "seconds_mean": _mean(self.seconds[asked]),
            "seconds_95th": _percentile(self.seconds[asked], 95),
            "tokens_per_second": _speed(self.tokens[asked], self.generating[asked]),
        }


def _edit_table(counts: Sequence[EditCounts]) -> NDArray[np.intp]:
    rows = [(one.right, one.surplus, one.missing) for one in counts]
    return np.array(rows, dtype=np.intp).reshape(len(rows), 3)


def _total(table: NDArray[np.intp]) -> EditCounts:
    right, surplus, missing = (int(number) for number in table.sum(axis=0))
    return EditCounts(right, surplus, missing)


def _known(values: NDArray[Any]) -> Floats:
    numbers = values.astype(np.float64)
    return numbers[~np.isnan(numbers)]


def _mean(values: NDArray[Any]) -> float | None:
    known = _known(values)
    return float(known.mean()) if known.size else None


def _median(values: Floats) -> float | None:
    known = _known(values)
    return float(np.median(known)) if known.size else None


def _percentile(values: Floats, share: float) -> float | None:
    known = _known(values)
    return float(np.percentile(known, share)) if known.size else None


def _speed(tokens_made: Floats, seconds: Floats) -> float | None:
    whole = float(seconds.sum())
    return float(tokens_made.sum()) / whole if whole else None


@dataclass(frozen=True)
class SystemScores:
    """One system's scores in one setting, as fractions (times in seconds), None if undefined."""

    name: str
    values: Values
    intervals: Mapping[str, Interval | None]
    codes: Mapping[ReasonCode, Values]
    everywhere: Values | None
    results: tuple[ItemResult, ...] = field(repr=False, default=())

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **_rounded(self.values),
            "intervals": {
                name: None if found is None else [round(found.low, 4), round(found.high, 4)]
                for name, found in self.intervals.items()
            },
            "codes": {code.value: _rounded(values) for code, values in self.codes.items()},
            "everywhere": None if self.everywhere is None else _rounded(self.everywhere),
        }


def _rounded(values: Values) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 4) for name, value in values.items()}


@dataclass(frozen=True)
class RewritingReport:
    """All systems' scores by setting and name, in the order in which they were run."""

    essays: int
    settings: Mapping[str, Mapping[str, SystemScores]]

    def as_dict(self) -> dict[str, Any]:
        """Plain data: settings, and in each the systems by name."""
        return {
            "unit": "fraction",
            "essays": self.essays,
            "settings": {
                setting: {name: scores.as_dict() for name, scores in systems.items()}
                for setting, systems in self.settings.items()
            },
        }


def evaluate_rewriting(
    essays: Sequence[AnnotatedEssay],
    tagger: JudgesSentences,
    systems: Callable[[Sequence[RewriteItem]], Sequence[AnswersFindings]],
    *,
    threshold: float,
    vectors: Vectors | None = None,
    samples: int = 1000,
    seed: int = 0,
    on_step: Callable[[str], None] = lambda step: None,
) -> RewritingReport:
    """Run and score every system in both settings.

    `systems` makes them from the items. Intervals come from `samples` bootstrap resamples over
    essays. `on_step` is told what was finished.
    """
    judged = [_judged(tagger, essay) for essay in essays]
    on_step(f"Judged {len(essays)} essays.")
    items = rewrite_items(essays)

    def score(
        sentences: Sequence[str], topic: str, only: Collection[int]
    ) -> Mapping[int, Judgement]:
        return tagger.judge(sentences, topic, only)

    keeper = Scorekeeper(judged, SecondReading(score, threshold), threshold, vectors)
    tasks = {
        EXPERTS: expert_tasks(essays, judged),
        OWN: own_tasks(essays, judged, threshold),
    }
    compared = systems(items)
    scored: dict[str, dict[str, SystemScores]] = {setting: {} for setting in tasks}
    for setting, chosen in tasks.items():
        for system in compared:
            answers = [system.answer(task) for task in chosen]
            results = tuple(
                keeper.result(item, chosen[item.part], answers[item.part].get(item.index))
                for item in items
            )
            scored[setting][system.name] = _scores(
                system.name, results, everywhere=setting == OWN, samples=samples, seed=seed
            )
            on_step(f"Scored {system.name} ({setting}).")
    return RewritingReport(len({essay.essay_id for essay in essays}), scored)


def _judged(tagger: JudgesSentences, essay: AnnotatedEssay) -> list[Judgement]:
    told = tagger.judge(essay.sentences, essay.topic)
    return [told.get(index, Judgement(None)) for index in range(len(essay.sentences))]


def _scores(
    name: str, results: tuple[ItemResult, ...], *, everywhere: bool, samples: int, seed: int
) -> SystemScores:
    columns = Columns(results)
    every = np.arange(len(results), dtype=np.intp)
    members = [np.flatnonzero(columns.group == group) for group in np.unique(columns.group)]

    def measure(places: Places) -> list[float | None]:
        found = columns.measure(places)
        return [found[score] for score in WITH_INTERVALS]

    intervals = bootstrap(members, measure, samples=samples, seed=seed)
    return SystemScores(
        name,
        columns.measure(every),
        dict(zip(WITH_INTERVALS, intervals, strict=False)),
        {code: columns.measure(_with(code, results)) for code in CODES},
        columns.measure(every, everywhere=True) if everywhere else None,
        results,
    )


def _with(code: ReasonCode, results: Sequence[ItemResult]) -> Places:
    """The items that experts gave this code; one with two codes counts for both."""
    return np.array(
        [i for i, result in enumerate(results) if code in result.item.reasons], dtype=np.intp
    )
