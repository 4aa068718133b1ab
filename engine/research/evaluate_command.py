"""`segue evaluate decor`: measure a tagger on a DECOR file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.console import Console
from engine.exit_codes import ExitCode
from engine.research.evaluate_files import (
    add_json,
    add_split,
    add_strictness,
    check_targets,
    write_json,
)

if TYPE_CHECKING:
    from engine.research.data import AnnotatedEssay
    from engine.research.evaluate_decor import Judgements, JudgesSentences, Report

_NO_REASONS = (
    "This file names no reasons, so only detection is scored. In DECOR's per-task files the label "
    "says whether the task's reason applies, and such scores mean nothing."
)


@dataclass(frozen=True)
class LoadedTagger:
    """A tagger and what its manifest says of it."""

    tagger: JudgesSentences
    thresholds: Mapping[str, float]
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)


Loader = Callable[[argparse.Namespace], LoadedTagger]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `segue evaluate decor`."""
    add_split(parser, holding="(label 1 = coherent, 0 = incoherent)")
    add_json(parser, what="scores")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="OUT.png",
        help="draw precision and recall, calibration and the confusion of reasons (needs the "
        "extra `train`)",
    )
    parser.add_argument(
        "--slips",
        type=Path,
        metavar="FILE",
        help="first put learners' slips into the essays, at the rates of the essays in FILE "
        "(JSON lines with `original` and `corrected`)",
    )
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="a model folder to measure")
    add_strictness(parser)
    parser.add_argument(
        "--device", choices=("auto", "cpu", "gpu"), default="auto", help="where the model runs"
    )
    parser.add_argument(
        "--halves",
        action="store_true",
        help="score the first and last half of the essays as well; done anyway for a file of all "
        "100 essays, whose halves have different annotators",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of bootstrap and slips (default: %(default)s)"
    )


def load_tagger(arguments: argparse.Namespace) -> LoadedTagger:
    """Load the tagger that the arguments name, or the installed one. Raises ModelError."""
    from engine import tagger
    from engine.models.device import choose_device, probe
    from engine.models.manifest import load_manifest, verify
    from engine.models.store import default_store

    folder = arguments.model or default_store().find("tagger")
    manifest = load_manifest(folder)
    verify(folder, manifest)
    choice = choose_device(manifest, arguments.device, probe())
    return LoadedTagger(
        tagger.load(folder, manifest, choice),
        manifest.thresholds,
        manifest.settings,
        {"id": manifest.id, "version": manifest.version, "hash": manifest.fingerprint}
        | choice.as_dict(),
    )


def run(
    arguments: argparse.Namespace, console: Console | None = None, *, load: Loader = load_tagger
) -> int:
    """Read the file, judge every essay once, print the scores; the exit code.

    Raises InputError for a file that cannot be read, ModelError for a model that cannot be
    loaded, BackendError for a plot without matplotlib; all before the first essay is judged.
    """
    from engine.research.evaluate_plot import figure_class, save_plot
    from engine.research.evaluate_tables import report_lines
    from engine.research.readers.decor import has_reasons, read_decor

    console = console or Console()
    check_targets(arguments.json, arguments.plot, beside=[arguments.split])
    if arguments.plot is not None:
        figure_class()
    essays = read_decor(arguments.split)
    if arguments.slips is not None:
        essays = _with_slips(arguments, console, essays)
    loaded = load(arguments)
    if not has_reasons(essays):
        console.say(_NO_REASONS)
    report = _evaluate(arguments, console, essays, loaded)
    for line in report_lines(report):
        console.line(line)
    if arguments.json is not None:
        _write_json(arguments.json, report, arguments, loaded)
        console.say(f"Scores written to {arguments.json}.")
    if arguments.plot is not None:
        save_plot(report, arguments.plot)
        console.say(f"Plot written to {arguments.plot}.")
    return ExitCode.OK


def _with_slips(
    arguments: argparse.Namespace, console: Console, essays: Sequence[AnnotatedEssay]
) -> list[AnnotatedEssay]:
    from engine.research.slips import Slips

    slipped = Slips.read(arguments.slips).put_into(essays, seed=arguments.seed)
    console.say(f"{slipped.changed:,} of {slipped.words:,} words are typed as learners do.")
    return slipped.essays


def _evaluate(
    arguments: argparse.Namespace,
    console: Console,
    essays: Sequence[AnnotatedEssay],
    loaded: LoadedTagger,
) -> Report:
    from engine.research.evaluate_decor import Cuts, evaluate, judge_essays, predict

    def tell(done: int) -> None:
        if done % 10 == 0 and done < len(essays):
            console.say(f"Judged {done} of {len(essays)} essays.")

    judgements: list[Judgements] = judge_essays(loaded.tagger, essays, tell)
    cuts = Cuts.of(loaded.thresholds[arguments.strictness], loaded.settings)
    predictions = predict(essays, judgements, cuts)
    return evaluate(predictions, halves=arguments.halves or None, seed=arguments.seed)


def _write_json(
    target: Path, report: Report, arguments: argparse.Namespace, loaded: LoadedTagger
) -> None:
    data = report.as_dict()
    data["details"] |= {
        "split": arguments.split.name,
        "strictness": arguments.strictness,
        "threshold": loaded.thresholds[arguments.strictness],
        "model": dict(loaded.model),
        "seed": arguments.seed,
        "slips": arguments.slips.name if arguments.slips else None,
    }
    write_json(target, data)
