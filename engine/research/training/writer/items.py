"""What the writer learns from: sentences, what stands before them, and their minimal rewrites."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.llm.prompts import can_be_quoted, flat
from engine.research.data import TrainingEssay, TrainingSentence
from engine.research.rewrites.edits import changed_word_ratio, token_edits
from engine.scheme import ReasonCode


@dataclass(frozen=True, slots=True)
class WriterItem:
    """One sentence to edit.

    `context` holds all sentences before it, `anchor` is an index in it. `keeps` says that the
    annotator would rather delete the sentence and `answer` is the way to keep it.
    """

    essay_id: str
    topic: str
    context: tuple[str, ...]
    sentence: str
    reason: ReasonCode | None
    anchor: int | None
    answer: str
    keeps: bool

    @property
    def changed(self) -> float:
        """The share of the sentence's words that the answer changes."""
        return changed_word_ratio(self.sentence, self.answer)


def writer_items(essays: Iterable[TrainingEssay]) -> list[WriterItem]:
    """Every rewrite that keeps its sentence and changes something, in file order.

    What a prompt cannot quote word for word is left out.
    """
    found = []
    for essay in essays:
        for index, sentence in enumerate(essay.sentences):
            item = _item(essay, index, sentence)
            if item is not None:
                found.append(item)
    return found


def _item(essay: TrainingEssay, index: int, sentence: TrainingSentence) -> WriterItem | None:
    answer = sentence.alternative if sentence.delete else sentence.rewrite
    if index == 0 or answer is None or not answer.strip():
        return None
    if not token_edits(sentence.text, answer):
        return None
    if not can_be_quoted(flat(sentence.text)) or not can_be_quoted(flat(answer)):
        return None
    return WriterItem(
        essay_id=essay.essay_id,
        topic=essay.topic,
        context=tuple(before.text for before in essay.sentences[:index]),
        sentence=sentence.text,
        reason=sentence.reasons[0] if sentence.reasons else None,
        anchor=sentence.anchor,
        answer=answer,
        keeps=sentence.delete,
    )


def divide(
    items: Sequence[WriterItem], *, share: float, seed: int
) -> tuple[list[WriterItem], list[WriterItem]]:
    """Items to train on, and those of a random `share` of the essays, which are held out.

    At least one essay is held out, and at least one is not, if there are two.
    """
    names = sorted({item.essay_id for item in items})
    random.Random(seed).shuffle(names)  # noqa: S311 - nothing secret
    count = min(max(1, round(share * len(names))), len(names) - 1)
    kept_back = set(names[:count])
    return (
        [item for item in items if item.essay_id not in kept_back],
        [item for item in items if item.essay_id in kept_back],
    )


def small_enough(items: Iterable[WriterItem], most_changed: float) -> list[WriterItem]:
    """The items whose answer changes at most this share of the words."""
    return [item for item in items if item.changed <= most_changed]


def sample(items: Sequence[WriterItem], count: int, *, seed: int) -> list[WriterItem]:
    """A random choice of at most `count` items, in their order."""
    if len(items) <= count:
        return list(items)
    chosen = random.Random(seed).sample(range(len(items)), count)  # noqa: S311 - nothing secret
    return [items[place] for place in sorted(chosen)]
