"""Edits that a language model writes, where rules do not reach.

The model is handed in from outside as something that writes; nothing here knows which model it is
or how it is prompted. What it writes is taken as a proposal like any other: chatter around the
sentence is taken off, the guard has its say, and the tagger reads the essay with it in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.analysis import Action
from engine.diff import word_edits
from engine.rewriter import guard
from engine.rewriter.candidates import Candidate, Situation
from engine.scheme import ReasonCode
from engine.sentences import split_sentences

OPERATOR = "generated"

_R = ReasonCode
ANSWERS = frozenset({_R.R1, _R.R4, _R.R5, _R.R7})
"""The reasons for which a generated edit is worth a try beside those of the rules."""

_PRIOR = 0.3
"""About as likely what an expert would do as a rule's middling proposal."""

_PREAMBLE = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|ok|yes)\b[^:\n]{0,100}:"
    r"|here(?:'s|’s| is| are)\b[^:\n]{0,100}:"
    r"|(?:the |my )?(?:edited|revised|rewritten|corrected|improved|new)\b[^:\n]{0,60}:"
    r"|(?:the )?(?:sentence|answer|output|rewrite|revision|edit|s)\s*:)\s*",
    re.IGNORECASE,
)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "`": "`", "*": "*", "_": "_"}
_DELETED = re.compile(r"^\W*DELETE\W*$")
_ENDING = re.compile(r"[.!?…]*[\"'”’)\]]*\s*$")


@dataclass(frozen=True, slots=True)
class EditTask:
    """A sentence for the model to edit: `anchor` is the index in `context` to connect it to."""

    topic: str
    context: tuple[str, ...]
    sentence: str
    reason: ReasonCode | None
    anchor: int | None

    @classmethod
    def of(cls, situation: Situation) -> EditTask:
        """The task that a flagged sentence sets."""
        return cls(
            situation.topic,
            situation.context,
            situation.sentence,
            situation.top,
            situation.judgement.anchor,
        )


class WritesEdits(Protocol):
    """A language model put to work on sentences. `at_once`: how many are best given together."""

    @property
    def at_once(self) -> int:
        """How many sentences are worth handing over in one call."""
        ...

    def write(
        self, asked: Sequence[EditTask], *, check_cancelled: Callable[[], None]
    ) -> Sequence[Sequence[str]]:
        """For each task the model's edits of its sentence, the likeliest first."""
        ...


def is_wanted(situation: Situation, *, keeps: bool, count: int, limit: int) -> bool:
    """Whether to ask the model, after the rules have had their turn.

    `keeps` says that a rule's edit of the sentence has cleared the flag, `count` how many
    proposals have; `limit` is how many are shown.
    """
    if not keeps:
        return True
    return situation.top in ANSWERS and count < limit


def candidates(situation: Situation, written: Iterable[str]) -> list[Candidate]:
    """What the model wrote as candidates that the guard allows, none twice."""
    found: dict[str, Candidate] = {}
    for text in written:
        candidate = _candidate(situation, text)
        if candidate.text not in found and guard.allows(candidate, situation):
            found[candidate.text] = candidate
    return list(found.values())


def _candidate(situation: Situation, text: str) -> Candidate:
    if _DELETED.match(text):
        return Candidate("", OPERATOR, situation.top, _PRIOR, Action.DELETE)
    return Candidate(tidied(text, situation.sentence), OPERATOR, situation.top, _PRIOR)


def tidied(written: str, sentence: str) -> str:
    """The sentence in what a model wrote, in the form of the one that it replaces.

    Without preamble, quotes and afterwords; with the old one's white space, kind of apostrophe,
    opening capital and closing mark.
    """
    old = " ".join(sentence.split())
    new = _unquoted(" ".join(_PREAMBLE.sub("", written.strip()).split()), old)
    new = _first_sentences(new, len(split_sentences(old)) or 1)
    new = _unquoted(new, old)
    if "’" in old and "'" not in old:
        new = new.replace("'", "’")
    elif "’" not in old:
        new = new.replace("’", "'")
    if old[:1].isupper() and new[:1].islower():
        new = new[0].upper() + new[1:]
    if new:
        new = _ENDING.sub("", new) + _closing(old)
    return _with_spaces_of(sentence, old, new)


def _unquoted(new: str, old: str) -> str:
    """The text without a pair of marks around all of it that the old sentence has not."""
    while len(new) > 1 and _PAIRS.get(new[0]) == new[-1] and not old.startswith(new[0]):
        new = new[1:-1].strip()
    return new


def _first_sentences(text: str, count: int) -> str:
    spans = split_sentences(text)
    return text if len(spans) <= count else text[: spans[count - 1].end].strip()


def _closing(text: str) -> str:
    found = _ENDING.search(text)
    return found.group() if found else ""


def _with_spaces_of(sentence: str, old: str, new: str) -> str:
    """`new` with the line breaks and double spaces of `sentence`, whose flat form is `old`."""
    if old == sentence:
        return new
    places = _places(sentence)
    pieces: list[str] = []
    at = 0
    for edit in word_edits(old, new):
        pieces += (sentence[at : places[edit.start]], edit.new)
        at = places[edit.end]
    return "".join(pieces) + sentence[at:]


def _places(sentence: str) -> list[int]:
    """For each place in the flat form of the sentence, the place in the sentence itself."""
    places: list[int] = []
    end = 0
    for match in re.finditer(r"\S+", sentence):
        if places:
            places.append(end)  # the one space before this word
        places += range(match.start(), match.end())
        end = match.end()
    return [*places, end]
