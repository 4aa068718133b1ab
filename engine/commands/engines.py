"""The engine that a command runs, made only when it is needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from engine.commands.writers import chosen_writer, make_writer
from engine.console import Console
from engine.errors import BackendError, SegueError
from engine.events import ChecksEssays

if TYPE_CHECKING:
    from engine.rewriter.generated import WritesEdits
    from engine.writing import WriterChoice

EngineFactory = Callable[[str], ChecksEssays]
"""A device preference -> an engine."""


def make_engine(device: str) -> ChecksEssays:
    """The engine with the shipped model."""
    from engine.pipeline import Engine

    return Engine(device=device)


@runtime_checkable
class TakesWriter(Protocol):
    """An engine that can be given a language model."""

    def write_with(self, generator: WritesEdits | None) -> None:
        """Have it write from the next check on."""
        ...


@contextmanager
def open_engine(
    arguments: argparse.Namespace,
    console: Console,
    factory: EngineFactory,
    *,
    writer: WriterChoice | None = None,
) -> Iterator[ChecksEssays]:
    """The engine for the arguments of `add_writer_arguments`, its language model open meanwhile.

    `writer` takes the place of the one that the arguments name.
    Where that fails later, it is said once and the rules go on alone. Raises UsageError,
    ModelError or BackendError where it cannot be opened at all.
    """
    choice = writer or chosen_writer(arguments)
    opened = make_writer(
        choice.backend,
        model=choice.model or None,
        server=choice.server,
        device=arguments.device,
        seed=0,
        versions=1,
        on_text=None,
    )
    if opened is None:
        yield factory(arguments.device)
        return
    from engine.llm.standby import StandbyWriter

    told: set[str] = set()

    def tell(error: SegueError) -> None:
        if error.message not in told:
            told.add(error.message)
            console.say(f"No more rewrites are generated for now. {error.message} {error.hint}")

    try:
        engine = factory(arguments.device)
        if not isinstance(engine, TakesWriter):
            raise BackendError("This engine cannot generate rewrites.", hint="")
        engine.write_with(StandbyWriter(choice, lambda: opened, on_failure=tell))
        if opened.leaves_machine:
            console.say(str(opened.describe()["reason"]))
        yield engine
    finally:
        opened.close()
