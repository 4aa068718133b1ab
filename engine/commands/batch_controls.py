"""Ctrl+C as the stop button of a class's queue."""

from __future__ import annotations

from engine.classroom.controls import Controls
from engine.commands.stopping import StopRequest


class StopControls(Controls):
    """Controls that also heed Ctrl+C."""

    def __init__(self, stop: StopRequest) -> None:
        super().__init__()
        self._request = stop

    def check(self) -> None:
        """Raise Cancelled once Ctrl+C was pressed; wait while paused."""
        self._request.check()
        super().check()
