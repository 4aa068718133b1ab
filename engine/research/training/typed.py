"""The last stage: read what learners type as if its slips were corrected.

The network as trained so far reads the corrected essays; a copy that goes on learning reads them as
they were typed and has to come to the same sentence vectors. So everything that is judged by those
vectors, with all its figures on corrected text, holds for typed text as well. Some corrected essays
are among those read, so that nothing is forgotten.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator

from engine.research.training.config import TrainingConfig
from engine.research.training.examples import Batch, Example, batches, collate
from engine.research.training.judging import FloatArray, read_windows
from engine.research.training.loop import parameter_groups, precision
from engine.research.training.network import EssayTagger

log = logging.getLogger(__name__)

CORRECTED_EVERY = 3
"""One corrected essay is read for so many typed ones."""
_WARM_UP = 0.1


@dataclass(frozen=True)
class Lesson:
    """One window, and the vectors (sentences, width) that its essay's sentences should come to."""

    example: Example
    vectors: FloatArray


def lessons(
    model: EssayTagger, pairs: Sequence[tuple[list[Example], list[Example]]]
) -> list[Lesson]:
    """What there is to learn of essays as windows of the corrected and of the typed text.

    The model's own vectors of the corrected text are what both should come to.
    """
    model.eval()
    made: list[Lesson] = []
    for number, (corrected, typed) in enumerate(pairs):
        vectors = read_windows(model, corrected, len(corrected[0].targets)).vectors
        made += (Lesson(window, vectors) for window in typed)
        if number % CORRECTED_EVERY == 0:
            made += (Lesson(window, vectors) for window in corrected)
    return made


def learn(
    model: EssayTagger, config: TrainingConfig, told: Sequence[Lesson], *, minutes: float = math.inf
) -> bool:
    """Train `model` on all lessons, once an epoch; False when time ran out before the end."""
    accelerator = Accelerator(mixed_precision=precision())
    torch.manual_seed(config.seed)
    groups = parameter_groups(model, config)
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98))
    model, optimizer = accelerator.prepare(model, optimizer)
    rates = [group["lr"] for group in optimizer.param_groups]
    spread = float(np.concatenate([one.vectors for one in told]).var(axis=0).mean())
    chunks = list(_chunks(told, config))
    deadline = time.monotonic() + 60 * minutes
    model.train()
    for step, chunk in enumerate(chunks):
        done = step / len(chunks)
        scale = done / _WARM_UP if done < _WARM_UP else (1 - done) / (1 - _WARM_UP)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * max(scale, 0.01)
        batch = collate([one.example for one in chunk]).to(accelerator.device)
        with accelerator.autocast():
            vectors = model(batch.tokens, batch.mask, batch.pooling).vectors
        loss = _distance(vectors, batch, chunk) / spread
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 0:
            log.info("typed step %d/%d loss=%.4f", step, len(chunks), float(loss.detach()))
        if time.monotonic() > deadline:
            log.info("time is up; run the command again to begin this stage anew")
            return False
    model.eval()
    return True


def _chunks(told: Sequence[Lesson], config: TrainingConfig) -> Iterator[list[Lesson]]:
    """Batches of lessons of like length, all of them once an epoch."""
    by_window = {id(one.example): one for one in told}
    windows = [one.example for one in told]
    for epoch in range(config.typed_epochs):
        for chunk in batches(windows, config.batch, seed=config.seed, epoch=epoch):
            yield [by_window[id(window)] for window in chunk]


def _distance(vectors: torch.Tensor, batch: Batch, chunk: Sequence[Lesson]) -> torch.Tensor:
    """The mean squared distance of the judged sentences' vectors from what they should be."""
    wanted, judged = [], []
    for one in chunk:
        window = one.example.window
        order = dict.fromkeys(place.sentence for place in window.places)
        wanted += [one.vectors[sentence] for sentence in order]
        judged += [sentence in window.judged for sentence in order]
    target = torch.from_numpy(np.stack(wanted)).to(vectors.device)
    rows = torch.tensor(judged, device=vectors.device)
    return ((vectors.float() - target)[rows] ** 2).mean()


def between_weights(
    first: Mapping[str, torch.Tensor], then: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """`first`, with `share` (0 to 1) of what has changed in it since.

    Networks on a straight line between one and what it became keep most of what either can do
    (Wortsman et al. 2022, Robust fine-tuning of zero-shot models).
    """
    return {
        name: torch.lerp(value, then[name], share) if value.is_floating_point() else then[name]
        for name, value in first.items()
    }


def save_weights(weights: Mapping[str, torch.Tensor], path: Path) -> None:
    """Write weights whole or not at all."""
    partial = path.with_suffix(".part")
    torch.save(dict(weights), partial)
    partial.replace(path)
