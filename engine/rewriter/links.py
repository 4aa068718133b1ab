"""Ties to the text before: the ways to keep a sentence that strays (R6, R5)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import STANDARD, Register
from engine.rewriter.markers import LEAST_CHANCE, addable, added, changed, varied
from engine.rewriter.nouns import antecedents
from engine.rewriter.prior import relation_probabilities
from engine.rewriter.vocabulary import DETERMINERS, POSSESSIVES, PRONOUNS
from engine.rewriter.wording import (
    content_stems,
    first_word,
    lower_first,
    opening_length,
    stem,
)

_CLAUSE_OPENERS = (PRONOUNS | DETERMINERS | POSSESSIVES | frozenset({"people", "there"})) - {
    "what", "which", "such", "whose", "no",
}  # fmt: skip


def propose(situation: Situation) -> Iterator[Candidate]:
    """Candidates that tie the sentence to the context and keep it."""
    chances = relation_probabilities(situation.sentences, situation.index)
    yield from _linking_words(situation, chances)
    if situation.marker is None:
        yield from _because(situation, chances)
        yield from _topic_opening(situation)


def _linking_words(situation: Situation, chances: dict[str, float]) -> Iterator[Candidate]:
    found = situation.marker
    if found is None:
        for relation, text in addable(situation):
            chance = chances.get(relation.value, 0.0)
            if chance < LEAST_CHANCE:
                continue
            share = 0.25 * chance
            yield Candidate(added(situation, text), "link-marker", situation.top, share)
        return
    informal = found.marker.register is Register.INFORMAL
    for relation, texts in STANDARD.items():
        same = relation is found.marker.relation
        chance = chances.get(relation.value, 0.0)
        if same is informal and (informal or chance >= 2 * LEAST_CHANCE):
            share = 0.2 if informal else 0.1 * chance
            text = changed(situation, found, varied(texts[0], situation))
            yield Candidate(text, "link-marker", situation.top, share)


def _because(situation: Situation, chances: dict[str, float]) -> Iterator[Candidate]:
    sentence = situation.sentence
    at = opening_length(sentence)
    if first_word(sentence[at:]).lower() not in _CLAUSE_OPENERS or sentence.rstrip().endswith("?"):
        return
    body = lower_first(sentence[at:], (*situation.sentences, situation.topic))
    share = 0.02 + 0.2 * chances.get("cause", 0.0)
    yield Candidate(sentence[:at] + "This is because " + body, "link-reason", situation.top, share)


def _topic_opening(situation: Situation) -> Iterator[Candidate]:
    """`When it comes to X, ...` with the most salient thing that the sentence leaves unnamed."""
    sentence = situation.sentence
    own = content_stems(sentence)
    at = opening_length(sentence)
    if first_word(sentence[at:]).lower() not in _CLAUSE_OPENERS:
        return
    ranked = antecedents(situation.context, situation.topic, situation.judgement.anchor)
    for phrase, _ in ranked:
        if stem(phrase.head) in own or not (phrase.is_plural or phrase.determiner):
            continue
        body = lower_first(sentence[at:], (*situation.sentences, situation.topic))
        text = f"{sentence[:at]}When it comes to {phrase.again()}, {body}"
        yield Candidate(text, "link-topic", situation.top, 0.02)
        return
