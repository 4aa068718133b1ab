"""Log files: rotating, in the user's log folder, and never with essay text.

An exception's message may quote what it failed on, so a traceback is logged as its frames and
the names of its exceptions; only Segue's own errors, whose messages name files, keep their words.
"""

from __future__ import annotations

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from engine.errors import SegueError
from engine.folders import log_folder

MAX_BYTES = 1_000_000
BACKUPS = 3
_FORMAT = "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"

ExceptionInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


def set_up_logging(name: str, *, folder: Path | None = None) -> Path | None:
    """Send this process's log to `name`.log and return its path.

    `name` is the process's part, such as "engine" or "desktop". `folder` is by default the
    user's log folder; where it cannot be written to, nothing is logged and None is returned.
    """
    path = (folder or log_folder()) / f"{name}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8"):
            pass
    except OSError:
        logging.getLogger().addHandler(logging.NullHandler())
        return None
    handler = _SharedRotatingHandler(
        path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(PrivateFormatter(_FORMAT))
    # On a full disk a line of the log is lost; a traceback on the user's screen helps nobody.
    logging.raiseExceptions = False
    logging.getLogger().addHandler(handler)
    # Libraries log what they work on at lower levels; that could be an essay.
    logging.getLogger().setLevel(logging.WARNING)
    for ours in ("engine", "desktop"):
        logging.getLogger(ours).setLevel(logging.INFO)
    return path


def frames_only(error: BaseException) -> str:
    """The traceback of an exception and of its causes, without the words of foreign messages."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        name = f"{type(current).__module__}.{type(current).__qualname__}"
        words = f": {current}" if isinstance(current, SegueError) else ""
        parts.append("".join(traceback.format_tb(current.__traceback__)) + name + words)
        is_hidden = current.__suppress_context__
        current = current.__cause__ or (None if is_hidden else current.__context__)
    return "\nbecause of\n".join(parts)


class PrivateFormatter(logging.Formatter):
    """Formats tracebacks with `frames_only`."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        # Another handler's formatter may have left its own traceback in the record.
        others, record.exc_text = record.exc_text, None
        try:
            return super().format(record)
        finally:
            record.exc_text = others

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802 - logging's own name
        """The traceback as text."""
        return "" if ei[1] is None else frames_only(ei[1])


class _SharedRotatingHandler(RotatingFileHandler):
    """Goes on writing to the same file where another process keeps it from being renamed."""

    def doRollover(self) -> None:  # noqa: N802 - logging's own name
        try:
            super().doRollover()
        except OSError:
            if self.stream is None:
                self.stream = self._open()
