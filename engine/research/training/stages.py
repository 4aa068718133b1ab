"""The stages of training, each a function from files to files."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from engine.research.data import AnnotatedEssay, TrainingEssay, as_training
from engine.research.training.as_written import AsWritten
from engine.research.training.config import TrainingConfig
from engine.research.training.corruption import Corrupter
from engine.research.training.examples import Example, make_examples
from engine.research.training.features import (
    FloatArray,
    Table,
    load_table,
    neural_arrays,
    read_table,
    reading_tagger,
    save_table,
)
from engine.research.training.judging import DevJudge
from engine.research.training.loop import Trainer
from engine.research.training.nats_cache import NatsCache
from engine.research.training.network import EssayTagger
from engine.tagger.inputs import load_tokenizer
from engine.tagger.linking import LINKING_FILE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

log = logging.getLogger(__name__)


def read_nats(essays: Sequence[TrainingEssay], teacher: Path | None, work: Path) -> NatsCache:
    """Have the teacher read every essay once; nothing is taught without a teacher."""
    cache = NatsCache(work / "nats", teacher)
    if teacher is not None:
        cache.fill(essays)
    return cache


def train_encoder(
    config: TrainingConfig,
    essays: Sequence[TrainingEssay],
    dev: Sequence[AnnotatedEssay],
    nats: NatsCache,
    base: Path,
    work: Path,
    minutes: float,
    *,
    typed: Sequence[AsWritten] = (),
) -> bool:
    """Train, or go on training; whether the best network now stands in `work/best.pt`.

    Essays that are known as their writers `typed` them are read so in every other epoch.
    """
    tokenizer = load_tokenizer(base / "tokenizer.json")
    torch.manual_seed(config.seed)
    model = EssayTagger.from_base(base, dropout=config.dropout)
    model.freeze_below(config.frozen_layers)
    judge = DevJudge(tokenizer, dev)
    if config.corrupted_epochs and not _pretrain(
        model, config, essays, tokenizer, judge, work / "corrupted", minutes
    ):
        return False
    trainer = Trainer(model, config, work, judge=judge)
    progress = trainer.fit(
        in_turn(
            [make_examples(tokenizer, essay, nats.nats(essay)) for essay in essays],
            _typed_examples(tokenizer, essays, typed, nats),
        ),
        minutes=minutes,
    )
    return progress.best_epoch >= 0 and progress.step == 0


def _typed_examples(
    tokenizer: Tokenizer,
    essays: Sequence[TrainingEssay],
    typed: Sequence[AsWritten],
    nats: NatsCache,
) -> dict[int, list[Example]]:
    """The windows of the essays as typed, by the essay's number."""
    numbers = {essay.essay_id: number for number, essay in enumerate(essays)}
    found = {}
    for one in typed:
        number = numbers[one.essay.essay_id]
        taught = one.nats(nats.nats(essays[number]))
        found[number] = make_examples(tokenizer, one.essay, taught)
    return found


def in_turn(
    corrected: Sequence[list[Example]], typed: Mapping[int, list[Example]]
) -> Callable[[int], Sequence[Example]]:
    """Each epoch's windows: half of the essays known as typed are read so, then the other half."""

    def of_epoch(epoch: int) -> Sequence[Example]:
        chosen = [
            typed[number] if number in typed and (number + epoch) % 2 else windows
            for number, windows in enumerate(corrected)
        ]
        return [example for windows in chosen for example in windows]

    return of_epoch


def _pretrain(
    model: EssayTagger,
    config: TrainingConfig,
    essays: Sequence[TrainingEssay],
    tokenizer: Tokenizer,
    judge: DevJudge,
    work: Path,
    minutes: float,
) -> bool:
    """Teach the model to find what was broken on purpose; False when time ran out before.

    No language model has read these essays, and a broken sentence has no anchor: two of the four
    losses rest. The epoch that tells experts' labels best stays in `model`.
    """
    recipe = replace(
        config, epochs=config.corrupted_epochs, patience=config.corrupted_epochs,
        anchor_weight=0.0, surprise_weight=0.0,
    )  # fmt: skip
    broken = Corrupter(essays, share=config.corrupted_share, seed=config.seed).essays_broken()
    examples = [example for essay in broken for example in make_examples(tokenizer, essay, None)]
    trainer = Trainer(model, recipe, work, judge=judge)
    if trainer.fit(lambda epoch: examples, minutes=minutes).epoch < config.corrupted_epochs:
        return False
    best = torch.load(work / "best.pt", map_location="cpu", weights_only=True)
    model.load_state_dict(best)
    return True


def export(config: TrainingConfig, base: Path, work: Path, output: Path) -> dict[str, FloatArray]:
    """Write encoder, tokenizer and configuration of the best epoch; its trained heads as arrays.

    A file that is newer than the checkpoint is not written again.
    """
    from engine.research.training.onnx_export import export_encoder

    model = EssayTagger.from_base(base, dropout=config.dropout)
    best = work / "best.pt"
    model.load_state_dict(torch.load(best, map_location="cpu", weights_only=True))
    model.eval()
    output.mkdir(parents=True, exist_ok=True)
    target = output / "model.onnx"
    if not target.exists() or target.stat().st_mtime < best.stat().st_mtime:
        log.info("exporting the encoder")
        export_encoder(model.encoder, target)
    shutil.copyfile(base / "tokenizer.json", output / "tokenizer.json")
    (output / "config.json").write_text(model.encoder.config.to_json_string(), encoding="utf-8")
    return neural_arrays(model)


def read_tables(
    essays: Sequence[TrainingEssay],
    dev: Sequence[AnnotatedEssay],
    arrays: dict[str, FloatArray],
    work: Path,
    output: Path,
) -> tuple[Table, Table]:
    """Features of the training and of the expert essays, read by the exported encoder."""
    from engine.tagger.onnx_encoder import OnnxEncoder

    encoder = OnnxEncoder(output / "model.onnx")
    tables = []
    for name, part in (("synth", list(essays)), ("dev", as_training(dev))):
        path = work / f"features-{name}.npz"
        model_time = (output / "model.onnx").stat().st_mtime
        if not path.exists() or path.stat().st_mtime < model_time:
            save_table(read_table(output, encoder, arrays, part), path)
        tables.append(load_table(path))
    return tables[0], tables[1]


def fit_linking_head(
    essays: Sequence[TrainingEssay], arrays: dict[str, FloatArray], work: Path, output: Path
) -> dict[str, dict[str, float]]:
    """Write the head that tells relations into `output`; its accuracy on essays left out.

    Nothing is written where the essays hold too few linking words to learn from.
    """
    from engine.research.training.linking_fit import (
        fit_linking,
        measure_linking,
        read_linking,
        table_of,
    )
    from engine.research.training.marker_fit import MarkerRecipe
    from engine.tagger.onnx_encoder import OnnxEncoder

    cached = work / "vectors-linking.npz"
    if not cached.exists() or cached.stat().st_mtime < (output / "model.onnx").stat().st_mtime:
        tagger = reading_tagger(output, OnnxEncoder(output / "model.onnx"), arrays)
        np.savez(cached, vectors=read_linking(essays, tagger).vectors)
    with np.load(cached) as stored:
        table = table_of(essays, stored["vectors"])
    recipe = MarkerRecipe()
    fitted = fit_linking(table, recipe)
    if fitted is None:
        return {}
    np.savez(output / LINKING_FILE, **fitted)  # type: ignore[arg-type]
    figures = measure_linking(table, recipe)
    log.info("linking: %s", figures)
    return figures
