"""Persons and pronouns: which person an essay speaks in, and moving a sentence to another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.rewriter.agreement import expand_contraction
from engine.rewriter.vocabulary import AUXILIARIES, PREPOSITIONS, VERBS
from engine.rewriter.wording import WORD, upper_first, words

FORMS: dict[str, tuple[str, ...]] = {
    "you": ("you", "you", "your", "yourself", "yours"),
    "we": ("we", "us", "our", "ourselves", "ours"),
    "they": ("they", "them", "their", "themselves", "theirs"),
    "people": ("people", "them", "their", "themselves", "theirs"),
}
"""Subject, object, possessive, reflexive and possessive pronoun of each person."""

_PERSON_OF = {
    form: person
    for person in ("you", "we", "they")
    for form in (*FORMS[person], *(["yourselves"] if person == "you" else []))
}
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")


def persons_used(sentences: Sequence[str]) -> Counter[str]:
    """How often `you`, `we`, `they` and `people` are used, all forms together."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        for word in words(sentence):
            base = word.split("'")[0]
            if base in _PERSON_OF:
                counts[_PERSON_OF[base]] += 1
            elif base == "people":
                counts["people"] += 1
    return counts


def shift_person(sentence: str, *, source: str, target: str) -> str:
    """`sentence` with every form of the person `source` in the person `target`.

    `people` is written out once and is `they`, `them`, `their` afterwards.
    """
    pieces: list[str] = []
    at = 0
    named = target != "people"
    for match in _WORD.finditer(sentence):
        base, suffix = _split(match.group())
        if _PERSON_OF.get(base.lower()) != source:
            continue
        slot = _slot(sentence, match, base.lower(), source)
        form = FORMS[target][slot]
        if target == "people":
            if named and slot == 0:
                form = "they"
            elif not named and slot in (0, 1):
                form = "people"
            named = named or slot in (0, 1)
        written = form + expand_contraction(suffix)
        pieces += (sentence[at : match.start()], _like(base, written))
        at = match.end()
        if form == "people" and sentence[at : at + 5].lower() == " all ":
            at += 4
    return "".join(pieces) + sentence[at:]


def _split(word: str) -> tuple[str, str]:
    place = min((at for at in (word.find("'"), word.find("’")) if at > 0), default=len(word))
    return word[:place], word[place:]


def _slot(sentence: str, match: re.Match[str], base: str, source: str) -> int:
    if base == "yourselves":
        return 3
    slot = FORMS[source].index(base)
    if source == "you" and slot == 0:
        return 1 if _is_object(sentence, match) else 0
    return slot


def _is_object(sentence: str, match: re.Match[str]) -> bool:
    """Whether this `you` is an object: a verb or preposition before it, no verb after it."""
    before = words(sentence[max(0, match.start() - 24) : match.start()])
    after = words(sentence[match.end() : match.end() + 24])
    if after and (after[0] in AUXILIARIES or after[0] in VERBS):
        return (
            bool(before)
            and before[-1] in {"to", "for", "with", "of"}
            and after[0] not in AUXILIARIES
        )
    if "'" in match.group() or "’" in match.group() or not before:
        return False
    if before[-1] in PREPOSITIONS and before[-1] not in {
        "than",
        "as",
        "since",
        "until",
        "before",
        "after",
    }:
        return True
    return before[-1] in VERBS and sentence[: match.start()].rstrip()[-1:].isalpha()


def _like(original: str, text: str) -> str:
    return upper_first(text) if original[:1].isupper() else text


def first_of(sentence: str, person: str) -> str:
    """The first form of `person` in the sentence as written, or an empty string."""
    for match in WORD.finditer(sentence):
        base, _ = _split(match.group())
        if _PERSON_OF.get(base.lower()) == person:
            return base
    return ""
