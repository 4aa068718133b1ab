"""How far a class is, with the time left: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from engine.console import Console, printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from engine.classroom.queue import QueueProgress

_LONGEST_NAME = 24


class ClassProgress:
    """Hears a queue's progress and shows it as a bar that disappears when the work is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_wanted = console.err.isatty()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ClassProgress:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def hear(self, event: QueueProgress) -> None:
        """Show how far the class is."""
        if not self._is_wanted:
            return
        if self._bar is None:
            self._start()
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task,
                description=words(event),
                completed=event.done + event.part,
                total=event.total,
            )

    def _start(self) -> None:
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            BarColumn(),
            # A student's name is no markup.
            TextColumn("{task.description}", markup=False),
            console=RichConsole(file=self._console.err),
            transient=True,
        )
        self._task = self._bar.add_task("")
        self._bar.start()


def words(event: QueueProgress) -> str:
    """The progress in words, such as `16 of 30 checked, 1 failed, about 40 s left (Anna)`."""
    parts = [f"{event.done} of {event.total}"]
    if event.failed:
        parts.append(f"{event.failed} failed")
    if event.seconds_left is not None:
        parts.append(f"{time_left(event.seconds_left)} left")
    name = printable(event.name)
    if len(name) > _LONGEST_NAME:
        name = name[: _LONGEST_NAME - 1] + "…"
    return ", ".join(parts) + (f" ({name})" if name else "")


def time_left(seconds: float) -> str:
    """A rough time in words: nobody can say it to the second."""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60} min"
