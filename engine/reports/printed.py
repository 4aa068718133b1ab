"""Reports as PDF: what the Typst templates need to know, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.reports.charts import Chart, class_charts
from engine.reports.class_model import ClassReport
from engine.reports.glyphs import Coverage, shipped_coverage
from engine.reports.logo import logo_kind
from engine.reports.passages import Line
from engine.reports.report_model import Cover, Mark, Source, StudentReport, Suggestion
from engine.reports.rows import STUDENT_HEADS, reason_cells, reason_heads, student_cells
from engine.reports.typesetting import set_pdf
from engine.reports.wording import counted, is_right_to_left, listed

_LONG_MARK = 900  # characters; a longer card may run over the end of a page


def student_pdf(report: StudentReport, *, paper: str = "a4") -> bytes:
    """A student's report as a tagged PDF; raises BackendError where it cannot be made."""
    data = {
        **_head(report.cover, paper),
        "title": report.heading,
        "description": "Feedback on the coherence of an essay",
        "heading": report.heading,
        "facts": report.facts,
        "standing": report.standing,
        "notices": report.notices,
        "footer": _footer(report.heading, report.judge),
        "strengths": report.strengths,
        "practise": [
            {"tag": one.tag, "meaning": one.meaning, "advice": one.advice, "where": one.where}
            for one in report.practise
        ],
        "comment": _paragraphs(report.comment),
        "topic": " ".join(report.topic.split()),
        "lines": [_line(line) for line in report.lines],
        "marks": [_mark(mark) for mark in report.marks],
        "remarks": [
            {
                "label": one.letter,
                "sentence": one.sentence,
                "text": one.text,
                "comment": one.comment,
            }
            for one in report.remarks
        ],
        "nothing": report.nothing,
    }
    return set_pdf("student.typ", _drawable(data, shipped_coverage()))


def class_pdf(report: ClassReport, *, paper: str = "a4") -> bytes:
    """A class report as a tagged PDF; raises BackendError where it cannot be made."""
    data = {
        **_head(report.cover, paper),
        "title": report.heading,
        "description": "How a class's essays hold together",
        "heading": report.heading,
        "facts": report.facts,
        "standing": report.standing,
        "notices": (),
        "footer": _footer(report.heading, report.judge),
        "comparison": report.comparison,
        "compared": report.earlier is not None,
        "charts": [_chart(chart) for chart in class_charts(report)],
        "reason-heads": reason_heads(report),
        "reasons": [reason_cells(report, row) for row in report.reasons],
        "examples": [
            {
                "tag": one.tag,
                "before": one.before,
                "text": one.text,
                "question": one.question,
                "suggestions": [_suggestion(one.suggestion)] if one.suggestion else [],
            }
            for one in report.examples
        ],
        "student-heads": STUDENT_HEADS,
        "students": [student_cells(row) for row in report.students],
        "not-checked": [
            {"student": one.student, "message": one.message, "hint": one.hint}
            for one in report.not_checked
        ],
    }
    return set_pdf("class.typ", _drawable(data, shipped_coverage()))


def _head(cover: Cover, paper: str) -> dict[str, Any]:
    logo, day = None, cover.day
    if cover.school.logo:
        logo = {
            "bytes": list(cover.school.logo),
            "format": logo_kind(cover.school.logo),
            "alt": f"Logo of {cover.school.name or 'the school'}",
        }
    return {
        "paper": paper,
        "day": day and {"year": day.year, "month": day.month, "day": day.day},
        "author": cover.teacher or cover.school.name or "Segue",
        "school": cover.school.name,
        "logo": logo,
    }


def _footer(heading: str, judge: str) -> str:
    return f"{heading} · judged by {judge}" if judge else heading


def _paragraphs(text: str) -> list[dict[str, Any]]:
    return [
        {"text": part.strip(), "rtl": is_right_to_left(part)}
        for part in text.split("\n")
        if part.strip()
    ]


def _line(line: Line) -> dict[str, Any]:
    return {
        "kind": line.kind.value,
        "rtl": line.is_right_to_left,
        "passages": [
            {
                "text": one.text,
                "label": None if one.tab is None else one.tab.label,
                "teacher": one.tab is not None and one.tab.label.isalpha(),
            }
            for one in line.passages
        ],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    size = len(mark.text) + len(mark.explanation) + len(mark.anchor_text) + len(mark.comment)
    size += sum(2 * len(one.text) for one in mark.suggestions)
    anchor = {"label": mark.anchor_label, "text": mark.anchor_text} if mark.anchor else None
    return {
        "number": mark.number,
        "tag": mark.tag,
        "origin": mark.origin,
        "teacher": mark.source is Source.TEACHER,
        "place": mark.place,
        "text": mark.text,
        "explanation": mark.explanation,
        "also": mark.also_in_words,
        "anchor": anchor,
        "suggestions": [_suggestion(one) for one in mark.suggestions],
        "note": mark.note,
        "comment": _paragraphs(mark.comment),
        "long": size > _LONG_MARK,
    }


def _suggestion(one: Suggestion) -> dict[str, Any]:
    return {
        "label": one.label,
        "delete": one.is_deletion,
        "old": one.old or None,
        "new": one.new,
        "maker": one.maker or None,
    }


def _chart(chart: Chart) -> dict[str, Any]:
    return {"title": chart.title, "svg": chart.svg, "alt": chart.alt}


def _drawable(data: Mapping[str, Any], coverage: Coverage) -> dict[str, Any]:
    """The data with every character that no font draws named by its number, and a word on it."""
    unseen: set[str] = set()
    drawable = {key: _walked(value, coverage, unseen) for key, value in data.items()}
    names = [f"U+{ord(character):04X}" for character in sorted(unseen)]
    kinds = counted(len(names), "character")
    told = listed(names[:8]) if len(names) <= 8 else f"{', '.join(names[:8])} and more"
    said = f"This PDF has no letter shape for {kinds} ({told}); the number stands instead."
    return {**drawable, "fonts": coverage.families, "unseen": said if names else ""}


def _walked(value: Any, coverage: Coverage, unseen: set[str]) -> Any:
    if isinstance(value, str):
        return coverage.visible(value, unseen)
    if isinstance(value, Mapping):
        return {key: _walked(inner, coverage, unseen) for key, inner in value.items()}
    if isinstance(value, (list, tuple)) and not (value and isinstance(value[0], int)):
        return [_walked(inner, coverage, unseen) for inner in value]
    return value
