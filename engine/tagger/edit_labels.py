"""Edits as labels of words: how the encoder says what it would change in a flagged sentence.

Each word of a sentence has one label, after GECToR (Omelianchuk et al. 2020, section 3): keep it,
delete it, replace it by a phrase, append a phrase to it, or prepend one to the first word. Labels
know no capitals; the first word's label holds whatever comes before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from engine.errors import ModelError

KEEP, DELETE, OTHER = "keep", "delete", "other"
"""OTHER marks a change whose words are too rare for a label of their own."""
PLAIN = (KEEP, DELETE, OTHER)
REPLACE, APPEND, PREPEND = "replace:", "append:", "prepend:"

LABELS_FILE = "edit-labels.json"
"""The labels of a model folder, in the order of the edit head's outputs."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]|_+")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Half-open places of the words and punctuation marks of a text, in code points."""
    return [match.span() for match in _WORD.finditer(text)]


def first_tokens(spans: Sequence[tuple[int, int]], offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each word, the index of the token that begins where it begins; -1 where none does."""
    starts: dict[int, int] = {}
    for number, (start, end) in enumerate(offsets):
        if end > start:
            starts.setdefault(start, number)
    return [starts.get(start, -1) for start, _ in spans]


def labels_between(old: str, new: str) -> list[str]:
    """The label of each word of `old` that together turn it into `new`, capitals aside."""
    before = [word.casefold() for word in _WORD.findall(old)]
    after = [word.casefold() for word in _WORD.findall(new)]
    labels = [KEEP] * len(before)
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for kind, begin, end, new_begin, new_end in blocks:
        phrase = " ".join(after[new_begin:new_end])
        if kind == "delete":
            labels[begin:end] = [DELETE] * (end - begin)
        elif kind == "replace":
            labels[begin:end] = [REPLACE + phrase, *[DELETE] * (end - begin - 1)]
        elif kind == "insert" and begin == 0 and labels:
            labels[0] = PREPEND + phrase
        elif kind == "insert" and begin > 0:
            labels[begin - 1] = _with_more(labels[begin - 1], before[begin - 1], phrase)
    return labels


def _with_more(label: str, word: str, phrase: str) -> str:
    """The label of a word that already has one, with a phrase appended."""
    if label == KEEP:
        return APPEND + phrase
    if label.startswith(PREPEND):
        return f"{REPLACE}{label.removeprefix(PREPEND)} {word} {phrase}"
    return OTHER


def write_labels(path: Path, labels: Sequence[str]) -> None:
    """Write the labels as JSON, in order."""
    path.write_text(json.dumps(list(labels), indent=0, ensure_ascii=False), encoding="utf-8")


def read_labels(path: Path) -> tuple[str, ...]:
    """Read back what `write_labels` wrote. Raises ModelError where the file is not that."""
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"The model file {path.name} cannot be read.") from error
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ModelError(f"The model file {path.name} is damaged.")
    return tuple(labels)
