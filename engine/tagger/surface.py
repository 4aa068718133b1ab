"""What can be seen of a sentence without a model: its opening words, length and place.

Experts' reasons follow the opening words closely (DECOR, section 3): a sentence that opens with
"But" or "So" is mostly marked R3, whatever else it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

_FEWEST_REPEATED = 5
_OPENING = 4
_POINTERS = frozenset("it its they them their this these those also too another such both".split())
_OPENING_POINTERS = frozenset("he she him her his that so each".split())
"""Further on these mostly point to what the sentence itself says: "my cousin has a car which he"."""
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")

OPENINGS: tuple[tuple[str, str], ...] = (
    ("but", r"but\b"),
    ("so", r"so\b(?! (?:that|much|many|far|called)\b)"),
    ("and", r"and\b"),
    ("or", r"or\b"),
    ("because", r"because\b"),
    ("also", r"also\b"),
    ("then", r"then\b"),
    ("besides", r"besides\b"),
    ("example", r"for (?:example|instance)\b|such as\b|like\b|e\.g\."),
    ("contrast", r"however\b|nevertheless\b|on the (?:other hand|contrary)\b|in contrast\b"),
    ("result", r"therefore\b|thus\b|hence\b|as a (?:result|consequence)\b|consequently\b"),
    ("addition", r"moreover\b|furthermore\b|in addition\b|additionally\b|what is more\b"),
    ("order", r"first(?:ly)?\b|second(?:ly)?\b|third(?:ly)?\b|finally\b|last(?:ly)?\b|next\b"),
    (
        "conclusion",
        r"in conclusion\b|to conclude\b|to sum up\b|in (?:short|summary)\b|all in all\b",
    ),
    ("emphasis", r"in fact\b|indeed\b|actually\b|of course\b|anyway\b|well\b|now\b"),
    ("opinion", r"(?:in my opinion|i (?:think|believe|agree|disagree|feel)|personally)\b"),
    ("i", r"(?:i|my|me)\b"),
    ("you", r"(?:you|your)\b"),
    ("we", r"(?:we|our|us)\b"),
    ("they", r"(?:they|their|them|he|she|his|her)\b"),
    ("it", r"(?:it|its)\b"),
    ("this", r"(?:this|that|these|those)\b"),
    ("there", r"there (?:is|are|was|were)\b"),
    ("condition", r"(?:if|when|while|although|even)\b"),
)
"""Names of opening flags and the lower-case pattern that a sentence begins with."""

_PATTERNS = tuple(re.compile(pattern) for _, pattern in OPENINGS)

FEATURES: tuple[str, ...] = (
    *(f"opens with {name}" for name, _ in OPENINGS),
    "words (log)",
    "place in the essay",
    "second sentence",
    "last sentence",
    "sentences (log)",
    "question",
    "mentions you",
    "shared words with the sentence before",
    "shared words with all before",
    "shared words with the topic",
    "new words",
)


def surface_features(sentences: Sequence[str], topic: str) -> FloatArray:
    """One row a sentence, one column a name in `FEATURES`; values from 0 to about 3."""
    words = [_content(sentence) for sentence in sentences]
    topic_words = _content(topic)
    seen: set[str] = set()
    rows = []
    for index, sentence in enumerate(sentences):
        opening = sentence.lower().lstrip(" \"'“‘([")
        flags = [float(bool(pattern.match(opening))) for pattern in _PATTERNS]
        before = words[index - 1] if index else set()
        rows.append(
            [
                *flags,
                np.log1p(len(sentence.split())) / 3.0,
                index / max(len(sentences) - 1, 1),
                float(index == 1),
                float(index == len(sentences) - 1),
                np.log(len(sentences)) / 3.0,
                float(sentence.rstrip(" \"'”’)").endswith("?")),
                float(" you" in f" {opening}"),
                _share(words[index], before),
                _share(words[index], seen),
                _share(words[index], topic_words),
                len(words[index] - seen) / 20.0,
            ]
        )
        seen |= words[index]
    return np.array(rows, dtype=np.float32).reshape(len(sentences), len(FEATURES))


def repeats(sentences: Sequence[str]) -> set[int]:
    """The sentences that say word for word what an earlier one says.

    Not the last two, which may restate the essay's claim, nor those of few words.
    """
    seen: set[tuple[str, ...]] = set()
    found = set()
    for index, sentence in enumerate(sentences):
        words = tuple(_WORD.findall(sentence.lower()))
        if len(words) < _FEWEST_REPEATED:
            continue
        if words in seen and index < len(sentences) - 2:
            found.add(index)
        seen.add(words)
    return found


def points_back(sentence: str) -> bool:
    """Whether it takes up something with a pronoun or adds to it, or is very short."""
    words = _WORD.findall(sentence.lower())
    if len(words) < _FEWEST_REPEATED or _POINTERS & set(words):
        return True
    return bool(_OPENING_POINTERS & set(words[:_OPENING]))


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / len(words) if words else 0.0


def _content(text: str) -> set[str]:
    """Words of four letters or more, cut to their first six, which joins most inflections."""
    return {word[:6] for word in _WORD.findall(text.lower()) if len(word) > 3}
