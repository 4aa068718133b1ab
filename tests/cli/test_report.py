"""`segue report`: one feedback report an essay, in the formats asked for."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

import docx
import pytest

from engine.commands import report
from engine.commands.engines import EngineFactory
from engine.console import Console
from engine.errors import ModelError, UsageError
from engine.exit_codes import ExitCode
from engine.models.store import ModelStore
from engine.pipeline import Engine
from tests.cli.cli_support import Run, fake_engine
from tests.fakes import MIXED_ESSAY


def run_report(*arguments: str | Path, engine_factory: EngineFactory = fake_engine) -> Run:
    console = Console(io.StringIO(), io.StringIO())
    parser = argparse.ArgumentParser()
    report.add_arguments(parser)
    options = parser.parse_args([str(argument) for argument in arguments])
    return Run(report.run(options, console, engine_factory=engine_factory), console)


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    path = tmp_path / "essay.txt"
    path.write_text(MIXED_ESSAY, encoding="utf-8")
    return path


def test_every_format_is_written(essay: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = run_report(essay, "--out", out, "--format", "html,docx,pdf,json", "--student", "Lan 兰")
    assert run.code == ExitCode.OK
    assert "1 of 1 reports" in run.err
    names = sorted(path.name for path in out.iterdir())
    assert names == [f"essay.report.{kind}" for kind in ("docx", "html", "json", "pdf")]
    assert "Lan 兰" in (out / "essay.report.html").read_text(encoding="utf-8")
    assert (out / "essay.report.pdf").read_bytes().startswith(b"%PDF")
    assert list(docx.Document(str(out / "essay.report.docx")).comments)


def test_one_bad_file_does_not_stop_the_others(essay: Path, tmp_path: Path) -> None:
    run = run_report(tmp_path / "gone.txt", essay, "--out", tmp_path / "out")
    assert run.code == ExitCode.FAILED
    assert "gone.txt" in run.err
    assert (tmp_path / "out" / "essay.report.html").is_file()


def test_a_report_that_cannot_be_written_does_not_stop_the_others(
    essay: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text(MIXED_ESSAY, encoding="utf-8")
    out = tmp_path / "out"
    (out / "essay.report.docx" / "held").mkdir(parents=True)
    run = run_report(essay, other, "--out", out, "--format", "docx,html")
    assert run.code == ExitCode.FAILED
    assert "essay.report.docx" in run.err
    assert "1 of 2 reports" in run.err
    for name in ("essay.report.html", "other.report.docx", "other.report.html"):
        assert (out / name).is_file()


def test_essays_of_the_same_name_get_reports_of_their_own(essay: Path, tmp_path: Path) -> None:
    run_report(essay, essay, "--out", tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["essay-2.report.html", "essay.report.html"]


def test_a_format_that_there_is_not_is_refused_before_anything_is_checked(
    essay: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="gif"):
        run_report(essay, "--out", tmp_path / "out", "--format", "html,gif")
    assert not (tmp_path / "out").exists()


def test_without_a_model_nothing_is_called_a_bad_essay(essay: Path, tmp_path: Path) -> None:
    empty = ModelStore(tmp_path / "none", tmp_path / "neither")
    with pytest.raises(ModelError, match="was not found"):
        run_report(essay, "--out", tmp_path / "out", engine_factory=lambda _: Engine(store=empty))


def test_a_mistake_of_ours_in_one_essay_does_not_stop_the_others(
    essay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.txt"
    other.write_text(MIXED_ESSAY, encoding="utf-8")
    real = Engine.check
    calls = iter([True, False])

    def check(self: Engine, *arguments: Any, **options: Any) -> Any:
        if next(calls):
            raise ZeroDivisionError
        return real(self, *arguments, **options)

    monkeypatch.setattr(Engine, "check", check)
    run = run_report(essay, other, "--out", tmp_path / "out")
    assert run.code == ExitCode.FAILED
    assert "1 of 2 reports" in run.err
    assert (tmp_path / "out" / "other.report.html").is_file()
