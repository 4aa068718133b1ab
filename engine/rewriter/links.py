"""Ties to the text before: the ways to keep a sentence that strays (R6, R5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import Relation
from engine.rewriter.markers import LEAST_CHANCE, addable, added
from engine.rewriter.wording import content_stems, words

_TELLS_OF = frozenset(
    {"i", "my", "we", "our", "us", "me", "such", "once", "last", "ago", "yesterday"}
)
_POINTS_BACK = frozenset({"this", "that", "these", "those", "it"})
_OPENING_WORDS = 12
_OPINION = re.compile(
    r"\b(?:i|we) (?:\w+ )?(?:hope|think|believe|agree|disagree|feel|want|wish|would|am|can see)\b",
    re.I,
)


def propose(situation: Situation) -> Iterator[Candidate]:
    """Candidates that tie the sentence to the context and keep it.

    A linking word cannot tie in what has nothing to do with the text before, so it is proposed
    only where the two share a word, and only for an example: no list of words tells a contrast.
    """
    if situation.marker is not None or situation.sentence.rstrip().endswith("?"):
        return
    if shares_a_word(situation):
        chances = situation.relations
        yield from _linking_words(situation, chances)


def shares_a_word(situation: Situation) -> bool:
    """Whether the sentence names something that the one before, or the anchor, names too."""
    places = {situation.index - 1, situation.judgement.anchor}
    near = [situation.sentences[p] for p in places if p is not None and 0 <= p < situation.index]
    own = content_stems(situation.sentence)
    return any(own & content_stems(text) for text in near)


def _linking_words(situation: Situation, chances: Mapping[str, float]) -> Iterator[Candidate]:
    chance = chances.get(Relation.EXAMPLE.value, 0.0)
    if chance < LEAST_CHANCE or not tells_of_one_case(situation.sentence):
        return
    for relation, text in addable(situation):
        if relation is not Relation.EXAMPLE:
            continue
        yield Candidate(added(situation, text), "link-marker", situation.top, 0.25 * chance)


def tells_of_one_case(sentence: str) -> bool:
    """Whether the sentence may be an example: it tells of the writer's own case, no opinion."""
    opening = words(sentence)[:_OPENING_WORDS]
    if not opening or opening[0] in _POINTS_BACK:
        return False
    return bool(_TELLS_OF & set(opening)) and not states_a_view(sentence)


def states_a_view(sentence: str) -> bool:
    """Whether the writer says what they think or hope."""
    return bool(_OPINION.search(sentence))
