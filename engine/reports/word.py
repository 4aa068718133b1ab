"""Reports as Word files: the essay with a comment anchored at each mark.

The machine's words are comments by "Segue", the teacher's by the teacher, so that Word and
LibreOffice show whose is whose. python-docx writes the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from engine.essay import ParagraphKind
from engine.reports.charts import class_charts
from engine.reports.class_model import ClassReport
from engine.reports.discussion import Example
from engine.reports.logo import logo_kind
from engine.reports.marking import Piece
from engine.reports.passages import Line, Passage
from engine.reports.report_model import Mark, Remark, Source, StudentReport, Suggestion
from engine.reports.rows import STUDENT_HEADS, reason_cells, reason_heads, student_cells
from engine.reports.typesetting import draw_png
from engine.reports.word_parts import (
    add_bullets,
    add_notice,
    add_picture,
    add_run,
    add_table,
    new_document,
    set_right_to_left,
    shade,
)
from engine.reports.wording import is_right_to_left

if TYPE_CHECKING:
    from docx.comments import Comment
    from docx.document import Document
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

MACHINE = "Segue"
_MARK_PAPER = "FFF0BF"
_NOTE_PAPER = "DCEBFA"
_CARD_PAPER = "F5F3EE"
_OUT = "A3211A"
_IN = "0F5A25"
_SOFT = "4B545E"
_ACCENT = "0B4F94"
_LOGO_POINTS = 56
_CHART_POINTS = 480


def student_docx(report: StudentReport) -> bytes:
    """A student's report as the bytes of a .docx file."""
    document = _begin(report)
    for notice in report.notices:
        _soft(document, f"Note: {notice}")
    if report.strengths:
        document.add_heading("What already flows", 2)
        add_bullets(document, report.strengths)
    if report.practise:
        document.add_heading("What to practise", 2)
        for one in report.practise:
            paragraph = document.add_paragraph(style="List Number")
            add_run(paragraph, f"{one.tag}. ", bold=True)
            add_run(paragraph, f"{one.meaning} {one.advice} ")
            add_run(paragraph, f"{one.where}.", colour=_SOFT)
    if report.comment:
        document.add_heading("Your teacher’s comment", 2)
        for text in report.comment.split("\n"):
            _said(document, text)
    document.add_heading("Your essay", 2)
    if report.topic:
        _soft(document, f"Topic: {' '.join(report.topic.split())}")
    _essay(document, report)
    if report.nothing:
        document.add_paragraph(report.nothing)
    return _finished(document)


def class_docx(report: ClassReport) -> bytes:
    """A class report as the bytes of a .docx file; raises BackendError without Typst."""
    document = _begin(report)
    reasons, spread = class_charts(report)
    document.add_heading("How often each reason occurs", 2)
    if report.comparison:
        _soft(document, report.comparison)
    for chart in (reasons, spread):
        if chart is spread:
            document.add_heading("How many marks each essay has", 2)
        else:
            _soft(document, chart.title)
        picture = draw_png(chart.svg, width=chart.width)
        add_picture(document.add_paragraph(), picture, chart.alt, width=_CHART_POINTS)
        if chart is reasons:
            rows = [reason_cells(report, row) for row in report.reasons]
            add_table(document, reason_heads(report), rows, numbers_from=2, wide=1)
    if report.examples:
        document.add_heading("Sentences to discuss in class", 2)
        _soft(document, "From different essays. No writer is named.")
        for example in report.examples:
            _example(document, example)
    document.add_heading("The students", 2)
    students = [student_cells(row) for row in report.students]
    add_table(document, STUDENT_HEADS, students, numbers_from=1, numbers_to=4, wide=0)
    if report.not_checked:
        document.add_heading("Not checked", 2)
        add_bullets(
            document,
            [f"{one.student}: {one.message} {one.hint}".strip() for one in report.not_checked],
        )
    return _finished(document)


def _begin(report: StudentReport | ClassReport) -> Document:
    cover = report.cover
    document = new_document(report.heading, cover.teacher or cover.school.name or MACHINE)
    if cover.school.logo or cover.school.name:
        paragraph = document.add_paragraph()
        if cover.school.logo:
            alt = f"Logo of {cover.school.name or 'the school'}"
            add_picture(paragraph, _raster(cover.school.logo), alt, width=_LOGO_POINTS)
            paragraph.add_run("  ")
        add_run(paragraph, cover.school.name, bold=True, colour=_SOFT)
    document.add_heading(report.heading, 1)
    for fact in report.facts:
        _soft(document, fact)
    add_notice(document, report.standing, _CARD_PAPER)
    document.sections[0].footer.paragraphs[0].text = (
        f"{report.heading} · judged by {report.judge}" if report.judge else report.heading
    )
    return document


def _raster(logo: bytes) -> bytes:
    """Word's older versions show no SVG, so such a logo is drawn."""
    if logo_kind(logo) != "svg":
        return logo
    return draw_png(logo.decode("utf-8", "replace"), width=2 * _LOGO_POINTS)


def _finished(document: Document) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _soft(document: Document, text: str) -> None:
    add_run(document.add_paragraph(style="Soft"), text)


def _said(document: Document, text: str) -> None:
    paragraph = document.add_paragraph()
    shade(paragraph, _NOTE_PAPER)
    add_run(paragraph, text)
    if is_right_to_left(text):
        set_right_to_left(paragraph)


def _essay(document: Document, report: StudentReport) -> None:
    marks = {str(mark.number): mark for mark in report.marks}
    remarks = {remark.letter: remark for remark in report.remarks}
    open_runs: dict[str, list[Run]] = {}
    for line in report.lines:
        paragraph = _line(document, line)
        for passage in line.passages:
            runs = _passage(paragraph, passage)
            if passage.tab is not None:
                open_runs.setdefault(passage.tab.label, []).extend(runs)
    for label, runs in open_runs.items():
        if label in marks:
            _comment_on_mark(document, runs, marks[label], report)
        else:
            _comment_on_remark(document, runs, remarks[label], report)


def _line(document: Document, line: Line) -> Paragraph:
    styles = {ParagraphKind.TITLE: "Essay title", ParagraphKind.HEADING: "Essay title"}
    style = "List Bullet" if line.kind is ParagraphKind.LIST_ITEM else "Essay"
    paragraph = document.add_paragraph(style=styles.get(line.kind, style))
    if line.is_right_to_left:
        set_right_to_left(paragraph)
    return paragraph


def _passage(paragraph: Paragraph, passage: Passage) -> list[Run]:
    if passage.tab is None:
        add_run(paragraph, passage.text)
        return []
    paper = _NOTE_PAPER if passage.tab.label.isalpha() else _MARK_PAPER
    run = add_run(paragraph, passage.text, paper=paper, underline=True)
    number = add_run(paragraph, f" [{passage.tab.label}]", bold=True, colour=_ACCENT)
    number.font.superscript = True
    return [run]


def _comment_on_mark(
    document: Document, runs: Sequence[Run], mark: Mark, report: StudentReport
) -> None:
    teacher = report.cover.teacher or "Teacher"
    is_teachers = mark.source is Source.TEACHER
    comment = _comment(document, runs, teacher if is_teachers else MACHINE)
    paragraph = comment.paragraphs[0]
    add_run(paragraph, f"{mark.number}. {mark.tag}", bold=True)
    add_run(paragraph, f" ({mark.origin}{', ' + mark.confidence if mark.confidence else ''})")
    for text in filter(None, (mark.explanation, mark.also_in_words)):
        add_run(comment.add_paragraph(), text)
    if mark.anchor:
        add_run(comment.add_paragraph(), f"{mark.anchor_label}: “{mark.anchor_text}”")
    for suggestion in mark.suggestions:
        _suggestion(comment, suggestion)
    if mark.note:
        add_run(comment.add_paragraph(), mark.note)
    if mark.comment:
        said = _comment(document, runs, teacher)
        _fill(said, mark.comment)


def _comment_on_remark(
    document: Document, runs: Sequence[Run], remark: Remark, report: StudentReport
) -> None:
    comment = _comment(document, runs, report.cover.teacher or "Teacher")
    add_run(comment.paragraphs[0], f"{remark.letter}. ", bold=True)
    _fill(comment, remark.comment)


def _comment(document: Document, runs: Sequence[Run], author: str) -> Comment:
    initials = "".join(word[0] for word in author.split())[:3]
    return document.add_comment(list(runs), author=author, initials=initials)


def _fill(comment: Comment, text: str) -> None:
    first, *rest = text.split("\n")
    add_run(comment.paragraphs[0], first)
    for part in rest:
        add_run(comment.add_paragraph(), part)


def _suggestion(place: Comment | Document, one: Suggestion) -> None:
    if one.is_deletion:
        add_run(place.add_paragraph(), f"{one.label}: delete this sentence.")
        return
    if one.old:
        _pieces(place.add_paragraph(), "Instead of", one.old, is_new=False)
    _pieces(place.add_paragraph(), one.label, one.new, is_new=True)
    if one.maker:
        add_run(place.add_paragraph(), one.maker)


def _pieces(paragraph: Paragraph, label: str, pieces: Sequence[Piece], *, is_new: bool) -> None:
    """Old words struck out, new ones bold and underlined: to be told apart without colour."""
    add_run(paragraph, f"{label}: ")
    for text, changed in pieces:
        run = add_run(paragraph, text, **_look(changed=changed, is_new=is_new))
        run.font.strike = changed and not is_new


def _look(*, changed: bool, is_new: bool) -> dict[str, Any]:
    if not changed:
        return {}
    if is_new:
        return {"bold": True, "underline": True, "colour": _IN}
    return {"colour": _OUT}


def _example(document: Document, example: Example) -> None:
    document.add_heading(example.tag, 3)
    for text, style in _quoted(example):
        paragraph = document.add_paragraph(style=style)
        paragraph.paragraph_format.keep_with_next = example.suggestion is not None
        add_run(paragraph, text)
    if example.suggestion is not None:
        _suggestion(document, example.suggestion)


def _quoted(example: Example) -> Iterator[tuple[str, str]]:
    if example.before:
        yield example.before, "Soft"
    yield example.text, "Essay"
    yield example.question, "Question"
