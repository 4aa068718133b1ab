"""`segue check --out`: where reports go, and what is never overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.exit_codes import ExitCode
from tests.cli.cli_support import ESSAY, run_check


def test_one_essay_goes_into_one_file(essay: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    run = run_check(essay, "--out", target)
    assert json.loads(target.read_text(encoding="utf-8"))["schema"] == "segue.check/1"
    assert run.out == ""
    assert str(target) in run.err


def test_a_text_file_gets_no_colour(essay: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    run_check(essay, "--out", target)
    text = target.read_text(encoding="utf-8")
    assert "2 findings" in text
    assert "\033" not in text


def test_several_essays_go_into_a_folder_a_report_each(essay: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "essay.txt"
    other.parent.mkdir()
    other.write_text(ESSAY, encoding="utf-8")
    folder = tmp_path / "reports"
    run_check(essay, other, "--format", "html", "--out", folder)
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["essay-2.segue.html", "essay.segue.html"]


def test_several_essays_can_share_one_file_of_the_format(essay: Path, tmp_path: Path) -> None:
    target = tmp_path / "class.json"
    run_check(essay, essay, "--out", target)
    assert len(json.loads(target.read_text(encoding="utf-8"))["essays"]) == 2


def test_a_result_that_cannot_be_written_does_not_stop_the_others(
    essay: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(essay.read_bytes())
    out = tmp_path / "out"
    (out / "essay.segue.txt" / "held").mkdir(parents=True)
    run = run_check(essay, other, "--out", out)
    assert run.code == ExitCode.FAILED
    assert "essay.segue.txt could not be written" in run.err
    assert (out / "other.segue.txt").is_file()
    assert "Wrote 1 report " in run.err


def test_a_file_where_a_folder_is_needed_is_refused(essay: Path, tmp_path: Path) -> None:
    target = tmp_path / "notes.md"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="need a folder"):
        run_check(essay, essay, "--out", target)
    assert target.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("spelling", ["essay.txt", "./essay.txt", "sub/../essay.txt", "link.txt"])
def test_an_essay_is_never_overwritten(
    essay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("link.txt").symlink_to(essay)
    with pytest.raises(UsageError, match="overwrite"):
        run_check(essay, "--out", spelling)
    assert essay.read_text(encoding="utf-8") == ESSAY


def test_a_report_in_a_folder_never_overwrites_an_essay_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ESSAY, encoding="utf-8")
    (tmp_path / "a.segue.txt").write_text(ESSAY, encoding="utf-8")
    with pytest.raises(UsageError, match="overwrite"):
        run_check(tmp_path / "a.txt", tmp_path / "a.segue.txt", "--out", tmp_path)


def test_a_missing_folder_is_named_before_any_work(essay: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        run_check(essay, "--out", tmp_path / "nowhere" / "result.json")


def test_standard_input_can_be_checked_once_only() -> None:
    with pytest.raises(UsageError, match="only once"):
        run_check("-", "-")
