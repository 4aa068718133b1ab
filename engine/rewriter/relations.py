"""Asking a model how flagged sentences hang together with the sentences before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.analysis import Relater
from engine.rewriter.inventory import without_marker
from engine.rewriter.prior import relation_probabilities
from engine.rewriter.wording import first_word, upper_first


def related(
    sentences: Sequence[str], topic: str, asked: Iterable[int], relate: Relater | None
) -> Mapping[int, Mapping[str, float]]:
    """P(relation) for the sentences in `asked`, read without their linking words; {} without model.

    The linking word that is there may be the very mistake, so the model does not get to see it;
    the cues, which know how writers mistake one for another, do.
    """
    places = [index for index in asked if index > 0]
    if relate is None or not places:
        return {}
    cued = {index: relation_probabilities(sentences, index) for index in places}
    return relate(unmarked(sentences, places), topic, cued)


def unmarked(sentences: Sequence[str], places: Iterable[int]) -> list[str]:
    """The sentences, those in `places` without the linking word that opens them."""
    texts = list(sentences)
    for index in places:
        bare = without_marker(texts[index])
        if first_word(bare):
            texts[index] = upper_first(bare)
    return texts
