"""The edit head: which changes would mend a sentence, read off the states of its words."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.analysis import LikelyEdit
from engine.errors import ModelError
from engine.tagger.edit_labels import (
    APPEND,
    DELETE,
    LABELS_FILE,
    PLAIN,
    PREPEND,
    REPLACE,
    first_tokens,
    read_labels,
    word_spans,
)
from engine.tagger.heads import softmax

FloatArray = NDArray[np.float32]

MOST_EDITS = 8
LEAST_CHANCE = 0.02
"""A change less likely than this is not worth a reading of the essay."""
_GOES_ALONG = 0.5
"""Words after a replaced one that are deleted with it."""
_DELETED = 0.25
_NO_SPACE_BEFORE = frozenset(",.;:!?)")


class EditHead:
    """A linear layer from states (width) to labels, and what its labels mean."""

    def __init__(self, weight: FloatArray, bias: FloatArray, labels: Sequence[str]) -> None:
        self._weight = weight
        self._bias = bias
        self._labels = tuple(labels)
        self._delete = self._labels.index(DELETE)

    @classmethod
    def load(cls, folder: Path) -> EditHead | None:
        """The head of a model folder; None where the model has none.

        Raises ModelError where its files do not fit together.
        """
        if not (folder / LABELS_FILE).exists():
            return None
        labels = read_labels(folder / LABELS_FILE)
        try:
            with np.load(folder / "heads.npz", allow_pickle=False) as stored:
                weight = stored["edits_weight"].astype(np.float32)
                bias = stored["edits_bias"].astype(np.float32)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ModelError("The model file heads.npz cannot be read.") from error
        if weight.shape[-1] != len(labels) or not set(PLAIN) <= set(labels):
            raise ModelError(f"The model files {LABELS_FILE} and heads.npz do not fit together.")
        return cls(weight, bias, labels)

    def likely(
        self, states: FloatArray, text: str, offsets: Sequence[tuple[int, int]]
    ) -> tuple[LikelyEdit, ...]:
        """At most `MOST_EDITS` changes of the sentence, likeliest first.

        `states` (tokens, width) and `offsets` (code points) are those of the sentence's tokens.
        """
        spans = word_spans(text)
        known = [
            (span, token)
            for span, token in zip(spans, first_tokens(spans, offsets), strict=True)
            if token >= 0
        ]
        if not known:
            return ()
        chances = softmax(states[[token for _, token in known]] @ self._weight + self._bias)
        places = [span for span, _ in known]
        found = [*self._changes(chances, places), *self._deletions(chances, places, text)]
        found.sort(key=lambda edit: (-edit.chance, edit.start, edit.end, edit.new))
        return tuple(found[:MOST_EDITS])

    def _changes(
        self, chances: FloatArray, places: Sequence[tuple[int, int]]
    ) -> Iterator[LikelyEdit]:
        gone = chances[:, self._delete]
        for word, label_number in np.argwhere(chances >= LEAST_CHANCE):
            label = self._labels[label_number]
            chance = float(chances[word, label_number])
            start, end = places[word]
            if label.startswith(REPLACE):
                last = int(word)
                while last + 1 < len(places) and gone[last + 1] >= _GOES_ALONG:
                    last += 1
                new = phrase(label.removeprefix(REPLACE))
                yield LikelyEdit(start, places[last][1], new, chance)
            elif label.startswith(APPEND):
                new = phrase(label.removeprefix(APPEND))
                space = "" if new[0] in _NO_SPACE_BEFORE else " "
                yield LikelyEdit(end, end, space + new, chance)
            elif label.startswith(PREPEND) and word == 0:
                yield LikelyEdit(start, start, phrase(label.removeprefix(PREPEND)) + " ", chance)

    def _deletions(
        self, chances: FloatArray, places: Sequence[tuple[int, int]], text: str
    ) -> Iterator[LikelyEdit]:
        """Runs of words that are likely to go, with the space before them."""
        gone = chances[:, self._delete]
        word = 0
        while word < len(places):
            first = word
            while word < len(places) and gone[word] >= _DELETED:
                word += 1
            if word > first and word - first < len(places):
                start, end = places[first][0], places[word - 1][1]
                if first:
                    start = places[first - 1][1]
                else:
                    end += len(text[end:]) - len(text[end:].lstrip())
                mean = float(np.exp(np.log(gone[first:word]).mean()))
                yield LikelyEdit(start, end, "", mean)
            word = max(word, first + 1)


def phrase(words: str) -> str:
    """The words of a label as they are written: no space before a comma."""
    written = words
    for mark in _NO_SPACE_BEFORE:
        written = written.replace(f" {mark}", mark)
    return written
