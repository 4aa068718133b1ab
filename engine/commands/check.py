"""`segue check`: essays in, findings with reasons and rewrites out."""

from __future__ import annotations

import argparse
import glob
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.commands.check_output import SHOWN, STDIN, Output, choose_output
from engine.commands.engines import EngineFactory, make_engine, open_engine
from engine.commands.progress import ProgressDisplay
from engine.commands.stopping import StopRequest
from engine.commands.writers import add_writer_arguments
from engine.console import Console
from engine.errors import Cancelled, SegueError, UnreadableFile, UsageError
from engine.essay import Essay
from engine.events import ChecksEssays
from engine.exit_codes import ExitCode
from engine.reports.model import CheckedEssay, CheckReport

log = logging.getLogger(__name__)

FORMATS = ("text", "json", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue check`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="an essay; - is standard input")
    parser.add_argument("--topic", default="", help="the essay prompt, if there was one")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how to write the result; by default what --out ends in, else text",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="write here: a file, or for several essays a folder with a report for each",
    )
    add_judging_arguments(parser)
    add_no_rewrites(parser)
    add_writer_arguments(parser)


def add_judging_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the essays are judged, whatever is then written about them."""
    parser.add_argument(
        "--strictness",
        choices=("few", "balanced", "thorough"),
        default="balanced",
        help="how readily a sentence is flagged (default: balanced)",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto")
    parser.add_argument("--encoding", help="the encoding of text files, if it is not found out")
    add_correct_grammar(parser)


def add_correct_grammar(parser: argparse.ArgumentParser) -> None:
    """Declare that sure mistakes can be corrected for the judgement."""
    parser.add_argument(
        "--correct-grammar",
        action="store_true",
        help="judge the text as if its sure spelling and grammar mistakes were corrected; "
        "the result lists them, your text stays as it is",
    )


def add_no_rewrites(parser: argparse.ArgumentParser) -> None:
    """Declare that suggestions can be left out."""
    parser.add_argument("--no-rewrites", action="store_true", help="find and explain only; faster")


def run(
    arguments: argparse.Namespace, console: Console, *, engine_factory: EngineFactory = make_engine
) -> int:
    """Check the files; `ExitCode.FAILED` where some could not be checked."""
    names = essay_names(arguments.files)
    output = choose_output(names, arguments.out, arguments.format, console)
    return check_into(output, names, arguments, console, engine_factory)


def essay_names(files: Sequence[str]) -> list[str]:
    """The essays that the arguments name. Raises UsageError where standard input comes twice."""
    names = _expanded(files)
    if names.count(STDIN) > 1:
        raise UsageError("Standard input (-) can be checked only once.")
    return names


def check_into(
    output: Output,
    names: Sequence[str],
    arguments: argparse.Namespace,
    console: Console,
    engine_factory: EngineFactory,
) -> int:
    """Check one essay after the other into `output`; the exit code.

    Raises ModelError or BackendError where no essay can be judged at all.
    """
    with StopRequest() as stop, open_engine(arguments, console, engine_factory) as engine:
        session = CheckSession(engine, arguments, console)
        try:
            session.check_all(names, output, stop)
        except (Cancelled, KeyboardInterrupt):
            console.say(f"Stopped. {len(session.done)} of {len(names)} files were checked.")
            _close(output, session)
            return ExitCode.STOPPED
        _close(output, session)
    failed = session.unwritten or session.report().failures
    return ExitCode.FAILED if failed else ExitCode.OK


def _close(output: Output, session: CheckSession) -> None:
    if len(session.unwritten) > SHOWN:
        session.console.say(f"{len(session.unwritten) - SHOWN} more could not be written.")
    output.close(session.report())


class CheckSession:
    """One call of the command: the engine, what was asked for, and what is done."""

    def __init__(
        self, engine: ChecksEssays, arguments: argparse.Namespace, console: Console
    ) -> None:
        self.engine = engine
        self.arguments = arguments
        self.console = console
        self.done: list[CheckedEssay] = []
        self.unwritten: list[UnreadableFile] = []
        self._is_warm = False

    def report(self) -> CheckReport:
        """Everything that was checked so far."""
        return CheckReport.of(*self.done)

    def check_all(self, names: Sequence[str], output: Output, stop: StopRequest) -> None:
        """Check one file after the other; one that fails does not stop the others.

        Nor does a result that cannot be written, see `unwritten`.

        Raises ModelError or BackendError where no essay can be judged at all, Cancelled on a
        request to stop.
        """
        for number, name in enumerate(names, start=1):
            stop.check()
            with ProgressDisplay(self.console, number, len(names)) as progress:
                checked = self._check_one(name, progress, stop)
            self.done.append(checked)
            try:
                output.add(checked)
            except UnreadableFile as error:
                self.unwritten.append(error)
                if len(self.unwritten) <= SHOWN:
                    self.console.error(str(error), error.hint)

    def _check_one(self, name: str, progress: ProgressDisplay, stop: StopRequest) -> CheckedEssay:
        try:
            essay = load_essay(name, self.arguments.topic, self.arguments.encoding)
        except SegueError as error:
            return CheckedEssay(name, error=error.as_dict())
        except Exception as error:  # noqa: BLE001 - one odd file must not stop the others
            return CheckedEssay(name, error=_bug(error))
        if not self._is_warm and len(essay.sentences) > 1:
            self.engine.warm()
            self._is_warm = True
        try:
            analysis = self.engine.check(
                essay,
                strictness=self.arguments.strictness,
                rewrites=not self.arguments.no_rewrites,
                correct_grammar=self.arguments.correct_grammar,
                on_event=progress.hear,
                check_cancelled=stop.check,
            )
        except Cancelled:
            raise
        except SegueError as error:
            return CheckedEssay(name, essay.text, essay.notices, error=error.as_dict())
        except Exception as error:  # noqa: BLE001 - one odd essay must not stop the others
            return CheckedEssay(name, essay.text, essay.notices, error=_bug(error))
        return CheckedEssay(name, essay.text, essay.notices, analysis, essay=essay)


def load_essay(name: str, topic: str, encoding: str | None) -> Essay:
    """The essay in a file, or on standard input. Raises InputError."""
    from engine import documents

    if name != STDIN:
        return documents.load(Path(name), topic=topic, encoding=encoding)
    if sys.stdin is None or sys.stdin.closed:
        raise UnreadableFile("There is no standard input to read.")
    data = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory(prefix="segue-") as folder:
        path = Path(folder) / "standard-input.txt"
        path.write_bytes(data)
        return replace(documents.load(path, topic=topic, encoding=encoding), path=None)


def _bug(error: Exception) -> dict[str, str]:
    """An error of ours, for the report; its traceback goes to the log."""
    log.error("a file could not be checked", exc_info=error)
    return {
        "code": "bug",
        "message": f"Segue failed on this file ({type(error).__name__}).",
        "hint": "This is a mistake in Segue, not in your essay. Please report it.",
    }


def _expanded(names: Sequence[str]) -> list[str]:
    """The names, with patterns filled in where the shell does not do it (Windows)."""
    if os.name != "nt":
        return list(names)
    expanded: list[str] = []
    for name in names:
        matches = [] if Path(name).exists() else sorted(glob.glob(name))  # noqa: PTH207 - patterns can be absolute
        expanded.extend(matches or [name])
    return expanded
