"""The edit head, fitted on what ships: the exported encoder's states of the words of rewrites.

A word is kept nine times out of ten, so the head needs far more steps than the encoder does; on
states that are read once it gets them in seconds.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from engine.research.data import TrainingEssay
from engine.research.training.edit_targets import EditTargets, kept_rewrite
from engine.tagger.inputs import plan_windows, token_ids
from engine.tagger.network import Encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

log = logging.getLogger(__name__)

FloatArray = NDArray[np.float32]
EPOCHS = 6
BATCH = 512
RATE = 1e-3
DECAY = 0.05
HELD_OUT = 10
"""Every tenth essay shows which epoch is best."""


@dataclass(frozen=True)
class Words:
    """Words of rewritten sentences as rows.

    `states` (n, width) float16; `labels` (n,); `weights` (n,) the chance that the sentence is
    incoherent; `essays` (n,) numbers the essay.
    """

    states: NDArray[np.float16]
    labels: NDArray[np.int64]
    weights: FloatArray
    essays: NDArray[np.int64]


def read_words(
    tokenizer: Tokenizer, encoder: Encoder, targets: EditTargets, essays: Sequence[TrainingEssay]
) -> Words:
    """Have the encoder read every essay that has a rewrite."""
    states, rows = [], []
    for number, essay in enumerate(essays):
        found = [targets.of(sentence) for sentence in essay.sentences]
        texts = [sentence.text for sentence in essay.sentences]
        topic = token_ids(tokenizer, [essay.topic])[0] if essay.topic else ()
        for window in plan_windows(topic, token_ids(tokenizer, texts)):
            places = [place for place in window.places if place.judged and found[place.sentence]]
            hidden = encoder.hidden(window.tokens) if places else None
            for place in places:
                weight = essay.sentences[place.sentence].p_incoherent or 0.0
                for target in found[place.sentence]:
                    states.append(hidden[place.start + target.token].astype(np.float16))  # type: ignore[index]
                    rows.append((target.label, weight, number))
        if number % 100 == 0:
            log.info("words: %d of %d essays", number, len(essays))
    labels, weights, places_in = zip(*rows, strict=True) if rows else ((), (), ())
    return Words(
        np.stack(states) if states else np.zeros((0, 1), np.float16),
        np.array(labels, dtype=np.int64),
        np.array(weights, dtype=np.float32),
        np.array(places_in, dtype=np.int64),
    )


def has_rewrites(essays: Sequence[TrainingEssay]) -> bool:
    """Whether there is anything to learn edits from."""
    return any(kept_rewrite(sentence) for essay in essays for sentence in essay.sentences)


def save_words(words: Words, path: Path) -> None:
    """Write the words as .npz, in one step."""
    partial = path.with_suffix(".part.npz")
    np.savez(partial, **vars(words))
    partial.replace(path)


def load_words(path: Path) -> Words:
    """Read back what `save_words` wrote."""
    with np.load(path) as stored:
        return Words(**{name: stored[name] for name in Words.__dataclass_fields__})


def fit_edits(words: Words, count: int, *, seed: int) -> tuple[dict[str, Any], dict[str, float]]:
    """Weights of the edit head for `count` labels, and how it does on the essays held out.

    Softmax regression on standardized states, the epoch with the lowest loss on every tenth essay;
    the standardization is folded into the weights. Figures are shares of the held-out words that
    the annotators changed: "precision" and "recall" of the likeliest label where it is an edit.
    """
    torch.manual_seed(seed)
    states = torch.from_numpy(words.states.astype(np.float32))
    centre, spread = states.mean(dim=0), states.std(dim=0) + 1e-3
    states = (states - centre) / spread
    held = torch.from_numpy(words.essays % HELD_OUT == 0)
    labels, weights = torch.from_numpy(words.labels), torch.from_numpy(words.weights)
    layer = _blank_layer(states.shape[1], count, labels[~held])
    optimizer = torch.optim.AdamW(layer.parameters(), lr=RATE, weight_decay=DECAY)
    best, lowest = _copy(layer), float("inf")
    for epoch in range(EPOCHS):
        _one_epoch(layer, optimizer, states, labels, weights, torch.where(~held)[0])
        with torch.inference_mode():
            loss = float(_loss(layer, states, labels, weights, torch.where(held)[0]))
        log.info("edit head, epoch %d: loss %.4f on held-out essays", epoch, loss)
        if loss < lowest:
            best, lowest = _copy(layer), loss
    layer.load_state_dict(best)
    figures = {"loss": round(lowest, 4), **_figures(layer, states[held], labels[held])}
    weight = layer.weight.detach() / spread
    bias = layer.bias.detach() - weight @ centre
    return {"edits_weight": weight.T.numpy(), "edits_bias": bias.numpy()}, figures


def _blank_layer(width: int, count: int, labels: torch.Tensor) -> torch.nn.Linear:
    """A layer that knows how frequent the labels are and nothing else."""
    layer = torch.nn.Linear(width, count)
    counts = torch.bincount(labels, minlength=count) + 0.5
    with torch.no_grad():
        layer.weight.mul_(0.1)
        layer.bias.copy_(torch.log(counts / counts.sum()))
    return layer


def _one_epoch(
    layer: torch.nn.Linear,
    optimizer: torch.optim.Optimizer,
    states: torch.Tensor,
    labels: torch.Tensor,
    weights: torch.Tensor,
    rows: torch.Tensor,
) -> None:
    for chosen in rows[torch.randperm(len(rows))].split(BATCH):
        optimizer.zero_grad()
        _loss(layer, states, labels, weights, chosen).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def _loss(
    layer: torch.nn.Linear,
    states: torch.Tensor,
    labels: torch.Tensor,
    weights: torch.Tensor,
    rows: torch.Tensor,
) -> torch.Tensor:
    each = functional.cross_entropy(layer(states[rows]), labels[rows], reduction="none")
    return (each * weights[rows]).sum() / weights[rows].sum().clamp(min=1e-6)


def _copy(layer: torch.nn.Linear) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in layer.state_dict().items()}


def _figures(
    layer: torch.nn.Linear, states: torch.Tensor, labels: torch.Tensor
) -> dict[str, float]:
    with torch.inference_mode():
        told = layer(states).argmax(dim=1)
    right = int(((told == labels) & (labels != 0)).sum())
    return {
        "precision": round(right / max(1, int((told != 0).sum())), 4),
        "recall": round(right / max(1, int((labels != 0).sum())), 4),
        "n": float((labels != 0).sum()),
    }
