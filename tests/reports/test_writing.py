"""One call for every report and format; whole files or none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.errors import BackendError, UnreadableFile, UsageError
from engine.reports import formats, typesetting, write
from engine.reports.class_model import ClassReport
from engine.reports.report_model import StudentReport
from tests.reports.report_samples import reviewed_report, small_class

STARTS = {"html": b"<!doctype", "docx": b"PK", "pdf": b"%PDF", "csv": b"\xef\xbb\xbf", "json": b"{"}


@pytest.mark.parametrize("format", formats(StudentReport))
def test_a_students_report_in_every_format(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"Li Wei.{format}"
    assert write(reviewed_report(), format, path) == (path,)
    assert path.read_bytes().startswith(STARTS[format])


@pytest.mark.parametrize("format", formats(ClassReport))
def test_a_class_report_in_every_format(format: str, tmp_path: Path) -> None:
    for path in write(small_class(), format, tmp_path / f"class.{format}"):
        assert path.read_bytes().startswith(STARTS[format])


def test_a_classs_csv_is_two_files(tmp_path: Path) -> None:
    written = write(small_class(), "csv", tmp_path / "class.csv")
    assert [path.name for path in written] == ["class.csv", "class-findings.csv"]


def test_an_unknown_format_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'dox'") as caught:
        write(reviewed_report(), "dox", tmp_path / "x")
    assert caught.value.hint == "Did you mean docx?"
    with pytest.raises(UsageError):
        write(reviewed_report(), "csv", tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="report"):
        write(reviewed_report(), "html", tmp_path / "none" / "report.html")


def test_where_typst_is_missing_only_pdf_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typesetting.shipped_compiler.cache_clear()
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(BackendError, match="typst") as caught:
        write(reviewed_report(), "pdf", tmp_path / "x.pdf")
    assert "another format" in caught.value.hint
    assert write(reviewed_report(), "html", tmp_path / "x.html")
    typesetting.shipped_compiler.cache_clear()


def test_a_report_is_the_same_file_each_time(tmp_path: Path) -> None:
    for kind in ("html", "pdf", "json"):
        one, other = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
        write(reviewed_report(), kind, one)
        write(reviewed_report(), kind, other)
        assert one.read_bytes() == other.read_bytes()
