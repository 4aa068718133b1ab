"""Checking a class in a child process of its own, so that the editor's checks never wait for it.

The child stores each essay in the history before it tells of it. Whatever ends it, the next
start goes on with what is not done yet.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.services.child import Child
from engine.writing import RULES_ALONE

_logger = logging.getLogger(__name__)
_CRASH_HINT = "What was checked is kept. Press Go on to check the rest."


@dataclass(frozen=True, slots=True)
class ClassProgress:
    """How far a class is: `done` of `total` essays, `failed` among them, whose is at work.

    `part` (0.0 to 1.0) is how far that one is; `seconds_left` is None while nobody can tell.
    """

    done: int
    total: int
    failed: int
    name: str = ""
    part: float = 0.0
    seconds_left: float | None = None


class Ending(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class ClassRunner(QObject):
    """Runs one class at a time.

    `stop` asks first and kills the child after `grace_ms`; an essay that was half done then is
    checked again by the next run, and none that was finished. `writer` is who writes beside the
    rules in the next run.
    """

    state_changed = Signal()  # running, paused or not
    progressed = Signal(object)  # ClassProgress
    row_changed = Signal(int, int)  # assignment id, submission id
    ended = Signal(int, str)  # assignment id, an Ending
    message = Signal(str, str, str)  # kind, text, hint

    def __init__(
        self,
        command: Sequence[str],
        history: Path,
        *,
        grace_ms: int = 3000,
        parent: QObject | None = None,
    ) -> None:
        """`command` starts the engine child, `history` is the database that holds the classes."""
        super().__init__(parent)
        self.command = tuple(command)
        self.writer = RULES_ALONE
        self._history = history
        self._grace_ms = grace_ms
        self._child: Child | None = None
        self._job = ""
        self._is_stopping = False
        self.assignment = 0
        self.is_paused = False

    @property
    def is_running(self) -> bool:
        """Whether a class is being checked, or waits in the middle of it."""
        return self._child is not None

    @property
    def process_id(self) -> int:
        """The child's process id, 0 when none runs."""
        return self._child.process_id if self._child else 0

    def is_at(self, assignment: int) -> bool:
        """Whether this class is the one that runs."""
        return self.is_running and self.assignment == assignment

    def start(self, assignment: int, *, retry: bool = False) -> None:
        """Check what waits of a class, or, with `retry`, what failed before."""
        if self._child is not None:
            self.message.emit(
                "warning", "A class is being checked already.", "Wait for it, or stop it first."
            )
            return
        self.assignment, self._job = assignment, uuid.uuid4().hex
        self.is_paused = self._is_stopping = False
        child = Child(self.command, self)
        child.received.connect(self._on_message)
        child.ended.connect(self._on_ended)
        self._child = child
        child.start()
        request: dict[str, Any] = {
            "type": "batch",
            "history": str(self._history),
            "assignment": assignment,
        }
        if not self.writer.is_off:
            request["writer"] = self.writer.as_dict()
        self._send({**request, "retry": retry})
        self.state_changed.emit()

    def pause(self) -> None:
        """Wait at the next step, with the model kept in memory."""
        self._set_paused(paused=True)

    def resume(self) -> None:
        """Go on after a pause."""
        self._set_paused(paused=False)

    def stop(self) -> None:
        """End the run; `ended` follows."""
        if self._child is None or self._is_stopping:
            return
        self._is_stopping = True
        self._send({"type": "cancel"})
        job = self._job
        QTimer.singleShot(self._grace_ms, self, lambda: self._kill_if_stuck(job))
        self.state_changed.emit()

    def close(self, timeout_ms: int = 2000) -> None:
        """End the child for good, waiting `timeout_ms` at most; what it stored is kept."""
        child, self._child = self._child, None
        if child is not None:
            child.send({"type": "shutdown"})
            child.end(timeout_ms)
        for leaving in self.findChildren(Child):
            leaving.wait_until_gone()

    def _send(self, request: Mapping[str, Any]) -> None:
        if self._child is not None:
            self._child.send({**request, "id": self._job})

    def _set_paused(self, *, paused: bool) -> None:
        if self._child is None or self.is_paused is paused:
            return
        self.is_paused = paused
        self._send({"type": "pause" if paused else "resume"})
        self.state_changed.emit()

    def _kill_if_stuck(self, job: str) -> None:
        if self._child is not None and self._job == job:
            _logger.warning("The class's child did not stop in time and is ended")
            self._end(Ending.STOPPED)

    def _end(self, how: Ending) -> None:
        child, self._child = self._child, None
        self.is_paused = self._is_stopping = False
        if child is not None:
            # The model's memory is given back; the next run starts in seconds.
            child.abandon()
        self.state_changed.emit()
        self.ended.emit(self.assignment, how.value)

    @Slot(str)
    def _on_ended(self, reason: str) -> None:
        if self._is_stopping:
            self._end(Ending.STOPPED)
            return
        self._end(Ending.FAILED)
        self.message.emit("error", reason, _CRASH_HINT)

    @Slot(dict)
    def _on_message(self, message: dict[str, Any]) -> None:
        if self._child is None or message.get("id") != self._job:
            return
        match message.get("event"):
            case "class-progress":
                self._report(message)
            case "submission-changed":
                self.row_changed.emit(self.assignment, int(message["submission"]))
            case "class-finished":
                self._end(Ending.FINISHED)
            case "cancelled":
                self._end(Ending.STOPPED)
            case "failed":
                self._end(Ending.FAILED)
                text, hint = str(message.get("message", "")), str(message.get("hint", ""))
                self.message.emit("error", text, hint)

    def _report(self, message: Mapping[str, Any]) -> None:
        try:
            progress = ClassProgress(
                done=message["done"],
                total=message["total"],
                failed=message["failed"],
                name=message["name"],
                part=message["part"],
                seconds_left=message["seconds_left"],
            )
        except KeyError:
            _logger.exception("The engine sent a progress that cannot be read")
            return
        self.progressed.emit(progress)
