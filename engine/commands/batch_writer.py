"""The language model of a class on the command line: named once, and used again by `--resume`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from engine.commands.engines import EngineFactory, open_engine
from engine.commands.writers import chosen_writer
from engine.console import Console
from engine.errors import BackendError, ModelError, UsageError
from engine.events import ChecksEssays
from engine.writing import SERVER, WriterChoice


def named_writer(arguments: argparse.Namespace) -> WriterChoice | None:
    """Who is to write, as the class remembers it; None where the arguments say nothing of it.

    A path is made absolute, and an address loses every secret in it. Raises UsageError where the
    arguments contradict one another.
    """
    choice = chosen_writer(arguments)
    if arguments.writer is None and choice.is_off:
        return None
    if choice.backend != SERVER and choice.model and Path(choice.model).exists():
        choice = replace(choice, model=str(Path(choice.model).absolute()))
    return choice.without_secrets()


@contextmanager
def open_class_engine(
    arguments: argparse.Namespace,
    console: Console,
    factory: EngineFactory,
    remembered: WriterChoice,
) -> Iterator[ChecksEssays]:
    """The engine with the writer that the arguments name, else with the remembered one.

    Raises UsageError, ModelError or BackendError as `open_engine` does; where the remembered one
    cannot be opened any more, the error says so and how to go on.
    """
    is_named = named_writer(arguments) is not None
    with ExitStack() as stack:
        if is_named or remembered.is_off:
            engine = stack.enter_context(open_engine(arguments, console, factory))
        else:
            console.say(f"Going on with {_name(remembered)}, as this class was begun.")
            try:
                engine = stack.enter_context(
                    open_engine(arguments, console, factory, writer=remembered)
                )
            except (UsageError, ModelError, BackendError) as error:
                raise type(error)(
                    f"This class was begun with {_name(remembered)}, which cannot be used now. "
                    f"{error.message}",
                    hint=f"{error.hint} To go on with another one, name it with --writer; "
                    "--writer off goes on with the rules alone.".strip(),
                ) from error
        yield engine


def _name(writer: WriterChoice) -> str:
    model = f"the language model {writer.model}" if writer.model else "a language model"
    where = f"the server {writer.server}" if writer.server else writer.backend
    return f"{model} on {where}"
