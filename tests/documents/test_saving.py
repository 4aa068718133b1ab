"""Writing back: the new text stands in the file, and nothing else has changed."""

from __future__ import annotations

import os
import re
import stat
import zipfile
from pathlib import Path

import pytest
from docx import Document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import documents
from engine.documents import changes, formats
from engine.documents.atomic import write_bytes
from engine.documents.blocks import Source
from engine.errors import UnreadableFile, UnsupportedFormat
from engine.essay import Essay
from tests.documents.made_files import docx_of, docx_paragraphs, odt_of, pdf_of, write

EDITED = {
    "txt": b"My Town\r\n\r\nIt is big.  But I like it.\r\nEnd.\n",
    "md": b"# My *Town*\r\n\r\nIt is **big**.  But I [like](http://a.b) it.\r\n\r\n- End\\*.\r\n",
    "html": b"<h1>My Town</h1>\n<p class=x>It is <b>big</b>.&nbsp; But I\n like it.</p><P>End.</P>",
    "rtf": rb"{\rtf1\ansi My Town\par\pard\b It is {\i big}.\b0  But I like it.\par End.\par}",
}

# Words, marks and line ends; what no file format can hold as text is left out.
_LINES = st.lists(
    st.text(alphabet="ab I.é“’—&<>\\{}*_#\u00a0\u202f😀\u0301中", min_size=0, max_size=25),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("kind", EDITED)
def test_an_unchanged_text_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"a.{kind}", EDITED[kind])
    essay = documents.load(path)
    assert documents.save(essay, essay.text, path) == ()
    assert path.read_bytes() == EDITED[kind]


@pytest.mark.parametrize("kind", EDITED)
def test_only_the_changed_word_is_touched(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"a.{kind}", EDITED[kind])
    essay = documents.load(path)
    assert documents.save(essay, essay.text.replace("But", "However,"), path) == ()
    assert path.read_bytes() == EDITED[kind].replace(b"But", b"However,")


@pytest.mark.parametrize("kind", ["txt", "md", "html", "rtf", "docx", "odt"])
def test_a_deleted_paragraph_and_new_ones(tmp_path: Path, kind: str) -> None:
    lines = ["My Town", "It is big. But I like it.", "There is a park.", "End."]
    path = write(tmp_path / f"a.{kind}", formats.create(kind, "\n".join(lines)))
    essay = documents.load(path)
    new = essay.text.replace("There is a park.\n", "").replace("big.", "so big.")
    new = new.replace("like it.", "like it.\nA new line & <more>.")
    assert documents.save(essay, new, path) == ()
    assert documents.load(path).text.split("\n\n") == new.split("\n\n")


@pytest.mark.parametrize("kind", ["txt", "docx", "odt", "rtf"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=_LINES, new=_LINES)
def test_any_text_becomes_any_other(
    tmp_path: Path, kind: str, old: list[str], new: list[str]
) -> None:
    path = write(tmp_path / f"a.{kind}", formats.create(kind, "\n".join([*old, "End."])))
    essay = documents.load(path)
    wanted = "\n".join([*new, "End."])
    documents.save(essay, wanted, path)
    assert documents.load(path).text == wanted


@pytest.mark.parametrize("kind", ["md", "html"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=_LINES, new=_LINES)
def test_any_words_become_any_other_where_blank_lines_mean_nothing(
    tmp_path: Path, kind: str, old: list[str], new: list[str]
) -> None:
    path = write(tmp_path / f"a.{kind}", formats.create(kind, "\n".join([*old, "End."])))
    essay = documents.load(path)
    wanted = "\n".join(["Ab ab.", *new, "End."])
    documents.save(essay, wanted, path)
    read = documents.load(path).text
    assert "".join(re.findall(r"\w", read)) == "".join(re.findall(r"\w", wanted))


def test_mixed_line_ends_stay_as_they_were(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"One.\r\nTwo.\nThree.\r\n\rFour.\r\n")
    essay = documents.load(path)
    assert essay.text == "One.\nTwo.\nThree.\n\nFour.\n"
    documents.save(essay, essay.text.replace("Three.", "3.\nNew."), path)
    assert path.read_bytes() == b"One.\r\nTwo.\n3.\r\nNew.\r\n\rFour.\r\n"


def test_a_character_that_the_encoding_lacks_makes_it_utf8(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "It’s a café.".encode("cp1252"))
    essay = documents.load(path)
    notices = documents.save(essay, essay.text + " 😀", path)
    assert [notice.code for notice in notices] == ["encoding-changed"]
    assert path.read_text(encoding="utf-8") == "It’s a café. 😀"


def test_the_users_encoding_is_found_again(tmp_path: Path) -> None:
    text = "Вчера я ходил в школу."
    path = write(tmp_path / "a.txt", text.encode("cp1251"))
    essay = documents.load(path, encoding="cp1251")
    documents.save(essay, text + " Да.", path)
    assert path.read_bytes() == (text + " Да.").encode("cp1251")


def test_the_other_parts_of_a_docx_stay_byte_for_byte(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", docx_paragraphs(["It is big.", "But I like it."]))
    with zipfile.ZipFile(path) as archive:
        before = {name: archive.read(name) for name in archive.namelist()}
    essay = documents.load(path)
    documents.save(essay, essay.text.replace("But", "Still,"), path)
    with zipfile.ZipFile(path) as archive:
        after = {name: archive.read(name) for name in archive.namelist()}
    changed = [name for name in before if before[name] != after[name]]
    assert list(before) == list(after)
    assert changed == ["word/document.xml"]


def test_docx_tabs_breaks_and_tables_survive_an_edit(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bold end.</w:t></w:r></w:p>"
    )
    path = write(tmp_path / "a.docx", docx_of(body))
    essay = documents.load(path)
    assert essay.text == "One\ttwo\nthree\nBold end."
    new = "One\t2\nthree\tfour\nBold end.\nNext."
    assert documents.save(essay, new, path) == ()
    assert documents.load(path).text == new
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("word/document.xml").decode()
    assert "Cell" in xml
    assert xml.count("<w:b/>") == 2


def test_an_odt_keeps_its_spans(tmp_path: Path) -> None:
    body = "<text:p>It <text:span text:style-name='B'>is  very</text:span> big.<text:s/> But no.</text:p>"
    path = write(tmp_path / "a.odt", odt_of(body))
    essay = documents.load(path)
    new = essay.text.replace("But", "And")
    assert documents.save(essay, new, path) == ()
    assert documents.load(path).text == new
    with zipfile.ZipFile(path) as archive:
        assert b'<text:span text:style-name="B">is  very</text:span>' in archive.read("content.xml")


def test_html_in_its_declared_encoding_gets_references_for_the_rest(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><p>Caf\u00e9. It is good.</p>'
    path = write(tmp_path / "a.html", page.encode("latin-1"))
    essay = documents.load(path)
    assert essay.text == "Café. It is good."
    documents.save(essay, essay.text.replace("good", "good 😀"), path)
    assert b"good &#128512;.</p>" in path.read_bytes()
    assert documents.load(path).text == "Café. It is good 😀."


def test_a_copy_in_another_format_says_that_formatting_is_gone(tmp_path: Path) -> None:
    essay = documents.load(write(tmp_path / "a.docx", docx_paragraphs(["One is here.", "Two."])))
    notices = documents.save(essay, essay.text, tmp_path / "b.odt")
    assert [notice.code for notice in notices] == ["formatting-not-kept"]
    assert documents.load(tmp_path / "b.odt").text == essay.text


def test_a_typed_essay_is_saved_as_docx(tmp_path: Path) -> None:
    essay = Essay.from_text("One is here.\n\nTwo is there.")
    assert documents.save(essay, essay.text, tmp_path / "b.docx") == ()
    saved = [p.text for p in Document(str(tmp_path / "b.docx")).paragraphs]
    assert saved == ["One is here.", "", "Two is there."]


def test_a_source_that_is_gone_does_not_stop_saving(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", docx_paragraphs(["One is here."]))
    essay = documents.load(path)
    path.unlink()
    assert [n.code for n in documents.save(essay, "Other text.", path)] == ["source-not-found"]
    assert documents.load(path).text == "Other text."


def test_a_pdf_is_not_written(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", pdf_of([[(60, 700, "One is here. Two is there.")]]))
    essay = documents.load(path)
    with pytest.raises(UnsupportedFormat) as caught:
        documents.save(essay, essay.text, path)
    assert ".docx" in caught.value.hint


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"a\.txt"):
        write_bytes(tmp_path / "none" / "a.txt", b"x")


def test_permissions_stay_when_a_file_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "One.")
    path.chmod(0o640)
    write_bytes(path, b"Two.")
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_bytes() == b"Two."


def test_a_link_is_followed_not_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "One.")
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    write_bytes(link, b"Two.")
    assert link.is_symlink()
    assert path.read_bytes() == b"Two."


@given(st.text(alphabet="ab .\n", max_size=60), st.text(alphabet="ab .\n", max_size=60))
def test_word_changes_make_the_new_text_of_the_old(old: str, new: str) -> None:
    made = old
    for start, end, text in reversed(changes.word_changes(old, new)):
        made = made[:start] + text + made[end:]
    assert made == new


@pytest.mark.parametrize("kind", ["md", "html", "rtf", "docx", "odt"])
def test_a_created_file_reads_back(kind: str) -> None:
    text = "My Town\nIt’s *big* & <good>. {Yes}\\no_no 1. #x — 😀"
    data = formats.create(kind, text)
    assert formats.read(Source(data, Path(f"a.{kind}")), kind).text == text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(pipe, b"report")
        assert os.read(reader, 100) == b"report"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_is_named() -> None:
    full = Path("/dev/full")
    if not stat.S_ISCHR(full.stat().st_mode):
        pytest.skip("/dev/full is no device here")
    with pytest.raises(UnreadableFile, match="could not be written"):
        write_bytes(full, b"report")
    assert stat.S_ISCHR(full.stat().st_mode)


@given(old=_LINES, new=_LINES, head=_LINES, tail=_LINES)
def test_the_lines_that_stayed_are_paired_in_order(
    old: list[str], new: list[str], head: list[str], tail: list[str]
) -> None:
    before, after = [*head, *old, *tail], [*head, *new, *tail]
    matches = changes.matching_lines(before, after)
    assert matches == sorted(set(matches))
    assert len({i for i, _ in matches}) == len({j for _, j in matches}) == len(matches)
    # Which of several equal lines stayed cannot be told, only that as many did.
    assert len(matches) >= len(head) + len(tail)
    same = sum(before[i] == after[j] for i, j in matches)
    assert same >= len(head) + len(tail)


def test_lines_that_differ_from_one_another_are_paired_with_themselves() -> None:
    before = ["title", "one", "two", "three", "end"]
    after = ["title", "new", "one", "three", "end"]
    assert changes.matching_lines(before, after) == [(0, 0), (1, 2), (3, 3), (4, 4)]


@pytest.mark.parametrize("kind", ["txt", "md"])
def test_a_long_text_of_lines_that_are_alike_is_saved_without_comparing_them_all(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class TooSlow:
        def __init__(self, _junk: object, old: list[str], new: list[str], **_: object) -> None:
            assert len(old) * len(new) <= 1_000_000
            self.lines = (len(old), len(new))

        def get_opcodes(self) -> list[tuple[str, int, int, int, int]]:
            return [("replace", 0, self.lines[0], 0, self.lines[1])]

    monkeypatch.setattr(changes, "SequenceMatcher", TooSlow)
    path = write(tmp_path / f"a.{kind}", b"One thing.\r\n\r\nAnother thing.\r\n\r\n" * 3000)
    essay = documents.load(path)
    middle = essay.text.index("Another", len(essay.text) // 2)
    documents.save(essay, essay.text[:middle] + "Yet another" + essay.text[middle + 7 :], path)
    saved = path.read_bytes()
    assert saved.count(b"\r\n") == 12_000
    assert saved.count(b"Yet another thing.") == 1
