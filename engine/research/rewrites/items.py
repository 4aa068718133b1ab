"""The sentences that experts rewrote, and the findings that a system is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.analysis import Judgement, Reason
from engine.research.data import DELETE, AnnotatedEssay, AnnotatedPair
from engine.scheme import CODES, ReasonCode

_OTHERS = 0.02
"""The share left to each reason that an expert did not name."""


@dataclass(frozen=True, slots=True)
class RewriteItem:
    """One sentence with an expert's answer to it.

    `part` is the place of its essay in the file's essays, `group` that of its essay id (an id may
    have several parts). `rewrite` is the expert's text: the sentence itself where it was found
    coherent, None where it is to be deleted. `reasons` are in the scheme's order.
    """

    part: int
    group: int
    essay_id: str
    topic: str
    sentences: tuple[str, ...]
    index: int
    incoherent: bool
    reasons: tuple[ReasonCode, ...]
    rewrite: str | None

    @property
    def sentence(self) -> str:
        """The sentence as it stands."""
        return self.sentences[self.index]

    @property
    def context(self) -> str:
        """Everything before it."""
        return " ".join(self.sentences[: self.index])

    @property
    def delete(self) -> bool:
        """Whether the expert would leave it out."""
        return self.rewrite is None

    @property
    def expert_answer(self) -> str:
        """The expert's text, or DELETE."""
        return DELETE if self.rewrite is None else self.rewrite


def rewrite_items(essays: Sequence[AnnotatedEssay]) -> list[RewriteItem]:
    """Every pair that has an answer: incoherent with a rewrite or DELETE, or coherent.

    An incoherent sentence whose rewrite is missing has no answer and is left out, and so is an
    opening, which has no context to break with.
    """
    numbers = {name: i for i, name in enumerate(dict.fromkeys(essay.essay_id for essay in essays))}
    return [
        _item(part, numbers[essay.essay_id], essay, pair)
        for part, essay in enumerate(essays)
        for pair in essay.pairs
        if pair.index and (not pair.incoherent or pair.delete or pair.rewrite is not None)
    ]


def _item(part: int, group: int, essay: AnnotatedEssay, pair: AnnotatedPair) -> RewriteItem:
    rewrite: str | None = essay.sentences[pair.index]
    if pair.incoherent:
        rewrite = None if pair.delete else pair.rewrite
    return RewriteItem(
        part,
        group,
        essay.essay_id,
        essay.topic,
        essay.sentences,
        pair.index,
        pair.incoherent,
        tuple(code for code in CODES if code in pair.reasons),
        rewrite,
    )


@dataclass(frozen=True)
class Task:
    """One essay as a system gets it: judgements of all sentences, and those to mend."""

    topic: str
    sentences: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    findings: tuple[int, ...]


def expert_tasks(
    essays: Sequence[AnnotatedEssay], judged: Sequence[Sequence[Judgement]]
) -> list[Task]:
    """The findings and reasons of the experts; the rest as the tagger `judged` it."""
    tasks = []
    for essay, own in zip(essays, judged, strict=True):
        wanted = {
            item.index: expert_judgement(item.reasons, own[item.index])
            for item in rewrite_items([essay])
            if item.incoherent
        }
        judgements = tuple(wanted.get(index, answer) for index, answer in enumerate(own))
        tasks.append(Task(essay.topic, essay.sentences, judgements, tuple(sorted(wanted))))
    return tasks


def own_tasks(
    essays: Sequence[AnnotatedEssay], judged: Sequence[Sequence[Judgement]], threshold: float
) -> list[Task]:
    """The findings and reasons of the tagger itself: what a user would see."""
    return [
        Task(
            essay.topic,
            essay.sentences,
            tuple(own),
            tuple(i for i, answer in enumerate(own) if is_flagged(answer, threshold)),
        )
        for essay, own in zip(essays, judged, strict=True)
    ]


def is_flagged(judgement: Judgement, threshold: float) -> bool:
    """Whether the sentence is a finding at this threshold."""
    return judgement.probability is not None and judgement.probability >= threshold


def expert_judgement(reasons: Sequence[ReasonCode], own: Judgement) -> Judgement:
    """The tagger's `own` judgement with an expert's reasons, which share the probability evenly.

    Where the expert named no reason, the tagger's own reasons stay.
    """
    if not reasons:
        return own
    share = (1.0 - _OTHERS * (len(CODES) - len(reasons))) / len(reasons)
    first = [Reason(code, share) for code in CODES if code in reasons]
    rest = [Reason(code, _OTHERS) for code in CODES if code not in reasons]
    return replace(own, reasons=(*first, *rest))
