"""What the edit head learns: the labels that turn flagged sentences into their rewrites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.research.data import TrainingEssay, TrainingSentence
from engine.tagger.edit_labels import (
    KEEP,
    OTHER,
    PLAIN,
    first_tokens,
    labels_between,
    word_spans,
)
from engine.tagger.inputs import PIECE_TOKENS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LEAST_COUNT = 4
"""A change seen more rarely than this in all rewrites has no label of its own."""


@dataclass(frozen=True, slots=True)
class EditTarget:
    """The label (its number) of the word that begins at a token of the sentence."""

    token: int
    label: int


def kept_rewrite(sentence: TrainingSentence) -> str | None:
    """The rewrite that keeps the sentence: of a deletion its alternative; None without one."""
    return sentence.alternative if sentence.delete else sentence.rewrite


def edit_vocabulary(essays: Iterable[TrainingEssay]) -> tuple[str, ...]:
    """All labels: the plain ones, then those of frequent changes, the most frequent first."""
    counts: Counter[str] = Counter()
    for essay in essays:
        for sentence in essay.sentences:
            rewrite = kept_rewrite(sentence)
            if rewrite:
                counts.update(labels_between(sentence.text, rewrite))
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return PLAIN + tuple(
        label for label, count in frequent if count >= LEAST_COUNT and label not in PLAIN
    )


class EditTargets:
    """Finds the targets of a sentence in the words of one tokenizer."""

    def __init__(self, tokenizer: Tokenizer, labels: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._numbers = {label: number for number, label in enumerate(labels)}

    def of(self, sentence: TrainingSentence) -> tuple[EditTarget, ...]:
        """The labels of its words; empty where it has no rewrite that keeps it."""
        rewrite = kept_rewrite(sentence)
        if not rewrite:
            return ()
        labels = labels_between(sentence.text, rewrite)
        if all(label == KEEP for label in labels):
            return ()
        offsets = self._tokenizer.encode(sentence.text, add_special_tokens=False).offsets
        if len(offsets) > PIECE_TOKENS:  # read in pieces, none of which is the whole sentence
            return ()
        firsts = first_tokens(word_spans(sentence.text), offsets)
        return tuple(
            EditTarget(token, self._numbers.get(label, self._numbers[OTHER]))
            for token, label in zip(firsts, labels, strict=True)
            if token >= 0
        )
