"""How far a class is, with the time left: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.commands.terminal_bar import TerminalBar
from engine.console import printable

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from engine.classroom.queue import QueueProgress

_LONGEST_NAME = 24


class ClassProgress(TerminalBar):
    """Hears a queue's progress and shows it as a bar that disappears when the work is done."""

    def hear(self, event: QueueProgress) -> None:
        """Show how far the class is."""
        self.show(words(event), event.done + event.part, event.total)

    def columns(self) -> tuple[ProgressColumn, ...]:
        """A bar and words, which may hold a student's name: that is no markup."""
        from rich.progress import BarColumn, TextColumn

        return BarColumn(), TextColumn("{task.description}", markup=False)


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
