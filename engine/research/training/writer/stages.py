"""The stages of the writer's training, each a function from files to files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from engine.research.data import TrainingEssay
from engine.research.training.writer.agreement import check_export
from engine.research.training.writer.card import (
    MODEL_FILE,
    MODEL_ID,
    WriterMeasured,
    write_writer_folder,
)
from engine.research.training.writer.config import WriterConfig
from engine.research.training.writer.encoding import Encoded, common_prefix, encode
from engine.research.training.writer.gguf_base import read_model, read_tokenizer
from engine.research.training.writer.gguf_export import (
    merged_model,
    write_adapter,
    write_folder,
    write_model,
)
from engine.research.training.writer.items import (
    WriterItem,
    divide,
    sample,
    small_enough,
    writer_items,
)
from engine.research.training.writer.judging import WriterJudge
from engine.research.training.writer.loop import BEST, Progress, WriterTrainer
from engine.research.training.writer.network import WriterNetwork, attention, base_dtype

log = logging.getLogger(__name__)

_HELD_OUT_WEIGHT = 2.0
"""Anything above 1 tells the judge which tokens are not copied; it weighs nothing itself."""


@dataclass(frozen=True)
class Material:
    """What is trained on and what is held out. `counts` says how many items went where."""

    tokenizer: Any
    train: Sequence[Encoded]
    held_out: Sequence[WriterItem]
    held_out_encoded: Sequence[Encoded]
    prefix: int
    counts: dict[str, int]


def prepare(config: WriterConfig, essays: Sequence[TrainingEssay], base: Path) -> Material:
    """The items as tokens; what changes too much or is too long is left out."""
    tokenizer = read_tokenizer(base)
    everything = writer_items(essays)
    small = small_enough(everything, config.most_changed)
    train, held_out = divide(small, share=config.held_out, seed=config.seed)
    encoded = [encode(tokenizer, item, edit_weight=config.edit_weight) for item in train]
    encoded = [item for item in encoded if item.length <= config.most_tokens]
    pairs = [(item, encode(tokenizer, item, edit_weight=_HELD_OUT_WEIGHT)) for item in held_out]
    pairs = [(item, tokens) for item, tokens in pairs if tokens.length <= config.most_tokens]
    prefix = common_prefix([*encoded, *(tokens for _, tokens in pairs)])
    counts = {
        "trained on": len(encoded),
        "held out": len(pairs),
        "left out": len(everything) - len(encoded) - len(pairs),
    }
    read = sum(item.length - prefix for item in encoded) / max(1, len(encoded))
    log.info("items: %s; %.0f tokens each and %d in common", counts, read, prefix)
    return Material(
        tokenizer,
        encoded,
        [item for item, _ in pairs],
        [tokens for _, tokens in pairs],
        prefix,
        counts,
    )


def train(
    config: WriterConfig, material: Material, base: Path, work: Path, minutes: float
) -> Progress:
    """Train, or go on training; the adapters of the best epoch stand in `work/best.pt`."""
    torch.manual_seed(config.seed)
    network = WriterNetwork(read_model(base, dtype=base_dtype(), attention=attention()), config)
    judge = WriterJudge(
        material.tokenizer,
        material.held_out,
        material.held_out_encoded,
        config,
        prefix=material.prefix,
    )
    trainer = WriterTrainer(network, config, work, judge=judge)
    return trainer.fit(material.train, prefix=material.prefix, minutes=minutes)


def export(config: WriterConfig, base: Path, work: Path, output: Path) -> Any:
    """Write the best epoch: `output/segue-writer.gguf`, `work/merged/` and `work/adapter.gguf`.

    Gives the merged model in float32.
    """
    network = WriterNetwork(read_model(base), config)
    network.load_adapter(torch.load(work / BEST, map_location="cpu", weights_only=True))
    adapters = network.adapters()
    del network
    scale = config.alpha / config.rank
    output.mkdir(parents=True, exist_ok=True)
    log.info("exporting")
    merged = merged_model(base, adapters, scale=scale)
    write_folder(merged, read_tokenizer(base), work / "merged")
    write_adapter(base, adapters, work / "adapter.gguf", alpha=config.alpha, name=MODEL_ID)
    write_model(
        base,
        adapters,
        output / MODEL_FILE,
        scale=scale,
        quantization=config.quantization,
        name=MODEL_ID,
    )
    return merged


def finish(
    config: WriterConfig, material: Material, progress: Progress, merged: Any, output: Path
) -> None:
    """Run the exported file on held-out items, then write card and manifest."""
    items = sample(material.held_out, config.generated, seed=config.seed)
    exported = check_export(output / MODEL_FILE, merged, material.tokenizer, items)
    if exported is not None:
        log.info("exported file: %s", {k: round(v, 4) for k, v in exported.figures.items()})
    write_writer_folder(
        output,
        WriterMeasured(
            recipe=config.as_dict(),
            counts=material.counts,
            epochs=progress.history,
            best_epoch=progress.best_epoch,
            exported=exported,
        ),
    )
