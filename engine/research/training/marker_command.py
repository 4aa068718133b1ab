"""`segue train markers`: from annotated essays to the weights that choose linking words.

`--output` is a folder: `weights.json` is what the rewriter reads, `metrics.json` says how well it
does on essays that it was not fitted to, and on what.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import UnreadableFile, UsageError
from engine.research.data import as_training
from engine.research.readers import read_decor, read_synth
from engine.research.training.marker_examples import MarkerExample, Origin, marker_examples
from engine.research.training.marker_fit import (
    MarkerRecipe,
    cross_validate,
    fit,
    measure,
    predict,
    usual_markers,
)
from engine.rewriter.prior import WEIGHTS_FILE, RelationPredictor

METRICS_FILE = "metrics.json"
_MOST_MARKERS = 8
log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `segue train markers`."""
    parser.add_argument(
        "--synth", type=Path, required=True, help="soft-labelled training essays (JSON lines)"
    )
    parser.add_argument("--dev", type=Path, help="expert essays (DECOR's CSV), only to measure on")
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    parser.add_argument("--seed", type=int, default=MarkerRecipe.seed, help="divides the essays")


def run(args: argparse.Namespace) -> int:
    """Cross-validate, fit to everything, write both files; 0."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    recipe = MarkerRecipe(seed=args.seed)
    examples = marker_examples(read_synth(_existing(args.synth, "synth")))
    if len({example.relation for example in examples}) < 2:
        raise UsageError(
            f"{args.synth.name} holds no examples of linking words.",
            hint="Give --synth a file with rewrites.",
        )
    metrics: dict[str, Any] = {"cross_validation": measure(cross_validate(examples, recipe))}
    predictor = fit(examples, recipe)
    if args.dev is not None:
        expert = marker_examples(as_training(read_decor(_existing(args.dev, "dev"))))
        metrics["expert"] = measure(predict(predictor, examples, expert))
    args.output.mkdir(parents=True, exist_ok=True)
    write_weights(predictor, args.output / WEIGHTS_FILE)
    told = {"recipe": recipe.as_dict(), **_counts(examples), "metrics": metrics}
    _write(args.output / METRICS_FILE, json.dumps(told, indent=2) + "\n")
    for name, one in metrics["cross_validation"].items():
        log.info("%s: relation %s, majority %s", name, one["relation"], one["majority"])
    log.info("%d cues; the weights are in %s", len(predictor.weights), args.output)
    return 0


def write_weights(predictor: RelationPredictor, path: Path) -> None:
    """Write the weights, one cue a line, so that two trainings can be compared."""
    rows = [
        f"    {json.dumps(name)}: {json.dumps(row)}"
        for name, row in sorted(predictor.weights.items())
    ]
    relations = json.dumps(predictor.relations)
    body = ",\n".join(rows)
    _write(path, f'{{\n  "relations": {relations},\n  "weights": {{\n{body}\n  }}\n}}\n')


def _counts(examples: Sequence[MarkerExample]) -> dict[str, Any]:
    """What the examples are, and which markers the labels write for each relation."""
    usual = usual_markers(examples)
    return {
        "examples": {
            origin.value: dict(
                Counter(one.relation for one in examples if one.origin is origin).most_common()
            )
            for origin in Origin
        },
        "usual_markers": {name: usual[name][:_MOST_MARKERS] for name in sorted(usual)},
    }


def _existing(path: Path, option: str) -> Path:
    if not path.exists():
        raise UnreadableFile(f"{path} does not exist.", hint=f"Give --{option} another path.")
    return path


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
