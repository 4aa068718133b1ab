"""The engine as the window sees it: jobs in, signals out, in a child process of its own.

A crash or a hard stop of the child never touches the essay, and the GUI thread never waits for
it: messages are queued, replies arrive as signals, and a child that does not stop when asked is
killed and replaced.
"""

from __future__ import annotations

import logging
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.services.child import Child
from engine.essay import Essay
from engine.events import Finished, Found, Progress, Scored, Writing, event_from_dict
from engine.writing import RULES_ALONE, WriterChoice

DEFAULT_COMMAND = (sys.executable, "-m", "engine.worker")
_ENVELOPE = frozenset({"id", "hash", "event"})
_WARM, _DESCRIBE = "warm", "describe"
"""Ids of the requests that are no jobs."""
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    """A request that has no last reply yet."""

    request: Mapping[str, Any]
    content_hash: str
    is_cancelling: bool = False


class EngineClient(QObject):
    """Sends checks to the engine child and reports what it answers.

    Every signal of a job carries its id; events of jobs that are over, or that speak of another
    text than the one sent, are dropped. Of a job that was cancelled only `cancelled` is heard.
    """

    ready = Signal()  # the child says it is up
    progress = Signal(str, str, int, int)  # job id, stage, done, total
    scored = Signal(str, object)  # job id, tuple[ScoredSentence, ...]
    found = Signal(str, object)  # job id, Finding (again with rewrites, same key)
    writing = Signal(str, int, str)  # job id, sentence, a language model's edit so far
    finished = Signal(str, object)  # job id, Analysis
    cancelled = Signal(str)  # job id
    failed = Signal(str, object)  # job id, dict(code, message, hint)
    crashed = Signal(str, str)  # job id or "", a plain sentence for the user
    described = Signal(object)  # dict from Engine.describe
    unusable = Signal(object)  # dict(code, message, hint): no check can work, and why

    def __init__(
        self,
        *,
        command: Sequence[str] | None = None,
        grace_ms: int = 2000,
        parent: QObject | None = None,
    ) -> None:
        """`command` starts the child; `grace_ms` is how long a job may take to stop when asked."""
        super().__init__(parent)
        self._command = tuple(command or DEFAULT_COMMAND)
        self._grace_ms = grace_ms
        self._child: Child | None = None
        self._jobs: dict[str, _Job] = {}
        self._is_shut_down = False

    @property
    def busy(self) -> bool:
        """Whether a check is under way."""
        return bool(self._jobs)

    @property
    def process_id(self) -> int:
        """The child's process id, 0 when none runs."""
        return self._child.process_id if self._child else 0

    def start(self) -> None:
        """Start the child unless it runs."""
        self._running_child()

    def warm(self) -> None:
        """Have the child load its model ahead of the first check; `described` answers."""
        self._running_child().send({"type": "warm", "id": _WARM})

    def describe(self) -> None:
        """Ask for the model and the device in use; `described` or `unusable` answers."""
        self._running_child().send({"type": "describe", "id": _DESCRIBE})

    def check(
        self,
        essay: Essay,
        *,
        strictness: str,
        rewrites: bool = True,
        correct_grammar: bool = False,
        writer: WriterChoice = RULES_ALONE,
    ) -> str:
        """Start a check and return its job id; `writer` is who writes beside the rules."""
        job_id = uuid.uuid4().hex
        request: dict[str, Any] = {
            "type": "check",
            "id": job_id,
            "text": essay.text,
            "topic": essay.topic,
            "strictness": strictness,
            "rewrites": rewrites,
            "correct_grammar": correct_grammar,
            "paragraphs": [
                [paragraph.span.start, paragraph.span.end, paragraph.kind.value]
                for paragraph in essay.paragraphs
            ],
        }
        if not writer.is_off:
            request["writer"] = writer.as_dict()
        self._jobs[job_id] = _Job(request, essay.content_hash)
        self._running_child().send(request)
        return job_id

    def cancel(self, job_id: str) -> None:
        """Stop a job: ask first, kill the child after the grace period."""
        job = self._jobs.get(job_id)
        if job is None or job.is_cancelling:
            return
        job.is_cancelling = True
        self._running_child().send({"type": "cancel", "id": job_id})
        QTimer.singleShot(self._grace_ms, self, lambda: self._kill_if_stuck(job_id))

    def restart(self, command: Sequence[str]) -> None:
        """Go on with another command (another device, say); running checks start over."""
        self._command = tuple(command)
        if self._child is not None:
            self._replace_child()

    def shutdown(self, timeout_ms: int = 2000) -> None:
        """End the child for good, waiting `timeout_ms` at most; then it is killed."""
        self._is_shut_down = True
        self._jobs.clear()
        child, self._child = self._child, None
        if child is not None and child.is_alive:
            child.send({"type": "shutdown"})
            child.end(timeout_ms)

    def _running_child(self) -> Child:
        if self._child is None:
            child = Child(self._command, self)
            child.received.connect(self._on_message)
            child.ended.connect(self._on_ended)
            self._child = child
            child.start()
        return self._child

    def _kill_if_stuck(self, job_id: str) -> None:
        if job_id not in self._jobs or self._is_shut_down:
            return
        _logger.warning("The engine did not stop in time and is replaced")
        del self._jobs[job_id]
        self._replace_child()
        self.cancelled.emit(job_id)

    def _replace_child(self) -> None:
        """Kill the child, start another and give it what the old one had not finished."""
        if self._child is not None:
            self._child.abandon()
            self._child = None
        child = self._running_child()
        child.send({"type": "warm", "id": _WARM})
        for job in self._jobs.values():
            if not job.is_cancelling:
                child.send(job.request)

    @Slot(str)
    def _on_ended(self, reason: str) -> None:
        if self._child is not None:
            self._child.deleteLater()
            self._child = None
        jobs, self._jobs = self._jobs, {}
        for job_id, job in jobs.items():
            if job.is_cancelling:
                self.cancelled.emit(job_id)
            else:
                self.crashed.emit(job_id, reason)
        if not jobs:
            self.crashed.emit("", reason)

    @Slot(dict)
    def _on_message(self, message: dict[str, Any]) -> None:
        name = message.get("event")
        if name == "ready":
            self.ready.emit()
        elif name == "described":
            self.described.emit(
                {key: value for key, value in message.items() if key not in _ENVELOPE}
            )
        elif name == "failed" and message.get("id") in (_WARM, _DESCRIBE):
            self.unusable.emit(_error_fields(message))
        elif (job := self._jobs.get(str(message.get("id")))) is not None:
            self._on_job_message(str(message["id"]), job, message)

    def _on_job_message(self, job_id: str, job: _Job, message: dict[str, Any]) -> None:
        if message.get("hash", job.content_hash) not in (job.content_hash, None, ""):
            _logger.warning("An event speaks of another text and is dropped")
            return
        name = message.get("event")
        if name in ("finished", "cancelled", "failed"):
            del self._jobs[job_id]
            if job.is_cancelling or name == "cancelled":
                self.cancelled.emit(job_id)
                return
        if name == "failed":
            self.failed.emit(job_id, _error_fields(message))
        elif not job.is_cancelling:
            self._report(job_id, message)

    def _report(self, job_id: str, message: dict[str, Any]) -> None:
        try:
            event = event_from_dict(message)
        except (KeyError, TypeError, ValueError):
            _logger.exception("The engine sent an event that cannot be read")
            return
        if isinstance(event, Progress):
            self.progress.emit(job_id, event.stage, event.done, event.total)
        elif isinstance(event, Scored):
            self.scored.emit(job_id, event.sentences)
        elif isinstance(event, Found):
            self.found.emit(job_id, event.finding)
        elif isinstance(event, Writing):
            self.writing.emit(job_id, event.sentence, event.text)
        elif isinstance(event, Finished):
            self.finished.emit(job_id, event.analysis)


def _error_fields(message: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(message.get(name, "")) for name in ("code", "message", "hint")}
