"""The language model of the child: opened when a check first needs it, kept while it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from engine.writing import RULES_ALONE, WriterChoice

if TYPE_CHECKING:
    from engine.llm.standby import StandbyWriter
    from engine.llm.writer import EditWriter
    from engine.rewriter.generated import WritesEdits


class TakesWriter(Protocol):
    """What this needs of an engine."""

    def write_with(self, generator: WritesEdits | None) -> None:
        """Have this language model write from the next check on."""
        ...


class Writers:
    """Gives an engine the writer that each job asks for, one at a time.

    A model takes much memory: another choice closes the one before. `device` is "auto", "cpu" or
    "gpu"; `opener` opens the chosen writer.
    """

    def __init__(
        self,
        engine: TakesWriter,
        *,
        device: str = "auto",
        opener: Callable[[WriterChoice], EditWriter] | None = None,
    ) -> None:
        self._engine = engine
        self._device = device
        self._opener = opener or self._open
        self._choice = RULES_ALONE
        self._writer: StandbyWriter | None = None

    def choose(self, choice: WriterChoice) -> None:
        """From the next check on, this one writes. Nothing is loaded yet."""
        if choice == self._choice:
            return
        self.close()
        if not choice.is_off:
            # Here: who never wants a language model needs none of this.
            from engine.llm.standby import StandbyWriter

            self._writer = StandbyWriter(choice, lambda: self._opener(choice))
        self._choice = choice
        self._engine.write_with(self._writer)

    def close(self) -> None:
        """Give back the memory of the writer in use."""
        writer, self._writer = self._writer, None
        self._choice = RULES_ALONE
        self._engine.write_with(None)
        if writer is not None:
            writer.close()

    def _open(self, choice: WriterChoice) -> EditWriter:
        from engine.llm.making import open_writer

        return open_writer(choice, device=self._device)
