"""`segue evaluate judge`: acceptance rate and win rate by a language model, as in the paper."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.console import Console
from engine.errors import UsageError
from engine.exit_codes import ExitCode
from engine.research.evaluate_files import add_json, check_targets, write_json
from engine.research.generators import add_generator_arguments, open_generator

if TYPE_CHECKING:
    from engine.llm.protocol import GeneratesText
    from engine.research.judge import Question, Rate
    from engine.research.rewrites.examples import Example

CONTEXT_TOKENS = 8192
"""The prompt with its 16 examples, an essay and a long answer."""

_BATCH = 8
Loader = Callable[[argparse.Namespace], "GeneratesText"]


def load_judge(arguments: argparse.Namespace) -> GeneratesText:
    """The language model that the arguments name. Raises UsageError, BackendError, ModelError."""
    return open_generator(arguments, context_tokens=CONTEXT_TOKENS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `segue evaluate judge`."""
    parser.add_argument(
        "--examples",
        type=Path,
        required=True,
        metavar="FILE",
        help="what `segue evaluate rewriting --examples` wrote",
    )
    add_generator_arguments(parser)
    parser.add_argument(
        "--system",
        action="append",
        metavar="NAME",
        help="whose rewrites to judge; may be given again (default: the product, else the "
        "operators)",
    )
    parser.add_argument(
        "--against",
        default="expert",
        metavar="NAME",
        help="whose rewrites to compare with for the win rate (default: %(default)s)",
    )
    parser.add_argument(
        "--metric",
        choices=("acceptance", "win", "both"),
        default="both",
        help="what to ask the judge (default: %(default)s)",
    )
    parser.add_argument(
        "--setting",
        choices=("experts", "own"),
        default="experts",
        help="rewrites for the experts' reasons, or from end to end (default: %(default)s)",
    )
    parser.add_argument(
        "--no-reasons",
        action="store_true",
        help="compare by the prompt that does not name the reasons",
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="judge so many sentences, drawn by the seed"
    )
    parser.add_argument(
        "--batch",
        type=int,
        metavar="N",
        help=f"questions at once (default: {_BATCH} with transformers, else 1)",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FILE",
        help="keep the answers here; a run that was stopped goes on where it was",
    )
    add_json(parser, what="rates")


def run(
    arguments: argparse.Namespace, console: Console | None = None, *, load: Loader = load_judge
) -> int:
    """Ask the judge and print the rates; the exit code.

    Raises InputError for a file that cannot be read, UsageError for a system that it does not
    hold, BackendError or ModelError for a judge that cannot be loaded or fails. What was answered
    before is in the cache.
    """
    from engine.research.judge import Judge, judged_items, rates
    from engine.research.judge_cache import AnswerFile
    from engine.research.rewrites.examples import read_examples

    console = console or Console()
    check_targets(arguments.json, arguments.cache, beside=[arguments.examples])
    items = _sample(judged_items(read_examples(arguments.examples), arguments.setting), arguments)
    questions = _questions(items, _systems(items, arguments), arguments)
    cache = None if arguments.cache is None else AnswerFile(arguments.cache)
    known = {} if cache is None else cache.load()
    generator = load(arguments)
    try:
        about = generator.describe()
        if generator.leaves_machine:
            console.say("The sentences and their contexts are sent to the server that you named.")
        judge = Judge(
            lambda requests: [made[0].text for made in generator.generate_all(requests)],
            known,
            name=f"{about.get('backend')}|{about.get('model')}",
        )
        if cache is not None:
            judge.keep = cache.add
        batch = arguments.batch or (_BATCH if arguments.backend == "transformers" else 1)
        answers = judge.answers(questions, batch=batch, on_step=_teller(console))
    finally:
        generator.close()
    found = rates(questions, answers, seed=arguments.seed)
    for line in rate_lines(found, arguments.against):
        console.line(line)
    if arguments.json is not None:
        _write_json(arguments, found, about)
        console.say(f"Rates written to {arguments.json}.")
    return ExitCode.OK


def _sample(items: list[Example], arguments: argparse.Namespace) -> list[Example]:
    if not items:
        raise UsageError(
            f"{arguments.examples.name} holds no sentence with an expert's text in the setting "
            f"{arguments.setting}."
        )
    if arguments.sample is None or arguments.sample >= len(items):
        return items
    if arguments.sample < 1:
        raise UsageError("--sample needs a number of at least 1.")
    draw = random.Random(arguments.seed)  # noqa: S311 - no secret hangs on it
    chosen = sorted(draw.sample(range(len(items)), arguments.sample))
    return [items[place] for place in chosen]


def _systems(items: Sequence[Example], arguments: argparse.Namespace) -> list[str]:
    """The systems to judge, each of them in the file. Raises UsageError."""
    known = list(items[0].answers)
    default = next((name for name in ("product", "operators") if name in known), known[-1])
    systems: list[str] = list(dict.fromkeys(arguments.system or [default]))
    for name in (*systems, arguments.against):
        if name not in known and not (name == "expert" and name == arguments.against):
            raise UsageError(
                f"{arguments.examples.name} holds no answers of {name!r}.",
                hint=f"It holds {', '.join(known)}.",
            )
    return systems


def _questions(
    items: Sequence[Example], systems: Sequence[str], arguments: argparse.Namespace
) -> list[Question]:
    from engine.research.judge import Metric, acceptance_question, win_question

    questions = []
    for system in systems:
        if arguments.metric != Metric.WIN:
            questions += [acceptance_question(item, system) for item in items]
        if arguments.metric != Metric.ACCEPTANCE and system != arguments.against:
            questions += [
                win_question(
                    item,
                    system,
                    arguments.against,
                    with_reasons=not arguments.no_reasons,
                    seed=arguments.seed,
                )
                for item in items
            ]
    return questions


def _teller(console: Console) -> Callable[[int, int], None]:
    """Says every tenth of the way."""
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if done * 10 // total > told:
            told = done * 10 // total
            console.say(f"{done} of {total} questions answered.")

    return tell


def rate_lines(found: Sequence[Rate], against: str) -> Iterator[str]:
    """The rates as a table of at most 80 columns."""
    from engine.research.evaluate_tables import table_lines

    yield "acceptance: the judge finds the rewrite coherent with its context; an answer"
    yield "that cannot be parsed counts as not accepted."
    yield f"win: the judge prefers the rewrite to that of {against}; answers that"
    yield "cannot be parsed are left out. same: pairs of equal texts."
    yield "Percentages; the 95% intervals are bootstrapped over essays."
    yield ""
    rows = [["", "", "n", "rate", "95%", "yes", "no", "unparsable", "same"]]
    for one in found:
        interval = one.interval
        rows.append(
            [
                one.system,
                one.metric.value,
                str(one.n),
                "-" if one.rate is None else f"{100 * one.rate:.1f}",
                "-" if interval is None else f"{100 * interval.low:.1f}..{100 * interval.high:.1f}",
                str(one.yes),
                str(one.no),
                str(one.unparsable),
                str(one.same),
            ]
        )
    yield from table_lines(rows, left=2)


def _write_json(
    arguments: argparse.Namespace, found: Sequence[Rate], judge: dict[str, Any]
) -> None:
    systems: dict[str, dict[str, Any]] = {}
    for one in found:
        systems.setdefault(one.system, {})[one.metric.value] = one.as_dict()
    data = {
        "unit": "fraction",
        "systems": systems,
        "about": {
            "examples": arguments.examples.name,
            "setting": arguments.setting,
            "against": arguments.against,
            "with_reasons": not arguments.no_reasons,
            "sample": arguments.sample,
            "seed": arguments.seed,
            "judge": judge,
        },
    }
    write_json(arguments.json, data)
