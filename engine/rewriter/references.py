"""References: pronoun and noun phrase, bare `this`, shifts of person, pointing words (R2, R1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.rewriter.agreement import agree, expand_contraction
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import opening_marker
from engine.rewriter.nouns import NounPhrase, antecedents, noun_phrases
from engine.rewriter.persons import persons_used, shift_person
from engine.rewriter.vocabulary import AUXILIARIES, VERBS
from engine.rewriter.wording import (
    content_stems,
    first_word,
    lower_first,
    opening_length,
    stem,
    upper_first,
    words,
)
from engine.scheme import ReasonCode

_PRONOUN = re.compile(r"(they|it|he|she|this|that|these|those)((?:['’](?:s|re|ll|ve|d))?)\b", re.I)
_EXPLETIVE = re.compile(
    r"it(?:['’]s| is| was| will be| can be| may be| would be) (?:(?:not|also|very|so|more|really|"
    r"always|often|quite|too|much) )*(?:\w+) (?:to|that|for|if|when|because)\b|"
    r"it (?:seems|depends|takes|took|appears|happens)\b|"
    r"it(?:['’]s| is) (?:true|a fact|clear|obvious|said|known)\b",
    re.I,
)
_INNER = re.compile(r"(?<=[a-z,] )(they|them|it)(?= [a-z]|[.,;!?])")
_SHIFTS: dict[str, tuple[str, ...]] = {"you": ("we", "people", "they"), "we": ("people", "you")}
_SET_PHRASES = re.compile(
    r"\b(?:as (?:far as )?(?:we|you) (?:\w+ )?(?:know|see|said|mentioned)|let us|thank you|"
    r"if (?:we|you) (?:look|think|compare|ask|want to know))\b",
    re.I,
)
_GENERIC = ("situation", "idea")


def propose(situation: Situation) -> Iterator[Candidate]:
    """Candidates that mend references, in no particular order."""
    yield from _opening_pronoun(situation)
    yield from _inner_pronoun(situation)
    yield from _person_shifts(situation)
    yield from _pointing_words(situation)


def subject_start(sentence: str) -> int:
    """Where the words after the opening marker begin."""
    found = opening_marker(sentence)
    return found.body if found else opening_length(sentence)


def opening_pronoun(sentence: str) -> re.Match[str] | None:
    """The pronoun that opens the sentence as its subject, an empty `it` left out."""
    at = subject_start(sentence)
    match = _PRONOUN.match(sentence, at)
    if match is None or _EXPLETIVE.match(sentence, at):
        return None
    following = first_word(sentence[match.end() :]).lower().replace("’", "'")
    is_verb = bool(match.group(2)) or following in AUXILIARIES or following in VERBS
    is_demonstrative = match.group(1).lower() in {"this", "that", "these", "those"}
    if is_demonstrative and not is_verb:
        return None
    return match if following or match.group(2) else None


def _opening_pronoun(situation: Situation) -> Iterator[Candidate]:
    sentence = situation.sentence
    match = opening_pronoun(sentence)
    if match is None:
        return
    pronoun = match.group(1).lower()
    rest = expand_contraction(match.group(2)) + sentence[match.end() :]
    start = sentence[: match.start()]
    if pronoun in {"this", "that"}:
        for place, noun in enumerate(_GENERIC):
            text = start + _cased(match.group(1), f"this {noun}") + rest
            yield Candidate(text, "reference-name", ReasonCode.R2, 0.08 - 0.03 * place)
    if pronoun in {"they", "it", "he", "she", "these", "those"}:
        for phrase, share in _fitting(situation, pronoun):
            subject = phrase.again()
            text = start + _cased(match.group(1), subject) + agree(rest, plural=phrase.is_plural)
            yield Candidate(text, "reference-name", ReasonCode.R2, share)


def _fitting(situation: Situation, pronoun: str) -> Iterator[tuple[NounPhrase, float]]:
    """Up to two antecedents of the right number that the sentence does not already name."""
    own = content_stems(situation.sentence)
    share = 0.15
    ranked = antecedents(situation.context, situation.topic, situation.judgement.anchor)
    for phrase, _ in ranked:
        if stem(phrase.head) in own or not _fits(phrase, pronoun):
            continue
        yield phrase, share
        if share < 0.1:
            return
        share = 0.08


def _fits(phrase: NounPhrase, pronoun: str) -> bool:
    if pronoun in {"he", "she"}:
        return phrase.is_person and not phrase.is_plural
    if pronoun == "it":
        return not phrase.is_plural and not phrase.is_person
    return phrase.is_plural


def _inner_pronoun(situation: Situation) -> Iterator[Candidate]:
    """A pronoun further in, when nothing before it in its own sentence can be meant."""
    sentence = situation.sentence
    match = _INNER.search(sentence)
    if match is None or _EXPLETIVE.match(sentence, match.start()):
        return
    if opening_pronoun(sentence) is not None:
        return
    plural = match.group(1) != "it"
    before = noun_phrases(sentence[: match.start()] + "x", situation.sentences)
    if any(phrase.is_plural is plural for phrase in before):
        return
    for phrase, share in _fitting(situation, "they" if plural else "it"):
        rest = sentence[match.end() :]
        if match.group(1) == "they":
            rest = agree(rest, plural=True)
        text = sentence[: match.start()] + phrase.again() + rest
        yield Candidate(text, "reference-name", ReasonCode.R2, share / 2)


def _person_shifts(situation: Situation) -> Iterator[Candidate]:
    """The sentence in the person that the text before it uses."""
    if _SET_PHRASES.search(situation.sentence):
        return
    here = persons_used([situation.sentence])
    before = persons_used(situation.context)
    for source, targets in _SHIFTS.items():
        if not here[source]:
            continue
        for target in targets:
            if here[target] or before[target] < 2 or before[target] <= before[source]:
                continue
            text = shift_person(situation.sentence, source=source, target=target)
            share = 0.35 * before[target] / (before[target] + before[source] + 1)
            yield Candidate(text, "reference-person", ReasonCode.R2, share)


def _pointing_words(situation: Situation) -> Iterator[Candidate]:
    """`These` or `such` before an opening plural noun that the sentence before names."""
    sentence = situation.sentence
    at = subject_start(sentence)
    head = first_word(sentence[at:])
    lowered = head.lower()
    if not lowered or not situation.context:
        return
    phrases = noun_phrases(sentence[at:], situation.sentences)
    opens = phrases and phrases[0].is_subject and not phrases[0].determiner
    if not opens or not phrases[0].is_plural:
        return
    near = {stem(word) for text in situation.context[-2:] for word in words(text)}
    if stem(phrases[0].head) not in near:
        return
    essay = (*situation.sentences, situation.topic)
    for word, share in (("these", 0.06), ("such", 0.03)):
        text = sentence[:at] + _cased(head, word) + " " + lower_first(sentence[at:], essay)
        yield Candidate(text, "reference-point", ReasonCode.R1, share)


def _cased(original: str, text: str) -> str:
    return upper_first(text) if original[:1].isupper() else text
