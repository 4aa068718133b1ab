"""Discourse markers that open sentences: what each one signals and how formal it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from engine.rewriter.vocabulary import POSSESSIVES, PRONOUNS
from engine.rewriter.wording import opening_length


class Relation(StrEnum):
    """What a marker says about how its sentence follows from the text before."""

    CONTRAST = "contrast"
    RESULT = "result"
    ADDITION = "addition"
    EXAMPLE = "example"
    ORDER = "order"
    CONCLUSION = "conclusion"
    EMPHASIS = "emphasis"
    RESTATEMENT = "restatement"
    CAUSE = "cause"
    SIMILARITY = "similarity"
    SHIFT = "shift"


class Register(StrEnum):
    """Whether a marker suits an academic essay."""

    FORMAL = "formal"
    INFORMAL = "informal"


@dataclass(frozen=True, slots=True)
class Marker:
    """A discourse marker, lower-cased. `bare` ones need no comma to be recognised."""

    text: str
    relation: Relation
    register: Register = Register.FORMAL
    bare: bool = False


@dataclass(frozen=True, slots=True)
class OpeningMarker:
    """A marker found at the start of a sentence.

    `start` is where it begins; `body` is where the words after it and its comma begin; `has_comma`
    says whether a comma follows it.
    """

    marker: Marker
    start: int
    end: int
    body: int
    has_comma: bool

    def as_written(self, sentence: str) -> str:
        """The marker with the writer's own capitals."""
        return sentence[self.start : self.end]


_FORMAL: dict[Relation, str] = {
    Relation.CONTRAST: (
        "however|nevertheless|nonetheless|on the other hand|in contrast|by contrast|conversely|"
        "on the contrary|instead|rather|even so|despite this|in spite of this|otherwise"
    ),
    Relation.RESULT: (
        "therefore|as a result|consequently|thus|hence|accordingly|for this reason|"
        "for these reasons|as a consequence|because of this|in this way|in that case"
    ),
    Relation.ADDITION: (
        "moreover|furthermore|in addition|additionally|what is more|also|besides this|"
        "in addition to this|another point is that|further"
    ),
    Relation.EXAMPLE: (
        "for example|for instance|as an example|to illustrate|in particular|specifically|"
        "to give an example"
    ),
    Relation.ORDER: (
        "first|second|third|firstly|secondly|thirdly|first of all|in the first place|"
        "to begin with|next|finally|lastly|last|fourth|second of all|last but not least|"
        "at first|then|after that|on the one hand|on one hand"
    ),
    Relation.CONCLUSION: (
        "in conclusion|to conclude|in summary|to sum up|in short|overall|all in all|"
        "to summarize|on the whole|in brief|as a conclusion"
    ),
    Relation.EMPHASIS: "in fact|indeed|of course|certainly|clearly|obviously|as a matter of fact",
    Relation.RESTATEMENT: "in other words|that is|that is to say|to put it differently",
    Relation.CAUSE: "this is because",
    Relation.SIMILARITY: "similarly|likewise|in the same way|equally",
}
_INFORMAL: dict[Relation, str] = {
    Relation.CONTRAST: "but|but then|still|yet|but still|on the opposite",
    Relation.RESULT: "so|and so|that's why|that is why|because of that|so that|so then",
    Relation.ADDITION: "and|and also|besides|plus|and then|and besides|what's more",
    Relation.EXAMPLE: "like|let's say|i mean|for exemple|for e.g",
    Relation.CONCLUSION: "so in conclusion|last of all|in the end|so finally|to cut it short",
    Relation.EMPHASIS: "actually|basically|really|honestly|frankly|surely",
    Relation.SHIFT: "anyway|anyways|well|ok|okay|by the way|anyhow|you know|well then|oh|yeah",
}
_BARE = frozenset(
    [
        "but",
        "and",
        "so",
        "however",
        "therefore",
        "moreover",
        "furthermore",
        "thus",
        "hence",
        "consequently",
        "nevertheless",
        "on the other hand",
        "in addition",
        "additionally",
        "for example",
        "for instance",
        "as a result",
        "in conclusion",
        "on the contrary",
        "first of all",
        "secondly",
        "firstly",
        "thirdly",
        "in fact",
        "of course",
        "in other words",
        "that's why",
        "that is why",
        "this is because",
        "and also",
        "for this reason",
        "in short",
        "to conclude",
        "to sum up",
        "all in all",
        "and so",
        "by the way",
        "anyway",
        "besides",
        "but still",
        "but then",
        "as a consequence",
        "lastly",
        "finally",
        "what is more",
    ]
)


def _build() -> tuple[Marker, ...]:
    rows = [
        Marker(text, relation, register, text in _BARE)
        for table, register in ((_FORMAL, Register.FORMAL), (_INFORMAL, Register.INFORMAL))
        for relation, texts in table.items()
        for text in texts.split("|")
    ]
    return tuple(sorted(rows, key=lambda marker: -len(marker.text)))


MARKERS: tuple[Marker, ...] = _build()
BY_TEXT: dict[str, Marker] = {marker.text: marker for marker in MARKERS}

STANDARD: dict[Relation, tuple[str, ...]] = {
    Relation.CONTRAST: (
        "However", "On the other hand", "In contrast", "Nevertheless", "Nonetheless", "Even so",
    ),
    Relation.RESULT: (
        "Therefore", "As a result", "For this reason", "Consequently", "As a consequence", "Thus",
    ),
    Relation.ADDITION: (
        "Moreover", "In addition", "Furthermore", "Additionally", "What is more", "Besides this",
    ),
    Relation.EXAMPLE: ("For example", "For instance", "To illustrate", "To give an example"),
    Relation.CONCLUSION: ("In conclusion", "To conclude", "In summary", "To sum up", "In short"),
    Relation.EMPHASIS: ("In fact", "Indeed", "Of course"),
    Relation.RESTATEMENT: ("In other words", "To put it differently"),
    Relation.SIMILARITY: ("Similarly", "In the same way", "Likewise"),
}  # fmt: skip
"""What to write for each relation: formal, and the labels' favourites first, as counted in
`resources/markers/metrics.json`. The later ones take turns where an essay leans on the first."""

_NOT_AFTER: dict[str, frozenset[str]] = {
    "so": frozenset(
        "many much far long as called few little do does did am is are was were have has had can "
        "could will would should must may might".split()
    ),
    "however": frozenset(["much", "many", "hard", "long", "good", "big", "small", "difficult"]),
    "but": frozenset({"for"}),
    "thus": frozenset({"far"}),
}
_NUMBERED = re.compile(
    r"(?:the |my |a |an )?(?:(?:first|second|third|fourth|last|final|next|another|other|main|one)"
    r"(?: (?:important|big|good|main|great|major|strong))?) "
    r"(?:reason|benefit|advantage|disadvantage|point|argument|problem|effect|cause|factor|aspect)"
    r"\b",
    re.IGNORECASE,
)
_COMMA_ONLY = frozenset({"like", "last", "that is", "also", "rather", "further", "then", "still"})
_PATTERN = re.compile(
    "(" + "|".join(re.escape(m.text).replace("'", "['’]") for m in MARKERS) + r")(?![\w'’-])",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*([,;:]?)(\s*)")
_NEXT_WORD = re.compile(r"[\w'’]+")


@lru_cache(maxsize=4096)
def opening_marker(sentence: str) -> OpeningMarker | None:
    """The discourse marker that opens the sentence, or None.

    Words that may be something else ("So many", "First impressions", "Besides the cost") count
    only before a comma or before a word that can start a clause.
    """
    start = opening_length(sentence)
    for found in _candidates(sentence, start):
        marker, end = found
        after = _AFTER.match(sentence, end)
        body = after.end() if after else end
        comma = bool(after and after.group(1))
        if body < len(sentence) and (comma or _reads_as_marker(marker, sentence, body)):
            return OpeningMarker(marker, start, end, body, comma)
    return None


def _candidates(sentence: str, start: int) -> list[tuple[Marker, int]]:
    """Markers at `start`, longest first."""
    match = _PATTERN.match(sentence, start)
    if match is None:
        return []
    parts = match.group(1).lower().replace("’", "'").split(" ")
    shorter = (" ".join(parts[:count]) for count in range(len(parts), 0, -1))
    return [(BY_TEXT[text], start + len(text)) for text in shorter if text in BY_TEXT]


def _reads_as_marker(marker: Marker, sentence: str, body: int) -> bool:
    word = _NEXT_WORD.match(sentence, body)
    following = word.group().lower().replace("’", "'") if word else ""
    if marker.text in _COMMA_ONLY:
        return False
    if marker.text == "besides" or not marker.bare:
        # "Besides my work" and "First impressions" are no markers; "First I went" is.
        return following in PRONOUNS - POSSESSIVES
    return following not in _NOT_AFTER.get(marker.text, frozenset())


def numbers_its_point(sentence: str) -> bool:
    """Whether the sentence opens a point of a list in full words: "The second benefit is ..."."""
    return _NUMBERED.match(sentence, opening_length(sentence)) is not None


def without_marker(sentence: str) -> str:
    """The sentence's words after its opening marker, capitals untouched."""
    found = opening_marker(sentence)
    return sentence[found.body :] if found else sentence[opening_length(sentence) :]
