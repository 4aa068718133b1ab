"""The rounds: candidates put into the essay, judged together, kept if they clear the flag.

One call of the scorer is one pass over the essay, however many sentences are asked for. So a
round puts one candidate for as many findings as possible into the essay and judges all of them in
one pass. Findings next to one another never share a pass: each candidate is read between
neighbours that the writer wrote. What changes in the sentences after a candidate, up to the next
one, is put down to it.

A deletion never stands alone: where no replacement has cleared the flag, the ways to tie the
sentence in are tried beside the other candidates, and the best of them is offered, marked as not
clearing it if it does not.

Where nothing clears the flag, a candidate that experts would surely make is offered all the same,
marked as not clearing it: "So" at the start of a sentence is mended by "Therefore" whatever else is
wrong with it.

A language model, where there is one, is asked last, and only for what the rules left open: what
they have found is there at once, and is offered again with what the model adds. Of candidates
that change as many words, a model that can tell puts the more fluent first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from engine.analysis import Action, Judgement, Relater, Rewrite, Scorer
from engine.rewriter import generated
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.checks import Checks
from engine.rewriter.fluency import measure
from engine.rewriter.inventory import opening_marker
from engine.rewriter.ranking import candidates, offer, stand_in, ties_in
from engine.rewriter.relations import related
from engine.rewriter.tie_ins import OPERATOR, tie_ins

ROUNDS = 3
"""Passes for every finding that still has candidates."""
EXTRA_ROUNDS = 1
"""Further passes, only for findings that no replacement has cleared yet."""
REACH = 4
"""How many sentences after a candidate are watched for new flags."""
NOTICEABLE = 0.05
"""A rise smaller than this lifts no sentence: the rounding of the tagger's weights alone moves a
probability by up to 0.02, and a sentence may stand that close to the threshold."""
_SPACING = 2
"""Findings this far apart may share a pass; so many passes give each of them a turn."""


def _never() -> None:
    """The default for `check_cancelled`: nobody cancels."""


@dataclass
class _Task:
    """One finding on its way through the rounds.

    `refused` holds the replacements that were judged and did not clear the flag unharmed, and
    `harmless` those of them that at least lift no other sentence.
    """

    situation: Situation
    waiting: deque[Candidate]
    checks: Checks
    tried: int = 0
    accepted: list[tuple[Candidate, float]] = field(default_factory=list)
    refused: list[tuple[Candidate, float]] = field(default_factory=list)
    harmless: list[tuple[Candidate, float]] = field(default_factory=list)
    fluency: Mapping[str, float] = field(default_factory=dict)

    @property
    def keeps(self) -> bool:
        """Whether a replacement has cleared the flag."""
        return any(candidate.action is Action.REPLACE for candidate, _ in self.accepted)

    @property
    def lacks_tie_in(self) -> bool:
        """Whether a deletion would be offered, but no way to keep the sentence was judged."""
        tied = any(ties_in(candidate) for candidate, _ in self.refused)
        return bool(self.accepted) and not self.keeps and not tied

    def accept(self, candidate: Candidate, probability: float) -> None:
        """Keep what cleared the flag; after a deletion, ways to tie the sentence in take turns.

        One way that clears the flag is enough.
        """
        self.accepted.append((candidate, probability))
        if self.keeps:
            self.waiting = deque(c for c in self.waiting if c.operator != OPERATOR)
        elif candidate.action is Action.DELETE:
            ties = self.checks.allowed(tie_ins(self.situation), self.situation)
            pairs = zip_longest(self.waiting, ties)
            self.waiting = deque(one for pair in pairs for one in pair if one is not None)

    def refuse(self, candidate: Candidate, probability: float, *, harms: bool) -> None:
        """Remember a replacement that did not clear the flag, or flags another sentence."""
        self.refused.append((candidate, probability))
        if not harms:
            self.harmless.append((candidate, probability))

    def offer(self, limit: int) -> tuple[Rewrite, ...]:
        """What to show the writer, best first; where nothing clears the flag, what is sure."""
        if not self.accepted:
            return stand_in(self.harmless, self.situation)
        return offer(
            self.accepted, self.situation, limit, refused=self.refused, fluency=self.fluency
        )

    def weigh(self, model: object, check_cancelled: Callable[[], None]) -> None:
        """Ask a language model how fluent those are that tie."""
        self.fluency = measure(
            model, self.accepted, self.situation, check_cancelled=check_cancelled
        )


@dataclass(frozen=True)
class _Trial:
    """The essay with one candidate for each of some findings in place.

    `moved` maps an index of the original essay to its index in `sentences`; a deleted sentence
    is missing from it.
    """

    sentences: list[str]
    moved: dict[int, int]
    placed: dict[int, Candidate]


@dataclass(frozen=True)
class _Essay:
    """The essay as it stands, and how it is judged with candidates in place."""

    sentences: Sequence[str]
    topic: str
    judgements: Sequence[Judgement]
    score: Scorer
    threshold: float
    check_cancelled: Callable[[], None]

    def judge(self, tasks: Mapping[int, _Task]) -> None:
        """One pass: the next candidate of as many of the tasks as may share it."""
        self.check_cancelled()
        trial = _trial(self.sentences, _together(tasks))
        asked = _watched(trial, len(self.sentences))
        told = self.score(trial.sentences, self.topic, sorted(trial.moved[i] for i in asked))
        _keep(tasks, trial, _by_original(told, trial), self.judgements, self.threshold)


class Rewriter:
    """Proposes minimal rewrites for flagged sentences and keeps those that clear the flag.

    `generator` is a language model to ask where the rules leave something open; `checks` look at
    grammar and meaning before a candidate is tried. At most `limit` rewrites are offered of each.
    """

    def __init__(
        self,
        *,
        rounds: int = ROUNDS,
        extra_rounds: int = EXTRA_ROUNDS,
        generator: generated.WritesEdits | None = None,
        checks: Checks | None = None,
        limit: int = 3,
    ) -> None:
        self._rounds = rounds
        self._extra_rounds = extra_rounds
        self._generator = generator
        self._checks = checks or Checks()
        self._limit = limit

    def suggest_all(
        self,
        sentences: Sequence[str],
        topic: str,
        judgements: Sequence[Judgement],
        flagged: Sequence[int],
        *,
        score: Scorer,
        threshold: float,
        relate: Relater | None = None,
        check_cancelled: Callable[[], None] = _never,
    ) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
        """For each flagged sentence, its index and what to offer, each as it is ready.

        `judgements` are those of the essay as it stands, one a sentence; a sentence is flagged
        from `threshold` on. Every replacement offered brings its sentence under the threshold and
        lifts no sentence after it over it by more than a hair, except those with `clears` False:
        one beside a lone deletion, which keeps the sentence, and one that experts would surely
        make where nothing else does. The tuple is empty where there is neither.
        `relate` knows better than word cues which relation links a sentence to the one before.
        With a generator a sentence may come twice; the later tuple takes the earlier one's place.
        `check_cancelled` is called before every pass and may raise.
        """
        limit = self._limit
        essay = _Essay(sentences, topic, judgements, score, threshold, check_cancelled)
        linked = related(sentences, topic, flagged, relate)
        open_tasks = self._tasks(_situations(sentences, topic, judgements, flagged, linked))
        left_open: dict[int, _Task] = {}
        settled: dict[int, _Task] = {}
        for index, task in self._by_rules(essay, open_tasks, limit):
            if self._generator is not None and _is_open(task, limit):
                left_open[index] = task
                if not task.accepted:
                    continue
            else:
                settled[index] = task
            yield index, task.offer(limit)
        if self._generator is None:
            return
        if left_open:
            yield from _generate(self._generator, essay, left_open, limit)
        yield from _by_fluency(self._generator, essay, settled, limit)

    def _tasks(self, situations: Iterable[tuple[int, Situation]]) -> dict[int, _Task]:
        """A task a finding, in text order, each knowing how the rewrites before it begin.

        What only keeps a sentence that may be deleted makes way for the others' openings, and
        knows of all of them.
        """
        tasks: dict[int, _Task] = {}
        openings: list[tuple[int, str]] = []
        spared: list[tuple[int, str]] = []
        for index, situation in sorted(situations, key=lambda pair: pair[0]):
            here = replace(
                situation,
                planned=tuple((index - place, marker) for place, marker in openings),
                spared=tuple((index - place, marker) for place, marker in spared),
            )
            waiting = deque(self._checks.allowed(candidates(here), here))
            tasks[index] = _Task(here, waiting, self._checks)
            first = waiting[0] if waiting else None
            if first is not None and first.action is Action.DELETE:
                spared.append((index, _new_opening(next(iter(tie_ins(here)), None), here)))
            else:
                openings.append((index, _new_opening(first, here)))
        return tasks

    def _by_rules(
        self, essay: _Essay, open_tasks: dict[int, _Task], limit: int
    ) -> Iterator[tuple[int, _Task]]:
        """Each task once the rules' candidates for it are judged."""
        for number in range(self._rounds + self._extra_rounds):
            yield from _settle(open_tasks, limit, last_chance=number >= self._rounds)
            if not open_tasks:
                return
            essay.judge(open_tasks)
        for _ in range(_SPACING):
            bare = _without_tie_in(open_tasks, limit)
            if bare:
                essay.judge(bare)
        yield from open_tasks.items()


def _new_opening(candidate: Candidate | None, situation: Situation) -> str:
    """The linking word that the candidate puts before its sentence; empty for none."""
    found = opening_marker(candidate.text) if candidate is not None else None
    was = situation.marker
    if found is None or (was is not None and was.marker is found.marker):
        return ""
    return found.marker.text


def _is_open(task: _Task, limit: int) -> bool:
    return generated.is_wanted(
        task.situation, keeps=task.keeps, count=len(task.accepted), limit=limit
    )


def _generate(
    generator: generated.WritesEdits, essay: _Essay, tasks: Mapping[int, _Task], limit: int
) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
    """Ask the model about a few tasks at a time, and judge what it writes."""
    order = sorted(tasks)
    at_once = max(1, generator.at_once)
    for start in range(0, len(order), at_once):
        some = {index: tasks[index] for index in order[start : start + at_once]}
        essay.check_cancelled()
        asked = [generated.EditTask.of(task.situation) for task in some.values()]
        written = generator.write(asked, check_cancelled=essay.check_cancelled)
        for task, texts in zip(some.values(), written, strict=True):
            known = {candidate.text for candidate, _ in (*task.accepted, *task.refused)}
            proposed = generated.candidates(task.situation, texts)
            fresh = (one for one in proposed if one.text not in known)
            task.waiting = deque(task.checks.allowed(fresh, task.situation))
        while waiting := {index: task for index, task in some.items() if task.waiting}:
            essay.judge(waiting)
        for index, task in some.items():
            task.weigh(generator, essay.check_cancelled)
            yield index, task.offer(limit)


def _by_fluency(
    model: generated.WritesEdits, essay: _Essay, tasks: Mapping[int, _Task], limit: int
) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
    """What the rules settled, again where the model would have another order."""
    for index in sorted(tasks):
        essay.check_cancelled()
        before = tasks[index].offer(limit)
        tasks[index].weigh(model, essay.check_cancelled)
        after = tasks[index].offer(limit)
        if after != before:
            yield index, after


def _situations(
    sentences: Sequence[str],
    topic: str,
    judgements: Sequence[Judgement],
    flagged: Sequence[int],
    linked: Mapping[int, Mapping[str, float]],
) -> Iterator[tuple[int, Situation]]:
    for index in dict.fromkeys(flagged):
        here = Situation.near(sentences, topic, index, judgements[index])
        yield index, replace(here, linked=linked.get(index))


def _settle(
    open_tasks: dict[int, _Task], limit: int, *, last_chance: bool
) -> Iterator[tuple[int, _Task]]:
    """Take out and yield the tasks that need no further pass."""
    for index, task in list(open_tasks.items()):
        enough = len(task.accepted) >= limit or (last_chance and task.keeps)
        if enough or not task.waiting:
            del open_tasks[index]
            yield index, task


def _without_tie_in(open_tasks: Mapping[int, _Task], limit: int) -> dict[int, _Task]:
    """The tasks that would offer a bare deletion, with nothing but tie-ins left to try."""
    bare: dict[int, _Task] = {}
    for index, task in open_tasks.items():
        task_ties = deque(candidate for candidate in task.waiting if ties_in(candidate))
        if limit > 1 and task.lacks_tie_in and task_ties:
            task.waiting = task_ties
            bare[index] = task
    return bare


def _together(open_tasks: Mapping[int, _Task]) -> dict[int, Candidate]:
    """One candidate for each of as many findings as may share a pass.

    Findings with nothing accepted and fewest tries go first, so that neighbours take turns.
    """
    chosen: dict[int, Candidate] = {}
    order = sorted(open_tasks, key=lambda i: (open_tasks[i].tried, bool(open_tasks[i].accepted), i))
    for index in order:
        if all(abs(index - other) >= _SPACING for other in chosen):
            task = open_tasks[index]
            chosen[index] = task.waiting.popleft()
            task.tried += 1
    return chosen


def _trial(sentences: Sequence[str], placed: dict[int, Candidate]) -> _Trial:
    text: list[str] = []
    moved: dict[int, int] = {}
    for index, sentence in enumerate(sentences):
        candidate = placed.get(index)
        if candidate is not None and candidate.action is Action.DELETE:
            continue
        moved[index] = len(text)
        text.append(sentence if candidate is None else candidate.text)
    return _Trial(text, moved, placed)


def _watched(trial: _Trial, count: int) -> set[int]:
    """The original indexes to ask about: each candidate and the sentences after it."""
    return {
        index
        for place in trial.placed
        for index in range(place, min(count, place + 1 + REACH))
        if index in trial.moved and trial.moved[index] > 0
    }


def _by_original(told: Mapping[int, Judgement], trial: _Trial) -> dict[int, float]:
    """P(incoherent) by index in the original essay."""
    found: dict[int, float] = {}
    for original, place in trial.moved.items():
        judgement = told.get(place)
        if judgement is not None and judgement.probability is not None:
            found[original] = judgement.probability
    return found


def _keep(
    open_tasks: Mapping[int, _Task],
    trial: _Trial,
    after: Mapping[int, float],
    judgements: Sequence[Judgement],
    threshold: float,
) -> None:
    """Tell each task of the candidate just judged: whether it clears the flag and harms nothing."""
    places = sorted(trial.placed)
    for place, following in zip(places, [*places[1:], len(judgements)], strict=True):
        candidate = trial.placed[place]
        deleted = candidate.action is Action.DELETE
        probability = after.get(place + 1 if deleted else place)
        if probability is None and not (deleted and place + 1 == len(judgements)):
            continue
        value = probability or 0.0
        watched = range(place + 1, min(following, place + 1 + REACH))
        harms = any(_newly_flagged(i, after, judgements, threshold) for i in watched)
        if harms or (not deleted and value >= threshold):
            if not deleted:
                open_tasks[place].refuse(candidate, value, harms=harms)
            continue
        open_tasks[place].accept(candidate, value)


def _newly_flagged(
    index: int, after: Mapping[int, float], judgements: Sequence[Judgement], threshold: float
) -> bool:
    before = judgements[index].probability
    if before is None or before >= threshold:
        return False
    return after.get(index, 0.0) >= max(threshold, before + NOTICEABLE)
