"""One thread that does work in order, off the GUI thread, and hands results back to it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

Result = TypeVar("Result")
_logger = logging.getLogger(__name__)


class BackgroundThread(QObject):
    """Runs calls one after another on its own thread.

    The thread starts with the first call. Results and errors come back on the thread that owns
    this object (the GUI thread), through its event loop.
    """

    _delivered = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._is_closed = False
        self._delivered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def submit(
        self,
        work: Callable[[], Result],
        *,
        done: Callable[[Result], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run `work` on the thread, then `done(result)` or `failed(error)` back on this one.

        Without `failed`, errors go to the log. Calls after `close` are passed over.
        """
        if self._is_closed:
            return

        def call() -> None:
            try:
                result = work()
            except Exception as error:
                if failed is None:
                    _logger.exception("Work on the thread %r failed", self._name)
                else:
                    self._hand_back(failed, error)
            else:
                if done is not None:
                    self._hand_back(done, result)

        self._calls.put(call)
        if self._thread is None:
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def close(self, timeout_ms: int = 2000) -> bool:
        """Finish what was submitted and end the thread, waiting `timeout_ms` at most.

        Returns False if the thread was still at work then; it ends with the program.
        """
        self._is_closed = True
        if self._thread is None:
            return True
        self._calls.put(None)
        self._thread.join(timeout_ms / 1000)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()

    def _hand_back(self, receiver: Callable[[Any], None], value: object) -> None:
        try:
            self._delivered.emit((receiver, value))
        except RuntimeError:  # Qt has deleted this object: nobody waits for the result any more
            _logger.debug("A result of the thread %r came too late", self._name)

    @Slot(object)
    def _deliver(self, delivery: tuple[Callable[[Any], None], object]) -> None:
        receiver, value = delivery
        receiver(value)
