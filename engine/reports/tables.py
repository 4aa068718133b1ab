"""A class report as tables for a spreadsheet, and a report as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from engine.reports.class_model import ClassReport, FindingRow, StudentRow
from engine.reports.report_model import Mark, StudentReport
from engine.scheme import CODES, SCHEME

CLASS_SCHEMA = "segue.class/1"
STUDENT_SCHEMA = "segue.student/1"

_STARTS_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def students_csv(report: ClassReport) -> bytes:
    """One row for each student, as CSV in UTF-8 with a byte order mark, safe in a spreadsheet."""
    heads = [
        "Student", "Words", "Sentences", "Marks", "Marks per 100 sentences",
        *(f"{code.value} {SCHEME[code].tag}" for code in CODES), "State", "Problem",
    ]  # fmt: skip
    rows = [_student_row(row) for row in report.students]
    blanks = [""] * (len(heads) - 3)
    rows += [[one.student, *blanks, "not checked", one.message] for one in report.not_checked]
    return _csv([heads, *rows])


def findings_csv(report: ClassReport) -> bytes:
    """One row for each mark, as CSV in UTF-8 with a byte order mark, safe in a spreadsheet."""
    heads = [
        "Student", "Mark", "Sentence number", "Sentence", "Reason code", "Reason", "Explanation",
        "Suggestion", "Connects to sentence", "How sure", "Whose", "Teacher's comment",
    ]  # fmt: skip
    return _csv([heads, *(_finding_row(row) for row in report.findings)])


def inert(cell: object) -> str:
    """The cell as text that no spreadsheet takes for a formula.

    An apostrophe is put before =, +, -, @ and before white space that such a sign may follow.
    Source: OWASP, CSV injection.
    """
    text = str(cell)
    # A sign behind white space runs as a formula where the import trims its cells.
    if text.startswith(_STARTS_FORMULA) or text.lstrip().startswith(_STARTS_FORMULA):
        return "'" + text
    return text


def class_json(report: ClassReport) -> str:
    """The class report as JSON, `segue.class/1`."""
    earlier = report.earlier
    return _json(
        {
            "schema": CLASS_SCHEMA,
            "assignment": report.cover.assignment,
            "day": report.cover.day and report.cover.day.isoformat(),
            "topic": report.topic,
            "model": dict(report.model),
            "students": [_student_dict(row) for row in report.students],
            "not_checked": [
                {"student": one.student, "message": one.message, "hint": one.hint}
                for one in report.not_checked
            ],
            "findings": [
                {"student": row.student, **_mark_dict(row.mark)} for row in report.findings
            ],
            "reasons": [
                {
                    "code": row.code.value,
                    "marks": row.marks,
                    "students": row.students,
                    "per_100_sentences": round(row.per_hundred, 2),
                    "earlier_per_100_sentences": row.earlier_per_hundred
                    and round(row.earlier_per_hundred, 2),
                }
                for row in report.reasons
            ],
            "earlier": earlier
            and {
                "assignment": earlier.assignment,
                "students": earlier.students,
                "sentences": earlier.sentences,
                "marks": {code.value: count for code, count in earlier.counts.items()},
            },
        }
    )


def student_json(report: StudentReport) -> str:
    """A student's report as JSON, `segue.student/1`."""
    return _json(
        {
            "schema": STUDENT_SCHEMA,
            "student": report.cover.student,
            "assignment": report.cover.assignment,
            "day": report.cover.day and report.cover.day.isoformat(),
            "reviewed": report.cover.is_reviewed,
            "topic": report.topic,
            "words": report.words,
            "sentences": list(report.texts),
            "strengths": list(report.strengths),
            "practise": [
                {"code": one.code.value, "marks": list(one.numbers), "advice": one.advice}
                for one in report.practise
            ],
            "comment": report.comment,
            "findings": [_mark_dict(mark) for mark in report.marks],
            "remarks": [
                {"sentence": one.sentence, "text": one.text, "comment": one.comment}
                for one in report.remarks
            ],
            "model": dict(report.model),
        }
    )


def _student_row(row: StudentRow) -> list[object]:
    counts = [row.counts.get(code, 0) for code in CODES]
    each = f"{row.per_hundred:.1f}"
    return [row.student, row.words, row.sentences, row.marks, each, *counts, row.state, ""]


def _finding_row(row: FindingRow) -> list[object]:
    mark = row.mark
    return [
        row.student, mark.number, mark.sentence, mark.text, mark.code.value, mark.tag,
        mark.explanation, row.suggestion, mark.anchor or "", mark.confidence, mark.origin,
        mark.comment,
    ]  # fmt: skip


def _student_dict(row: StudentRow) -> dict[str, Any]:
    return {
        "student": row.student,
        "words": row.words,
        "sentences": row.sentences,
        "marks": row.marks,
        "reasons": {code.value: count for code, count in row.counts.items()},
        "state": row.state,
        "reviewed": row.is_reviewed,
    }


def _mark_dict(mark: Mark) -> dict[str, Any]:
    return {
        "number": mark.number,
        "sentence": mark.sentence,
        "text": mark.text,
        "reasons": [mark.code.value, *(code.value for code in mark.also)],
        "explanation": mark.explanation,
        "connects_to": mark.anchor,
        "suggestions": [
            {"action": one.action.value, "text": one.text, "source": one.source.value}
            for one in mark.suggestions
        ],
        "confidence": mark.confidence,
        "source": mark.source.value,
        "origin": mark.origin,
        "comment": mark.comment,
    }


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    for row in rows:
        writer.writerow([inert(cell) for cell in row])
    # Excel takes CSV without the mark for the system's old code page.
    return file.getvalue().encode("utf-8-sig")


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
