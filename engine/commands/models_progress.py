"""A bar for downloads, copies and checks of models: only on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.commands.terminal_bar import TerminalBar
from engine.models.progress import ModelProgress, Stage

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

_WORDS = {
    Stage.LOOKING: "Looking",
    Stage.DOWNLOADING: "Downloading",
    Stage.COPYING: "Copying",
    Stage.CHECKING: "Checking",
}


class ModelProgressDisplay(TerminalBar):
    """Hears how far work on a model is and shows it with speed and time left."""

    def hear(self, progress: ModelProgress) -> None:
        """Show how far it is."""
        self.show(f"{_WORDS[progress.stage]} {progress.model}", progress.done, progress.total)

    def columns(self) -> tuple[ProgressColumn, ...]:
        """Bytes, speed and the time that is left."""
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        return (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
