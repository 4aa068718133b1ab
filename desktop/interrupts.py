"""Ctrl+C in the terminal and a request to terminate, as a signal of Qt."""

from __future__ import annotations

import contextlib
import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Those that a system lacks are passed over."""


class Interrupts(QObject):
    """`asked()` once, from the event loop, when the program shall end; the next time it just ends.

    Python's handlers run only when Python code does, which an idle window may not do for hours.
    So Python's lowest layer writes a byte into a socket that Qt listens to; that works on
    Windows, too.
    """

    asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)
        signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        self._numbers = [
            number
            for number in (getattr(signal, name, None) for name in _NAMES)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN
        ]
        for number in self._numbers:
            signal.signal(number, self._note)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._tell)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        # Closing takes a moment and may hang: whoever asks again does not want to wait.
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)

    def _tell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._ours.recv(64)
        self._notifier.setEnabled(False)
        self.asked.emit()
