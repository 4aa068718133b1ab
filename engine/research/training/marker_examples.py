"""Examples for the predictor of linking relations: what labels mend, what writers wrote.

A repair is a sentence to whose opening the labels give another marker, or none. A masked example
is a sentence that reads well and opens with a marker, which is taken off: the predictor has to
find it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.research.data import TrainingEssay, TrainingSentence
from engine.rewriter.cues import cues
from engine.rewriter.inventory import OpeningMarker, Relation, opening_marker
from engine.rewriter.prior import DROP
from engine.scheme import ReasonCode

COHERENT_BELOW = 0.2
"""A sentence whose P(incoherent) is lower than this counts as well formed."""
_NOT_LEARNED = (Relation.ORDER, Relation.SHIFT)
"""Which point of a list comes next is no relation, and a digression is never recommended."""


class Origin(StrEnum):
    """Where an example comes from."""

    REPAIR = "repair"
    ASIDE = "aside"
    MASKED = "masked"


@dataclass(frozen=True)
class MarkerExample:
    """Cues of a sentence with the relation that its opening should signal.

    `marker` is the one that was written, lower-cased, empty for `DROP`. A repair answers R3 (the
    linking word), an aside any other reason. `index` is the sentence's place in its essay.
    """

    cues: frozenset[str]
    relation: str
    marker: str
    essay_id: str
    origin: Origin
    index: int = 0


def marker_examples(essays: Iterable[TrainingEssay]) -> list[MarkerExample]:
    """All examples that the essays hold, in text order."""
    return [
        example
        for essay in essays
        for index in range(1, len(essay.sentences))
        for example in _examples(essay, index)
    ]


def _examples(essay: TrainingEssay, index: int) -> Iterator[MarkerExample]:
    sentence = essay.sentences[index]
    texts = [one.text for one in essay.sentences]
    new = sentence.alternative if sentence.delete else sentence.rewrite
    if new:
        yield from _repaired(essay.essay_id, texts, index, new, sentence)
    elif sentence.p_incoherent is not None and sentence.p_incoherent < COHERENT_BELOW:
        yield from _masked(essay.essay_id, texts, index)


def _repaired(
    essay_id: str, texts: Sequence[str], index: int, new: str, sentence: TrainingSentence
) -> Iterator[MarkerExample]:
    before, after = opening_marker(texts[index]), opening_marker(new)
    relation = _relation(after) if after is not None else DROP if before is not None else ""
    if not relation or _text(before) == _text(after):
        return
    answers_r3 = sentence.reasons[:1] == (ReasonCode.R3,)
    origin = Origin.REPAIR if answers_r3 else Origin.ASIDE
    read = frozenset(cues(texts, index))
    yield MarkerExample(read, relation, _text(after), essay_id, origin, index)


def _masked(essay_id: str, texts: Sequence[str], index: int) -> Iterator[MarkerExample]:
    found = opening_marker(texts[index])
    if found is None or not _relation(found):
        return
    masked = [*texts[:index], texts[index][found.body :], *texts[index + 1 :]]
    read = frozenset(cues(masked, index))
    yield MarkerExample(read, _relation(found), _text(found), essay_id, Origin.MASKED, index)


def _relation(found: OpeningMarker) -> str:
    relation = found.marker.relation
    return "" if relation in _NOT_LEARNED else relation.value


def _text(found: OpeningMarker | None) -> str:
    return "" if found is None else found.marker.text
