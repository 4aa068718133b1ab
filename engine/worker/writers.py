"""The language model of the child: opened when a check first needs it, kept while it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from engine.events import EventListener, Writing
from engine.writing import RULES_ALONE, WriterChoice

if TYPE_CHECKING:
    from engine.llm.standby import StandbyWriter
    from engine.llm.writer import EditWriter, Heard
    from engine.rewriter.generated import WritesEdits


_DELETED = "DELETE"
"""What a model writes to have the sentence deleted: a sign, and no words for the user."""


class TakesWriter(Protocol):
    """What this needs of an engine."""

    def write_with(self, generator: WritesEdits | None) -> None:
        """Have this language model write from the next check on."""
        ...


class Writers:
    """Gives an engine the writer that each job asks for, one at a time.

    A model takes much memory: another choice closes the one before. `device` is "auto", "cpu" or
    "gpu"; `opener` opens the chosen writer, which tells what it is given of each piece of text.
    """

    def __init__(
        self,
        engine: TakesWriter,
        *,
        device: str = "auto",
        opener: Callable[[WriterChoice, Heard], EditWriter] | None = None,
    ) -> None:
        self._engine = engine
        self._device = device
        self._opener = opener or self._open
        self._choice = RULES_ALONE
        self._writer: StandbyWriter | None = None
        self._on_text: Heard | None = None

    def choose(self, choice: WriterChoice, *, on_text: Heard | None = None) -> None:
        """From the next check on, this one writes, and `on_text` hears it. Nothing is loaded yet."""
        self._on_text = on_text
        if choice == self._choice:
            return
        self.close()
        if not choice.is_off:
            # Here: who never wants a language model needs none of this.
            from engine.llm.standby import StandbyWriter

            self._writer = StandbyWriter(choice, lambda: self._opener(choice, self._hear))
        self._choice = choice
        self._engine.write_with(self._writer)

    def close(self) -> None:
        """Give back the memory of the writer in use."""
        writer, self._writer = self._writer, None
        self._choice = RULES_ALONE
        self._engine.write_with(None)
        if writer is not None:
            writer.close()

    def _hear(self, sentence: str, piece: str) -> None:
        # The writer outlives the job that opened it; each piece is for the job at hand.
        if self._on_text is not None:
            self._on_text(sentence, piece)

    def _open(self, choice: WriterChoice, on_text: Heard) -> EditWriter:
        from engine.llm.making import open_writer

        return open_writer(choice, device=self._device, on_text=on_text)


class Draft:
    """Tells of each edit as it is written: pieces in, one `Writing` with all of it so far out."""

    def __init__(self, sentences: Sequence[str], emit: EventListener) -> None:
        """`sentences` are those of the essay."""
        self._places = {text: index for index, text in reversed(list(enumerate(sentences)))}
        self._emit = emit
        self._text = ""

    def hear(self, sentence: str, piece: str) -> None:
        """One more piece of the edit of `sentence`; an empty one begins another edit."""
        index = self._places.get(sentence)
        if index is None:
            return
        from engine.llm.prompts import parse_edit

        self._text = self._text + piece if piece else ""
        shown = parse_edit(self._text)
        bare = shown.lstrip("[* ")
        if bare.startswith(_DELETED) or _DELETED.startswith(bare):
            shown = ""
        self._emit(Writing(index, shown))
