"""Checking a class, one essay after the other, so that nothing finished is ever done again.

Each essay is stored the moment it is checked, and forgotten here. Whether the program is stopped,
crashes or is started anew: what is stored stays, what was half done is begun again.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.classroom.controls import Controls
from engine.classroom.model import Assignment, AssignmentSettings, State, Submission
from engine.classroom.sources import SubmissionReader
from engine.errors import Cancelled, HistoryError, SegueError
from engine.essay import Essay, Notice
from engine.events import ChecksEssays, Event, Progress
from engine.history.assignments import Assignments

log = logging.getLogger(__name__)

_REMEMBERED = 20
"""So many of the last essays tell how long one takes."""


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far the class is: `done` of `total` essays, `failed` among them.

    `name` is whose essay is at work, under the name that a report may show, `stage` and `part`
    how far that one is (0.0 to 1.0). `seconds_left` is None until one essay is finished.
    """

    done: int
    total: int
    failed: int
    name: str = ""
    stage: str = ""
    part: float = 0.0
    seconds_left: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {
            "event": "class-progress",
            "done": self.done,
            "total": self.total,
            "failed": self.failed,
            "name": self.name,
            "stage": self.stage,
            "part": round(self.part, 4),
            "seconds_left": self.seconds_left,
        }


@dataclass(frozen=True, slots=True)
class SubmissionChanged:
    """A submission has another state; what it holds is in the history already."""

    submission: Submission

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol: which row to read again, and its state."""
        one = self.submission
        return {"event": "submission-changed", "submission": one.id, "state": one.state.value}


QueueEvent = QueueProgress | SubmissionChanged
QueueListener = Callable[[QueueEvent], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of the queue did: essays checked and failed in it, and its seconds of work."""

    checked: int
    failed: int
    seconds: float


class ClassQueue:
    """Checks classes that are in the history, with an engine that is handed in.

    Plain synchronous code: `run` blocks, tells `on_event` on the calling thread, and heeds
    `controls`, which another thread may work.
    """

    def __init__(
        self,
        engine: ChecksEssays,
        assignments: Assignments,
        *,
        controls: Controls | None = None,
        on_event: QueueListener | None = None,
    ) -> None:
        self._engine = engine
        self._assignments = assignments
        self.controls = Controls() if controls is None else controls
        self._tell = _unheard if on_event is None else on_event

    def run(self, assignment_id: int, *, only: Collection[int] | None = None) -> Outcome:
        """Check all submissions of a class that wait, or those of them whose ids are in `only`.

        One that cannot be checked is recorded with its cause, and the next is taken. Raises
        Cancelled when stopped, ModelError or BackendError where no essay can be judged at all,
        InputError where the source cannot be opened, and HistoryError.
        """
        self._assignments.claim(assignment_id)
        try:
            assignment = self._assignments.load(assignment_id)
            todo = [
                one for one in assignment.in_state(State.WAITING) if only is None or one.id in only
            ]
            return self._run(assignment, todo)
        finally:
            self._assignments.let_go(assignment_id)

    def retry(self, assignment_id: int) -> Outcome:
        """Check those submissions again that failed, and no others. Raises as `run` does."""
        failed = {one.id for one in self._assignments.load(assignment_id).in_state(State.FAILED)}
        self._assignments.retry(assignment_id)
        return self.run(assignment_id, only=failed)

    def _run(self, assignment: Assignment, todo: list[Submission]) -> Outcome:
        clock = _Clock(assignment, todo, self.controls)
        self._tell(clock.progress())
        if not todo:
            return Outcome(0, 0, 0.0)
        self.controls.check()
        self._engine.warm()
        with SubmissionReader(Path(assignment.source)) as reader:
            for waiting in todo:
                self.controls.check()
                clock.starts(assignment.shown_name(waiting))
                self._tell(SubmissionChanged(self._assignments.begin(waiting)))
                done = self._one(waiting, assignment.settings, reader, clock)
                clock.finished(done)
                self._tell(SubmissionChanged(done))
                self._tell(clock.progress())
        return clock.outcome()

    def _one(
        self,
        submission: Submission,
        settings: AssignmentSettings,
        reader: SubmissionReader,
        clock: _Clock,
    ) -> Submission:
        """Check and store one submission, or store why that cannot be."""

        def hear(event: Event) -> None:
            if isinstance(event, Progress):
                self._tell(clock.progress(event))

        try:
            essay = reader.essay(submission, topic=settings.topic)
            if settings.anonymous:
                essay = _with_name_noticed(essay, submission)
            analysis = self._engine.check(
                essay,
                strictness=settings.strictness,
                rewrites=settings.rewrites,
                correct_grammar=settings.correct_grammar,
                on_event=hear,
                check_cancelled=self.controls.check,
            )
            return self._assignments.finish(submission, essay, analysis, settings)
        except (Cancelled, KeyboardInterrupt):
            self._tell(SubmissionChanged(self._assignments.put_back(submission)))
            raise
        except HistoryError:
            raise
        except SegueError as error:
            return self._assignments.fail(submission, error.as_dict())
        except Exception as error:  # noqa: BLE001 - one odd essay must not stop the others
            return self._assignments.fail(submission, _bug(error))


class _Clock:
    """Counts what is done, and estimates how long the rest takes."""

    def __init__(self, assignment: Assignment, todo: list[Submission], controls: Controls) -> None:
        self._total = len(assignment.submissions)
        self._left = len(todo)
        self._failed = len(assignment.in_state(State.FAILED))
        self._checked_now = self._failed_now = 0
        self._controls = controls
        self._name = ""
        self._times: deque[float] = deque(maxlen=_REMEMBERED)
        self._began = self._started = self._now()

    def starts(self, name: str) -> None:
        """The next essay is at work."""
        self._name = name
        self._started = self._now()

    def finished(self, submission: Submission) -> None:
        """An essay is done."""
        self._left -= 1
        if submission.state is State.FAILED:
            self._failed += 1
            self._failed_now += 1
        else:
            # A file that could not be read took no time and says nothing about the others.
            self._times.append(self._now() - self._started)
            self._checked_now += 1
        self._name = ""

    def progress(self, event: Progress | None = None) -> QueueProgress:
        """How far everything is; `event` tells of the essay at work."""
        part = 0.0 if event is None else _part(event)
        left = None
        if self._times:
            mean = sum(self._times) / len(self._times)
            spent = self._now() - self._started if self._name else 0.0
            left = max(0.0, mean * self._left - min(spent, mean)) if self._left else 0.0
        return QueueProgress(
            done=self._total - self._left,
            total=self._total,
            failed=self._failed,
            name=self._name,
            stage="" if event is None else event.stage,
            part=part,
            seconds_left=left,
        )

    def outcome(self) -> Outcome:
        """What was done since the beginning."""
        return Outcome(self._checked_now, self._failed_now, self._now() - self._began)

    def _now(self) -> float:
        return time.monotonic() - self._controls.paused_seconds


_STAGE_SHARES = {"reading": (0.0, 0.0), "judging": (0.0, 0.5), "rewriting": (0.5, 0.5)}


def _part(event: Progress) -> float:
    """How much of one essay is done, judging and rewriting being half of the work each."""
    start, share = _STAGE_SHARES.get(event.stage, (0.0, 0.0))
    return start + share * (event.done / event.total if event.total else 0.0)


def _with_name_noticed(essay: Essay, submission: Submission) -> Essay:
    """An anonymous essay that is signed is left as it is, but not without a word."""
    if submission.student.name.casefold() not in essay.text.casefold():
        return essay
    notice = Notice("name-in-text", "The essay itself holds its writer’s name.")
    return replace(essay, notices=(*essay.notices, notice))


def _unheard(_event: QueueEvent) -> None:
    """Takes events that nobody listens to."""


def _bug(error: Exception) -> dict[str, str]:
    """An error of ours, for the list of failures; its traceback goes to the log."""
    log.error("a submission could not be checked", exc_info=error)
    return {
        "code": "bug",
        "message": f"Segue failed on this file ({type(error).__name__}).",
        "hint": "This is a mistake in Segue, not in the essay. Please report it.",
    }
