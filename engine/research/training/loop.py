"""The training loop: accelerate, soft labels, checkpoints, resume, early stopping on human dev."""

from __future__ import annotations

import json
import logging
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from torch.nn import functional

from engine.research.training.config import TrainingConfig
from engine.research.training.examples import UNKNOWN, Batch, Example, batches, collate
from engine.research.training.network import EssayTagger, Outputs
from engine.research.training.teacher import half_precision

log = logging.getLogger(__name__)

NATS_SCALE = 4.0
"""Nats of a token are divided by this, so that the surprise loss is of the others' size."""

Judge = Callable[[EssayTagger], dict[str, float]]


def losses(outputs: Outputs, batch: Batch) -> dict[str, torch.Tensor]:
    """The four losses, each a mean over the items that have a target (0 where none has).

    Detection is cross-entropy with soft targets; reason is cross-entropy weighted by the chance
    that the sentence is incoherent, as a reason means nothing otherwise.
    """
    known = ~torch.isnan(batch.probabilities)
    targets = batch.probabilities[known]
    detection = functional.binary_cross_entropy_with_logits(outputs.detection[known], targets)
    return {
        "detection": detection,
        "reason": _reason_loss(outputs.reasons[known], batch.reasons[known], targets),
        "anchor": _anchor_loss(outputs, batch),
        "surprise": _surprise_loss(outputs.surprise, batch.nats),
    }


def _reason_loss(
    logits: torch.Tensor, reasons: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    given = reasons != UNKNOWN
    if not bool(given.any()):
        return logits.sum() * 0.0
    each = functional.cross_entropy(logits[given], reasons[given], reduction="none")
    return (each * weights[given]).sum() / weights[given].sum().clamp(min=1e-6)


def _anchor_loss(outputs: Outputs, batch: Batch) -> torch.Tensor:
    scores = outputs.queries @ outputs.keys.T / math.sqrt(outputs.keys.shape[-1])
    order = torch.arange(len(batch.rows), device=scores.device)
    earlier = (batch.rows[:, None] == batch.rows[None, :]) & (order[None, :] < order[:, None])
    given = (batch.anchors != UNKNOWN) & (batch.anchors < order)
    if not bool(given.any()):
        return scores.sum() * 0.0
    masked = scores.masked_fill(~earlier, -1e4)[given]
    return functional.cross_entropy(masked, batch.anchors[given])


def _surprise_loss(predicted: torch.Tensor, nats: torch.Tensor) -> torch.Tensor:
    taught = ~torch.isnan(nats)
    if not bool(taught.any()):
        return predicted.sum() * 0.0
    return functional.smooth_l1_loss(predicted[taught], nats[taught] / NATS_SCALE)


def parameter_groups(model: EssayTagger, config: TrainingConfig) -> list[dict[str, Any]]:
    """Layer-wise learning rates: deeper layers learn faster; biases and norms do not decay."""
    layers = len(model.encoder.encoder.layer)
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        decay = 0.0 if parameter.ndim < 2 else config.weight_decay
        groups.setdefault((_rate(name, layers, config), decay), []).append(parameter)
    return [
        {"params": parameters, "lr": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]


def _rate(name: str, layers: int, config: TrainingConfig) -> float:
    if not name.startswith("encoder."):
        return config.head_rate
    parts = name.split(".")
    depth = int(parts[3]) + 1 if parts[1] == "encoder" and parts[2] == "layer" else layers
    return float(config.learning_rate * config.layer_decay ** (layers - depth))


@dataclass
class Progress:
    """Where a run stands; written beside the checkpoint as JSON."""

    epoch: int = 0
    step: int = 0
    best: float = -1.0
    best_epoch: int = -1
    history: list[dict[str, Any]] = field(default_factory=list)


class Trainer:
    """Trains a network on windows, keeps the best epoch, survives being stopped.

    `judge` measures the network after each epoch; its "criterion" is what early stopping
    compares (higher is better). Files in `folder`: `checkpoint/` (accelerate's state),
    `progress.json`, `best.pt` (state dict of the best epoch).
    """

    def __init__(
        self, model: EssayTagger, config: TrainingConfig, folder: Path, *, judge: Judge
    ) -> None:
        self.config = config
        self.folder = folder
        self.judge = judge
        self.progress = Progress()
        self.accelerator = Accelerator(mixed_precision=precision())
        random.seed(config.seed)
        np.random.seed(config.seed)
        torch.manual_seed(config.seed)
        optimizer = torch.optim.AdamW(parameter_groups(model, config), betas=(0.9, 0.98))
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.base_rates = [group["lr"] for group in self.optimizer.param_groups]

    def fit(self, examples: Sequence[Example], *, minutes: float = math.inf) -> Progress:
        """Train until the epochs are done, patience runs out or the time is up."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        deadline = time.monotonic() + 60 * minutes
        for epoch in range(self.progress.epoch, self.config.epochs):
            if epoch - 1 - self.progress.best_epoch > self.config.patience:
                log.info("no better for %d epochs: stopping", self.config.patience + 1)
                break
            if not self._epoch(examples, epoch, deadline):
                return self.progress
            self._finish_epoch(epoch)
        return self.progress

    def _epoch(self, examples: Sequence[Example], epoch: int, deadline: float) -> bool:
        chunks = list(batches(examples, self.config.batch, seed=self.config.seed, epoch=epoch))
        workers, rank = self.accelerator.num_processes, self.accelerator.process_index
        chunks = chunks[: len(chunks) // workers * workers] if workers > 1 else chunks
        steps = len(chunks) // workers
        self.model.train()
        begun = time.monotonic()
        for step in range(self.progress.step, steps):
            self._set_rates((epoch * steps + step) / (self.config.epochs * steps))
            parts = self._step(chunks[step * workers + rank])
            if step % 10 == 0:
                log.info(
                    "epoch %d step %d/%d %s %.0fs",
                    epoch,
                    step,
                    steps,
                    parts,
                    time.monotonic() - begun,
                )
            self.progress.step = step + 1
            if self.progress.step % self.config.checkpoint_every == 0:
                self._save()
            if time.monotonic() > deadline:
                self._save()
                log.info("time is up; run the command again to go on")
                return False
        return True

    def _step(self, chunk: Sequence[Example]) -> str:
        batch = collate(chunk).to(self.accelerator.device)
        with self.accelerator.autocast():
            outputs = self.model(batch.tokens, batch.mask, batch.pooling)
        parts = losses(outputs, batch)
        config = self.config
        total = (
            config.detection_weight * parts["detection"]
            + config.reason_weight * parts["reason"]
            + config.anchor_weight * parts["anchor"]
            + config.surprise_weight * parts["surprise"]
        )
        self.accelerator.backward(total)
        self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return " ".join(f"{name}={float(value.detach()):.3f}" for name, value in parts.items())

    def _set_rates(self, done: float) -> None:
        """Linear warm-up, then a cosine down to a tenth."""
        warm = self.config.warm_up
        scale = (
            done / warm
            if done < warm
            else 0.1 + 0.45 * (1 + math.cos(math.pi * (done - warm) / (1 - warm)))
        )
        for group, rate in zip(self.optimizer.param_groups, self.base_rates, strict=True):
            group["lr"] = rate * max(scale, 0.01)

    def _finish_epoch(self, epoch: int) -> None:
        plain = self.accelerator.unwrap_model(self.model)
        plain.eval()
        figures = self.judge(plain)
        log.info("epoch %d: %s", epoch, {k: round(v, 4) for k, v in figures.items()})
        self.progress.history.append({"epoch": epoch, **figures})
        if figures["criterion"] > self.progress.best:
            self.progress.best, self.progress.best_epoch = figures["criterion"], epoch
            if self.accelerator.is_main_process:
                torch.save(plain.state_dict(), self.folder / "best.pt")
        self.progress.epoch, self.progress.step = epoch + 1, 0
        self._save()

    def _save(self) -> None:
        self.accelerator.save_state(str(self.folder / "checkpoint"))
        if self.accelerator.is_main_process:
            partial = self.folder / "progress.json.part"
            partial.write_text(json.dumps(vars(self.progress), indent=1), encoding="utf-8")
            partial.replace(self.folder / "progress.json")

    def _resume(self) -> None:
        path = self.folder / "progress.json"
        if path.exists():
            self.progress = Progress(**json.loads(path.read_text(encoding="utf-8")))
            self.accelerator.load_state(str(self.folder / "checkpoint"))
            log.info("resumed at epoch %d step %d", self.progress.epoch, self.progress.step)


def precision() -> str:
    """What accelerate should compute in: bfloat16 where the machine does, else float16 or 32."""
    if torch.cuda.is_available():
        return "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    return "bf16" if half_precision("cpu") is torch.bfloat16 else "no"
