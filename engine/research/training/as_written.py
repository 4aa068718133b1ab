"""Essays as their writers typed them: slips and all, with the labels of the corrected text.

Experts judged text whose grammar had been corrected, and slips alone are no incoherence. A tagger
that has seen nothing but corrected text takes each slip for a break of the flow. The corpus gives
both versions of 759 essays: word by word they are laid side by side, so that every labelled
sentence is found again as it was typed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import DamagedCorpus
from engine.research.data import TrainingEssay
from engine.research.readers.tables import read_text

FloatArray = NDArray[np.float32]
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_ENDS = frozenset(".!?")
_FEWEST_WORDS_SHARED = 0.5
"""Less alike than this, two versions are taken for different essays."""


@dataclass(frozen=True)
class AsWritten:
    """An essay as typed, and for each character of each sentence its place in the corrected one.

    `places` holds one array a sentence: the index of the corrected sentence's character that each
    typed character stands for.
    """

    essay: TrainingEssay
    places: tuple[NDArray[np.intp], ...]

    def nats(self, corrected: Sequence[FloatArray] | None) -> list[FloatArray] | None:
        """What a language model says of the corrected text, spread over the typed one.

        A slip is no surprise: what is learned is how surprising the sentence is without it.
        """
        if corrected is None:
            return None
        return [values[at] for values, at in zip(corrected, self.places, strict=True)]


def read_originals(path: Path) -> dict[str, str]:
    """The text as typed by essay id, from JSON lines with `essay_id` and `original`.

    Raises DamagedCorpus naming the line that cannot be read.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            found[str(data["essay_id"])] = str(data["original"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedCorpus(
                f"{path.name}, line {number}: no essay with an id and an original text."
            ) from error
    return found


def as_written(essays: Sequence[TrainingEssay], originals: Mapping[str, str]) -> list[AsWritten]:
    """Those of the essays whose original is known and can be laid beside them, in order."""
    found = (_laid_beside(e, originals[e.essay_id]) for e in essays if e.essay_id in originals)
    return [one for one in found if one is not None]


def _laid_beside(essay: TrainingEssay, original: str) -> AsWritten | None:
    texts = [sentence.text for sentence in essay.sentences]
    corrected = " ".join(texts)
    new = list(_TOKEN.finditer(corrected))
    old = list(_TOKEN.finditer(original))
    matcher = difflib.SequenceMatcher(
        None, [m.group().lower() for m in new], [m.group().lower() for m in old], autojunk=False
    )
    if not new or not old or matcher.ratio() < _FEWEST_WORDS_SHARED:
        return None
    typed_for = _typed_for(matcher, [match.group() for match in new])
    sentences, places = [], []
    start = token = 0
    for sentence in essay.sentences:
        end = start + len(sentence.text)
        first = token
        while token < len(new) and new[token].start() < end:
            token += 1
        span = [at for number in range(first, token) for at in typed_for[number]]
        if not span:
            return None
        text, at = _typed(original, old, span, new[first:token], typed_for[first:token], start)
        sentences.append(replace(sentence, text=text))
        places.append(np.minimum(at, len(sentence.text) - 1))
        start = end + 1
    return AsWritten(replace(essay, sentences=tuple(sentences)), tuple(places))


def _typed_for(matcher: difflib.SequenceMatcher[str], new: Sequence[str]) -> list[list[int]]:
    """For each corrected token the typed tokens that it stands for, in order, none twice."""
    found: list[list[int]] = [[] for _ in new]
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "delete":
            continue
        if kind == "insert":
            # What was taken out stood after the word before it, or began the next sentence.
            begins = i1 == 0 or (new[i1 - 1] in _ENDS and i1 < len(new))
            found[i1 if begins else i1 - 1].extend(range(j1, j2))
            continue
        for at in range(j1, j2):
            share = (at - j1) * (i2 - i1) // (j2 - j1)
            found[i1 + share].append(at)
    return found


def _typed(
    original: str,
    old: Sequence[re.Match[str]],
    span: Sequence[int],
    new: Sequence[re.Match[str]],
    typed_for: Sequence[Sequence[int]],
    start: int,
) -> tuple[str, NDArray[np.intp]]:
    """The typed text from the first to the last token of `span`, and its places in the sentence."""
    begin, end = old[span[0]].start(), old[span[-1]].end()
    text = " ".join(original[begin:end].split())
    places = np.full(end - begin, -1, dtype=np.intp)
    for match, typed in zip(new, typed_for, strict=True):
        for at in typed:
            word = old[at]
            length = len(match.group())
            for offset in range(len(word.group())):
                place = match.start() - start + offset * length // len(word.group())
                places[word.start() - begin + offset] = place
    return text, _filled(places, original[begin:end], len(text))


def _filled(places: NDArray[np.intp], typed: str, length: int) -> NDArray[np.intp]:
    """The places of `typed` once its white space is squeezed: gaps take the place before them."""
    kept, last, was_space = [], 0, False
    for character, place in zip(typed, places, strict=True):
        last = int(place) if place >= 0 else last
        is_space = character.isspace()
        if not (is_space and was_space):
            kept.append(last)
        was_space = is_space
    return np.array(kept[:length], dtype=np.intp)
