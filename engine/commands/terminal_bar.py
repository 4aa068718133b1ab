"""A progress bar on standard error that is there only while it is wanted, and only on a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from engine.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn, TaskID


class TerminalBar:
    """A bar that appears with the first `show` and disappears at the end of the `with` block.

    Subclasses hear what is going on and call `show`.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self.is_wanted = console.err.isatty()

    def __enter__(self) -> Self:
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

    @property
    def is_shown(self) -> bool:
        """Whether the bar is on the terminal."""
        return self._bar is not None

    def columns(self) -> tuple[ProgressColumn, ...]:
        """What stands in the bar; none for the usual."""
        return ()

    def show(self, words: str, done: float, total: float | None) -> None:
        """Show how far the work is; nothing happens where there is no terminal."""
        if not self.is_wanted:
            return
        if self._bar is None or self._task is None:
            # Importing it takes longer than a short check.
            from rich.console import Console as RichConsole
            from rich.progress import Progress

            console = RichConsole(file=self._console.err)
            self._bar = Progress(*self.columns(), console=console, transient=True)
            self._task = self._bar.add_task("")
            self._bar.start()
        self._bar.update(self._task, description=words, completed=done, total=total)
