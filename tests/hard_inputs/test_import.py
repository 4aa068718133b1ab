"""Hard inputs 12, 13 and 21 to 29: files that break importers, and what saving keeps of them."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from engine import documents
from engine.documents import archives, pdf_text
from engine.errors import (
    DamagedFile,
    EmptyEssay,
    InputError,
    NoTextLayer,
    PasswordProtected,
    UnknownEncoding,
    UnreadableFile,
    UnsupportedFormat,
    WrongExtension,
)
from engine.essay import Essay
from tests.documents.made_files import docx_of, docx_paragraphs, odt_of, pdf_of, write, zip_of

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def codes(essay: Essay) -> set[str]:
    return {notice.code for notice in essay.notices}


@pytest.mark.parametrize(
    "text",
    [
        "Cafe\u0301 was closed. We left.\n",
        "A fami\u200dly and a zero\u200bwidth. A \u202eturn. End.",
        "It costs\u00a05\u202f000. That is much.\r\nEnd.\r\n",
        "\u200bHi there. 👨‍👩‍👧 came.\u2028Next.",
    ],
)
def test_12_13_every_character_survives_a_round_trip(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.txt", text)
    essay = documents.load(path)
    assert essay.text == text.replace("\r\n", "\n")
    assert documents.save(essay, essay.text, path) == ()
    assert path.read_bytes() == text.encode()


def test_21_a_failed_save_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.txt", "One is here. Two is there.")
    essay = documents.load(path)

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UnreadableFile, match="No space left"):
        documents.save(essay, "Other text.", path)
    assert path.read_text() == "One is here. Two is there."
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_22_tracked_changes(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>I like </w:t></w:r>"
        "<w:del w:id='1'><w:r><w:delText>red </w:delText></w:r></w:del>"
        "<w:ins w:id='2'><w:r><w:t xml:space='preserve'>blue </w:t></w:r></w:ins>"
        "<w:moveFrom w:id='3'><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
        "<w:r><w:t>cars.</w:t></w:r></w:p>"
    )
    essay = documents.load(write(tmp_path / "a.docx", docx_of(body)))
    assert essay.text == "I like blue cars."
    assert "tracked-changes" in codes(essay)


def test_22_a_deleted_paragraph_mark_joins_two_paragraphs(tmp_path: Path) -> None:
    body = (
        "<w:p><w:pPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr><w:r><w:t>I like </w:t></w:r></w:p>"
        "<w:p><w:r><w:t>cars.</w:t></w:r></w:p><w:p><w:r><w:t>End.</w:t></w:r></w:p>"
    )
    essay = documents.load(write(tmp_path / "a.docx", docx_of(body)))
    assert essay.text == "I like cars.\nEnd."


def test_23_what_word_hides_is_read_or_listed(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>See </w:t></w:r>"
        "<w:hyperlink><w:r><w:t>this page</w:t></w:r></w:hyperlink>"
        "<w:sdt><w:sdtContent><w:r><w:t xml:space='preserve'> and that</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>Box"
        "</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice></mc:AlternateContent></w:r>"
        "<w:r><w:drawing/></w:r><m:oMath/><w:r><w:t>.</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>Inside.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Click here"
        "</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Secret</w:t></w:r></w:p>"
    )
    header = "<w:hdr xmlns:w='http://x'><w:p><w:r><w:t>Li Wei</w:t></w:r></w:p></w:hdr>"
    essay = documents.load(write(tmp_path / "a.docx", docx_of(body, header1=header)))
    assert essay.text == "See this page and that.\nInside.\n"
    assert codes(essay) == {
        "tables-not-read",
        "footnotes-not-read",
        "text-boxes-not-read",
        "pictures-not-read",
        "equations-not-read",
        "hidden-text-not-read",
        "page-headers-not-read",
    }


def test_24_one_rewrite_leaves_the_other_runs_as_they_are(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("My Town", 0)
    paragraph = document.add_paragraph("It is ")
    paragraph.add_run("very big").bold = True
    paragraph.add_run(". But I ")
    paragraph.add_run("like").italic = True
    paragraph.add_run(" it. ")
    paragraph.add_run("Come!").underline = True
    path = tmp_path / "a.docx"
    document.save(str(path))
    essay = documents.load(path)
    new_text = essay.text.replace("But I like it.", "However, I like it.")
    assert documents.save(essay, new_text, path) == ()
    runs = [(r.text, r.bold, r.italic, r.underline) for r in Document(str(path)).paragraphs[1].runs]
    assert runs == [
        ("It is ", None, None, None),
        ("very big", True, None, None),
        (". However, I ", None, None, None),
        ("like", None, True, None),
        (" it. ", None, None, None),
        ("Come!", None, None, True),
    ]
    assert documents.load(path).text == new_text


def test_25_an_old_word_file_renamed(tmp_path: Path) -> None:
    with pytest.raises(WrongExtension, match="old Office file"):
        documents.load(write(tmp_path / "a.docx", OLE + bytes(2000)))


def test_25_a_password_protected_docx(tmp_path: Path) -> None:
    data = OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    with pytest.raises(PasswordProtected) as caught:
        documents.load(write(tmp_path / "a.docx", data))
    assert "password" in caught.value.hint


@pytest.mark.parametrize("name", ["a.docx", "a.odt"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.95])
def test_25_half_a_file(tmp_path: Path, name: str, part: float) -> None:
    data = (
        docx_paragraphs(["One is here."]) if name == "a.docx" else odt_of("<text:p>One.</text:p>")
    )
    with pytest.raises(DamagedFile):
        documents.load(write(tmp_path / name, data[: int(len(data) * part)]))


def test_25_a_bad_checksum(tmp_path: Path) -> None:
    data = bytearray(zip_of({"word/document.xml": os.urandom(3000)}))
    data[1500] ^= 0xFF
    with pytest.raises(DamagedFile, match="cannot be read"):
        documents.load(write(tmp_path / "a.docx", bytes(data)))


@pytest.mark.parametrize("name", ["a.docx", "a.odt"])
def test_25_a_zip_of_something_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongExtension, match="zip file"):
        documents.load(write(tmp_path / name, zip_of({"notes.txt": "Hello."})))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", b"This is only text, you see. Nothing more."),
        ("a.docx", b"%PDF-1.4 and so on"),
        ("a.docx", b"{\\rtf1 Hello}"),
        ("a.pdf", b"PK\x03\x04 zip"),
        ("a.txt", b"PK\x03\x04 zip"),
        ("a.txt", b"%PDF-1.4 and so on"),
        ("a.txt", OLE + bytes(100)),
        ("a.html", b"\x89PNG\r\n"),
        ("a.rtf", b"Just text here."),
    ],
)
def test_25_a_wrong_extension_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(WrongExtension) as caught:
        documents.load(write(tmp_path / name, data))
    assert caught.value.hint
    assert name in caught.value.message


def test_25_encrypted_odt_and_pdf(tmp_path: Path) -> None:
    manifest = "<m><file-entry><encryption-data checksum='x'/></file-entry></m>"
    with pytest.raises(PasswordProtected):
        documents.load(write(tmp_path / "a.odt", odt_of("", manifest=manifest)))
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, encrypt=StandardEncryption("secret"))
    canvas.drawString(50, 700, "Hidden words.")
    canvas.save()
    with pytest.raises(PasswordProtected):
        documents.load(write(tmp_path / "a.pdf", out.getvalue()))


def test_25_a_damaged_pdf(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile):
        documents.load(write(tmp_path / "a.pdf", b"%PDF-1.4\n" + bytes(50)))


def test_25_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_PART_LIMIT", 2 * 1024 * 1024)
    data = docx_of("<w:p><w:r><w:t>" + "a" * (3 * 1024 * 1024) + "</w:t></w:r></w:p>")
    assert len(data) < 100_000
    with pytest.raises(DamagedFile, match="far more than an essay"):
        documents.load(write(tmp_path / "a.docx", data))


def test_25_xml_entities_are_refused(tmp_path: Path) -> None:
    document = (
        '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        '<w:document xmlns:w="http://x"><w:body><w:p><w:r><w:t>&b;&f;</w:t></w:r></w:p></w:body>'
        "</w:document>"
    )
    with pytest.raises(DamagedFile, match="entities"):
        documents.load(write(tmp_path / "a.docx", zip_of({"word/document.xml": document})))


def test_25_missing_folder_unknown_and_empty(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no file"):
        documents.load(tmp_path / "none.txt")
    with pytest.raises(UnreadableFile, match="folder"):
        documents.load(tmp_path)
    with pytest.raises(UnsupportedFormat, match=r"\.pages"):
        documents.load(write(tmp_path / "a.pages", "x"))
    with pytest.raises(UnsupportedFormat) as caught:
        documents.load(write(tmp_path / "a.doc", OLE))
    assert ".docx" in caught.value.hint
    for name, data in {
        "a.txt": b"",
        "b.txt": b" \r\n\xc2\xa0\n",
        "c.txt": b"\xef\xbb\xbf",
        "a.docx": docx_of("<w:p/>"),
        "a.html": b"<html><body><p> </p></body></html>",
    }.items():
        with pytest.raises(EmptyEssay):
            documents.load(write(tmp_path / name, data))


def test_26_odt_spaces_tabs_and_breaks_inside_spans(tmp_path: Path) -> None:
    body = (
        "<text:h text:outline-level='1'>My Town</text:h>"
        "<text:p>  It <text:span>is<text:s text:c='3'/>very</text:span> big,<text:tab/>and\n   so"
        "<text:span> on<text:line-break/>after.</text:span> <text:a>A link</text:a>.\u00a0End.  \n</text:p>"
    )
    essay = documents.load(write(tmp_path / "a.odt", odt_of(body)))
    assert essay.text == "My Town\nIt is   very big,\tand so on\nafter. A link.\u00a0End."
    assert essay.title == "My Town"


def test_27_pdf_hyphens_ligatures_and_page_headers(tmp_path: Path) -> None:
    pages = []
    for number in (1, 2, 3):
        lines = ["The first line of this page goes from here to the far right edge, and a di-"]
        lines += ["vided word stands in the next line, which also goes on to the far right edge."]
        lines += [f"This paragraph ends on page {number}."]
        page = [(60.0, 700.0 - 14 * row, line) for row, line in enumerate(lines)]
        pages.append(
            [(60.0, 800.0, f"Li Wei, essay, p. {number}"), *page, (300.0, 30.0, str(number))]
        )
    essay = documents.load(write(tmp_path / "a.pdf", pdf_of(pages)))
    assert "Li Wei" not in essay.text
    assert "and a divided word stands in the next line, which" in essay.text
    assert len(essay.paragraphs) == 3
    assert {"pdf-layout", "page-headers-not-read"} <= codes(essay)


def test_27_ligatures_are_mapped_to_letters() -> None:
    box = (0.0, 0.0, 5.0, 10.0)
    (line,) = pdf_text._line([(letter, box) for letter in "eﬀect, oﬃce, ﬁne, ﬂy"], page=0)
    assert line.text == "effect, office, fine, fly"


@pytest.mark.parametrize("by_row", [True, False])
def test_27_pdf_columns_are_read_one_after_the_other(tmp_path: Path, by_row: bool) -> None:
    left = [f"Left line {n} goes on and on and" for n in range(8)]
    right = [f"right line {n} goes on and on and" for n in range(8)]
    lines = [(60.0, 700.0 - 14 * n, text) for n, text in enumerate(left)]
    lines += [(320.0, 700.0 - 14 * n, text) for n, text in enumerate(right)]
    if by_row:
        lines.sort(key=lambda line: (-line[1], line[0]))
    essay = documents.load(write(tmp_path / "a.pdf", pdf_of([lines])))
    assert essay.text.index("Left line 7") < essay.text.index("right line 0")
    assert "pdf-columns" in codes(essay)


def test_28_a_scan_has_no_text_layer(tmp_path: Path) -> None:
    with pytest.raises(NoTextLayer) as caught:
        documents.load(write(tmp_path / "a.pdf", pdf_of([[], []])))
    assert "OCR" in caught.value.hint


ENGLISH = "It’s a café. “Yes,” she said — twice. The end came soon after that."
CHINESE = "我昨天去了学校，见到了我的老师。他说我的作文写得很好，我很高兴。"
JAPANESE = "昨日わたしは学校へ行きました。先生はわたしの作文がよいと言いました。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (ENGLISH, "utf-8"),
        (ENGLISH, "utf-8-sig"),
        (ENGLISH, "utf-16"),
        (ENGLISH, "utf-16-le"),
        (ENGLISH, "utf-16-be"),
        (ENGLISH, "cp1252"),
        (CHINESE, "gb18030"),
        (CHINESE + " I like it. " + CHINESE, "gb18030"),
        (JAPANESE, "shift_jis"),
        (JAPANESE + " I like it. " + JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "utf-16"),
    ],
)
def test_29_the_encoding_is_told_and_kept(tmp_path: Path, text: str, encoding: str) -> None:
    data = text.encode(encoding)
    path = write(tmp_path / "a.txt", data)
    essay = documents.load(path)
    assert essay.text == text
    documents.save(essay, essay.text, path)
    assert path.read_bytes() == data


def test_29_utf16_big_endian_with_its_mark(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"\xfe\xff" + ENGLISH.encode("utf-16-be"))
    assert documents.load(path).text == ENGLISH


def test_29_a_byte_that_cp1252_lacks_asks_for_the_encoding(tmp_path: Path) -> None:
    data = b"It\x92s a caf\xe9 with \x81 in it. The end came soon."
    path = write(tmp_path / "a.txt", data)
    with pytest.raises(UnknownEncoding) as caught:
        documents.load(path)
    assert "--encoding" in caught.value.hint
    essay = documents.load(path, encoding="cp1252")
    assert essay.text.startswith("It’s a café with ")
    documents.save(essay, essay.text.replace("soon", "late"), path)
    assert path.read_bytes() == data.replace(b"soon", b"late")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "cp1256"])
def test_29_other_encodings_are_refused_or_right_never_garbled(
    tmp_path: Path, encoding: str
) -> None:
    text = {"cp1256": "ذهبت إلى المدرسة أمس وكان الطقس جميلا"}.get(
        encoding, "Вчера я ходил в школу, и погода была очень хорошая."
    )
    path = write(tmp_path / "a.txt", text.encode(encoding))
    with pytest.raises(UnknownEncoding):
        documents.load(path)
    assert documents.load(path, encoding=encoding).text == text


def test_29_a_wrong_or_unknown_encoding_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", CHINESE.encode("gb18030"))
    with pytest.raises(UnknownEncoding, match="utf-8"):
        documents.load(path, encoding="utf-8")
    with pytest.raises(UnknownEncoding, match="klingon"):
        documents.load(path, encoding="klingon")


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"abc\x00\x01\x02\x03def" * 30])
def test_29_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError):
        documents.load(write(tmp_path / "a.txt", data))
