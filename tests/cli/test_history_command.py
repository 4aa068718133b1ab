"""`segue history`: past checks listed, shown and deleted."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import pytest

from engine import cli
from engine.analysis import Decision, Verdict
from engine.commands import history as command
from engine.console import Console
from engine.errors import HistoryError, UsageError
from engine.essay import Essay
from engine.exit_codes import ExitCode
from engine.history import History
from tests.cli.cli_support import ESSAY, fake_engine


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A history with one finished check and one decision."""
    path = tmp_path / "history.db"
    essay = Essay.from_text(ESSAY)
    analysis = fake_engine("cpu").check(essay)
    with History.open(path) as history:
        run = history.begin_run("essay.txt", None, essay.content_hash, essay.text, "", {})
        history.finish_run(run, analysis)
        decision = Decision(analysis.findings[0].key, Verdict.REJECTED)
        history.record_decision(run, decision.key, decision, None)
    return path


def call(database: Path, *arguments: str) -> str:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    out = io.StringIO()
    command.run(
        parser.parse_args(arguments),
        Console(out, io.StringIO()),
        history_factory=lambda: History.open(database),
    )
    return out.getvalue()


def test_list_shows_number_findings_and_name(database: Path) -> None:
    (line,) = call(database, "list").splitlines()
    assert line.split()[0] == "1"
    assert "2 findings" in line
    assert line.endswith("essay.txt")


def test_list_can_search(database: Path) -> None:
    assert call(database, "list", "--search", "essay") != ""
    assert call(database, "list", "--search", "nothing like it") == ""


def test_show_repeats_the_findings_and_the_decision(database: Path) -> None:
    text = call(database, "show", "1")
    assert "Instead of [But] they are happy." in text
    assert "Sentence 3: rejected" in text


def test_show_of_an_unknown_number_is_refused(database: Path) -> None:
    with pytest.raises(HistoryError):
        call(database, "show", "99")


def test_delete_forgets_one_check(database: Path) -> None:
    call(database, "delete", "1")
    assert call(database, "list") == ""


def test_clear_wants_to_be_sure(database: Path) -> None:
    with pytest.raises(UsageError, match="every past check"):
        call(database, "clear")
    assert call(database, "list") != ""
    call(database, "clear", "--yes")
    assert call(database, "list") == ""


def test_the_whole_command_line_shows_and_deletes_a_check(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.folders.history_path", lambda: database)
    assert cli.main(["history", "show", "1"]) == ExitCode.OK
    assert "Instead of [But] they are happy." in capsys.readouterr().out
    assert cli.main(["history", "delete", "1"]) == ExitCode.OK
    assert cli.main(["history", "show", "1"]) == ExitCode.FAILED


def test_a_check_that_is_not_there_is_not_called_deleted(database: Path) -> None:
    with pytest.raises(HistoryError, match="no run 7"):
        call(database, "delete", "7")
    assert "essay.txt" in call(database, "list")


@pytest.mark.parametrize(
    "arguments", [("show", "9" * 20), ("delete", "-" + "9" * 20), ("list", "--limit", "9" * 20)]
)
def test_a_number_too_large_for_the_database_makes_no_sense(
    database: Path, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as stop:
        call(database, *arguments)
    assert stop.value.code == ExitCode.USAGE
