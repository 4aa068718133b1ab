"""Rows of classes and submissions as data, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.analysis import Analysis
from engine.classroom.model import (
    Assignment,
    AssignmentSettings,
    Several,
    Skipped,
    SourceKind,
    State,
    Student,
    Submission,
    SubmittedFile,
)
from engine.classroom.review import Review
from engine.essay import Essay, Notice, Paragraph, ParagraphKind
from engine.history.records import RunRecord, to_json
from engine.plain_data import read_back
from engine.scheme import ReasonCode
from engine.spans import Span
from engine.writing import WriterChoice

# A submission whose run was deleted from the history has to be checked again.
SUBMISSIONS = """
SELECT submissions.*, runs.word_count, reviews.counts, assignments.settings,
       CASE WHEN run_id IS NULL AND state IN ('checked', 'reviewed', 'released')
            THEN 'waiting' ELSE state END AS present_state
FROM submissions
JOIN assignments ON assignments.id = submissions.assignment_id
LEFT JOIN runs ON runs.id = submissions.run_id
LEFT JOIN reviews ON reviews.submission_id = submissions.id
"""


@dataclass(frozen=True)
class SubmissionRecord:
    """A submission with its essay and analysis (None until it is checked) and its review.

    The essay's notices are those of the submission.
    """

    submission: Submission
    essay: Essay | None = None
    analysis: Analysis | None = None
    review: Review = field(default_factory=Review)


def layout_of(essay: Essay) -> dict[str, Any]:
    """What a run's settings keep of an essay besides its text; `essay_from` reads it back."""
    paragraphs = [[one.span.start, one.span.end, one.kind.value] for one in essay.paragraphs]
    return {"paragraphs": paragraphs, "format": essay.format}


def essay_from(run: RunRecord, submission: Submission) -> Essay:
    """The essay of a class's run, with the paragraphs that its file had."""
    return Essay(
        text=run.text,
        paragraphs=tuple(
            Paragraph(Span(start, end), ParagraphKind(kind))
            for start, end, kind in run.settings["paragraphs"]
        ),
        topic=run.row.topic,
        format=run.settings["format"],
        notices=submission.notices,
    )


def files_json(one: Submission) -> str:
    """The files, as stored."""
    return to_json([file.as_dict() for file in one.files])


def error_json(one: Submission) -> str | None:
    """The error, as stored."""
    return None if one.error is None else to_json(dict(one.error))


def notices_json(notices: Iterable[Notice]) -> str:
    """Notices, as stored."""
    return to_json([one.as_dict() for one in notices])


def assignment_from(row: Mapping[str, Any]) -> Assignment:
    """A row of `assignments` as data, without its submissions."""
    return Assignment(
        id=row["id"],
        name=row["name"],
        source=row["source"],
        kind=SourceKind(row["kind"]),
        settings=AssignmentSettings.from_dict(json.loads(row["settings"])),
        created_at=datetime.fromisoformat(row["created_at"]),
        skipped=tuple(map(Skipped.from_dict, json.loads(row["skipped"]))),
        missing=tuple(map(Student.from_dict, json.loads(row["missing"]))),
        notices=read_notices(row["notices"]),
        out=row["out"],
        roster=row["roster"],
        worksheet=row["worksheet"],
        several=Several(row["several"]),
        writer=WriterChoice.from_dict(json.loads(row["writer"])),
    )


def submission_from(row: Mapping[str, Any], machine: Mapping[ReasonCode, int]) -> Submission:
    """A row of `SUBMISSIONS` as data; `machine` counts the run's findings by first reason."""
    settings = AssignmentSettings.from_dict(json.loads(row["settings"]))
    reasons = {code: number for code, number in machine.items() if code in settings.reasons}
    if row["counts"] is not None:
        reasons = {ReasonCode(code): n for code, n in json.loads(row["counts"]).items()}
    return Submission(
        student=Student.from_dict(json.loads(row["student"])),
        files=tuple(map(SubmittedFile.from_dict, json.loads(row["files"]))),
        digest=row["digest"],
        alias=row["alias"],
        state=State(row["present_state"]),
        notices=(*read_notices(row["notices"]), *read_notices(row["essay_notices"])),
        id=row["id"],
        run_id=row["run_id"],
        error=None if row["error"] is None else json.loads(row["error"]),
        words=row["word_count"] or 0,
        findings=sum(reasons.values()),
        reasons=reasons,
        folder=row["folder"],
    )


def read_notices(text: str) -> tuple[Notice, ...]:
    """Notices, as they were stored."""
    return tuple(read_back(Notice, one) for one in json.loads(text))
