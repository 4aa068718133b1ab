"""Every report says which suggestions a language model wrote, and which model."""

from __future__ import annotations

import io
from dataclasses import replace

import docx
import pypdfium2

from engine.analysis import Analysis
from engine.essay import Essay
from engine.reports.html import report_html
from engine.reports.model import CheckedEssay, CheckReport
from engine.reports.printed import student_pdf
from engine.reports.report_model import StudentReport, student_report
from engine.reports.web import student_page
from engine.reports.word import student_docx
from tests.reports.report_samples import COVER, Given, checked, flag

_SAID = "Written by the language model small-writer 1.5B."


def _analysis() -> tuple[Essay, Analysis]:
    essay, analysis = checked()
    found = analysis.findings[0]
    by_rule, by_model = found.rewrites
    generated = replace(by_model, writer="small-writer\n1.5B")
    first = replace(found, rewrites=(by_rule, generated))
    return essay, replace(analysis, findings=(first, *analysis.findings[1:]))


def _report() -> StudentReport:
    return student_report(*_analysis(), COVER)


def test_only_the_generated_suggestion_says_so() -> None:
    makers = [one.maker for mark in _report().marks for one in mark.suggestions]
    assert makers.count(_SAID) == 1
    assert set(makers) == {_SAID, ""}


def test_the_web_page_says_so() -> None:
    assert student_page(_report()).count(_SAID) == 1


def test_the_word_file_says_so() -> None:
    document = docx.Document(io.BytesIO(student_docx(_report())))
    assert sum(_SAID in comment.text for comment in document.comments) == 1


def test_the_pdf_says_so() -> None:
    pages = pypdfium2.PdfDocument(student_pdf(_report()))
    text = " ".join(page.get_textpage().get_text_range() for page in pages)
    assert " ".join(text.split()).count(_SAID) == 1


def test_the_page_of_a_check_says_so() -> None:
    essay, analysis = _analysis()
    page = report_html(CheckReport.of(CheckedEssay("essay.txt", essay.text, analysis=analysis)))
    assert page.count(_SAID) == 1


def test_what_the_teacher_made_of_it_is_the_teachers() -> None:
    essay, analysis = _analysis()
    generated = analysis.findings[0].rewrites[1]
    taken = flag(analysis.findings[0], rewrites=(Given(generated, "teacher"),))
    report = student_report(essay, analysis, COVER, findings=[taken])
    assert [one.maker for one in report.marks[0].suggestions] == [""]
