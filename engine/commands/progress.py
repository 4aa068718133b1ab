"""A progress bar on standard error: only on a terminal, and only where the work is long."""

from __future__ import annotations

import time

from engine.commands.terminal_bar import TerminalBar
from engine.console import Console
from engine.events import Event, Progress

PATIENCE = 0.5
"""Seconds of work after which a bar is worth showing."""

_WORDS = {"reading": "Reading", "judging": "Judging sentences", "rewriting": "Finding rewrites"}


class ProgressDisplay(TerminalBar):
    """Hears an engine's events and shows them as a bar that disappears when the work is done."""

    def __init__(self, console: Console, number: int, total: int) -> None:
        super().__init__(console)
        self._prefix = f"{number}/{total} " if total > 1 else ""
        self._began = time.monotonic()
        self._is_long = total > 1

    def hear(self, event: Event) -> None:
        """Show how far the work is."""
        if not isinstance(event, Progress):
            return
        if self.is_shown or self._is_long or time.monotonic() - self._began >= PATIENCE:
            words = f"{self._prefix}{_WORDS.get(event.stage, event.stage)}"
            self.show(words, event.done, event.total)
