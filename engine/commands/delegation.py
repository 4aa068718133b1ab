"""Commands whose work is done by a module that is loaded only when it is asked for."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Mapping

from engine.console import Console
from engine.errors import BackendError

OWN_PACKAGES = ("engine", "desktop")


def add_delegates(
    parser: argparse.ArgumentParser, delegates: Mapping[str, tuple[str, str]], *, metavar: str
) -> None:
    """Add a sub-command for each delegate: name -> (module, purpose).

    The module offers `add_arguments(parser)` and `run(arguments) -> int`.
    """
    choices = parser.add_subparsers(dest="delegate", metavar=metavar, required=True)
    for name, (module, purpose) in delegates.items():
        choices.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            fill=_fill(module),
        )


def _fill(name: str) -> Callable[[argparse.ArgumentParser], None]:
    def fill(parser: argparse.ArgumentParser) -> None:
        module = importlib.import_module(name)
        module.add_arguments(parser)
        parser.set_defaults(delegate_run=module.run)

    return fill


def run_delegate(arguments: argparse.Namespace, console: Console) -> int:
    """Run the chosen delegate; its exit code. Raises BackendError where an extra is missing."""
    del console  # the research code talks through its own log
    try:
        return int(arguments.delegate_run(arguments))
    except ModuleNotFoundError as error:
        raise _missing_extra(error) from error


def _missing_extra(error: ModuleNotFoundError) -> Exception:
    package = (error.name or "").partition(".")[0]
    if package in OWN_PACKAGES:
        return error
    return BackendError(
        f"This command needs {package}, which is not installed.",
        hint="Install the extra: pip install 'segue[train]'",
    )
