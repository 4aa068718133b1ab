"""`segue evaluate rewriting`: measure rewrites on a DECOR file with experts' rewrites."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.abilities import RelatesSentences
from engine.console import Console
from engine.errors import DamagedFile
from engine.exit_codes import ExitCode
from engine.research.evaluate_command import LoadedTagger, load_tagger
from engine.research.evaluate_files import (
    add_json,
    add_split,
    add_strictness,
    check_targets,
    write_json,
    write_lines,
)
from engine.research.generators import add_generator_arguments, open_generator

if TYPE_CHECKING:
    from engine.analysis import Judgement
    from engine.llm.protocol import GeneratesText
    from engine.llm.writer import EditWriter
    from engine.research.evaluate_rewriting import RewritingReport, Vectors
    from engine.research.rewrites.items import RewriteItem
    from engine.research.rewrites.systems import AnswersFindings

OPERATORS_ONLY = "operators"
TOGETHER = {"transformers": 8}
"""How many sentences a backend is handed at once, where more than one is faster."""


@dataclass(frozen=True)
class Loaders:
    """How the tagger and the language model are loaded; tests hand in their own."""

    tagger: Callable[[argparse.Namespace], LoadedTagger]
    generator: Callable[[argparse.Namespace], GeneratesText]


def load_named_tagger(arguments: argparse.Namespace) -> LoadedTagger:
    """The tagger of `--tagger`, or the installed one. Raises ModelError."""
    return load_tagger(argparse.Namespace(model=arguments.tagger, device=arguments.device))


LOADERS = Loaders(load_named_tagger, open_generator)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `segue evaluate rewriting`."""
    add_split(parser, holding="with the column Rewrite (a text, or DELETE)")
    add_generator_arguments(parser, without=OPERATORS_ONLY)
    parser.add_argument(
        "--versions",
        type=int,
        default=1,
        metavar="N",
        help="how many edits the language model writes of a sentence (default: %(default)s)",
    )
    add_json(parser, what="scores")
    parser.add_argument(
        "--examples",
        type=Path,
        metavar="OUT",
        help="also write every sentence with all answers, one JSON object a line; this is what "
        "`segue evaluate judge` reads",
    )
    parser.add_argument(
        "--tagger", type=Path, metavar="FOLDER", help="the tagger's folder, if not the installed"
    )
    add_strictness(parser)
    parser.add_argument(
        "--samples",
        type=int,
        default=1000,
        help="bootstrap resamples for the intervals (default: %(default)s)",
    )


def run(
    arguments: argparse.Namespace, console: Console | None = None, *, loaders: Loaders = LOADERS
) -> int:
    """Read the file, run and score all systems, print the tables; the exit code.

    Raises InputError for a file that cannot be read or that holds no expert's rewrite, ModelError
    or BackendError for a model that cannot be loaded; all before the first essay is judged.
    """
    from engine.research.evaluate_rewriting import evaluate_rewriting
    from engine.research.evaluate_rewriting_tables import rewriting_lines
    from engine.research.readers.decor import read_decor
    from engine.research.rewrites.items import rewrite_items

    console = console or Console()
    check_targets(arguments.json, arguments.examples, beside=[arguments.split])
    essays = read_decor(arguments.split)
    if not any(item.incoherent for item in rewrite_items(essays)):
        raise DamagedFile(
            f"{arguments.split.name} holds no sentence that an expert rewrote.",
            hint="The column Rewrite must hold a text or DELETE where the label is 0.",
        )
    loaded = loaders.tagger(arguments)
    threshold = loaded.thresholds[arguments.strictness]
    generator = None if arguments.backend == OPERATORS_ONLY else loaders.generator(arguments)
    try:
        report = evaluate_rewriting(
            essays,
            loaded.tagger,
            lambda items: systems_for(items, loaded, threshold, generator, arguments),
            threshold=threshold,
            vectors=vectors_of(loaded.tagger),
            samples=arguments.samples,
            seed=arguments.seed,
            on_step=console.say,
        )
        about = _about(arguments, loaded, threshold, generator)
    finally:
        if generator is not None:
            generator.close()
    for line in rewriting_lines(report):
        console.line(line)
    _write_results(arguments, console, report, about)
    return ExitCode.OK


def systems_for(
    items: Sequence[RewriteItem],
    loaded: LoadedTagger,
    threshold: float,
    generator: GeneratesText | None,
    arguments: argparse.Namespace,
) -> list[AnswersFindings]:
    """Every row of the tables; those of the language model only where there is one."""
    from engine.research.rewrites import systems
    from engine.rewriter import Rewriter

    def score(
        sentences: Sequence[str], topic: str, only: Collection[int]
    ) -> Mapping[int, Judgement]:
        return loaded.tagger.judge(sentences, topic, only)

    relate = loaded.tagger.relations if isinstance(loaded.tagger, RelatesSentences) else None
    compared: list[AnswersFindings] = [
        *systems.baselines(),
        systems.UnreadCandidates(),
        systems.WithRewriter(systems.OPERATORS, Rewriter(), score, threshold, relate=relate),
    ]
    if generator is not None:
        meter = systems.Meter(generator)
        compared += [
            systems.ModelAlone(writer_on(meter, arguments), meter),
            systems.WithRewriter(
                systems.PRODUCT,
                Rewriter(generator=writer_on(meter, arguments)),
                score,
                threshold,
                meter,
                relate=relate,
            ),
        ]
    return [*compared, systems.experts(items)]


def writer_on(generator: GeneratesText, arguments: argparse.Namespace) -> EditWriter:
    """The language model put to work on sentences; DECOR's own models as they were trained."""
    from engine.llm.decor_prompts import checkpoint_of
    from engine.llm.writer import EditWriter

    return EditWriter(
        generator,
        checkpoint=checkpoint_of(arguments.model or ""),
        versions=arguments.versions,
        seed=arguments.seed,
        at_once=TOGETHER.get(arguments.backend, 1),
    )


def vectors_of(tagger: object) -> Vectors | None:
    """The tagger's vector of a sentence that stands alone; None for a tagger that gives none."""
    read = getattr(tagger, "read", None)
    if read is None:
        return None
    return lambda sentence: read([sentence], "", [0]).vectors[0]


def _about(
    arguments: argparse.Namespace,
    loaded: LoadedTagger,
    threshold: float,
    generator: GeneratesText | None,
) -> dict[str, Any]:
    return {
        "split": arguments.split.name,
        "strictness": arguments.strictness,
        "threshold": threshold,
        "tagger": dict(loaded.model),
        "writer": None if generator is None else generator.describe(),
        "seed": arguments.seed,
        "samples": arguments.samples,
    }


def _write_results(
    arguments: argparse.Namespace,
    console: Console,
    report: RewritingReport,
    about: Mapping[str, Any],
) -> None:
    from engine.research.rewrites.examples import example_lines

    if arguments.json is not None:
        write_json(arguments.json, report.as_dict() | {"about": dict(about)})
        console.say(f"Scores written to {arguments.json}.")
    if arguments.examples is not None:
        write_lines(arguments.examples, example_lines(report))
        console.say(f"Examples written to {arguments.examples}.")
