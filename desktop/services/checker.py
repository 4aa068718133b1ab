"""Running checks of the essay being edited: by hand, and by themselves when the text rests."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.services.engine_client import EngineClient
from desktop.services.history_service import HistoryService
from desktop.services.marks import CheckedText
from desktop.services.settings import Settings
from desktop.services.writing import chosen_writer, recorded
from engine.analysis import Analysis, Finding
from engine.errors import EmptyEssay
from engine.essay import Essay

_CRASH_HINT = "Your essay and your decisions are safe. Check again to start it anew."
_WARNINGS = frozenset({"writer-failed"})
"""Notices that say that less was done than was asked for."""
_logger = logging.getLogger(__name__)


class Checker(QObject):
    """One check at a time, with the history told of each; results of dropped checks are not heard.

    A check that is asked for while one runs follows it, if the text has changed by then.
    """

    begun = Signal(object, bool)  # CheckedText, whether rewrites will follow
    scored = Signal(object)  # tuple[ScoredSentence, ...]
    found = Signal(object)  # Finding, again with its rewrites
    writing = Signal(int, str)  # sentence of the checked text, a language model's edit so far
    finished = Signal(object)  # Analysis
    ended = Signal()  # over without a result
    busy_changed = Signal(bool)
    progress = Signal(str, int, int)
    message = Signal(str, str, str)

    def __init__(
        self,
        client: EngineClient,
        history: HistoryService,
        settings: Settings,
        *,
        essay: Callable[[], Essay],
        recheck_ms: int,
        parent: QObject | None = None,
    ) -> None:
        """`essay` gives the essay as it is now; `recheck_ms` is how long its text must rest."""
        super().__init__(parent)
        self._client = client
        self._history = history
        self._settings = settings
        self._essay = essay
        self._job: CheckedText | None = None
        self._is_background = False
        self._is_stopping = False
        self._check_again = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(recheck_ms)
        self._timer.timeout.connect(self._check_in_background)
        client.progress.connect(self._on_progress)
        client.scored.connect(self._on_scored)
        client.found.connect(self._on_found)
        client.writing.connect(self._on_writing)
        client.finished.connect(self._on_finished)
        client.cancelled.connect(self._on_cancelled)
        client.failed.connect(self._on_failed)
        client.crashed.connect(self._on_crashed)

    @property
    def busy(self) -> bool:
        """Whether a check runs."""
        return self._job is not None

    def check(self) -> None:
        """Check now, or after the running check if that one is of another text."""
        self._timer.stop()
        essay = self._essay()
        if not essay.text.strip():
            error = EmptyEssay("There is nothing to check yet.")
            self.message.emit("info", error.message, error.hint)
        elif self._job is None:
            self._start(essay, in_background=False)
        else:
            self._is_background = False
            self._check_again = self._is_other(essay, self._job) or self._is_stopping

    def plan(self) -> None:
        """The text or the topic changed: check when they have rested, if the user wants that."""
        if self._settings.recheck:
            self._timer.start()

    def stop(self) -> None:
        """Stop the running check; `ended` follows."""
        self._timer.stop()
        self._check_again = False
        if self._job is not None:
            self._is_stopping = True
            self._client.cancel(self._job.job_id)

    def drop(self) -> None:
        """The essay is another one: stop the running check and hear nothing more of it."""
        self._timer.stop()
        self._check_again = False
        if self._job is not None:
            self._client.cancel(self._job.job_id)
            self._history.fail_run(self._job.job_id, "cancelled")
            self._end()

    @Slot()
    def _check_in_background(self) -> None:
        if self._job is not None:
            self._check_again = True
            return
        essay = self._essay()
        if essay.text.strip():
            self._start(essay, in_background=True)

    def _start(self, essay: Essay, *, in_background: bool) -> None:
        strictness, rewrites = self._settings.strictness, self._settings.show_rewrites
        correct_grammar = self._settings.correct_grammar
        writer = chosen_writer(self._settings)
        job_id = self._client.check(
            essay,
            strictness=strictness,
            rewrites=rewrites,
            correct_grammar=correct_grammar,
            writer=writer,
        )
        self._job = CheckedText(essay.text, essay.topic, job_id, essay.content_hash)
        self._is_background = in_background
        self._is_stopping = self._check_again = False
        self._history.begin_run(
            job_id,
            essay,
            {
                "strictness": strictness,
                "rewrites": rewrites,
                "correct_grammar": correct_grammar,
                "device": self._settings.device,
                "writer": recorded(writer),
                "background": in_background,
            },
        )
        self.begun.emit(self._job, rewrites)
        self.busy_changed.emit(True)

    def _end(self) -> None:
        self._job = None
        self.ended.emit()
        self.busy_changed.emit(False)

    @staticmethod
    def _is_other(essay: Essay, checked: CheckedText) -> bool:
        return (checked.text, checked.topic) != (essay.text, essay.topic)

    def _is_mine(self, job_id: str) -> bool:
        return self._job is not None and self._job.job_id == job_id

    @Slot(str, str, int, int)
    def _on_progress(self, job_id: str, stage: str, done: int, total: int) -> None:
        if self._is_mine(job_id):
            self.progress.emit(stage, done, total)

    @Slot(str, object)
    def _on_scored(self, job_id: str, sentences: Any) -> None:
        if self._is_mine(job_id):
            self.scored.emit(sentences)

    @Slot(str, object)
    def _on_found(self, job_id: str, finding: Finding) -> None:
        if self._is_mine(job_id):
            self.found.emit(finding)

    @Slot(str, int, str)
    def _on_writing(self, job_id: str, sentence: int, text: str) -> None:
        if self._is_mine(job_id):
            self.writing.emit(sentence, text)

    @Slot(str, object)
    def _on_finished(self, job_id: str, analysis: Analysis) -> None:
        job = self._job
        if job is None or job.job_id != job_id:
            return
        if analysis.content_hash != job.content_hash:
            _logger.warning("A result speaks of another text and is dropped")
            self._history.fail_run(job_id, "stale")
            self._end()
            return
        self._history.finish_run(job_id, analysis)
        self._job = None
        self.finished.emit(analysis)
        self.busy_changed.emit(False)
        if not self._is_background:
            for notice in analysis.notices:
                kind = "warning" if notice.code in _WARNINGS else "info"
                self.message.emit(kind, notice.message, "")
        if self._check_again:
            self._check_in_background()
        elif self._is_other(self._essay(), job):
            # Written while the check ran: its findings are of a text that has gone.
            self.plan()

    @Slot(str)
    def _on_cancelled(self, job_id: str) -> None:
        if self._is_mine(job_id):
            self._history.fail_run(job_id, "cancelled")
            self._end()
            if self._check_again:
                self._start(self._essay(), in_background=False)

    @Slot(str, object)
    def _on_failed(self, job_id: str, error: dict[str, str]) -> None:
        if self._is_mine(job_id):
            self._history.fail_run(job_id, error["code"])
            self._give_up()
            kind = "info" if error["code"] == EmptyEssay.code else "error"
            self.message.emit(kind, error["message"], error["hint"])

    @Slot(str, str)
    def _on_crashed(self, job_id: str, reason: str) -> None:
        if self._is_mine(job_id):
            self._history.fail_run(job_id, "crashed")
            self._give_up()
            self.message.emit("error", reason, _CRASH_HINT)

    def _give_up(self) -> None:
        """End, and do not run into the same wall again until there is a reason to."""
        self._timer.stop()
        self._check_again = False
        self._end()
