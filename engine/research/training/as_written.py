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
from dataclasses import replace
from pathlib import Path

from engine.errors import DamagedCorpus
from engine.research.data import TrainingEssay
from engine.research.readers.tables import read_text

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_ENDS = frozenset(".!?")
_FEWEST_WORDS_SHARED = 0.5
"""Less alike than this, two versions are taken for different essays."""


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


def as_written(
    essays: Sequence[TrainingEssay], originals: Mapping[str, str]
) -> list[TrainingEssay]:
    """Those of the essays whose original is known, as typed: same sentences, same labels."""
    found = (_laid_beside(e, originals[e.essay_id]) for e in essays if e.essay_id in originals)
    return [one for one in found if one is not None]


def _laid_beside(essay: TrainingEssay, original: str) -> TrainingEssay | None:
    corrected = " ".join(sentence.text for sentence in essay.sentences)
    new = list(_TOKEN.finditer(corrected))
    old = list(_TOKEN.finditer(original))
    matcher = difflib.SequenceMatcher(
        None, [m.group().lower() for m in new], [m.group().lower() for m in old], autojunk=False
    )
    if not new or not old or matcher.ratio() < _FEWEST_WORDS_SHARED:
        return None
    typed_for = _typed_for(matcher, [match.group() for match in new])
    sentences = []
    start = token = 0
    for sentence in essay.sentences:
        end = start + len(sentence.text)
        first = token
        while token < len(new) and new[token].start() < end:
            token += 1
        span = [at for number in range(first, token) for at in typed_for[number]]
        if not span:
            return None
        typed = original[old[span[0]].start() : old[span[-1]].end()]
        sentences.append(replace(sentence, text=" ".join(typed.split())))
        start = end + 1
    return replace(essay, sentences=tuple(sentences))


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
