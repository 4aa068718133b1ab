"""The language model that a command writes with, opened only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.console import Console, printable
from engine.writing import OFF, WriterChoice

if TYPE_CHECKING:
    from engine.llm.writer import EditWriter

OPERATORS = "operators"
"""The name for doing without a language model."""


def make_writer(
    backend: str,
    *,
    model: str | None,
    server: str,
    device: str,
    seed: int,
    versions: int,
    on_text: Callable[[str, str], None] | None,
) -> EditWriter | None:
    """A writer on that backend; None for the rules alone.

    Raises UsageError, ModelError and BackendError, as `engine.llm.making.open_writer` does.
    """
    if backend in (OPERATORS, OFF):
        return None
    from engine.llm.making import open_writer

    choice = WriterChoice(backend, model or "", server)
    return open_writer(choice, device=device, seed=seed, versions=versions, on_text=on_text)


def describe_writer(writer: EditWriter | None) -> Mapping[str, Any]:
    """What wrote, for the record: with what it generated so far, in tokens and seconds."""
    if writer is None:
        return {"backend": OPERATORS, "model": "", "device": "cpu", "reason": ""}
    return {
        **writer.describe(),
        "tokens": sum(one.tokens for one in writer.generations),
        "seconds": round(sum(one.seconds for one in writer.generations), 3),
    }


class StreamDisplay:
    """Shows a sentence on one line of the terminal while it is being written."""

    def __init__(self, console: Console) -> None:
        self._stream = console.err
        self._width = console.paint_err.width
        self._is_wanted = console.err.isatty()
        self._sentence = ""
        self._text = ""

    def hear(self, sentence: str, piece: str) -> None:
        """One more piece of the edit of `sentence`."""
        if not self._is_wanted:
            return
        if sentence != self._sentence:
            self._sentence, self._text = sentence, ""
        self._text += piece
        shown = printable(" ".join(self._text.split()))[-(self._width - 4) :]
        self._show(f"... {shown}")

    def clear(self) -> None:
        """Take the line away."""
        if self._is_wanted and self._sentence:
            self._show("")
            self._sentence = ""

    def _show(self, text: str) -> None:
        with suppress(ValueError):  # the terminal was closed
            self._stream.write(f"\r\033[K{text}")
            self._stream.flush()
