"""`segue train tagger`: from corpora and base models to a model folder, in stages that resume.

Stages: the teacher's nats, the encoder, the export, the heads, the model card. Each leaves its
result in the work folder; a stage whose result is there is not run again.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from engine.errors import UnreadableFile
from engine.research.data import as_training
from engine.research.readers import read_cohesentia, read_decor, read_synth
from engine.research.slips import Slips
from engine.research.training.config import read_config
from engine.resources import resources_folder

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `segue train tagger`."""
    parser.add_argument("--config", type=Path, help="recipe (TOML); default: the shipped tagger's")
    parser.add_argument(
        "--synth", type=Path, required=True, help="soft-labelled training essays (JSON lines)"
    )
    parser.add_argument("--dev", type=Path, required=True, help="expert essays (DECOR's CSV)")
    parser.add_argument(
        "--originals", type=Path, help="the training essays as typed (JSON lines), slips and all"
    )
    parser.add_argument(
        "--stories", type=Path, help="labelled stories (CoheSentia's CSV) for detection"
    )
    parser.add_argument("--base", type=Path, required=True, help="folder of the base encoder")
    parser.add_argument(
        "--similarity",
        type=Path,
        help="folder of a small encoder (all-MiniLM-L6-v2) that tells sentences from elsewhere",
    )
    parser.add_argument("--teacher", type=Path, help="language model (GGUF) that teaches surprise")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--output", type=Path, required=True, help="model folder to write")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="stop training after this long"
    )
    parser.add_argument("--limit", type=int, help="use only the first N training essays")


def run(args: argparse.Namespace) -> int:
    """Run all stages; 0 when the model folder is written, 1 when time ran out before."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr
    )
    # It tells of each of some thousand places, and hides what the stages say.
    logging.getLogger("onnxruntime.quantization").setLevel(logging.WARNING)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    _require(args)
    from engine.research.training import stages
    from engine.research.training.as_written import as_written, read_originals
    from engine.research.training.finish import finish

    config = read_config(args.config or resources_folder() / "training" / "tagger.toml")
    essays = read_synth(args.synth)[: args.limit]
    dev = read_decor(args.dev)
    log.info("%d training essays, %d expert essays", len(essays), len(dev))
    originals = read_originals(args.originals) if args.originals else {}
    typed = as_written(essays, originals)
    log.info("%d of the training essays as typed, too", len(typed))
    nats = stages.read_nats(essays, args.teacher, args.work)
    if not stages.train_encoder(config, essays, dev, nats, args.base, args.work, args.minutes):
        return 1
    weights = stages.learn_typed(config, essays, typed, args.base, args.work, args.minutes)
    if weights is None:
        return 1
    arrays = stages.export(config, args.base, weights, args.output)
    slipped = Slips.read(args.originals).put_into(dev, seed=config.seed).essays if typed else []
    stories = read_cohesentia(args.stories) if args.stories else []
    parts = {"dev": dev, "slipped": slipped, "stories": stories}
    tables = stages.read_tables(
        {"synth": essays, **{name: as_training(part) for name, part in parts.items()}},
        arrays, args.work, args.output,
    )  # fmt: skip
    if args.similarity:
        stages.export_similarity(args.similarity, args.output)
    linking = stages.fit_linking_head(essays, arrays, args.work, args.output)
    finish(config, arrays, tables, args.work, args.output, linking=linking)
    log.info("the model is in %s", args.output)
    return 0


def _require(args: argparse.Namespace) -> None:
    for name in ("synth", "dev", "base", "originals", "stories", "similarity"):
        path: Path | None = getattr(args, name)
        if path is not None and not path.exists():
            raise UnreadableFile(f"{path} does not exist.", hint=f"Give --{name} another path.")
