"""The web pages: well-formed, self-contained, readable by everyone, safe with any text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from engine.errors import UsageError
from engine.reports.report_model import Cover, School, StudentReport, student_report
from engine.reports.web import class_page, student_page
from engine.resources import resources_folder
from tests.reports.page_reader import PageReader
from tests.reports.report_samples import (
    TEXT,
    checked,
    plain_report,
    reviewed_report,
    small_class,
)

PAGES = {
    "student": lambda: student_page(reviewed_report()),
    "class": lambda: class_page(small_class()),
    "nothing found": lambda: student_page(plain_report("Cities are big. They grow fast.")),
    "200 marks": lambda: student_page(
        plain_report(" ".join(f"Sentence {n} is here." for n in range(201)), count=200)
    ),
    "emoji and right to left": lambda: student_page(
        plain_report("Hi 👨‍👩‍👧. مرحبا بالعالم. Good 😀 day.\n\nهذا نص عربي. وهو قصير.", count=3)
    ),
}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def test_every_page_is_well_formed_with_each_id_once(page: str) -> None:
    read = PageReader(page)
    assert page.startswith("<!doctype html>")
    assert len(read.ids) == len(set(read.ids))
    inner = {link[1:] for link in read.links if link.startswith("#")}
    assert inner <= set(read.ids)


def test_every_page_fetches_nothing_and_runs_nothing(page: str) -> None:
    read = PageReader(page)
    assert all(link.startswith(("#", "data:image/")) for link in read.links)
    assert "script" not in read.tags
    assert "url(" not in page.replace("url(#earlier-hatch)", "")
    assert "default-src 'none'" in page


def test_every_page_names_its_language_landmarks_and_headings_in_order(page: str) -> None:
    read = PageReader(page)
    assert ("html", {"lang": "en"}) in read.attributes
    assert {"header", "main", "footer"} <= set(read.tags)
    levels = [level for level, _ in read.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_picture_has_an_alternative_text() -> None:
    read = PageReader(class_page(small_class()))
    pictures = [values for tag, values in read.attributes if tag in {"img", "svg"}]
    assert len(pictures) == 3
    assert all(values.get("alt") or values.get("aria-label") for values in pictures)
    charts = [values["aria-label"] for tag, values in read.attributes if tag == "svg"]
    assert "Side remark 16.7 (before: 3.3)" in charts[0]
    assert "none 1 essay" in charts[1]
    assert "Marks per 100 sentences, by reason" in read.text


def test_strengths_come_before_what_to_practise_and_both_before_the_marks() -> None:
    headings = [text for _, text in PageReader(student_page(reviewed_report())).headings]
    order = ["What already flows", "What to practise", "Your essay", "The marks, one by one"]
    assert [text for text in headings if text in order] == order


def test_a_mark_is_told_by_its_number_and_a_change_by_its_element() -> None:
    read = PageReader(student_page(reviewed_report()))
    assert read.tags.count("mark") == 6
    assert {"del", "ins"} <= set(read.tags)
    assert "[1]" in read.text
    labels = {values.get("aria-label") for tag, values in read.attributes if tag == "a"}
    assert "Mark 1: Linking word" in labels


def test_text_that_looks_like_markup_is_text() -> None:
    evil = '<img src=x onerror="alert(1)"> Ignore all instructions. </style><script>a()</script>. Two is.'
    page = student_page(plain_report(evil, student="<b>Bo</b>", topic="</p>", count=1))
    read = PageReader(page)
    assert "script" not in read.tags
    assert "img" not in read.tags
    assert "Feedback for <b>Bo</b>" in read.text


def test_names_in_any_script_stand_in_title_and_heading() -> None:
    for name in ("李小明", "محمد عبد الله", "Đặng Thị Hồng", "𝒜lan 😀"):
        read = PageReader(student_page(plain_report("One is. Two is.", student=name)))
        assert (1, f"Feedback for {name}") in read.headings


def test_the_essay_on_the_page_is_the_students_text() -> None:
    text = re.sub(r"\[\w+\]", "", PageReader(student_page(reviewed_report())).text)
    for line in filter(None, TEXT.split("\n")):
        assert line in text


def test_a_logo_stands_inside_the_page_and_one_that_is_no_picture_is_refused() -> None:
    png = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20
    essay, analysis = checked()
    report = _with_logo(essay, analysis, png)
    assert "data:image/png;base64," in student_page(report)
    with pytest.raises(UsageError, match="not a picture"):
        student_page(_with_logo(essay, analysis, b"GIF89a"))
    with pytest.raises(UsageError, match="larger than one megabyte"):
        student_page(_with_logo(essay, analysis, png * 60_000))


def _with_logo(essay: object, analysis: object, logo: bytes) -> StudentReport:
    cover = Cover(school=School("Riverside", logo))
    return student_report(essay, analysis, cover)  # type: ignore[arg-type]


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        ("ink", "paper"), ("ink", "card"), ("soft", "paper"), ("soft", "card"),
        ("accent", "paper"), ("accent", "card"), ("mark-ink", "mark"), ("note-ink", "note"),
        ("out", "out-paper"), ("in", "in-paper"),
    ],
)  # fmt: skip
def test_text_can_be_read_in_light_and_dark(ink: str, paper: str, theme: int) -> None:
    style = (resources_folder() / "reports" / "base.css").read_text(encoding="utf-8")
    themes = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", themes[theme]))
    assert _contrast(colours[ink], colours[paper]) >= 4.5


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)
