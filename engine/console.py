"""What the command line writes to: colour only on a terminal, quiet about a closed pipe."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}

LINE_WIDTH = 80
_NARROWEST = 30


def line_width(stream: IO[str]) -> int:
    """How many columns a line on `stream` may take: the terminal's, at most `LINE_WIDTH`."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return LINE_WIDTH
    return max(_NARROWEST, min(LINE_WIDTH, columns or LINE_WIDTH))


def wants_colour(stream: IO[str], environ: Mapping[str, str] = os.environ) -> bool:
    """Whether `stream` takes colour: a terminal, unless NO_COLOR or TERM=dumb says otherwise.

    FORCE_COLOR overrides the terminal test, NO_COLOR overrides everything (no-color.org).
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    if not stream.isatty() or environ.get("TERM") == "dumb":
        return False
    # The old Windows console shows escape codes as rubbish; the newer ones set one of these.
    return os.name != "nt" or bool({"WT_SESSION", "ANSICON", "TERM"} & set(environ))


@dataclass(frozen=True)
class Paint:
    """Puts terminal styles around text, or leaves it as it is; lines get `width` columns."""

    is_on: bool = False
    width: int = LINE_WIDTH

    def __call__(self, text: str, *styles: str) -> str:
        """The text in the named styles, see `STYLES`."""
        if not self.is_on or not styles or not text:
            return text
        codes = ";".join(STYLES[style] for style in styles)
        return f"\033[{codes}m{text}\033[0m"


class Console:
    """Standard output for results, standard error for everything said about them."""

    def __init__(self, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        self.out = sys.stdout if out is None else out
        self.err = sys.stderr if err is None else err
        self.paint = Paint(wants_colour(self.out), line_width(self.out))
        self.paint_err = Paint(wants_colour(self.err), line_width(self.err))

    def write(self, text: str) -> None:
        """Write a result to standard output as it is."""
        self.out.write(text)
        self.out.flush()

    def line(self, text: str = "") -> None:
        """Write a line of a result."""
        self.write(f"{text}\n")

    def say(self, text: str) -> None:
        """Tell the user something beside the result."""
        self.err.write(f"{text}\n")
        self.err.flush()

    def error(self, message: str, hint: str = "") -> None:
        """Tell the user what went wrong and what to do next."""
        self.say(f"{self.paint_err('segue:', 'red', 'bold')} {printable(message)}")
        if hint:
            self.say(f"  {printable(hint)}")


def printable(text: str) -> str:
    """The text without characters that would steer the terminal, such as escape codes.

    Newlines and tabs stay. Writing direction marks that stay open past the end of the text are
    taken out as well, since they would turn the rest of the line around.
    """
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\n\t":
        return character
    if unicodedata.category(character) in ("Cc", "Cs"):
        return "\N{REPLACEMENT CHARACTER}"
    return (
        "" if character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" else character
    )


def prepare_streams() -> None:
    """Let any essay be printed: UTF-8 into files and pipes, no crash on an older terminal."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8", errors="replace")
