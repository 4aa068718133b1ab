"""Training examples: windows of token ids with the targets of the sentences that they judge."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from engine.research.data import TrainingEssay
from engine.research.training.teacher import token_nats
from engine.scheme import CODES
from engine.tagger.inputs import PAD_ID, Window, plan_windows, token_ids

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FloatArray = NDArray[np.float32]
UNKNOWN = -1
"""A target that is not given: reason or anchor of a sentence without one."""


@dataclass(frozen=True)
class Targets:
    """What is known of one sentence; `probability` is NaN where nothing is (the opening)."""

    probability: float
    reason: int
    anchor: int


@dataclass(frozen=True)
class Example:
    """One window, its sentences' targets by sentence index, and the nats of its tokens (NaN: none)."""

    window: Window
    targets: tuple[Targets, ...]
    nats: FloatArray


@dataclass
class Batch:
    """Padded windows and flat targets of the sentences they hold.

    `rows` names the window of each sentence, `anchors` the flat index of the earlier sentence
    (UNKNOWN where none is known), `nats` (batch, tokens) with NaN where not taught.
    """

    tokens: torch.Tensor
    mask: torch.Tensor
    pooling: torch.Tensor
    rows: torch.Tensor
    probabilities: torch.Tensor
    reasons: torch.Tensor
    anchors: torch.Tensor
    nats: torch.Tensor

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        return Batch(**{name: value.to(device) for name, value in vars(self).items()})


def targets_of(essay: TrainingEssay) -> tuple[Targets, ...]:
    """The soft targets of an essay's sentences."""
    found = []
    for sentence in essay.sentences:
        probability = float("nan") if sentence.p_incoherent is None else sentence.p_incoherent
        reason = CODES.index(sentence.reasons[0]) if sentence.reasons else UNKNOWN
        anchor = UNKNOWN if sentence.anchor is None else sentence.anchor
        found.append(Targets(probability, reason, anchor))
    return tuple(found)


def make_examples(
    tokenizer: Tokenizer, essay: TrainingEssay, characters: Sequence[FloatArray] | None
) -> list[Example]:
    """The windows of one essay with their targets; `characters` are the teacher's nats."""
    texts = [sentence.text for sentence in essay.sentences]
    topic = token_ids(tokenizer, [essay.topic])[0] if essay.topic else ()
    windows = plan_windows(topic, token_ids(tokenizer, texts))
    targets = targets_of(essay)
    per_sentence = _sentence_nats(tokenizer, texts, characters)
    return [Example(window, targets, _window_nats(window, per_sentence)) for window in windows]


def _sentence_nats(
    tokenizer: Tokenizer, texts: Sequence[str], characters: Sequence[FloatArray] | None
) -> list[FloatArray] | None:
    if characters is None:
        return None
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [
        token_nats(encoding.offsets, nats)
        for encoding, nats in zip(encodings, characters, strict=True)
    ]


def _window_nats(window: Window, per_sentence: list[FloatArray] | None) -> FloatArray:
    nats = np.full(len(window.tokens), np.nan, dtype=np.float32)
    if per_sentence is None:
        return nats
    used: dict[int, int] = {}
    for place in window.places:
        length = place.end - place.start
        at = used.get(place.sentence, 0)
        taught = per_sentence[place.sentence][at : at + length]
        if place.sentence and len(taught) == length:
            nats[place.start : place.end] = taught
        used[place.sentence] = at + length
    return nats


def collate(examples: Sequence[Example]) -> Batch:
    """Pad windows into one batch; only judged sentences carry targets."""
    longest = max(len(example.window.tokens) for example in examples)
    tokens = torch.full((len(examples), longest), PAD_ID, dtype=torch.long)
    nats = torch.full((len(examples), longest), float("nan"))
    pooled: list[tuple[int, list[int]]] = []
    probabilities, reasons, anchors = [], [], []
    for row, example in enumerate(examples):
        length = len(example.window.tokens)
        tokens[row, :length] = torch.tensor(example.window.tokens)
        nats[row, :length] = torch.from_numpy(example.nats)
        local: dict[int, int] = {}
        for place in example.window.places:
            positions = [row * longest + at for at in range(place.start, place.end)]
            if place.sentence in local:
                pooled[local[place.sentence]][1].extend(positions)
                continue
            local[place.sentence] = len(pooled)
            pooled.append((row, positions))
            target = example.targets[place.sentence]
            probabilities.append(target.probability if place.judged else float("nan"))
            reasons.append(target.reason if place.judged else UNKNOWN)
            anchors.append(local.get(target.anchor, UNKNOWN) if place.judged else UNKNOWN)
    return Batch(
        tokens=tokens,
        mask=(tokens != PAD_ID).long(),
        pooling=_pooling([positions for _, positions in pooled], len(examples) * longest),
        rows=torch.tensor([row for row, _ in pooled]),
        probabilities=torch.tensor(probabilities),
        reasons=torch.tensor(reasons),
        anchors=torch.tensor(anchors),
        nats=nats,
    )


def _pooling(positions: Sequence[Sequence[int]], width: int) -> torch.Tensor:
    matrix = torch.zeros(len(positions), width)
    for row, places in enumerate(positions):
        matrix[row, list(places)] = 1.0 / len(places)
    return matrix


def batches(
    examples: Sequence[Example], size: int, *, seed: int, epoch: int
) -> Iterator[list[Example]]:
    """Batches of windows of like length, in an order that depends on seed and epoch only."""
    chooser = random.Random(f"{seed}-{epoch}")  # noqa: S311  (an order, not a secret)
    order = list(examples)
    chooser.shuffle(order)
    order.sort(key=lambda example: len(example.window.tokens) // 48)
    chunks = [order[at : at + size] for at in range(0, len(order), size)]
    chooser.shuffle(chunks)
    yield from chunks
