"""Models as the window sees them: listed on a thread, fetched and checked in a child process.

One piece of work runs at a time, each in a child of its own, so that a stop always stops and the
window never waits. A paused download is one that was stopped and whose bytes were kept; it goes
on from there, also after the window was closed.
"""

from __future__ import annotations

import logging
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.services.background import BackgroundThread
from desktop.services.child import Child
from desktop.services.settings import Settings
from engine.errors import SegueError
from engine.models.catalogue import Catalogue, load_catalogue
from engine.models.device import Probe, probe
from engine.models.overview import ModelOverview, survey
from engine.models.progress import EVENT, ModelProgress
from engine.models.speed import Machine, look_at_machine
from engine.models.store import ModelStore, default_store

_logger = logging.getLogger(__name__)
_CRASH_HINT = "What was downloaded so far is kept. Press Go on to fetch the rest."
_BUG_HINT = "Try again. If it happens again, report it with the newest file of the log folder."


class Work(StrEnum):
    """What is being done with a model."""

    INSTALL = "install"
    IMPORT = "import"
    VERIFY = "verify"


@dataclass(frozen=True)
class Task:
    """A piece of work that runs or waits; `name` is what the user calls its model."""

    work: Work
    model: str
    name: str
    path: Path | None = None
    accept_licence: bool = False


@dataclass(frozen=True)
class ModelListing:
    """Every model at a glance, and the computer that they were judged for."""

    models: tuple[ModelOverview, ...]
    machine: Machine


class ModelService(QObject):
    """Lists, installs, brings in, verifies and removes models."""

    listed = Signal(object)  # ModelListing
    progressed = Signal(object, object)  # Task, ModelProgress
    changed = Signal()  # what runs or waits
    message = Signal(str, str, str)  # kind, text, hint

    def __init__(
        self,
        command: Sequence[str],
        settings: Settings,
        *,
        store: ModelStore | None = None,
        catalogue: Catalogue | None = None,
        grace_ms: int = 3000,
        parent: QObject | None = None,
    ) -> None:
        """`command` starts the child that may use the internet."""
        super().__init__(parent)
        self._command = tuple(command)
        self._settings = settings
        self._store = store
        self._catalogue = catalogue
        self._grace_ms = grace_ms
        self._thread = BackgroundThread("models", self)
        self._probe: Probe | None = None
        self._waiting: deque[Task] = deque()
        self._child: Child | None = None
        self._job = ""
        self._is_stopping = False
        self._deletes_part = False
        self.running: Task | None = None
        self.damaged: dict[str, str] = {}

    def refresh(self) -> None:
        """Ask for the list; `listed` follows."""
        device = self._settings.device

        def work() -> ModelListing:
            # Here, on the thread: the measurement takes a moment.
            if self._probe is None:
                self._probe = probe()
            machine, found = look_at_machine(), self._probe
            store, catalogue = self._stored(), self._catalogue or load_catalogue()
            return ModelListing(survey(store, catalogue, machine, found, device=device), machine)

        self._thread.submit(work, done=self.listed.emit, failed=self._tell)

    def install(self, model: str, name: str, *, accept_licence: bool = False) -> None:
        """Download a model, or go on with a download."""
        self._add(Task(Work.INSTALL, model, name, accept_licence=accept_licence))

    def bring_in(self, path: Path) -> None:
        """Copy in a model from a file or a folder."""
        self._add(Task(Work.IMPORT, "", path.name, path))

    def verify(self, model: str, name: str) -> None:
        """Read a model again and compare its checksums."""
        self._add(Task(Work.VERIFY, model, name))

    def remove(self, model: str, name: str) -> None:
        """Delete an installed model."""

        def done(_size: int) -> None:
            self.damaged.pop(model, None)
            self.message.emit("info", f"{name} was removed.", "")
            self.refresh()

        self._thread.submit(lambda: self._stored().remove(model), done=done, failed=self._tell)

    def delete_part(self, model: str) -> None:
        """Delete what a download left, stopping it first if it runs."""
        if self.is_running(model):
            self._deletes_part = True
            self.stop(model)
            return
        self._drop_waiting(model)
        self._delete_part(model)

    def stop(self, model: str) -> None:
        """Stop what is done with a model and keep its bytes; `changed` follows."""
        if not self.is_running(model):
            self._drop_waiting(model)
        elif not self._is_stopping:
            self._is_stopping = True
            job = self._job
            if self._child is not None:
                self._child.send({"type": "cancel", "id": job})
            QTimer.singleShot(self._grace_ms, self, lambda: self._kill_if_stuck(job))
            self.changed.emit()

    def is_running(self, model: str) -> bool:
        """Whether this model is being worked on."""
        return self.running is not None and self.running.model == model

    def is_waiting(self, model: str) -> bool:
        """Whether this model waits for its turn."""
        return any(task.model == model for task in self._waiting)

    @property
    def is_stopping(self) -> bool:
        """Whether the running work was asked to stop."""
        return self._is_stopping

    def close(self, timeout_ms: int = 2000) -> None:
        """End the child and the thread; a download that ran can go on at the next start."""
        self._waiting.clear()
        child, self._child, self.running = self._child, None, None
        if child is not None:
            child.send({"type": "shutdown"})
            child.end(timeout_ms)
        for leaving in self.findChildren(Child):
            leaving.wait_until_gone()
        self._thread.close(timeout_ms)

    def _stored(self) -> ModelStore:
        if self._store is None:
            self._store = default_store()
        return self._store

    def _add(self, task: Task) -> None:
        if task.model and (self.is_running(task.model) or self.is_waiting(task.model)):
            return
        self._waiting.append(task)
        self._begin_next()
        self.changed.emit()

    def _drop_waiting(self, model: str) -> None:
        self._waiting = deque(task for task in self._waiting if task.model != model)
        self.changed.emit()

    def _delete_part(self, model: str) -> None:
        self._thread.submit(
            lambda: self._stored().discard_partial(model),
            done=lambda _was_there: self.refresh(),
            failed=self._tell,
        )

    def _begin_next(self) -> None:
        if self._child is not None or not self._waiting:
            return
        task = self._waiting.popleft()
        self.running, self._job = task, uuid.uuid4().hex
        self._is_stopping = self._deletes_part = False
        self._child = Child(self._command, self)
        self._child.received.connect(self._on_message)
        self._child.ended.connect(self._on_ended)
        self._child.start()
        self._child.send(
            {
                "type": "model",
                "id": self._job,
                "action": task.work.value,
                "model": task.model,
                "path": str(task.path or ""),
                "accept_licence": task.accept_licence,
                "mirror": self._settings.download_mirror,
                "proxy": self._settings.download_proxy,
            }
        )

    def _end(self) -> None:
        task, deletes = self.running, self._deletes_part
        child, self._child, self.running = self._child, None, None
        self._is_stopping = self._deletes_part = False
        if child is not None:
            child.abandon()
        if task is not None and deletes:
            self._delete_part(task.model)
        else:
            self.refresh()
        self._begin_next()
        self.changed.emit()

    def _kill_if_stuck(self, job: str) -> None:
        if self._child is not None and self._job == job:
            # It may wait for a server that says nothing; its bytes are on the disk.
            _logger.info("The work on a model did not stop in time and is ended")
            self._end()

    @Slot(str)
    def _on_ended(self, _reason: str) -> None:
        was_asked = self._is_stopping
        self._end()
        if not was_asked:
            self.message.emit("error", "The work on the model stopped unexpectedly.", _CRASH_HINT)

    @Slot(dict)
    def _on_message(self, message: dict[str, Any]) -> None:
        task = self.running
        if task is None or message.get("id") != self._job:
            return
        match message.get("event"):
            case name if name == EVENT:
                self._report(task, message)
            case "model-finished":
                self._end()
                self._praise(task, str(message.get("model", "")))
            case "cancelled":
                self._end()
            case "failed":
                self._end()
                self._complain(task, message)

    def _report(self, task: Task, message: dict[str, Any]) -> None:
        try:
            progress = ModelProgress.from_dict(message)
        except (KeyError, ValueError, TypeError):
            _logger.exception("The child sent a progress that cannot be read")
            return
        if not self._is_stopping:
            self.progressed.emit(task, progress)

    def _praise(self, task: Task, model: str) -> None:
        self.damaged.pop(task.model or model, None)
        words = {
            Work.INSTALL: f"{task.name} is installed.",
            Work.IMPORT: f"{task.name} was brought in as {model}.",
            Work.VERIFY: f"{task.name} is whole: every checksum is right.",
        }
        self.message.emit("info", words[task.work], "")
        self.changed.emit()

    def _complain(self, task: Task, message: dict[str, Any]) -> None:
        text, hint = str(message.get("message", "")), str(message.get("hint", ""))
        if task.work is Work.VERIFY and message.get("code") == "model":
            self.damaged[task.model] = text
            self.changed.emit()
        self.message.emit("error", text, hint)

    def _tell(self, error: Exception) -> None:
        if isinstance(error, SegueError):
            self.message.emit("error", error.message, error.hint)
            return
        _logger.error("The models could not be looked at", exc_info=error)
        self.message.emit("error", "The models could not be looked at.", _BUG_HINT)
