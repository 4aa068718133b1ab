"""CSV that a spreadsheet opens as text, and JSON that a program reads back."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reports.class_model import Entry, class_report
from engine.reports.report_model import Cover
from engine.reports.tables import class_json, findings_csv, inert, student_json, students_csv
from tests.reports.report_samples import plain_report, reviewed_report, small_class


def rows_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_one_row_a_student_with_a_byte_order_mark() -> None:
    data = students_csv(small_class())
    assert data.startswith(b"\xef\xbb\xbf")
    rows = rows_of(data)
    assert [row[0] for row in rows] == ["Student", "Li Wei", "عمر حسن", "'=SUM(A1)", "Ana Silva"]
    assert len({len(row) for row in rows}) == 1
    assert rows[4][-2:] == ["not checked", "essay.doc is damaged."]


def test_one_row_a_mark() -> None:
    rows = rows_of(findings_csv(small_class()))
    assert len(rows) == 1 + 7
    assert rows[1][:6] == ["Li Wei", "1", "3", "But they lose many hours of sleep.", "R3",
                           "Linking word"]  # fmt: skip
    assert rows[1][7] == "However, they lose many hours of sleep."
    assert rows[2][7] == "Delete this sentence."
    assert rows[4][10] == "Marked by your teacher"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", " =", "\t="])
def test_no_cell_starts_a_formula(start: str) -> None:
    assert inert(f"{start}1+1").startswith("'")


def test_ordinary_cells_are_left_alone() -> None:
    assert inert("O'Brien = a name") == "O'Brien = a name"
    assert inert(12) == "12"


@given(st.text(max_size=20))
def test_any_essay_and_name_come_back_from_the_file_inert(text: str) -> None:
    report = class_report(Cover(), [Entry(text, plain_report(f"One is. {text}", count=0))])
    for row in rows_of(students_csv(report))[1:]:
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)


def test_the_class_as_json() -> None:
    data = json.loads(class_json(small_class()))
    assert data["schema"] == "segue.class/1"
    assert [one["student"] for one in data["students"]] == ["Li Wei", "عمر حسن", "=SUM(A1)"]
    assert len(data["findings"]) == 7
    assert data["findings"][3]["source"] == "teacher"
    assert data["earlier"]["marks"] == {"R3": 9, "R6": 2, "R5": 1}


def test_a_student_as_json_says_whose_each_part_is() -> None:
    data = json.loads(student_json(reviewed_report()))
    assert data["reviewed"] is True
    assert data["findings"][2]["suggestions"][0]["source"] == "teacher"
    assert data["day"] == "2026-03-07"
