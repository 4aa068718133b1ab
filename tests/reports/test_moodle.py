"""What Moodle takes back: folders that it can match, a worksheet with comments and no grades."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

from engine.errors import DamagedFile, UsageError
from engine.reports.moodle import comment_html, feedback_zip, filled_worksheet, folder_name
from tests.reports.page_reader import PageReader
from tests.reports.report_samples import plain_report, reviewed_report

WORKSHEET = (
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\","
    "\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\","
    "\"Feedback comments\"\r\n"
    "\"Participant 101\",\"Li Wei\",li@example.org,\"Submitted for grading\",,100.00,Yes,"
    "\"Saturday, 7 March 2026, 9:12 AM\",-,\r\n"
    "\"Participant 102\",\"عمر حسن\",omar@example.org,\"Submitted for grading\",55.00,100.00,Yes,"
    "\"Saturday, 7 March 2026, 9:30 AM\",-,\"Old words\"\r\n"
)  # fmt: skip


def rows_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def moodle_reads(folder: str) -> tuple[str, str, str]:
    """The participant and the plugin that Moodle takes from a folder's name."""
    _, participant, kind, plugin, _ = folder.split("_", 4)
    return participant, kind, plugin


@pytest.mark.parametrize("name", ["Li Wei", "عمر حسن", "O'Brien_Smith", "A/B: C?", "", "__", "李"])
def test_moodle_finds_participant_and_plugin_whatever_the_name(name: str) -> None:
    assert moodle_reads(folder_name(name, "12345")) == ("12345", "assignsubmission", "file")


def test_a_folder_reads_as_moodles_own() -> None:
    assert folder_name("Li Wei", "12345") == "Li Wei_12345_assignsubmission_file_"


def test_without_a_participant_number_it_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="number of a participant") as caught:
        folder_name("Li Wei", "")
    assert "Moodle's own download" in caught.value.hint


def test_the_zip_holds_each_students_files_in_their_folder() -> None:
    data = feedback_zip(
        [
            (folder_name("Li Wei", "101"), {"feedback.html": b"<p>1</p>", "feedback.pdf": b"%PDF"}),
            (folder_name("عمر حسن", "102"), {"feedback.html": b"<p>2</p>"}),
        ]
    )
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "Li Wei_101_assignsubmission_file_/feedback.html",
            "Li Wei_101_assignsubmission_file_/feedback.pdf",
            "عمر حسن_102_assignsubmission_file_/feedback.html",
        ]


def test_two_students_never_share_a_folder() -> None:
    with pytest.raises(UsageError, match="same feedback folder"):
        feedback_zip([("A_1_assignsubmission_file_", {}), ("A_1_assignsubmission_file_", {})])


def test_only_the_comments_of_the_worksheet_change() -> None:
    filled, missing = filled_worksheet(WORKSHEET.encode(), {"101": "<p>Good.</p>", "999": "x"})
    before, after = rows_of(WORKSHEET.encode()), rows_of(filled)
    assert missing == ("999",)
    assert after[1][9] == "<p>Good.</p>"
    assert [row[:9] for row in after] == [row[:9] for row in before]
    assert after[2] == before[2]


def test_no_grade_is_invented() -> None:
    filled, _ = filled_worksheet(WORKSHEET.encode(), {"101": "a", "102": "b"})
    assert [row[4] for row in rows_of(filled)] == ["Grade", "", "55.00"]


def test_byte_order_mark_and_line_ends_stay() -> None:
    with_mark = b"\xef\xbb\xbf" + WORKSHEET.encode()
    assert filled_worksheet(with_mark, {})[0].startswith(b"\xef\xbb\xbfIdentifier")
    assert b"\r\n" in filled_worksheet(WORKSHEET.encode(), {})[0]
    unix = WORKSHEET.replace("\r\n", "\n").encode()
    assert b"\r\n" not in filled_worksheet(unix, {})[0]


def test_a_worksheet_in_another_language_is_filled_by_its_own_headings() -> None:
    chinese = WORKSHEET.replace("Feedback comments", "反馈评论").replace("Participant ", "参与者")
    assert rows_of(filled_worksheet(chinese.encode(), {"101": "x"})[0])[1][9] == "x"
    other = WORKSHEET.replace("Feedback comments", "Sylwadau")
    filled, _ = filled_worksheet(other.encode(), {"101": "x"}, column="Sylwadau")
    assert rows_of(filled)[1][9] == "x"


@pytest.mark.parametrize("data", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00", b'"open'])
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedFile):
        filled_worksheet(data, {"101": "x"})


def test_the_comment_is_well_formed_and_holds_no_markup_of_the_student() -> None:
    read = PageReader(comment_html(reviewed_report()))
    assert "What already flows" in read.text
    assert "Please rewrite the ending" in read.text
    report = plain_report("<b>One</b> is here. Two is here.", count=1)
    assert set(PageReader(comment_html(report)).tags) <= {"p", "ul", "li", "strong"}
