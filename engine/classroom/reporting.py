"""From a class in the history to the reports on it: what the page and the command line share."""

from __future__ import annotations

from collections.abc import Iterator

from engine.classroom.model import Assignment, State, Submission
from engine.classroom.review import effective_findings
from engine.history import History
from engine.history.assignment_rows import SubmissionRecord
from engine.history.assignments import Assignments
from engine.history.comparison import compare
from engine.reports.class_model import ClassReport, Earlier, Entry, NotChecked, class_report
from engine.reports.report_model import Cover, School, StudentReport, student_report

_BEHIND_IT = (State.REVIEWED, State.RELEASED)


class ClassReporter:
    """Builds the reports on one class as it is now.

    In an anonymous assignment no report holds a name, except where an essay itself does.
    `school` and `teacher` stand at the head of each.
    """

    def __init__(
        self,
        history: History,
        assignment: Assignment,
        *,
        school: School | None = None,
        teacher: str = "",
    ) -> None:
        self._history = history
        self._assignments = Assignments(history)
        self._assignment = assignment
        self._school = school or School()
        self._teacher = teacher

    def student(self, submission: Submission) -> StudentReport:
        """The report on one submission; it must be checked. Raises HistoryError, ValueError."""
        return self._report(self._assignments.record(self._assignment.shown(submission)))

    def whole(self) -> ClassReport:
        """The report on the class; essays are read one at a time. Raises HistoryError."""
        assignment = self._assignment
        compared = compare(self._history, assignment)
        earlier = None
        if compared.before is not None:
            earlier = Earlier(
                assignment=compared.before_name,
                students=compared.before.essays,
                sentences=compared.before.sentences,
                counts=compared.before.counts,
            )
        return class_report(
            self._cover(is_reviewed=False),
            self._entries(),
            topic=assignment.settings.topic,
            earlier=earlier,
            names=[one.student.name for one in assignment.submissions],
            reasons=assignment.settings.reasons,
            is_corrected=assignment.settings.correct_grammar,
        )

    def _entries(self) -> Iterator[Entry | NotChecked]:
        for submission in self._assignment.submissions:
            name = self._assignment.shown_name(submission)
            if submission.state.is_done:
                report = self.student(submission)
                names = (submission.student.name,)
                yield Entry(name, report, submission.state.value, own_names=names)
                continue
            error = self._assignment.shown(submission).error or {}
            message = error.get("message", "It has not been checked yet.")
            yield NotChecked(name, message, error.get("hint", ""))

    def _report(self, record: SubmissionRecord) -> StudentReport:
        if record.essay is None or record.analysis is None:
            raise ValueError("a submission that is not checked has no report")
        submission = record.submission
        reasons = self._assignment.settings.reasons
        return student_report(
            record.essay,
            record.analysis,
            self._cover(
                student=submission.student.name, is_reviewed=submission.state in _BEHIND_IT
            ),
            findings=effective_findings(record.analysis, record.review, reasons=reasons),
            remarks=record.review.remarks,
            comment=record.review.comment,
            reasons=reasons,
        )

    def _cover(self, *, student: str = "", is_reviewed: bool) -> Cover:
        return Cover(
            student=student,
            assignment=self._assignment.name,
            day=self._assignment.created_at.astimezone().date(),
            school=self._school,
            teacher=self._teacher,
            is_reviewed=is_reviewed,
        )
