"""The stages of training, each a function from files to files."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from engine.research.data import AnnotatedEssay, TrainingEssay
from engine.research.training.config import TrainingConfig
from engine.research.training.corruption import Corrupter
from engine.research.training.examples import make_examples
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
from engine.research.training.typed import between_weights, learn, lessons, save_weights
from engine.tagger.inputs import load_tokenizer
from engine.tagger.linking import LINKING_FILE
from engine.tagger.similarity import SIMILARITY_FILE, TOKENIZER_FILE

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
) -> bool:
    """Train, or go on training; whether the best network now stands in `work/best.pt`."""
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
    examples = [
        example for essay in essays for example in make_examples(tokenizer, essay, nats.nats(essay))
    ]
    log.info("%d windows", len(examples))
    progress = trainer.fit(examples, minutes=minutes)
    return progress.best_epoch >= 0 and progress.step == 0


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
    if trainer.fit(examples, minutes=minutes).epoch < config.corrupted_epochs:
        return False
    model.load_state_dict(_weights(work / "best.pt"))
    return True


def learn_typed(
    config: TrainingConfig,
    essays: Sequence[TrainingEssay],
    typed: Sequence[TrainingEssay],
    base: Path,
    work: Path,
    minutes: float,
) -> Path | None:
    """The weights to export: the best epoch's, or those that have learned to read typed essays.

    None when time ran out before. Needs `work/best.pt`.
    """
    best, learned = work / "best.pt", work / "typed.pt"
    if not (config.typed_epochs and typed):
        return best
    there = learned.exists() and learned.stat().st_mtime >= best.stat().st_mtime
    if not there and not _learn_all(config, essays, typed, base, work, minutes):
        return None
    if config.typed_share >= 1:
        return learned
    between = work / f"typed-{config.typed_share:g}.pt"
    if not between.exists() or between.stat().st_mtime < learned.stat().st_mtime:
        save_weights(
            between_weights(_weights(best), _weights(learned), config.typed_share), between
        )
    return between


def _learn_all(
    config: TrainingConfig,
    essays: Sequence[TrainingEssay],
    typed: Sequence[TrainingEssay],
    base: Path,
    work: Path,
    minutes: float,
) -> bool:
    """Write `work/typed.pt`, what `work/best.pt` becomes by reading; False when time ran out."""
    tokenizer = load_tokenizer(base / "tokenizer.json")
    model = _trained(config, base, work / "best.pt")
    model.freeze_below(config.frozen_layers)
    twins = {twin.essay_id: twin for twin in typed}
    pairs = [
        (make_examples(tokenizer, essay, None), make_examples(tokenizer, twin, None))
        for essay in essays
        if (twin := twins.get(essay.essay_id)) is not None
    ]
    if not learn(model, config, lessons(model, pairs), minutes=minutes):
        return False
    save_weights(model.state_dict(), work / "typed.pt")
    return True


def _weights(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path, map_location="cpu", weights_only=True)  # type: ignore[no-any-return]


def _trained(config: TrainingConfig, base: Path, weights: Path) -> EssayTagger:
    model = EssayTagger.from_base(base, dropout=config.dropout)
    model.load_state_dict(_weights(weights))
    model.eval()
    return model


def export(
    config: TrainingConfig, base: Path, weights: Path, output: Path
) -> dict[str, FloatArray]:
    """Write encoder, tokenizer and configuration; the heads trained with it as arrays.

    A file that is newer than the checkpoint is not written again.
    """
    from engine.research.training.onnx_export import export_encoder

    model = _trained(config, base, weights)
    output.mkdir(parents=True, exist_ok=True)
    target = output / "model.onnx"
    if not target.exists() or target.stat().st_mtime < weights.stat().st_mtime:
        log.info("exporting the encoder")
        export_encoder(model.encoder, target)
    shutil.copyfile(base / "tokenizer.json", output / "tokenizer.json")
    (output / "config.json").write_text(model.encoder.config.to_json_string(), encoding="utf-8")
    return neural_arrays(model)


def export_similarity(base: Path, output: Path) -> None:
    """Write the small encoder that tells strangers' sentences, as it comes, and its tokenizer."""
    from transformers import AutoModel

    from engine.research.training.onnx_export import export_encoder

    target = output / SIMILARITY_FILE
    if not target.exists():
        log.info("exporting the encoder of similarity")
        model = AutoModel.from_pretrained(
            base, attn_implementation="eager", add_pooling_layer=False, local_files_only=True
        )
        export_encoder(model, target)
    shutil.copyfile(base / "tokenizer.json", output / TOKENIZER_FILE)


def read_tables(
    parts: Mapping[str, Sequence[TrainingEssay]],
    arrays: dict[str, FloatArray],
    work: Path,
    output: Path,
) -> dict[str, Table]:
    """Features of each of the parts that has essays, read by the exported encoder."""
    from engine.tagger.onnx_encoder import OnnxEncoder

    encoder = OnnxEncoder(output / "model.onnx")
    tables = {}
    for name, part in parts.items():
        if not part:
            continue
        path = work / f"features-{name}.npz"
        model_time = (output / "model.onnx").stat().st_mtime
        if not path.exists() or path.stat().st_mtime < model_time:
            save_table(read_table(output, encoder, arrays, part), path)
        tables[name] = load_table(path)
    return tables


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
