"""Noun phrases found by pattern: what a pronoun may stand for, and what is new to the essay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.rewriter.inventory import without_marker
from engine.rewriter.vocabulary import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    IRREGULAR_PLURALS,
    PERSON_NOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    SINGULAR_IN_S,
    VERBS,
)
from engine.rewriter.wording import WORD, keeps_capital, stem, words

_NO_NOUN = re.compile(
    r"(?:ly|ful|ous|able|ible|less|ish|ical|ional|ed|er than|ier|iest|est)$|^(?:own|same|different|"
    r"important|necessary|possible|good|bad|new|old|young|great|big|small|real|true|sure|able|"
    r"such|due|free|easy|hard|difficult|happy|famous|main|whole|certain|many|few|lot|lots|kind|"
    r"kinds|sort|example|instance|addition|conclusion|fact|hand|opinion|order|general|reason|"
    r"reasons|thing|things|way|ways|bit|case|point|time|times|day|days|year|years)$"
)
_FOLLOWERS = (
    AUXILIARIES | PREPOSITIONS | VERBS | frozenset({"and", "or", "but", "who", "that", "which"})
)


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase as written: its determiner (may be empty), its words, its head."""

    determiner: str
    words: tuple[str, ...]
    is_subject: bool

    @property
    def head(self) -> str:
        """The last word, lower-cased."""
        return self.words[-1].lower()

    @property
    def is_plural(self) -> bool:
        """Whether the head looks plural."""
        return is_plural(self.head)

    @property
    def is_person(self) -> bool:
        """Whether the head names people or their organisations."""
        return self.head in PERSON_NOUNS

    def again(self) -> str:
        """How to refer to it a second time: `the car`, `young people`, `my friend`."""
        text = " ".join(self.words)
        if self.determiner in POSSESSIVES - {"its", "their", "his", "her"}:
            return f"{self.determiner} {text}"
        if self.is_plural and self.determiner not in {"the", "these", "those"}:
            return text
        if not self.determiner and not self.is_plural:
            return text
        return f"the {text}"


def is_plural(word: str) -> bool:
    """Whether a noun looks plural."""
    if word in IRREGULAR_PLURALS:
        return True
    return (
        word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in SINGULAR_IN_S
    )


def noun_phrases(sentence: str, essay: Sequence[str] = ()) -> list[NounPhrase]:
    """The plain noun phrases of a sentence: at most three words and a determiner."""
    text = without_marker(sentence)
    tokens = list(WORD.finditer(text))
    lowered = [match.group().lower().replace("’", "'") for match in tokens]
    found: list[NounPhrase] = []
    place = 0
    while place < len(tokens):
        end = _run_end(text, tokens, lowered, place)
        if end == place:
            place += 1
            continue
        phrase = _phrase(text, tokens, lowered, place, end, essay)
        if phrase is not None:
            found.append(phrase)
        place = end
    return found


def _run_end(text: str, tokens: list[re.Match[str]], lowered: list[str], place: int) -> int:
    """Where the run of content words that starts at `place` ends."""
    end = place
    while end < len(tokens) and _is_content(lowered[end]):
        if end > place and text[tokens[end - 1].end() : tokens[end].start()].strip():
            break
        end += 1
    return end


def _is_content(word: str) -> bool:
    if word in FUNCTION_WORDS or word in VERBS or word.endswith("ly"):
        return False
    return word[0].isalpha() and "'" not in word


def _phrase(
    text: str,
    tokens: list[re.Match[str]],
    lowered: list[str],
    start: int,
    end: int,
    essay: Sequence[str],
) -> NounPhrase | None:
    before = lowered[start - 1] if start else ""
    introduced = start == 0 or before in DETERMINERS | POSSESSIVES | PREPOSITIONS
    gap = text[tokens[end - 1].end() : tokens[end].start()] if end < len(tokens) else "."
    closed = end == len(tokens) or bool(gap.strip()) or lowered[end] in _FOLLOWERS
    if not (introduced and closed) or end - start > 3 or _NO_NOUN.search(lowered[end - 1]):
        return None
    if len(lowered[end - 1]) < 3:
        return None
    written = [match.group() for match in tokens[start:end]]
    if start == 0 and not keeps_capital(written[0], essay):
        written[0] = written[0].lower()
    determiner = before if before in DETERMINERS | POSSESSIVES else ""
    at_front = start - bool(determiner) == 0
    is_subject = at_front and end < len(tokens) and lowered[end] in AUXILIARIES | VERBS
    return NounPhrase(determiner, tuple(written), is_subject)


def antecedents(
    context: Sequence[str], topic: str, anchor: int | None, *, reach: int = 4
) -> list[tuple[NounPhrase, float]]:
    """Noun phrases that a pronoun may stand for, with how salient each is, best first.

    Near sentences, subjects, words said often, the anchor sentence and the topic count more.
    """
    mentions = Counter(stem(word) for sentence in context for word in words(sentence))
    in_topic = {stem(word) for word in words(topic)}
    best: dict[str, tuple[NounPhrase, float]] = {}
    for distance, place in enumerate(
        range(len(context) - 1, max(-1, len(context) - 1 - reach), -1)
    ):
        for phrase in noun_phrases(context[place], context):
            root = stem(phrase.head)
            weight = 1.0 / (1 + 0.5 * distance) + 0.5 * phrase.is_subject
            weight += 0.08 * min(mentions[root], 8) + 0.25 * (root in in_topic)
            weight += 0.4 * (place == anchor)
            if root not in best or best[root][1] < weight:
                best[root] = (phrase, weight)
    return sorted(best.values(), key=lambda pair: -pair[1])
