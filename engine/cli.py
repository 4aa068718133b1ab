"""The command line: `segue COMMAND`.

Only the chosen command's module is imported, so that `segue --help` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import engine
from engine.console import Console, prepare_streams
from engine.errors import BackendError, Cancelled, ModelError, SegueError, UsageError
from engine.exit_codes import DESCRIPTION, ExitCode
from engine.models.offline import stay_offline

COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("engine.commands.check", "find incoherent sentences, say why, suggest rewrites"),
    "rewrite": ("engine.commands.rewrite", "suggest rewrites for marked or named sentences"),
    "report": ("engine.commands.report", "check essays and write a feedback report on each"),
    "batch": ("engine.commands.batch", "check a class of essays and write a report on each"),
    "doctor": ("engine.commands.doctor", "see what works on this computer, and what is missing"),
    "history": ("engine.commands.history", "list, show or delete past checks"),
    "models": ("engine.commands.models", "see, download, bring in, verify and remove models"),
    "train": ("engine.commands.train", "train a model (needs the extra `train`)"),
    "evaluate": ("engine.commands.evaluate", "measure a model on published data"),
}

LOUD_COMMANDS = ("train", "evaluate")
"""Long work that logs to the terminal instead of to the user's log folder."""

ONLINE_COMMANDS = ("models",)
"""Those that may use the internet, when the user asks them to."""


class Command(Protocol):
    """What a module in `engine.commands` offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Do it; the exit code."""


class LazyParser(argparse.ArgumentParser):
    """A parser that declares its arguments when it is first used.

    `fill` gets the parser; None for one that needs nothing.
    """

    def __init__(
        self, *args: Any, fill: Callable[[argparse.ArgumentParser], None] | None = None, **kw: Any
    ) -> None:
        super().__init__(*args, **kw)
        self._fill = fill

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Declare the arguments, then parse as usual."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)
        return super().parse_known_args(args, namespace)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = LazyParser(
        prog="segue",
        description="Segue finds the sentences that break an English essay's coherence, says why,\n"
        "and suggests small rewrites. Everything stays on this computer.",
        epilog=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, purpose) in COMMANDS.items():
        commands.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog=DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            fill=_filler(module),
        )
    return parser


def _filler(module: str) -> Callable[[argparse.ArgumentParser], None]:
    def fill(parser: argparse.ArgumentParser) -> None:
        command = cast(Command, importlib.import_module(module))
        command.add_arguments(parser)
        parser.set_defaults(run=command.run)

    return fill


class _Version(argparse.Action):
    """Prints the version to standard output, where scripts look for it."""

    def __init__(self, option_strings: Sequence[str], dest: str, **kw: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **kw)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        sys.stdout.write(f"segue {engine.__version__}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code, see `engine.exit_codes`."""
    prepare_streams()
    try:
        return _run(arguments)
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()


def _run(arguments: Sequence[str] | None) -> int:
    console = Console()
    try:
        options = build_parser().parse_args(arguments)
        if options.command not in LOUD_COMMANDS:
            _keep_log()
        if options.command not in ONLINE_COMMANDS:
            stay_offline()
        return int(options.run(options, console))
    except BrokenPipeError:
        _drop_output()
        return ExitCode.OK
    except (Cancelled, KeyboardInterrupt):
        console.say("Stopped.")
        return ExitCode.STOPPED
    except SegueError as error:
        console.error(error.message, error.hint)
        return _exit_code(error)


def _keep_log() -> None:
    from engine.log import set_up_logging

    set_up_logging("command-line")


def _exit_code(error: SegueError) -> ExitCode:
    if isinstance(error, UsageError):
        return ExitCode.USAGE
    if isinstance(error, ModelError | BackendError):
        return ExitCode.NO_MODEL
    return ExitCode.FAILED


def _drop_output() -> None:
    """The reader went away, as `| head` does: keep Python from complaining at its exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
