"""Stop and pause, asked for on one thread and heeded on another."""

from __future__ import annotations

import threading
import time

from engine.errors import Cancelled


class Controls:
    """The buttons of a running queue. Every method may be called from any thread.

    `paused_seconds` is the time that `check` has spent waiting, which says nothing about how
    long the work takes.
    """

    def __init__(self) -> None:
        self._going = threading.Event()
        self._going.set()
        self._stopped = threading.Event()
        self.paused_seconds = 0.0

    @property
    def is_paused(self) -> bool:
        """Whether the work waits, or will wait at its next step."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Let the work wait at its next step, with nothing lost."""
        self._going.clear()

    def resume(self) -> None:
        """Let the work go on."""
        self._going.set()

    def stop(self) -> None:
        """End the work at its next step, also when it is paused."""
        self._stopped.set()
        self._going.set()

    def check(self) -> None:
        """Wait while paused. Raises Cancelled once the work is to stop."""
        if not self._going.is_set():
            began = time.monotonic()
            self._going.wait()
            self.paused_seconds += time.monotonic() - began
        if self._stopped.is_set():
            raise Cancelled
