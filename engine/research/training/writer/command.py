"""`segue train writer`: from rewrites and a base model in GGUF to a model folder, resumable.

Stages: train the adapters, export them, run the exported file, write the card. Training goes on
where it was stopped; the others are run again each time, so that another quantization costs only
them.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from engine.errors import UnreadableFile
from engine.research.readers import read_synth
from engine.research.training.config import read_recipe
from engine.resources import resources_folder

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `segue train writer`."""
    parser.add_argument(
        "--config", type=Path, help="recipe (TOML); default: resources/training/writer.toml"
    )
    parser.add_argument(
        "--synth", type=Path, required=True, help="training essays with rewrites (JSON lines)"
    )
    parser.add_argument("--base", type=Path, required=True, help="base model (GGUF, Llama)")
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
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    for name in ("synth", "base"):
        path: Path = getattr(args, name)
        if not path.is_file():
            raise UnreadableFile(f"{path} is not a file.", hint=f"Give --{name} another path.")
    from engine.research.training.writer import stages
    from engine.research.training.writer.config import WriterConfig
    from engine.research.training.writer.gguf_export import check_quantization

    recipe = args.config or resources_folder() / "training" / "writer.toml"
    config = read_recipe(recipe, WriterConfig)
    check_quantization(config.quantization)
    material = stages.prepare(config, read_synth(args.synth)[: args.limit], args.base)
    progress = stages.train(config, material, args.base, args.work, args.minutes)
    if not progress.is_done:
        return 1
    merged = stages.export(config, args.base, args.work, args.output)
    stages.finish(config, material, progress, merged, args.output)
    log.info("the model is in %s", args.output)
    return 0
