"""A bar for downloads, copies and checks of models: only on a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from engine.console import Console
from engine.models.progress import ModelProgress, Stage

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_WORDS = {
    Stage.LOOKING: "Looking",
    Stage.DOWNLOADING: "Downloading",
    Stage.COPYING: "Copying",
    Stage.CHECKING: "Checking",
}


class ModelProgressDisplay:
    """Hears how far work on a model is and shows a bar that disappears when it is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ModelProgressDisplay:
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

    def hear(self, progress: ModelProgress) -> None:
        """Show how far it is."""
        if not self._console.err.isatty():
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = self._started()
        self._bar.update(
            self._task,
            description=f"{_WORDS[progress.stage]} {progress.model}",
            completed=progress.done,
            total=progress.total,
        )

    def _started(self) -> tuple[Bar, TaskID]:
        from rich.console import Console as RichConsole
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=RichConsole(file=self._console.err),
            transient=True,
        )
        task = bar.add_task("")
        bar.start()
        return bar, task
