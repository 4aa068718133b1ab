"""What an operator is given and what it proposes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.analysis import Action, Judgement
from engine.rewriter.inventory import OpeningMarker, opening_marker
from engine.rewriter.prior import relation_probabilities
from engine.scheme import ReasonCode

WINDOW = 40
"""How many sentences to either side a rewrite takes into account."""


@dataclass(frozen=True)
class Situation:
    """A flagged sentence in its essay, and what the tagger said of it.

    `planned` holds, for the flagged sentences before it, how many sentences back each is and the
    linking word (lower-cased, may be empty) that its likeliest rewrite begins with: the rewrites
    of one essay are to vary among themselves too. `spared` holds the same for those that may be
    deleted and only get a linking word if the writer keeps them. `linked` is what a model says of
    the relation to the sentence before.
    """

    sentences: tuple[str, ...]
    topic: str
    index: int
    judgement: Judgement
    planned: tuple[tuple[int, str], ...] = ()
    spared: tuple[tuple[int, str], ...] = ()
    linked: Mapping[str, float] | None = field(default=None, compare=False)

    @classmethod
    def near(
        cls, sentences: Sequence[str], topic: str, index: int, judgement: Judgement
    ) -> Situation:
        """The situation seen from nearby: the sentences within `WINDOW` of the flagged one.

        Looking no further keeps the work for a long essay in proportion to its length.
        """
        start = max(0, index - WINDOW)
        anchor = judgement.anchor
        if anchor is not None:
            anchor = anchor - start if anchor >= start else None
        return cls(
            tuple(sentences[start : index + WINDOW + 1]),
            topic,
            index - start,
            replace(judgement, anchor=anchor),
        )

    @property
    def sentence(self) -> str:
        """The flagged sentence."""
        return self.sentences[self.index]

    @property
    def context(self) -> tuple[str, ...]:
        """Every sentence before it."""
        return self.sentences[: self.index]

    @cached_property
    def marker(self) -> OpeningMarker | None:
        """The discourse marker that opens it."""
        return opening_marker(self.sentence)

    @cached_property
    def reasons(self) -> dict[ReasonCode, float]:
        """P(reason) by code."""
        return {reason.code: reason.probability for reason in self.judgement.reasons}

    @cached_property
    def relations(self) -> Mapping[str, float]:
        """P(relation to the sentence before), `DROP` included: by the model, or by cues alone."""
        if self.linked is not None:
            return self.linked
        return relation_probabilities(self.sentences, self.index)

    @property
    def top(self) -> ReasonCode | None:
        """The most likely reason, None if the tagger gave none."""
        return self.judgement.reasons[0].code if self.judgement.reasons else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed rewrite before anyone has judged it.

    `prior` is a rough probability, from 0 to 1, that an expert would make this very edit, given
    that `reason` is what is wrong. It decides the order in which candidates are tried.
    """

    text: str
    operator: str
    reason: ReasonCode | None
    prior: float
    action: Action = field(default=Action.REPLACE)


Operator = Callable[[Situation], Iterable[Candidate]]
