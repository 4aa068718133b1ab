"""Ways to keep a sentence whose deletion is suggested: each ties it to the text before.

Whoever is told to delete a sentence must be able to keep it instead. Tying in adds a few words at
the front; it may well leave the mark where it is. The rounds measure that, and what does not clear
the flag is offered as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.rewriter import guard, links, markers
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import Relation, without_marker
from engine.rewriter.nouns import antecedents
from engine.rewriter.prior import relation_probabilities
from engine.rewriter.wording import (
    capital_is_doubtful,
    content_stems,
    first_word,
    lower_first,
    opening_length,
    stem,
)

OPERATOR = "tie-in"
"""The `Candidate.operator` of what this module proposes."""
_SHARE_THAT_REPEATS = 0.8
_LEAST_STEMS = 4
_MOST_THINGS = 2
_ANYWHERE = ("In this context, ", "In this respect, ", "On this point, ")
"""They take turns, from one flagged sentence of an essay to the next."""
_BEFORE_A_NAME = "A related point: "
_FRAME = re.compile(
    r"(?:in (?:this|that) (?:context|respect|case|way|regard)|(?:on|at) (?:this|that) point"
    r"|as (?:for|to|regards|mentioned)|when it comes to|(?:speaking|talking) (?:of|about)"
    r"|regarding|concerning|with (?:regard|respect) to|in terms of|a related point)\b",
    re.IGNORECASE,
)
"""A sentence that opens so needs no second opening of this kind before its own."""
_CLAUSE_OPENERS = frozenset(
    {"when", "whenever", "while", "if", "unless", "although", "though", "because", "since", "after"}
    | {"before", "once", "until", "as"}
)
_QUOTES = frozenset("\"“‘«'")
_BARE_LINKS = frozenset({"also", "and", "but", "or", "so", "still", "yet"})
_TIES = (
    Relation.EXAMPLE,
    Relation.RESULT,
    Relation.ADDITION,
    Relation.EMPHASIS,
    Relation.SIMILARITY,
    Relation.RESTATEMENT,
)
"""No contrast and no conclusion: a remark that strays is neither."""


def tie_ins(situation: Situation) -> list[Candidate]:
    """What the guard allows of the ways to tie the sentence in, the most telling first."""
    best: dict[str, Candidate] = {}
    for candidate in _proposed(situation):
        if candidate.text not in best and guard.allows(candidate, situation):
            best[candidate.text] = candidate
    return list(best.values())


def repeated(situation: Situation) -> str:
    """The last earlier sentence that has nearly all of this one's key words; empty for none."""
    own = content_stems(situation.sentence)
    if len(own) < _LEAST_STEMS:
        return ""
    for text in reversed(situation.context):
        if len(own & content_stems(text)) >= _SHARE_THAT_REPEATS * len(own):
            return text
    return ""


def _proposed(situation: Situation) -> Iterator[Candidate]:
    if situation.marker is not None:
        yield from _other_markers(situation)
        yield _placed(situation)
        return
    if repeated(situation):
        yield _opened(situation, "As mentioned above, ")
    if links.shares_a_word(situation):
        yield from _linking_word(situation)
    yield _placed(situation)
    yield from _naming(situation)


def _other_markers(situation: Situation) -> Iterator[Candidate]:
    """Other linking words for the one that is there, the likeliest first."""
    changes = (one for one in markers.propose(situation) if one.operator == "marker-change")
    for change in sorted(changes, key=lambda one: -one.prior)[:_MOST_THINGS]:
        yield _candidate(situation, change.text)


def _linking_word(situation: Situation) -> Iterator[Candidate]:
    """The one linking word that the cues speak for most."""
    chances = relation_probabilities(situation.sentences, situation.index)
    fits = {
        relation: text
        for relation, text in markers.addable(situation)
        if relation in _TIES
        and (relation is not Relation.EXAMPLE or links.tells_of_one_case(situation.sentence))
    }
    if not fits:
        return
    relation = max(fits, key=lambda option: chances.get(option.value, 0.0))
    if chances.get(relation.value, 0.0) >= markers.LEAST_CHANCE:
        yield _candidate(situation, markers.added(situation, fits[relation]))


def _naming(situation: Situation) -> Iterator[Candidate]:
    """An opening that names what the text before is about, where the sentence does not."""
    own = content_stems(situation.sentence)
    ranked = antecedents(situation.context, situation.topic, situation.judgement.anchor)
    things = [
        phrase.again()
        for phrase, _ in ranked
        if stem(phrase.head) not in own and (phrase.is_plural or phrase.determiner)
    ]
    word = first_word(situation.sentence).lower()
    openings = ["As for"] if word != "as" else []
    if word not in _CLAUSE_OPENERS:  # "When it comes to work, when I am old, ..."
        openings.insert(0, "When it comes to")
    for thing in things[:_MOST_THINGS]:
        for opening in openings:
            yield _opened(situation, f"{opening} {thing}, ")


def _placed(situation: Situation) -> Candidate:
    """An opening that fits before nearly any sentence, or after its linking word."""
    found = situation.marker
    opening = _ANYWHERE[len(situation.planned) % len(_ANYWHERE)]
    sentence = situation.sentence
    at = opening_length(sentence)
    if found is None or _FRAME.match(sentence[found.body :]) or _QUOTES & set(sentence[:at]):
        return _opened(situation, opening)
    return _candidate(
        situation,
        sentence[: found.body]
        + opening[0].lower()
        + opening[1:]
        + lower_first(_bare(sentence[found.body :]), _essay(situation)),
    )


def _opened(situation: Situation, opening: str) -> Candidate:
    """The sentence with an opening before it; a word that may be a name keeps its capital.

    Before a quotation the opening stands outside, because it is not the words of who is quoted.
    """
    sentence = situation.sentence
    at = opening_length(sentence)
    if _QUOTES & set(sentence[:at]):
        return _candidate(situation, opening + sentence.lstrip())
    body = _bare(sentence[at:])
    if _FRAME.match(body):
        text = _BEFORE_A_NAME + lower_first(body, _essay(situation))
        return _candidate(situation, sentence[:at] + text)
    if capital_is_doubtful(body, _essay(situation)):
        return _candidate(situation, sentence[:at] + _BEFORE_A_NAME + body)
    start = sentence[:at].replace(",", "").lstrip()
    return _candidate(situation, start + opening + lower_first(body, _essay(situation)))


def _bare(body: str) -> str:
    """The text without linking words at its start, however many there are ("But but so")."""
    before = ""
    while body != before:
        before = body
        body = without_marker(body).lstrip(" ,")
        word = first_word(body)
        if word.lower() in _BARE_LINKS and body.startswith(word):
            body = body[len(word) :].lstrip(" ,")
    return body


def _essay(situation: Situation) -> tuple[str, ...]:
    return (*situation.sentences, situation.topic)


def _candidate(situation: Situation, text: str) -> Candidate:
    return Candidate(text, OPERATOR, situation.top, 0.0)
