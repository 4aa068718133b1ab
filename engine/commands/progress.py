"""A progress bar on standard error: only on a terminal, and only where the work is long."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from engine.console import Console
from engine.events import Event, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 0.5
"""Seconds of work after which a bar is worth showing."""

_WORDS = {"reading": "Reading", "judging": "Judging sentences", "rewriting": "Finding rewrites"}


class ProgressDisplay:
    """Hears an engine's events and shows them as a bar that disappears when the work is done."""

    def __init__(self, console: Console, number: int, total: int) -> None:
        self._console = console
        self._prefix = f"{number}/{total} " if total > 1 else ""
        self._began = time.monotonic()
        self._is_wanted = console.err.isatty()
        self._is_long = total > 1
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressDisplay:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def hear(self, event: Event) -> None:
        """Show how far the work is."""
        if not self._is_wanted or not isinstance(event, Progress):
            return
        if self._bar is None:
            if not self._is_long and time.monotonic() - self._began < PATIENCE:
                return
            self._start()
        if self._bar is not None and self._task is not None:
            words = f"{self._prefix}{_WORDS.get(event.stage, event.stage)}"
            self._bar.update(self._task, description=words, completed=event.done, total=event.total)

    def _start(self) -> None:
        # Importing it takes longer than a short check.
        from rich.console import Console as RichConsole
        from rich.progress import Progress as Bar

        self._bar = Bar(console=RichConsole(file=self._console.err), transient=True)
        self._task = self._bar.add_task("")
        self._bar.start()
