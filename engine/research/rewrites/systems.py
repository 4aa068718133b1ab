"""The systems that are compared: baselines, the operators, a language model alone, the product."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from engine.abilities import SuggestsRewrites
from engine.analysis import Action, Relater, Rewrite, Scorer
from engine.llm.protocol import (
    CancelCheck,
    GeneratesText,
    Generation,
    GenerationRequest,
    TextListener,
    never,
)
from engine.research.rewrites.answers import Answer, Answers, Suggestion
from engine.research.rewrites.items import RewriteItem, Task
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.generated import EditTask, WritesEdits
from engine.rewriter.ranking import candidates
from engine.rewriter.wording import upper_first

COPY, DELETE_ALL, RULE = "copy", "delete", "rule"
CANDIDATES, OPERATORS, MODEL, PRODUCT, EXPERT = (
    "candidates",
    "operators",
    "model",
    "product",
    "expert",
)
PURPOSES: dict[str, str] = {
    COPY: "leaves every sentence as it is",
    DELETE_ALL: "deletes every sentence",
    RULE: "But -> However, So -> Therefore, drops And, else nothing",
    CANDIDATES: "the edit rules' likeliest candidate, not judged again by the tagger",
    OPERATORS: "the edit rules, candidates judged again by the tagger",
    MODEL: "the language model's first answer, taken as it is",
    PRODUCT: "rules and language model, guarded and judged again by the tagger",
    EXPERT: "the expert's own answer, as a ceiling for acceptance",
}
"""What each row of the tables is."""

_DELETION = re.compile(r"\W*delete\W*", re.IGNORECASE)


class AnswersFindings(Protocol):
    """What is compared."""

    @property
    def name(self) -> str:
        """Its row in the tables."""
        ...

    def answer(self, task: Task) -> Answers:
        """An answer to each of the task's findings."""
        ...


@dataclass(frozen=True)
class EachSentence:
    """A system that looks at one finding at a time and needs no time worth naming."""

    name: str
    suggest: Callable[[Task, int], Suggestion | None]

    def answer(self, task: Task) -> Answers:
        """At most one suggestion for each finding."""
        found = {index: self.suggest(task, index) for index in task.findings}
        return {
            index: Answer((suggestion,) if suggestion else ())
            for index, suggestion in found.items()
        }


def baselines() -> tuple[AnswersFindings, ...]:
    """The three that know nothing: copy, delete everything, the four-line marker rule."""
    return (
        EachSentence(COPY, lambda task, index: None),
        EachSentence(DELETE_ALL, lambda task, index: Suggestion(Action.DELETE, "", DELETE_ALL)),
        EachSentence(RULE, _apply_rule),
    )


def marker_rule(sentence: str) -> str:
    """The four-line rule: But becomes However, So becomes Therefore, And goes, else nothing."""
    for marker, instead in (("But", "However, "), ("So", "Therefore, ")):
        if re.match(rf"{marker}\b", sentence):
            return instead + sentence[len(marker) :].lstrip(" ,")
    if re.match(r"And\b", sentence):
        return upper_first(sentence[len("And") :].lstrip(" ,"))
    return sentence


def _apply_rule(task: Task, index: int) -> Suggestion | None:
    sentence = task.sentences[index]
    changed = marker_rule(sentence)
    return None if changed == sentence else Suggestion(Action.REPLACE, changed, RULE)


def experts(items: Sequence[RewriteItem]) -> AnswersFindings:
    """The experts' own answers; nothing where they found the sentence coherent."""
    known = {(item.sentences, item.index): item for item in items if item.incoherent}

    def suggest(task: Task, index: int) -> Suggestion | None:
        item = known.get((task.sentences, index))
        if item is None or item.rewrite == item.sentence:
            return None
        action = Action.DELETE if item.delete else Action.REPLACE
        return Suggestion(action, item.rewrite or "", EXPERT)

    return EachSentence(EXPERT, suggest)


@dataclass(frozen=True)
class UnreadCandidates:
    """The edit rules alone: the likeliest candidates, not judged again by the tagger."""

    limit: int = 3
    name: str = CANDIDATES

    def answer(self, task: Task) -> Answers:
        """The candidates of each finding, in the order in which the product would try them."""
        return {index: self._answer(task, index) for index in task.findings}

    def _answer(self, task: Task, index: int) -> Answer:
        started = time.perf_counter()
        situation = Situation.near(task.sentences, task.topic, index, task.judgements[index])
        found = tuple(_suggestion(candidate) for candidate in candidates(situation)[: self.limit])
        return Answer(found, time.perf_counter() - started)


def _suggestion(candidate: Candidate) -> Suggestion:
    return Suggestion(candidate.action, candidate.text, candidate.operator)


@dataclass
class Meter:
    """Counts what passes through a generator, so that each finding's share can be told."""

    generator: GeneratesText
    tokens: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)

    @property
    def leaves_machine(self) -> bool:
        """As the generator says."""
        return self.generator.leaves_machine

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """As the generator does, counted."""
        made = self.generator.generate(request, on_text=on_text, check_cancelled=check_cancelled)
        self._count(made.tokens, made.seconds)
        return made

    def generate_all(
        self, requests: Sequence[GenerationRequest], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[Generation, ...]]:
        """As the generator does, counted by the clock: a batch's texts share its time."""
        started = time.perf_counter()
        made = self.generator.generate_all(requests, check_cancelled=check_cancelled)
        tokens = sum(one.tokens for several in made for one in several)
        self._count(tokens, time.perf_counter() - started)
        return made

    def describe(self) -> dict[str, Any]:
        """As the generator says."""
        return self.generator.describe()

    def close(self) -> None:
        """Close the generator."""
        self.generator.close()

    def _count(self, tokens: int, seconds: float) -> None:
        self.tokens += tokens
        self.seconds += seconds

    def take(self) -> tuple[int, float]:
        """Tokens and seconds since the last call."""
        taken = self.tokens, self.seconds
        self.tokens, self.seconds = 0, 0.0
        return taken


@dataclass(frozen=True)
class WithRewriter:
    """A rewriter as the product runs it: all findings of an essay together, guarded and ranked.

    Time and tokens of an essay are shared out evenly among its findings.
    """

    name: str
    rewriter: SuggestsRewrites
    score: Scorer
    threshold: float
    meter: Meter | None = None
    relate: Relater | None = None

    def answer(self, task: Task) -> Answers:
        """The suggestions that a user would be shown."""
        if self.meter is not None:
            self.meter.take()
        started = time.perf_counter()
        found: dict[int, tuple[Rewrite, ...]] = dict(
            self.rewriter.suggest_all(
                task.sentences,
                task.topic,
                task.judgements,
                task.findings,
                score=self.score,
                threshold=self.threshold,
                relate=self.relate,
            )
        )
        share = (time.perf_counter() - started) / max(1, len(task.findings))
        tokens, seconds = self.meter.take() if self.meter is not None else (0, 0.0)
        answers = {
            index: Answer(tuple(Suggestion.of(rewrite) for rewrite in found.get(index, ())), share)
            for index in task.findings
        }
        return _shared(answers, tokens, seconds)


def _shared(answers: dict[int, Answer], tokens: int, seconds: float) -> Answers:
    """The answers with an essay's tokens put down to them, the remainder to the first ones."""
    if not tokens:
        return answers
    each, extra = divmod(tokens, len(answers))
    return {
        index: replace(answer, tokens=each + (number < extra), generating=seconds / len(answers))
        for number, (index, answer) in enumerate(answers.items())
    }


@dataclass(frozen=True)
class ModelAlone:
    """The language model without rules, guards or a second reading: its first answer as it is.

    `meter` counts what `writer` generates.
    """

    writer: WritesEdits
    meter: Meter
    name: str = MODEL

    def answer(self, task: Task) -> Answers:
        """One generation for each finding, in text order."""
        return {index: self._answer(task, index) for index in task.findings}

    def _answer(self, task: Task, index: int) -> Answer:
        situation = Situation.near(task.sentences, task.topic, index, task.judgements[index])
        self.meter.take()
        started = time.perf_counter()
        (written,) = self.writer.write([EditTask.of(situation)], check_cancelled=never)
        seconds = time.perf_counter() - started
        text = written[0] if written else ""
        return Answer(_as_suggestions(text, situation.sentence), seconds, *self.meter.take())


def _as_suggestions(text: str, sentence: str) -> tuple[Suggestion, ...]:
    """What a model wrote, as a suggestion; an empty line or the same sentence is none."""
    if _DELETION.fullmatch(text):
        return (Suggestion(Action.DELETE, "", MODEL),)
    if not text or text.split() == sentence.split():
        return ()
    return (Suggestion(Action.REPLACE, text, MODEL),)
