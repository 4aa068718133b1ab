"""Ctrl+C on the command line: the first asks the work to stop, the second insists."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

from engine.errors import Cancelled


class StopRequest:
    """While entered, Ctrl+C sets a flag that the work looks at between its steps."""

    def __init__(self) -> None:
        self.is_set = False
        self._previous: signal._HANDLER = None

    def __enter__(self) -> StopRequest:
        """Take over Ctrl+C, which only the main thread can."""
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give Ctrl+C back."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def check(self) -> None:
        """Raise Cancelled if the user asked to stop."""
        if self.is_set:
            raise Cancelled

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.is_set:
            raise KeyboardInterrupt
        self.is_set = True
