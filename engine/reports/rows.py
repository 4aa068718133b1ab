"""The tables of a class report in words and numbers, as people read them."""

from __future__ import annotations

from engine.reports.class_model import ClassReport, ReasonRow, StudentRow
from engine.scheme import SCHEME

STUDENT_HEADS = ("Student", "Words", "Sentences", "Marks", "Per 100", "Most often")


def student_cells(row: StudentRow) -> tuple[str, ...]:
    """A student's row."""
    code = max(row.counts, key=lambda code: row.counts[code], default=None)
    return (
        row.student,
        str(row.words),
        str(row.sentences),
        str(row.marks),
        f"{row.per_hundred:.1f}",
        "" if code is None else f"{SCHEME[code].tag} ({row.counts[code]})",
    )


def reason_heads(report: ClassReport) -> tuple[str, ...]:
    """The head of the table of reasons."""
    heads = ("Reason", "What it means", "Marks", "Students", "Per 100")
    return (*heads, "Before", "Change") if report.earlier else heads


def reason_cells(report: ClassReport, row: ReasonRow) -> tuple[str, ...]:
    """A reason's row; "Per 100" counts marks for each hundred sentences."""
    cells = (row.tag, row.meaning, str(row.marks), str(row.students), f"{row.per_hundred:.1f}")
    if report.earlier is None:
        return cells
    return (*cells, f"{row.earlier_per_hundred or 0.0:.1f}", row.change)
