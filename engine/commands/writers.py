"""The language model that a command writes with, opened only when it is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.console import Console, printable
from engine.errors import UsageError
from engine.writing import OFF, SERVER, WriterChoice

if TYPE_CHECKING:
    from engine.llm.writer import EditWriter

OPERATORS = "operators"
"""Segue's own edit rules alone, without a language model; "off" says the same."""
CHOICES = (
    "off or operators (nobody: the rules work alone, the default), llama-cpp, transformers "
    "or server"
)
"""Who can be named to write, for the help."""


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


def add_writer_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare who writes beside the rules in commands that check essays; by default nobody."""
    parser.add_argument(
        "--writer",
        default=OFF,
        metavar="NAME",
        help=f"who writes more rewrites than Segue's own rules: {CHOICES}",
    )
    add_model_arguments(parser)


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which model writes, here or on a server."""
    parser.add_argument(
        "--model", metavar="ID-OR-PATH", help="the language model; by default the installed one"
    )
    parser.add_argument(
        "--server",
        default="",
        metavar="URL",
        help="an OpenAI-compatible server, such as http://127.0.0.1:8080/v1; the sentences "
        "and their context are sent there; its key is read from SEGUE_SERVER_KEY",
    )


def chosen_writer(arguments: argparse.Namespace) -> WriterChoice:
    """What those arguments come to.

    Raises UsageError where they contradict one another or name a backend that there is none of.
    """
    backend = OFF if arguments.writer in (None, OPERATORS) else str(arguments.writer)
    if arguments.server and backend == OFF:
        backend = SERVER
    if arguments.server and backend != SERVER:
        raise UsageError("--server goes with --writer server.")
    if arguments.model and backend == OFF:
        raise UsageError(
            "--model needs a writer to run it.",
            hint="Add --writer llama-cpp for a GGUF file, or --writer transformers.",
        )
    if backend != OFF and arguments.no_rewrites:
        raise UsageError("--writer writes rewrites, and --no-rewrites wants none.")
    if backend != OFF:
        from engine.llm.backends import place_of

        place_of(backend)
    return WriterChoice(backend, arguments.model or "", arguments.server)


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
