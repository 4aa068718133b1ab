"""The writer's training loop: accelerate, adapters only, checkpoints, resume, early stopping."""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator

from engine.research.training.writer.config import WriterConfig
from engine.research.training.writer.encoding import Encoded, batches, collate
from engine.research.training.writer.network import WriterNetwork, precision

log = logging.getLogger(__name__)

BEST = "best.pt"
CHECKPOINT = "checkpoint.pt"

Judge = Callable[[WriterNetwork], dict[str, float]]


@dataclass
class Progress:
    """Where a run stands. `seconds` is the time spent in steps, `items` how many they held."""

    epoch: int = 0
    step: int = 0
    best: float = -math.inf
    best_epoch: int = -1
    seconds: float = 0.0
    items: int = 0
    is_done: bool = False
    history: list[dict[str, Any]] = field(default_factory=list)


class WriterTrainer:
    """Trains the adapters, keeps those of the best epoch, survives being stopped.

    `judge` measures the network after each epoch, under autocast and without gradients; its
    "criterion" is what early stopping compares (higher is better). Files in `folder`:
    `checkpoint.pt` (adapters, optimizer, progress; replaced in one step), `best.pt` (adapters of
    the best epoch), and `progress.json` to read.
    """

    def __init__(
        self, network: WriterNetwork, config: WriterConfig, folder: Path, *, judge: Judge
    ) -> None:
        self.config = config
        self.folder = folder
        self.judge = judge
        self.progress = Progress()
        self.accelerator = Accelerator(mixed_precision=precision())
        optimizer = torch.optim.AdamW(
            [parameter for parameter in network.parameters() if parameter.requires_grad],
            lr=config.learning_rate,
            betas=(0.9, 0.99),
            weight_decay=config.weight_decay,
        )
        self.network, self.optimizer = self.accelerator.prepare(network, optimizer)

    def fit(
        self, encoded: Sequence[Encoded], *, prefix: int, minutes: float = math.inf
    ) -> Progress:
        """Train until the epochs are done, patience runs out or the time is up.

        `prefix` is the number of tokens that all prompts begin with. With no minutes left, one
        step is still taken.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        deadline = time.monotonic() + 60 * minutes
        while not self.progress.is_done:
            if not self._epoch(encoded, prefix, deadline):
                log.info("time is up; run the command again to go on")
                break
            self._finish_epoch()
        return self.progress

    def _epoch(self, encoded: Sequence[Encoded], prefix: int, deadline: float) -> bool:
        groups = batches(
            encoded,
            prefix=prefix,
            tokens=self.config.batch_tokens,
            seed=self.config.seed,
            epoch=self.progress.epoch,
        )
        workers, rank = self.accelerator.num_processes, self.accelerator.process_index
        steps = max(1, len(groups) // workers)
        while self.progress.step < steps:
            group = groups[(self.progress.step * workers + rank) % len(groups)]
            self._set_rate((self.progress.epoch + self.progress.step / steps) / self.config.epochs)
            began = time.monotonic()
            loss = self._step(group, prefix)
            self.progress.seconds += time.monotonic() - began
            self.progress.items += len(group)
            self.progress.step += 1
            self._report(loss, steps)
            is_late = time.monotonic() > deadline
            if is_late or self.progress.step % self.config.checkpoint_every == 0:
                self._save()
            if is_late and self.progress.step < steps:
                return False
        return True

    def _step(self, group: Sequence[Encoded], prefix: int) -> float:
        # Dropout then draws the same numbers, however often the run was stopped before.
        torch.manual_seed(self.config.seed + 10**6 * self.progress.epoch + self.progress.step)
        batch = collate(group, prefix=prefix).to(self.accelerator.device)
        with self.accelerator.autocast():
            losses = self.network(batch)
        loss = (losses * batch.weights).sum() / batch.weights.sum()
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return float(loss.detach())

    def _report(self, loss: float, steps: int) -> None:
        progress = self.progress
        if progress.step % 10 == 1 or progress.step == steps:
            log.info(
                "epoch %d step %d/%d loss %.3f, %.2f s an item, %.0f s in all",
                progress.epoch + 1,
                progress.step,
                steps,
                loss,
                progress.seconds / progress.items,
                progress.seconds,
            )

    def _set_rate(self, done: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * rate_scale(done, self.config.warm_up)

    def _finish_epoch(self) -> None:
        network = self.accelerator.unwrap_model(self.network)
        network.eval()
        with torch.inference_mode(), self.accelerator.autocast():
            figures = self.judge(network)
        network.train()
        progress = self.progress
        log.info("epoch %d: %s", progress.epoch + 1, figures)
        progress.history.append({"epoch": progress.epoch, **figures})
        if figures["criterion"] > progress.best:
            progress.best, progress.best_epoch = figures["criterion"], progress.epoch
            if self.accelerator.is_main_process:
                torch.save(network.adapter_state(), self.folder / BEST)
        is_stale = progress.epoch - progress.best_epoch >= self.config.patience + 1
        if is_stale:
            log.info("no better for %d epochs: stopping", self.config.patience + 1)
        progress.epoch, progress.step = progress.epoch + 1, 0
        progress.is_done = is_stale or progress.epoch >= self.config.epochs
        self._save()

    def _save(self) -> None:
        if not self.accelerator.is_main_process:
            return
        partial = self.folder / f"{CHECKPOINT}.part"
        network = self.accelerator.unwrap_model(self.network)
        state = {
            "adapter": network.adapter_state(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
        }
        torch.save(state, partial)
        partial.replace(self.folder / CHECKPOINT)
        text = json.dumps(asdict(self.progress), indent=1)
        (self.folder / "progress.json").write_text(text, encoding="utf-8")

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.accelerator.unwrap_model(self.network).load_adapter(state["adapter"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        log.info("resumed at epoch %d step %d", self.progress.epoch + 1, self.progress.step)


def rate_scale(done: float, warm_up: float) -> float:
    """The learning rate's share where `done` (0-1) of the run is over.

    It grows evenly over the first `warm_up` of it, then falls along a cosine to a tenth.
    """
    if done < warm_up:
        return max(done / warm_up, 0.02)
    rest = (done - warm_up) / (1 - warm_up)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * rest))


def read_progress(folder: Path) -> Progress:
    """What `progress.json` says of the run in a work folder."""
    return Progress(**json.loads((folder / "progress.json").read_text(encoding="utf-8")))
