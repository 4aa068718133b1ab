"""Learners' slips put back into corrected essays: does a tagger take them for incoherence?

Experts judged essays whose grammar had been corrected, while a product reads what learners type.
From essays in both versions it is counted how often each word was typed as which other word, or
left out; words of other essays are then mistyped at the same rates, and their labels stay.
"""

from __future__ import annotations

import difflib
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import DamagedCorpus
from engine.research.data import AnnotatedEssay
from engine.research.readers.tables import read_text

_WORD = re.compile(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True)
class Slipped:
    """Essays with slips, and how many of their words were changed."""

    essays: list[AnnotatedEssay]
    words: int
    changed: int


@dataclass(frozen=True)
class Slips:
    """How often a word, lower-cased, was typed as what ("" where it was left out)."""

    typed: dict[str, Counter[str]]

    @classmethod
    def read(cls, path: Path) -> Slips:
        """Count the slips of essays in JSON lines with `original` and `corrected`.

        Raises DamagedCorpus naming the line that cannot be read.
        """
        typed: dict[str, Counter[str]] = {}
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
                before, after = str(data["corrected"]), str(data["original"])
            except (ValueError, KeyError, TypeError) as error:
                raise DamagedCorpus(
                    f"{path.name}, line {number}: no original and corrected text."
                ) from error
            for word, as_typed in _pairs(before, after):
                typed.setdefault(word, Counter())[as_typed] += 1
        return cls(typed)

    def put_into(self, essays: Sequence[AnnotatedEssay], *, seed: int) -> Slipped:
        """The essays as learners may have typed them; the same seed makes the same slips."""
        chooser = random.Random(seed)  # noqa: S311  (no secret)
        slipped, words, changed = [], 0, 0
        for essay in essays:
            sentences = []
            for sentence in essay.sentences:
                text, said, slips = self._type(sentence, chooser)
                sentences.append(text)
                words, changed = words + said, changed + slips
            slipped.append(replace(essay, sentences=tuple(sentences)))
        return Slipped(slipped, words, changed)

    def _type(self, sentence: str, chooser: random.Random) -> tuple[str, int, int]:
        pieces: list[str] = []
        at = said = slips = 0
        for match in _WORD.finditer(sentence):
            word = match.group()
            options = self.typed.get(word.lower())
            said += 1
            if options is None:
                continue
            (chosen,) = chooser.choices(list(options), weights=list(options.values()))
            if chosen == word.lower():
                continue
            slips += 1
            written = chosen.capitalize() if word[:1].isupper() and match.start() == 0 else chosen
            pieces += (sentence[at : match.start()], written)
            at = match.end()
        text = "".join([*pieces, sentence[at:]])
        return (re.sub(r"\s{2,}", " ", text).strip() or sentence), said, slips


def _pairs(corrected: str, original: str) -> list[tuple[str, str]]:
    """Each corrected word with what was typed for it; stretches that were reworded are left out."""
    new = [word.lower() for word in _WORD.findall(corrected)]
    old = [word.lower() for word in _WORD.findall(original)]
    found: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(None, new, old, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and i2 - i1 == j2 - j1):
            found += zip(new[i1:i2], old[j1:j2], strict=True)
        elif kind == "delete" and i2 - i1 == 1:
            found.append((new[i1], ""))
    return found
