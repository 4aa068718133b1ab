"""The PDFs: tagged, every font embedded, every script readable, nothing dropped."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdfium2 import raw

from engine.reports.glyphs import Coverage, fonts_folder, shipped_coverage
from engine.reports.printed import class_pdf, student_pdf
from tests.reports.report_samples import plain_report, reviewed_report, small_class


def text_of(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    pages = [page.get_textpage().get_text_range() for page in document]
    return " ".join(" ".join(pages).split())


def fonts_of(data: bytes) -> Iterator[tuple[str, bool]]:
    """The fonts of all text, by name, and whether each is embedded."""
    document = pypdfium2.PdfDocument(data)
    for page in document:
        for piece in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=8):
            font = raw.FPDFTextObj_GetFont(piece)
            name = ctypes.create_string_buffer(200)
            raw.FPDFFont_GetBaseFontName(font, name, 200)
            yield name.value.decode(), raw.FPDFFont_GetIsEmbedded(font) == 1


def test_every_font_is_embedded_and_one_of_ours() -> None:
    for data in (student_pdf(reviewed_report()), class_pdf(small_class())):
        fonts = set(fonts_of(data))
        assert fonts
        assert all(is_embedded for _, is_embedded in fonts)
        assert all("Noto" in name for name, _ in fonts)


def test_it_is_tagged_and_has_title_and_language() -> None:
    data = student_pdf(reviewed_report())
    document = pypdfium2.PdfDocument(data)
    assert raw.FPDFCatalog_IsTagged(document)
    assert document.get_metadata_dict()["Title"] == "Feedback for Li Wei"
    assert b"pdfuaid" in data or b"/Lang" in data


def test_everything_that_the_report_says_stands_in_it() -> None:
    report = reviewed_report()
    text = text_of(student_pdf(report))
    for mark in report.marks:
        assert f"{mark.number}. {mark.tag}" in text
        assert mark.origin in text
        assert mark.comment in text
    assert "A clear example, well placed." in text
    assert "Please rewrite the ending: it says the opposite." in text
    assert text.index("What already flows") < text.index("What to practise")


def test_the_class_report_has_charts_tables_and_names() -> None:
    text = text_of(class_pdf(small_class()))
    for said in ("How often each reason occurs", "Marks per 100 sentences, by reason", "16.7", "−9.4", "Li Wei", "=SUM(A1)",
                 "Ana Silva", "essay.doc is damaged.", "Essay 1: City life"):  # fmt: skip
        assert said in text


@pytest.mark.parametrize(
    ("name", "font"),
    [
        ("李小明", "CJK"),
        ("喆琰", "CJK"),
        ("田中さくら", "CJK"),
        ("김민수", "CJK"),
        ("محمد", "Arabic"),
        ("प्रिया शर्मा", "Devanagari"),
        ("ரவி", "Tamil"),
        ("สมชาย", "Thai"),
        ("אברהם", "Hebrew"),
        ("Đặng Thị Hồng", "NotoSans-"),
        ("Ольга", "NotoSans-"),
    ],
)
def test_names_in_many_scripts_have_their_letters(name: str, font: str) -> None:
    data = student_pdf(plain_report("One is here. Two is here.", student=name))
    assert any(font in used for used, _ in fonts_of(data))
    text = text_of(data)
    assert "no letter shape" not in text
    if font == "CJK":
        assert name in text


@pytest.mark.parametrize(
    ("joined", "single", "font"),
    [("क्ष", ("क", "ष"), "Devanagari"), ("ببب", ("ب", "ب", "ب"), "Arabic")],
)
def test_letters_are_joined_as_their_script_joins_them(
    joined: str, single: tuple[str, ...], font: str
) -> None:
    """A conjunct, or a joined word, is narrower than its letters side by side."""
    assert width_of(joined, font) < 0.9 * sum(width_of(letter, font) for letter in single)


def width_of(name: str, font: str) -> float:
    """How wide a name in the report's title is, in points."""
    document = pypdfium2.PdfDocument(student_pdf(plain_report("One is here.", student=name)))
    for piece in document[0].get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=8):
        buffer = ctypes.create_string_buffer(200)
        raw.FPDFFont_GetBaseFontName(raw.FPDFTextObj_GetFont(piece), buffer, 200)
        if font in buffer.value.decode():
            left, _, right, _ = piece.get_bounds()
            return float(right - left)
    raise AssertionError(f"nothing is set in {font}")


def test_a_character_without_a_letter_shape_is_named_by_its_number() -> None:
    text = text_of(student_pdf(plain_report("I write 𓀀 here. Two 𓀁 is here.", count=1)))
    assert "I write [U+13000] here." in text
    assert "no letter shape for 2 characters (U+13000 and U+13001)" in text


def test_emoji_and_right_to_left_text_do_not_stop_it() -> None:
    text = "Hi 👨‍👩‍👧 you. مرحبا بالعالم. Good 😀 day.\n\nهذا نص عربي. وهو قصير."
    data = student_pdf(plain_report(text, count=4))
    assert {"NotoEmoji", "NotoNaskhArabic-Regular"} <= {
        name.partition("+")[2] for name, _ in fonts_of(data)
    }


def test_text_that_looks_like_typst_is_text() -> None:
    evil = '#panic("no") is here. *bold* $x$ #include "/etc/passwd" <label> @ref \\ here.'
    assert "#panic" in text_of(student_pdf(plain_report(evil, student="#emph[x]", count=1)))


def test_two_hundred_marks_and_none() -> None:
    text = " ".join(f"Sentence {n} is here." for n in range(201))
    said = text_of(student_pdf(plain_report(text, count=200)))
    assert "200. Side remark" in said
    assert "Nothing was marked in this essay." in text_of(
        student_pdf(plain_report("Cities are big. They grow fast."))
    )


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=60), st.text(max_size=20))
def test_any_text_at_all_can_be_set(text: str, name: str) -> None:
    assert student_pdf(plain_report(f"One is here. {text}", student=name)).startswith(b"%PDF")


def test_the_list_of_covered_characters_is_true() -> None:
    font_tools = pytest.importorskip("fontTools.ttLib")
    covered: set[int] = set()
    families: set[str] = set()
    for path in sorted(fonts_folder().glob("*.[ot]tf")):
        with font_tools.TTFont(path, lazy=True) as font:
            covered |= set(font.getBestCmap())
            families.add(str(font["name"].getDebugName(16) or font["name"].getDebugName(1)))
    coverage = shipped_coverage()
    assert set(coverage.families) == families
    nothing = Coverage([], [])
    claimed = {
        code
        for code in range(0x20, 0x20000)
        if coverage.has(chr(code)) and not nothing.has(chr(code))
    }
    assert claimed
    assert claimed <= covered


def test_the_fonts_are_small_and_come_with_their_licence() -> None:
    files = list(fonts_folder().glob("*.[ot]tf"))
    assert all(path.stat().st_size < 1_000_000 for path in files)
    assert sum(path.stat().st_size for path in files) < 6_500_000
    licence = (fonts_folder() / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
