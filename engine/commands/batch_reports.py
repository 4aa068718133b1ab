"""The files that `segue batch` writes: one folder with the students' reports, and the class's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from engine.classroom.file_names import plain_file_name
from engine.classroom.letterhead import Letterhead
from engine.classroom.model import Assignment, SourceKind, Submission
from engine.classroom.reporting import ClassReporter
from engine.classroom.sources import SubmissionReader
from engine.documents.atomic import write_bytes
from engine.errors import UnreadableFile
from engine.history import History
from engine.reports import formats, render, write
from engine.reports.class_model import ClassReport
from engine.reports.moodle import comment_html, feedback_zip, filled_worksheet, folder_name
from engine.reports.report_model import StudentReport

STUDENTS = "students"
CLASS = "class"
FEEDBACK_ZIP = "moodle-feedback.zip"
WORKSHEET = "moodle-worksheet.csv"


class ClassReports:
    """Writes a class's reports into a folder, each whole or not at all.

    Raises UnreadableFile where the folder cannot be written.
    """

    def __init__(
        self,
        history: History,
        assignment: Assignment,
        folder: Path,
        wanted: tuple[str, ...],
        *,
        letterhead: Letterhead,
        again: Collection[int] = (),
    ) -> None:
        """`again` are submissions whose reports are to be written although they are there."""
        self._assignment = assignment
        self._reporter = ClassReporter(
            history, assignment, school=letterhead.school, teacher=letterhead.teacher
        )
        self._folder = folder
        self._again = again
        self.unwritten: dict[int, UnreadableFile] = {}
        self._student_formats = [name for name in wanted if name in formats(StudentReport)]
        self._class_formats = [name for name in wanted if name in formats(ClassReport)]
        self._stems = _stems(assignment)
        try:
            (folder / STUDENTS if self._student_formats else folder).mkdir(
                parents=True, exist_ok=True
            )
        except OSError as error:
            raise UnreadableFile(
                f"The folder {folder} cannot be made: {error.strerror or error}."
            ) from error
        self._clear_halves()

    def write_student(self, submission: Submission) -> None:
        """Write the report on one submission that is checked, in every format that it has.

        A file that is open elsewhere, or a full disk, is not the other essays' business: what
        failed is in `unwritten`.
        """
        if not self._student_formats:
            return
        report = self._reporter.student(submission)
        for kind, path in self._student_files(submission).items():
            try:
                write(report, kind, path)
            except UnreadableFile as error:
                self.unwritten[submission.id] = error

    def write_rest(self, check_cancelled: Callable[[], None]) -> list[UnreadableFile]:
        """Write what is not there yet, and the report on the class; what cannot be written.

        Raises what `check_cancelled` raises, between two reports.
        """
        for submission in self._done():
            check_cancelled()
            if submission.id in self._again or not self._has_student(submission):
                self.write_student(submission)
        return [*self.unwritten.values(), *self._write_class()]

    def _has_student(self, submission: Submission) -> bool:
        return all(path.is_file() for path in self._student_files(submission).values())

    def _write_class(self) -> Iterator[UnreadableFile]:
        """Write the report on the class, and for a Moodle class what Moodle takes back."""
        pieces: list[Callable[[], object]] = []
        if self._class_formats:
            report = self._reporter.whole()
            pieces += (
                partial(write, report, kind, self._folder / f"{CLASS}.{kind}")
                for kind in self._class_formats
            )
        if self._assignment.kind is SourceKind.MOODLE:
            pieces += (self._write_feedback, self._write_worksheet)
        for piece in pieces:
            try:
                piece()
            except UnreadableFile as error:
                yield error

    def _write_feedback(self) -> None:
        write_bytes(self._folder / FEEDBACK_ZIP, feedback_zip(self._feedback()))

    def _clear_halves(self) -> None:
        """Remove the halves of reports that a killed run was writing."""
        for place in (self._folder, self._folder / STUDENTS):
            for half in place.glob(".*.tmp"):
                with contextlib.suppress(OSError):
                    half.unlink()

    def _feedback(self) -> Iterator[tuple[str, Mapping[str, bytes]]]:
        """Each student's folder with the files of the report."""
        for submission in self._done():
            files = {
                f"feedback.{kind}": path.read_bytes()
                for kind, path in self._student_files(submission).items()
                if kind != "json"
            }
            if not files:
                report = self._reporter.student(submission)
                files = {"feedback.html": render(report, "html")[""]}
            name = self._assignment.shown_name(submission)
            yield folder_name(name, submission.student.participant), files

    def _write_worksheet(self) -> None:
        if not self._assignment.worksheet:
            return
        with SubmissionReader(Path(self._assignment.source)) as reader:
            worksheet = reader.data(self._assignment.worksheet)
        comments = {
            one.student.participant: comment_html(self._reporter.student(one))
            for one in self._done()
        }
        filled, _ = filled_worksheet(worksheet, comments)
        write_bytes(self._folder / WORKSHEET, filled)

    def _done(self) -> Iterator[Submission]:
        return (one for one in self._assignment.submissions if one.state.is_done)

    def _student_files(self, submission: Submission) -> dict[str, Path]:
        folder = self._folder / STUDENTS
        stem = self._stems[submission.id]
        return {kind: folder / f"{stem}.{kind}" for kind in self._student_formats}


def _stems(assignment: Assignment) -> dict[int, str]:
    """A file name without extension for each submission; of the same names the later are numbered.

    By the order in which they came into the history, so that a name stays when others join.
    """
    taken: set[str] = set()
    stems: dict[int, str] = {}
    for submission in sorted(assignment.submissions, key=lambda one: one.id):
        base = plain_file_name(assignment.shown_name(submission) + ".x").removesuffix(".x")
        stem, number = base, 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{base} ({number})"
        taken.add(stem.casefold())
        stems[submission.id] = stem
    return stems
