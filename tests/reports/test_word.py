"""The Word files, read back: the student's text, and each comment at the right words."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import docx
import pytest
from docx.document import Document
from docx.oxml.ns import qn
from lxml import etree

from engine.reports.word import class_docx, student_docx
from tests.reports.report_samples import TEXT, plain_report, reviewed_report, small_class


def opened(data: bytes) -> Document:
    return docx.Document(io.BytesIO(data))


def anchors(document: Document) -> dict[int, str]:
    """The text that each comment is anchored at, by comment id."""
    running: set[int] = set()
    found: dict[int, str] = {}
    for element in document.element.body.iter():
        number = element.get(qn("w:id"))
        if element.tag == qn("w:commentRangeStart"):
            running.add(int(number))
        elif element.tag == qn("w:commentRangeEnd"):
            running.discard(int(number))
        elif element.tag == qn("w:t"):
            for one in running:
                found[one] = found.get(one, "") + (element.text or "")
    return found


def test_each_comment_is_anchored_at_the_sentence_that_it_is_about() -> None:
    report = reviewed_report()
    document = opened(student_docx(report))
    places = anchors(document)
    by_text = {one.text.split("\n")[0]: places[one.comment_id] for one in document.comments}
    for mark in report.marks:
        start = f"{mark.number}. {mark.tag} ({mark.origin}"
        assert [place for text, place in by_text.items() if text.startswith(start)] == [mark.text]
    assert by_text["A. A clear example, well placed."] == report.remarks[0].text


def test_the_machines_comments_and_the_teachers_have_different_authors() -> None:
    comments = list(opened(student_docx(reviewed_report())).comments)
    by_author: dict[str, list[str]] = {}
    for comment in comments:
        by_author.setdefault(comment.author, []).append(comment.text)
    assert set(by_author) == {"Segue", "Ms Okafor"}
    assert len(by_author["Segue"]) == 4
    assert any(text.startswith("You use “But”") for text in by_author["Ms Okafor"])
    assert any("4. Weak link (Marked by your teacher)" in text for text in by_author["Ms Okafor"])


def test_a_suggestion_shows_the_old_words_struck_and_the_new_ones_in_bold() -> None:
    first = next(iter(opened(student_docx(reviewed_report())).comments))
    runs = [run for paragraph in first.paragraphs for run in paragraph.runs]
    assert [run.text for run in runs if run.font.strike] == ["But"]
    assert {"However,", "Nevertheless,"} <= {run.text for run in runs if run.bold}
    assert "Connect to sentence 2: “A job teaches them to plan their week.”" in first.text


def test_a_deletion_is_advice_and_never_a_word_in_the_essay() -> None:
    document = opened(student_docx(reviewed_report()))
    assert any("Try: delete this sentence." in comment.text for comment in document.comments)
    assert "DELETE" not in "\n".join(paragraph.text for paragraph in document.paragraphs)


def test_the_students_text_is_whole() -> None:
    essay = [
        "".join(run.text for run in paragraph.runs if not run.font.superscript)
        for paragraph in opened(student_docx(reviewed_report())).paragraphs
        if paragraph.style is not None and (paragraph.style.name or "").startswith("Essay")
    ]
    assert essay == [line for line in TEXT.split("\n") if line]


def test_title_author_and_language_are_set() -> None:
    document = opened(student_docx(reviewed_report()))
    assert document.core_properties.title == "Feedback for Li Wei"
    assert document.core_properties.author == "Ms Okafor"
    assert document.core_properties.language == "en-GB"


def test_every_picture_has_an_alternative_text() -> None:
    document = opened(class_docx(small_class()))
    texts = [one.get("descr") for one in document.element.body.iter(qn("wp:docPr"))]
    assert texts[0] == "Logo of Riverside Language School"
    assert (texts[1] or "").startswith("Bar chart. Marks per 100 sentences, by reason.")
    assert (texts[2] or "").startswith("Bar chart. Essays by number of marks.")


def test_the_class_file_lists_students_in_any_script() -> None:
    document = opened(class_docx(small_class()))
    names = [row.cells[0].text for row in document.tables[1].rows]
    assert names == ["Student", "Li Wei", "عمر حسن", "=SUM(A1)"]
    assert "Marks per 100 sentences, by reason" in [p.text for p in document.paragraphs]


def test_right_to_left_paragraphs_run_from_right_to_left() -> None:
    data = student_docx(
        plain_report("Hello there. All well.\n\nهذا نص عربي. وهو قصير جدا.", count=2)
    )
    document = opened(data)
    assert len(list(document.element.body.iter(qn("w:bidi")))) == 1
    assert "هذا نص عربي." in anchors(document).values()


def test_emoji_and_control_characters_survive_or_are_seen() -> None:
    document = opened(student_docx(plain_report("Hi 👨‍👩‍👧\x00 you. Second 😀 one.", count=1)))
    text = "\n".join(paragraph.text for paragraph in document.paragraphs)
    assert "Hi 👨‍👩‍👧\ufffd you." in text
    assert "Second 😀 one." in anchors(document).values()


def test_two_hundred_marks_are_two_hundred_comments() -> None:
    text = " ".join(f"Sentence {n} is here." for n in range(201))
    document = opened(student_docx(plain_report(text, count=200)))
    assert len(list(document.comments)) == 200
    assert anchors(document)[199] == "Sentence 200 is here."


def test_no_marks_leave_no_comments() -> None:
    document = opened(student_docx(plain_report("Cities are big. They grow fast.")))
    assert list(document.comments) == []
    assert any("Nothing was marked" in one.text for one in document.paragraphs)


@pytest.mark.parametrize("make", [lambda: student_docx(reviewed_report()),
                                  lambda: class_docx(small_class())])  # fmt: skip
def test_paragraph_and_run_properties_stand_in_the_order_of_the_standard(make: object) -> None:
    data = make()  # type: ignore[operator]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        tree = etree.fromstring(archive.read("word/document.xml"))
    order = ["pStyle", "keepNext", "keepLines", "numPr", "shd", "bidi", "spacing", "ind", "jc"]
    for properties in tree.iter(qn("w:pPr")):
        names = [etree.QName(one).localname for one in properties]
        assert names == sorted(names, key=order.index)
    run_order = [
        "rStyle", "rFonts", "b", "i", "strike", "color", "sz", "u", "shd", "vertAlign", "rtl",
    ]  # fmt: skip
    for properties in tree.iter(qn("w:rPr")):
        names = [etree.QName(one).localname for one in properties]
        assert names == sorted(names, key=run_order.index)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_them_with_their_comments(tmp_path: Path) -> None:
    (tmp_path / "student.docx").write_bytes(student_docx(reviewed_report()))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "odt", "--outdir", str(tmp_path),
         str(tmp_path / "student.docx")],
        check=True, capture_output=True, timeout=150,
    )  # fmt: skip
    with zipfile.ZipFile(tmp_path / "student.odt") as archive:
        content = archive.read("content.xml").decode("utf-8")
    assert content.count("<office:annotation ") == 7
    assert content.count("<office:annotation-end ") == 7
    assert "<dc:creator>Ms Okafor</dc:creator>" in content
