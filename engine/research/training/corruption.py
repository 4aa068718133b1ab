"""Essays broken on purpose: self-supervised examples for every reason code but R1's links.

A share of the sentences is corrupted, and the network is to find them and say how: a sentence of
another essay on another topic (R5) or on the same one (R6), one from elsewhere in the essay (R6),
a wrong, added or missing linking word (R3), another pronoun (R2), a statement turned round (R4), or
a content word exchanged for one of other essays (R7). All other sentences keep their soft labels.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.research.data import TrainingEssay, TrainingSentence
from engine.rewriter.inventory import STANDARD, opening_marker, without_marker
from engine.rewriter.polarity import OPPOSITES
from engine.rewriter.vocabulary import FUNCTION_WORDS
from engine.rewriter.wording import WORD, lower_first, upper_first
from engine.scheme import ReasonCode

CERTAINTY = 0.95
"""P(incoherent) of a corrupted sentence: some of them make sense by chance."""
_FLIPS = (
    (" can ", " cannot "), (" cannot ", " can "), (" is ", " is not "), (" are ", " are not "),
    (" is not ", " is "), (" are not ", " are "), (" will ", " will not "), (" should ", " should not "),
    (" do not ", " "), (" don't ", " "), (" does not ", " "), (" will not ", " will "),
)  # fmt: skip
_PERSONS: tuple[tuple[str, ...], ...] = (
    ("i", "you", "we", "they", "he", "she"),
    ("my", "your", "our", "their", "his", "her"),
    ("me", "you", "us", "them", "him", "her"),
)
_SHORTEST_WORD = 5


@dataclass(frozen=True)
class Corrupter:
    """Breaks sentences; `share` of those that may be broken, differently for each seed."""

    essays: Sequence[TrainingEssay]
    share: float = 0.3
    seed: int = 0

    def essays_broken(self) -> Iterator[TrainingEssay]:
        """Each essay once, with some of its sentences broken."""
        words = _content_words(self.essays)
        for essay in self.essays:
            chooser = random.Random(f"{self.seed}-{essay.essay_id}")  # noqa: S311  (no secret)
            yield self._broken(essay, words, chooser)

    def _broken(
        self, essay: TrainingEssay, words: dict[str, list[str]], chooser: random.Random
    ) -> TrainingEssay:
        sentences = list(essay.sentences)
        for index in range(1, len(sentences)):
            if chooser.random() >= self.share:
                continue
            found = self._break(essay, index, words, chooser)
            if found is not None and found[0] != sentences[index].text:
                text, code = found
                sentences[index] = TrainingSentence(text, CERTAINTY, (code,))
        return replace(essay, sentences=tuple(sentences))

    def _break(
        self, essay: TrainingEssay, index: int, words: dict[str, list[str]], chooser: random.Random
    ) -> tuple[str, ReasonCode] | None:
        text = essay.sentences[index].text
        kinds: list[tuple[float, ReasonCode, Callable[[], str | None]]] = [
            (1.0, ReasonCode.R5, lambda: self._stranger(essay, chooser, same=False)),
            (2.0, ReasonCode.R6, lambda: self._stranger(essay, chooser, same=True)),
            (1.5, ReasonCode.R6, lambda: _moved(essay, index, chooser)),
            (3.0, ReasonCode.R3, lambda: _marked(text, chooser)),
            (2.0, ReasonCode.R2, lambda: _other_person(text, chooser)),
            (1.5, ReasonCode.R4, lambda: _turned(text, chooser)),
            (3.0, ReasonCode.R7, lambda: _other_word(text, words, chooser)),
        ]
        _, code, make = chooser.choices(kinds, weights=[weight for weight, _, _ in kinds])[0]
        made = make()
        return None if made is None else (made, code)

    def _stranger(self, essay: TrainingEssay, chooser: random.Random, *, same: bool) -> str | None:
        for _ in range(20):
            other = chooser.choice(self.essays)
            if other.essay_id != essay.essay_id and (other.topic == essay.topic) is same:
                return chooser.choice(other.sentences).text
        return None


def _content_words(essays: Sequence[TrainingEssay]) -> dict[str, list[str]]:
    """The content words of all essays by their ending, each as often as it is written."""
    found: dict[str, list[str]] = {}
    for essay in essays:
        for sentence in essay.sentences:
            for match in WORD.finditer(sentence.text):
                word = match.group().lower()
                if len(word) >= _SHORTEST_WORD and word not in FUNCTION_WORDS:
                    found.setdefault(word[-2:], []).append(word)
    return found


def _moved(essay: TrainingEssay, index: int, chooser: random.Random) -> str | None:
    """A sentence that stands at least three places away."""
    far = [s.text for n, s in enumerate(essay.sentences) if abs(n - index) > 2]
    return chooser.choice(far) if far else None


def _marked(text: str, chooser: random.Random) -> str | None:
    """Another relation's linking word before the sentence, or none where there was one."""
    found = opening_marker(text)
    bare = without_marker(text)
    if found is not None and chooser.random() < 0.35:
        return upper_first(bare)
    informal = chooser.random() < 0.3
    options = [
        chooser.choice(texts)
        for relation, texts in STANDARD.items()
        if found is None or relation is not found.marker.relation
    ]
    marker = chooser.choice(["But", "So", "And", "Also", "Anyway"] if informal else options)
    return f"{marker}{' ' if informal else ', '}{lower_first(bare, ())}"


def _other_person(text: str, chooser: random.Random) -> str | None:
    places = [
        (match, row)
        for match in WORD.finditer(text)
        for row in _PERSONS[:2]
        if match.group().lower() in row
    ]
    if not places:
        return None
    match, row = chooser.choice(places)
    other = chooser.choice([word for word in row if word != match.group().lower()])
    written = "I" if other == "i" else upper_first(other) if match.start() == 0 else other
    return text[: match.start()] + written + text[match.end() :]


def _turned(text: str, chooser: random.Random) -> str | None:
    ways = [text.replace(old, new, 1) for old, new in _FLIPS if old in text]
    for match in WORD.finditer(text):
        opposite = OPPOSITES.get(match.group().lower())
        if opposite:
            ways.append(text[: match.start()] + opposite + text[match.end() :])
    return chooser.choice(ways) if ways else None


def _other_word(text: str, words: dict[str, list[str]], chooser: random.Random) -> str | None:
    """A content word exchanged for one of the same ending."""
    places = [
        match
        for match in WORD.finditer(text)
        if len(match.group()) >= _SHORTEST_WORD and match.group().lower() not in FUNCTION_WORDS
    ]
    if not places:
        return None
    match = chooser.choice(places)
    options = words.get(match.group().lower()[-2:], [])
    other = chooser.choice(options) if options else None
    if other is None or other == match.group().lower():
        return None
    written = upper_first(other) if match.group()[0].isupper() else other
    return text[: match.start()] + written + text[match.end() :]
