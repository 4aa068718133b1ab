"""The history as the window sees it: one thread owns the database, answers come as signals."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop.services.background import BackgroundThread
from engine.analysis import Analysis, Decision, Finding
from engine.errors import HistoryError, SegueError
from engine.essay import Essay
from engine.folders import history_path
from engine.history import RunKind

if TYPE_CHECKING:
    from engine.history import History

Result = TypeVar("Result")
_logger = logging.getLogger(__name__)
_UNKNOWN = "The history could not be read or written."


class HistoryService(QObject):
    """Records checks and decisions, and lists and reopens them, without the GUI thread waiting.

    Calls are carried out in order. Runs are named by the engine's job ids until the database
    has given them a number; what belongs to a run that could not be recorded is passed over.
    """

    opened = Signal(object)  # tuple of notices (str)
    runs_listed = Signal(object)  # list[RunRow]
    run_loaded = Signal(object)  # RunRecord
    run_begun = Signal(str, int)  # job id, run id
    run_deleted = Signal(int)
    decisions_found = Signal(object)  # dict[str, Decision], by finding key
    failed = Signal(object)  # dict(code, message, hint)

    def __init__(self, file: Path | None = None, parent: QObject | None = None) -> None:
        """`file` is by default `history.db` in the user's data folder."""
        super().__init__(parent)
        self._file = file or history_path()
        self._thread = BackgroundThread("history", self)
        # Only the thread touches these two.
        self._history: History | None = None
        self._runs: dict[str, int] = {}

    @property
    def file(self) -> Path:
        """Where the database is."""
        return self._file

    def open(self) -> None:
        """Open the database; `opened` reports what its opening wants known."""

        def work(history: History) -> tuple[str, ...]:
            return tuple(str(notice) for notice in history.notices)

        self._submit(work, self.opened.emit)

    def begin_run(self, job_id: str, essay: Essay, settings: Mapping[str, Any]) -> None:
        """A check has started."""

        def work(history: History) -> int:
            name = essay.path.name if essay.path else essay.title
            path = str(essay.path) if essay.path else ""
            run_id = history.begin_run(
                name, path, essay.content_hash, essay.text, essay.topic, settings
            )
            self._runs[job_id] = run_id
            return run_id

        self._submit(work, lambda run_id: self.run_begun.emit(job_id, run_id))

    def adopt_run(self, job_id: str, run_id: int) -> None:
        """Decisions on `job_id` belong to a run that was loaded from the history."""

        def work(_: History) -> None:
            self._runs[job_id] = run_id

        self._submit(work)

    def finish_run(self, job_id: str, analysis: Analysis) -> None:
        """A check has ended with this result."""
        self._with_run(job_id, lambda history, run_id: history.finish_run(run_id, analysis))

    def fail_run(self, job_id: str, code: str) -> None:
        """A check has ended without a result."""
        self._with_run(job_id, lambda history, run_id: history.fail_run(run_id, code))

    def record_decision(
        self,
        job_id: str,
        finding: Finding,
        decision: Decision | None,
        rewrite_index: int | None = None,
    ) -> None:
        """The writer has answered a finding; None when an answer was taken back."""
        self._with_run(
            job_id,
            lambda history, run_id: history.record_decision(
                run_id, finding.key, decision, rewrite_index
            ),
        )

    def find_decisions(self, keys: list[str]) -> None:
        """Ask for the last decision on each of these findings, whatever run it was made in."""
        self._submit(lambda history: history.decisions_for(keys=keys), self.decisions_found.emit)

    def list_runs(
        self,
        search: str = "",
        *,
        kind: RunKind = RunKind.ALL,
        limit: int = 200,
        offset: int = 0,
    ) -> None:
        """Ask for the runs of this kind, newest first, whose essay matches `search`."""
        self._submit(
            lambda history: history.runs(limit=limit, offset=offset, search=search, kind=kind),
            self.runs_listed.emit,
        )

    def load_run(self, run_id: int) -> None:
        """Ask for everything about one run."""
        self._submit(lambda history: history.run(run_id), self.run_loaded.emit)

    def delete_run(self, run_id: int) -> None:
        """Forget one run; decisions still to come on it are passed over."""

        def work(history: History) -> None:
            history.delete_run(run_id)
            self._runs = {job: run for job, run in self._runs.items() if run != run_id}

        self._submit(work, lambda _: self.run_deleted.emit(run_id))

    def delete_all(self) -> None:
        """Forget everything; `runs_listed` follows with the empty list."""

        def work(history: History) -> None:
            history.delete_all()
            self._runs.clear()

        self._submit(work, lambda _: self.runs_listed.emit([]))

    def close(self, timeout_ms: int = 2000) -> None:
        """Record what is still to be recorded and close the database; waits at most that long."""

        def work() -> None:
            if self._history is not None:
                self._history.close()

        self._thread.submit(work)
        self._thread.close(timeout_ms)

    def _with_run(self, job_id: str, work: Callable[[History, int], None]) -> None:
        def find_run(history: History) -> None:
            run_id = self._runs.get(job_id)
            if run_id is None:
                _logger.info("A record belongs to no known run and is passed over")
            else:
                work(history, run_id)

        self._submit(find_run)

    def _submit(
        self, work: Callable[[History], Result], done: Callable[[Result], object] | None = None
    ) -> None:
        def run() -> Result:
            if self._history is None:
                # Here, on the thread: the database library must not hold the window up.
                from engine.history import History

                self._history = History.open(self._file)
            return work(self._history)

        def hand_on(result: Result) -> None:
            if done is not None:
                done(result)

        self._thread.submit(run, done=hand_on, failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        _logger.error("The history failed", exc_info=error)
        known = error if isinstance(error, SegueError) else HistoryError(_UNKNOWN)
        self.failed.emit(known.as_dict())
