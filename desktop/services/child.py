"""One engine child process: starting it, and reading and writing its lines of JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal, Slot

import engine

_logger = logging.getLogger(__name__)
_LAST_WAIT_MS = 500


class Child(QObject):
    """A process that speaks JSON lines, from start to end; a new one is made after each end.

    Nothing here waits, except `end`, which is for shutting down.
    """

    received = Signal(dict)  # one message
    ended = Signal(str)  # a plain sentence on why, when the process ended unasked

    def __init__(self, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buffer = bytearray()
        self._process = QProcess(self)
        self._process.setProgram(command[0])
        self._process.setArguments(list(command[1:]))
        # `python -m` looks in the working folder first: a user's folder may hold any module name.
        self._process.setWorkingDirectory(str(Path(engine.__file__).resolve().parents[1]))
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._read_errors)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)

    @property
    def is_alive(self) -> bool:
        """Whether it is starting or running."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    @property
    def process_id(self) -> int:
        """The operating system's number for it, 0 when it does not run."""
        return self._process.processId()

    def start(self) -> None:
        """Start it; `ended` reports when that fails."""
        self._process.start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue one message for the child; Qt writes it as the pipe takes it."""
        self._process.write(json.dumps(message).encode("ascii") + b"\n")

    def abandon(self) -> None:
        """Kill it without waiting and hear nothing more of it."""
        self._deafen()
        if self.is_alive:
            self._process.finished.connect(self.deleteLater)
            self._process.kill()
        else:
            self.deleteLater()

    def end(self, timeout_ms: int) -> None:
        """Close its input, wait `timeout_ms` at most for it to end, then kill it. Blocks."""
        self._deafen()
        self._process.closeWriteChannel()
        if not self._process.waitForFinished(timeout_ms) and self.is_alive:
            self._process.kill()
            self._process.waitForFinished(_LAST_WAIT_MS)

    def wait_until_gone(self, timeout_ms: int = _LAST_WAIT_MS) -> None:
        """Give a process that was killed the moment that it takes to end. Blocks."""
        self._process.waitForFinished(timeout_ms)

    def _deafen(self) -> None:
        self.blockSignals(True)
        self._process.errorOccurred.disconnect(self._on_error)
        self._process.finished.disconnect(self._on_finished)

    @Slot()
    def _read(self) -> None:
        self._buffer += self._process.readAllStandardOutput().data()
        if b"\n" not in self._buffer:
            return
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer = bytearray(rest)
        for line in filter(None, lines):
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict):
                self.received.emit(message)
            else:
                _logger.warning("The engine sent a line of %d bytes that is no message", len(line))

    @Slot()
    def _read_errors(self) -> None:
        # Read so that it does not pile up; native libraries may quote the essay, so only counted.
        size = self._process.readAllStandardError().size()
        _logger.debug("The engine wrote %d bytes of diagnostics", size)

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            _logger.error("The engine did not start: %s", self._process.errorString())
            self.ended.emit("The checking engine could not be started.")

    @Slot(int, QProcess.ExitStatus)
    def _on_finished(self, exit_code: int, status: QProcess.ExitStatus) -> None:
        _logger.error("The engine ended by itself: exit code %d, %s", exit_code, status.name)
        self.ended.emit("The checking engine stopped unexpectedly.")
