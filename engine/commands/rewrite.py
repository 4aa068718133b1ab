"""`segue rewrite`: an essay in, suggestions for its marked or named sentences out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

from engine.analysis import Analysis, Finding
from engine.commands.check import add_judging_arguments, load_essay
from engine.commands.rewrite_output import suggestions_json, suggestions_text
from engine.commands.stopping import StopRequest
from engine.commands.writers import (
    CHOICES,
    OPERATORS,
    StreamDisplay,
    add_model_arguments,
    describe_writer,
    make_writer,
)
from engine.console import Console
from engine.errors import Cancelled, UsageError
from engine.essay import Essay
from engine.events import Event, EventListener, Found, Scored
from engine.exit_codes import ExitCode
from engine.reports.model import CheckedEssay
from engine.writing import OFF

if TYPE_CHECKING:
    from engine.llm.writer import EditWriter

FORMATS = ("text", "json")
MOST_VERSIONS = 5


class RewritesEssays(Protocol):
    """What this command needs of `engine.pipeline.Engine`."""

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        only: Collection[int] | None = None,
        correct_grammar: bool = False,
        on_event: EventListener | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        """Judge an essay and suggest rewrites."""
        ...


EngineMaker = Callable[[str, "EditWriter | None"], RewritesEssays]
"""A device preference and a writer -> an engine that writes with it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue rewrite`."""
    parser.add_argument("file", metavar="FILE", help="an essay; - is standard input")
    parser.add_argument("--topic", default="", help="the essay prompt, if there was one")
    parser.add_argument(
        "--sentence",
        type=int,
        nargs="+",
        action="extend",
        metavar="N",
        help="rewrite these sentences, marked or not; by default every marked one",
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        help=f"who writes beside Segue's own rules: {CHOICES}",
    )
    add_model_arguments(parser)
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same text")
    parser.add_argument(
        "--versions",
        type=int,
        default=1,
        metavar="N",
        help=f"how many versions of a sentence to generate, 1 to {MOST_VERSIONS} (default: 1)",
    )
    parser.add_argument("--format", choices=FORMATS, default="text")
    add_judging_arguments(parser)


def run(
    arguments: argparse.Namespace,
    console: Console,
    *,
    engine_maker: EngineMaker | None = None,
) -> int:
    """Suggest rewrites and print them; what is done when Ctrl+C comes is printed as well."""
    backend = _backend(arguments)
    essay = load_essay(arguments.file, arguments.topic, arguments.encoding)
    only = _named(arguments.sentence, len(essay.sentences))
    display = StreamDisplay(console)
    with StopRequest() as stop:
        writer = make_writer(
            backend,
            model=arguments.model,
            server=arguments.server,
            device=arguments.device,
            seed=arguments.seed,
            versions=arguments.versions,
            on_text=display.hear,
        )
        try:
            engine = (engine_maker or _make_engine)(arguments.device, writer)
            if writer is not None and writer.leaves_machine:
                console.say(str(writer.describe()["reason"]))
            return _rewrite(arguments, console, engine, essay, only, writer, stop, display)
        finally:
            display.clear()
            if writer is not None:
                writer.close()


def _rewrite(
    arguments: argparse.Namespace,
    console: Console,
    engine: RewritesEssays,
    essay: Essay,
    only: Collection[int] | None,
    writer: EditWriter | None,
    stop: StopRequest,
    display: StreamDisplay,
) -> int:
    seen = _Seen()
    code = ExitCode.OK
    try:
        seen.analysis = engine.check(
            essay,
            strictness=arguments.strictness,
            only=only,
            correct_grammar=arguments.correct_grammar,
            on_event=seen.hear,
            check_cancelled=stop.check,
        )
    except (Cancelled, KeyboardInterrupt):
        code = ExitCode.STOPPED
    display.clear()
    checked = CheckedEssay(arguments.file, essay.text, essay.notices, seen.as_analysis(essay))
    findings = seen.findings()
    made_by = describe_writer(writer)
    if arguments.format == "json":
        console.write(suggestions_json(checked, findings, made_by, is_complete=code == ExitCode.OK))
    elif findings or code == ExitCode.OK:
        console.write(suggestions_text(checked, findings, made_by, console.paint))
    if code == ExitCode.STOPPED:
        console.say("Stopped. The suggestions found so far are shown.")
    return code


class _Seen:
    """What the engine has told so far: all there is to show after a stop."""

    def __init__(self) -> None:
        self.analysis: Analysis | None = None
        self._scored: Scored | None = None
        self._found: dict[int, Finding] = {}

    def hear(self, event: Event) -> None:
        """Keep what is worth showing."""
        if isinstance(event, Scored):
            self._scored = event
        elif isinstance(event, Found):
            self._found[event.finding.sentence] = event.finding

    def findings(self) -> tuple[Finding, ...]:
        """The findings: all of a finished check, else those that have an answer."""
        if self.analysis is not None:
            return self.analysis.findings
        done = [one for one in self._found.values() if one.rewrites or one.note]
        return tuple(sorted(done, key=lambda one: one.sentence))

    def as_analysis(self, essay: Essay) -> Analysis | None:
        """The analysis; after a stop what is known of it, nothing where nothing was judged."""
        if self.analysis is not None or self._scored is None:
            return self.analysis
        return Analysis(
            content_hash=essay.content_hash,
            topic=essay.topic,
            sentences=self._scored.sentences,
            findings=self.findings(),
            threshold=0.0,
        )


def _backend(arguments: argparse.Namespace) -> str:
    """The backend that is asked for. Raises UsageError where the arguments contradict."""
    if not 1 <= arguments.versions <= MOST_VERSIONS:
        raise UsageError(f"--versions takes a number from 1 to {MOST_VERSIONS}.")
    backend = str(arguments.backend or ("server" if arguments.server else OPERATORS))
    if backend == OFF:
        backend = OPERATORS
    if arguments.server and backend != "server":
        raise UsageError("--server goes with --backend server.")
    if arguments.model and backend == OPERATORS:
        raise UsageError(
            "--model needs a backend to run it.",
            hint="Add --backend llama-cpp for a GGUF file, or --backend transformers.",
        )
    return backend


def _named(numbers: list[int] | None, count: int) -> frozenset[int] | None:
    """The sentences that were named, as indexes. Raises UsageError on one that cannot be."""
    if numbers is None:
        return None
    for number in numbers:
        if number == 1:
            raise UsageError(
                "The first sentence has nothing before it to follow from, so it is not rewritten."
            )
        if not 1 <= number <= count:
            raise UsageError(f"There is no sentence {number}: the essay has {count}.")
    return frozenset(number - 1 for number in numbers)


def _make_engine(device: str, writer: EditWriter | None) -> RewritesEssays:
    from engine.pipeline import Engine

    return Engine(device=device, generator=writer)
