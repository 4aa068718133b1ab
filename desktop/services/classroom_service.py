"""Classes, reviews and comments as the window sees them: threads own the database and the files."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop.services.background import BackgroundThread
from engine.classroom.model import (
    Assignment,
    AssignmentSettings,
    Gathered,
    State,
    Submission,
)
from engine.classroom.review import Review
from engine.errors import Cancelled, HistoryError, SegueError
from engine.scheme import ReasonCode

if TYPE_CHECKING:
    from engine.history.assignments import Assignments
    from engine.history.reviews import BankComment, Reviews
    from engine.history.store import History

Result = TypeVar("Result")
_logger = logging.getLogger(__name__)
_UNKNOWN = "The class could not be read or written."


@dataclass(frozen=True)
class NewClass:
    """What a teacher asks for: where the essays are, what to call them, and how to check them."""

    source: Path
    name: str
    settings: AssignmentSettings
    roster: Path | None = None


@dataclass(frozen=True)
class Export:
    """Which reports to write: formats, the folder, and whether only released essays count."""

    folder: Path
    formats: tuple[str, ...]
    only_released: bool = False


@dataclass
class _Books:
    """The database as one thread has it open."""

    history: History
    assignments: Assignments
    reviews: Reviews


class ClassroomService(QObject):
    """Everything about classes except checking them, without the GUI thread waiting.

    Calls are carried out in order; reading a source and writing reports, which take long, have a
    thread of their own.
    """

    listed = Signal(object)  # list[AssignmentRow]
    created = Signal(object)  # Assignment
    loaded = Signal(object)  # Assignment
    row_loaded = Signal(int, object)  # assignment id, Submission
    record_loaded = Signal(object)  # SubmissionRecord
    comments_found = Signal(str, object)  # the words asked for, list[BankComment]
    exported = Signal(object, int)  # Export, on how many students
    deleted = Signal(int)
    busy_changed = Signal(str)  # what the files' thread is doing, empty when it is done
    failed = Signal(object)  # dict(code, message, hint)

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        """`file` is the history database."""
        super().__init__(parent)
        self.file = file
        self._thread = BackgroundThread("classroom", self)
        self._files = BackgroundThread("classroom-files", self)
        self._is_closed = False
        # Only the database's thread touches this.
        self._books: _Books | None = None

    def list_classes(self) -> None:
        """Ask for all classes; `listed` answers."""
        self._submit(lambda books: books.assignments.listed(), self.listed.emit)

    def create(self, wanted: NewClass) -> None:
        """Find out who handed in what, and record it; `created` or `failed` follows."""

        def read() -> Gathered:
            from engine.classroom.sources import gather

            return gather(wanted.source, roster=wanted.roster, check_cancelled=self._stop_if_closed)

        def record(gathered: Gathered) -> None:
            self._submit(lambda books: _recorded(books, gathered, wanted), self.created.emit)

        self._on_files("Reading the class…", read, record)

    def load(self, assignment: int) -> None:
        """Ask for a class with all its rows; `loaded` answers."""
        self._submit(lambda books: books.assignments.load(assignment), self.loaded.emit)

    def load_row(self, assignment: int, submission: int) -> None:
        """Ask for one row as it is now; `row_loaded` answers."""
        self._submit(
            lambda books: books.assignments.submission(submission),
            lambda row: self.row_loaded.emit(assignment, row),
        )

    def load_record(self, submission: Submission) -> None:
        """Ask for an essay with its analysis and review; `record_loaded` answers."""
        self._submit(lambda books: books.assignments.record(submission), self.record_loaded.emit)

    def change_settings(self, assignment: int, settings: AssignmentSettings) -> None:
        """Check and show a class differently from now on; `loaded` answers."""
        self._submit(
            lambda books: books.assignments.change_settings(assignment, settings),
            self.loaded.emit,
        )

    def delete(self, assignment: int) -> None:
        """Forget a class; `deleted` answers."""
        self._submit(
            lambda books: books.assignments.delete(assignment),
            lambda _: self.deleted.emit(assignment),
        )

    def save_review(self, assignment: int, submission: Submission, review: Review) -> None:
        """Keep a review; `row_loaded` follows with the row's new counts."""
        self._submit(
            lambda books: books.reviews.save(submission, review),
            lambda row: self.row_loaded.emit(assignment, row),
        )

    def mark(self, assignment: int, submission: Submission, state: State) -> None:
        """Say that a submission is reviewed, released or open again; `row_loaded` follows."""
        self._submit(
            lambda books: books.reviews.mark(submission, state),
            lambda row: self.row_loaded.emit(assignment, row),
        )

    def find_comments(self, words: str = "", reason: ReasonCode | None = None) -> None:
        """Ask the bank for comments; `comments_found` answers."""
        self._submit(
            lambda books: books.reviews.comments(words, reason=reason),
            lambda found: self.comments_found.emit(words, found),
        )

    def keep_comment(
        self, text: str, *, shortcut: str = "", reason: ReasonCode | None = None
    ) -> None:
        """Put a comment into the bank; `comments_found` follows with the whole bank."""
        self._submit(
            lambda books: books.reviews.keep_comment(text, shortcut=shortcut, reason=reason),
            lambda _: self.find_comments(),
        )

    def used_comment(self, comment: BankComment) -> None:
        """A comment of the bank was put to use."""
        self._submit(lambda books: books.reviews.used_comment(comment))

    def forget_comment(self, comment: BankComment) -> None:
        """Take a comment out of the bank; `comments_found` follows with the whole bank."""
        self._submit(
            lambda books: books.reviews.forget_comment(comment), lambda _: self.find_comments()
        )

    def export(self, assignment: int, wanted: Export) -> None:
        """Write reports on a class; `exported` or `failed` follows."""

        def settle(_: object) -> None:
            self._on_files("Writing the reports…", write, show)

        def write() -> int:
            from desktop.services.class_export import write_reports

            return write_reports(self.file, assignment, wanted, self._stop_if_closed)

        def show(students: int) -> None:
            self.exported.emit(wanted, students)

        # After whatever is still to be saved.
        self._submit(lambda _: None, settle)

    def close(self, timeout_ms: int = 2000) -> None:
        """Keep what is still to be kept and close the database; waits at most that long."""
        self._is_closed = True

        def work() -> None:
            if self._books is not None:
                self._books.history.close()

        self._thread.submit(work)
        self._thread.close(timeout_ms)
        self._files.close(timeout_ms)

    def _stop_if_closed(self) -> None:
        if self._is_closed:
            raise Cancelled

    def _submit(
        self, work: Callable[[_Books], Result], done: Callable[[Result], object] | None = None
    ) -> None:
        def run() -> Result:
            if self._books is None:
                self._books = _open(self.file)
            return work(self._books)

        def hand_on(result: Result) -> None:
            if done is not None:
                done(result)

        self._thread.submit(run, done=hand_on, failed=self._on_failed)

    def _on_files(
        self, words: str, work: Callable[[], Result], done: Callable[[Result], None]
    ) -> None:
        def finish(result: Result) -> None:
            self.busy_changed.emit("")
            done(result)

        def give_up(error: Exception) -> None:
            self.busy_changed.emit("")
            self._on_failed(error)

        self.busy_changed.emit(words)
        self._files.submit(work, done=finish, failed=give_up)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, Cancelled):
            return
        _logger.error("The classroom failed", exc_info=error)
        known = error if isinstance(error, SegueError) else HistoryError(_UNKNOWN)
        self.failed.emit(known.as_dict())


def _open(file: Path) -> _Books:
    # Here, on the thread: the database library must not hold the window up.
    from engine.history import History
    from engine.history.assignments import Assignments
    from engine.history.reviews import Reviews

    history = History.open(file)
    return _Books(history, Assignments(history), Reviews(history))


def _recorded(books: _Books, gathered: Gathered, wanted: NewClass) -> Assignment:
    if books.history.is_temporary:
        raise HistoryError(
            "Segue cannot keep a class here: its history cannot be written.",
            hint="Make room on the disk, or see that you may write into Segue's data folder.",
        )
    return books.assignments.create(
        gathered,
        name=wanted.name,
        settings=wanted.settings,
        roster="" if wanted.roster is None else str(wanted.roster.absolute()),
    )
