"""The corpora as plain data, with one polarity for all of them: True means incoherent.

Sentences stand as the corpus split them and are never split again, so that every label keeps
the sentence that it was given for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.scheme import CODES, Group, ReasonCode, group_of


@dataclass(frozen=True, slots=True)
class AnnotatedPair:
    """One judged sentence of an `AnnotatedEssay`, read together with all that stands before it.

    `index` is the place of the sentence in the essay. A coherent sentence has no reasons.
    `rewrite` is None where the file gives none; `delete` says that the annotator would leave the
    sentence out. `groups_only` are sub-tasks named by a corpus that gives no codes (CoheSentia).
    """

    index: int
    incoherent: bool
    reasons: frozenset[ReasonCode] = frozenset()
    rewrite: str | None = None
    delete: bool = False
    groups_only: frozenset[Group] = frozenset()

    @property
    def groups(self) -> frozenset[Group]:
        """The sub-tasks that the reasons belong to."""
        return self.groups_only.union(group_of(code) for code in self.reasons)


@dataclass(frozen=True, slots=True)
class AnnotatedEssay:
    """An essay with experts' labels (DECOR, CoheSentia): every row of the file is one pair.

    `sentences` are in essay order, the opening included; `pairs` are in file order. Sentences
    without a row of their own (the opening, missing rows) come from the contexts of others. Rows
    of one `essay_id` that contradict one another are kept as two essays of that id.
    """

    essay_id: str
    topic: str
    sentences: tuple[str, ...]
    pairs: tuple[AnnotatedPair, ...]


@dataclass(frozen=True, slots=True)
class TrainingSentence:
    """One sentence with soft labels.

    `p_incoherent` is the chance (0-1) that the experts would flag it, None for an opening, which
    has no context. `reasons` are the likely codes, most likely first. `anchor` is the index of
    the earlier sentence that it should connect to, None where there is none. `rewrite` is a
    minimal rewrite or `DELETE`; `alternative` then keeps the sentence.
    """

    text: str
    p_incoherent: float | None = None
    reasons: tuple[ReasonCode, ...] = ()
    anchor: int | None = None
    rewrite: str | None = None
    alternative: str | None = None

    @property
    def delete(self) -> bool:
        """Whether the advice is to leave the sentence out."""
        return self.rewrite == DELETE


@dataclass(frozen=True, slots=True)
class TrainingEssay:
    """An essay with soft labels; `complete` is False where its end is missing."""

    essay_id: str
    topic: str
    l1: str
    complete: bool
    sentences: tuple[TrainingSentence, ...]


DELETE = "DELETE"
"""What stands in a rewrite column where the annotator would leave the sentence out."""


def as_training(essays: Iterable[AnnotatedEssay]) -> list[TrainingEssay]:
    """Experts' labels as soft labels of 0.0 or 1.0.

    Openings and sentences without a row stay unlabelled.
    """
    return [_as_training_essay(essay) for essay in essays]


def _as_training_essay(essay: AnnotatedEssay) -> TrainingEssay:
    pairs = {pair.index: pair for pair in essay.pairs}
    sentences = []
    for index, text in enumerate(essay.sentences):
        pair = pairs.get(index)
        if pair is None or index == 0:
            sentences.append(TrainingSentence(text))
            continue
        sentences.append(
            TrainingSentence(
                text,
                p_incoherent=float(pair.incoherent),
                reasons=tuple(code for code in CODES if code in pair.reasons),
                rewrite=DELETE if pair.delete else pair.rewrite,
            )
        )
    return TrainingEssay(essay.essay_id, essay.topic, "", True, tuple(sentences))
