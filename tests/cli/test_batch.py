"""`segue batch`: a class in, reports out, and nothing done twice."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import cli, reports
from engine.analysis import Analysis
from engine.classroom.queue import QueueProgress
from engine.commands import batch, batch_reports
from engine.commands.batch_progress import time_left, words
from engine.commands.check_output import SHOWN
from engine.commands.engines import EngineFactory
from engine.console import Console
from engine.errors import ModelError, UnreadableFile, UsageError
from engine.essay import Essay
from engine.exit_codes import ExitCode
from engine.history import History
from engine.pipeline import Engine
from engine.resources import resources_folder
from tests.classroom.class_files import (
    FLAWED,
    essay_text,
    fake_engine,
    write_class,
    write_files,
    write_zip,
)
from tests.cli.cli_support import OpenerRewriter, Run, Terminal
from tests.fakes import FakeTagger, Speller

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def call(database: Path) -> Callable[..., Run]:
    """Calls the command in this process, with a history of its own."""

    def run(
        *arguments: str | Path,
        engine_factory: EngineFactory = lambda device: fake_engine(),
        console: Console | None = None,
    ) -> Run:
        console = console or Console(io.StringIO(), io.StringIO())
        parser = argparse.ArgumentParser()
        batch.add_arguments(parser)
        options = parser.parse_args([str(argument) for argument in arguments])
        code = batch.run(
            options,
            console,
            engine_factory=engine_factory,
            history_factory=lambda: History.open(database),
        )
        return Run(code, console)

    return run


def count(database: Path, query: str) -> int:
    connection = sqlite3.connect(database)
    try:
        return int(connection.execute(query).fetchone()[0])
    finally:
        connection.close()


def runs(database: Path) -> int:
    return count(database, "SELECT count(*) FROM runs")


def table(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_a_report_for_each_student_and_one_for_the_class(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = call(write_class(tmp_path / "class", 2), "--out", out)
    assert run.code == ExitCode.OK
    assert files(out) == [
        "class-findings.csv",
        "class.csv",
        "class.html",
        "students/Student 01.html",
        "students/Student 02.html",
    ]
    assert "A volcano is hot." in (out / "students/Student 01.html").read_text(encoding="utf-8")
    assert "2 of 2 essays checked." in run.err


@pytest.mark.parametrize("kind", batch.FORMATS)
def test_every_format_can_be_written(call: Callable[..., Run], tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    assert call(write_class(tmp_path / "class", 1), "--out", out, "--format", kind).code == 0
    assert (out / f"class.{kind}").stat().st_size > 0


def test_the_sample_class_names_what_is_broken(call: Callable[..., Run], tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = call(resources_folder() / "samples/class", "--out", out, "--format", "csv,json,html")
    assert run.code == ExitCode.FAILED
    assert "9 of 12 essays checked." in run.err
    assert "Mehmet Yılmaz: Mehmet Yılmaz.txt is empty." in run.err
    assert "佐藤健" in run.err
    assert "Carlos Ruiz" in run.err
    assert (out / "students/王小明.html").is_file()
    assert (out / "students/فاطمة الزهراء.html").is_file()


def test_the_topic_reaches_the_reports(call: Callable[..., Run], tmp_path: Path) -> None:
    out = tmp_path / "out"
    call(write_class(tmp_path / "class", 1), "--out", out, "--topic", "Parks in cities")
    assert "Parks in cities" in (out / "students/Student 01.html").read_text(encoding="utf-8")


def test_resuming_checks_only_what_is_new_or_changed(
    call: Callable[..., Run], tmp_path: Path, database: Path
) -> None:
    source, out = write_class(tmp_path / "class", 3), tmp_path / "out"
    call(source, "--out", out)
    checked: list[str] = []

    class Watched(Engine):
        def check(self, essay: Essay, **options: Any) -> Analysis:
            checked.append(essay.text.split("\n")[0])
            return super().check(essay, **options)

    write_files(source, {"Zoe.txt": essay_text("Zoe"), "Student 02.txt": essay_text("another")})
    run = call(
        source, "--out", out, "--resume",
        engine_factory=lambda device: Watched(tagger=fake_engine()._tagger),
    )  # fmt: skip
    assert run.code == 0
    assert checked == ["This is the essay of another.", "This is the essay of Zoe."]
    assert runs(database) == 4
    assert len(table(out / "class.csv")) == 5


def test_resuming_tries_failures_again(call: Callable[..., Run], tmp_path: Path) -> None:
    source = write_files(write_class(tmp_path / "class", 1), {"Zoe.txt": b""})
    out = tmp_path / "out"
    assert call(source, "--out", out).code == ExitCode.FAILED
    write_files(source, {"Zoe.txt": essay_text("Zoe")})
    assert call(source, "--out", out, "--resume").code == ExitCode.OK


def test_a_report_that_was_lost_is_written_again(
    call: Callable[..., Run], tmp_path: Path, database: Path
) -> None:
    source, out = write_class(tmp_path / "class", 2), tmp_path / "out"
    call(source, "--out", out)
    (out / "students/Student 01.html").unlink()
    call(source, "--out", out, "--resume")
    assert (out / "students/Student 01.html").is_file()
    assert runs(database) == 2


def test_a_report_that_cannot_be_written_does_not_end_the_class(
    call: Callable[..., Run], tmp_path: Path, database: Path
) -> None:
    source, out = write_class(tmp_path / "class", 3), tmp_path / "out"
    locked = [out / "students/Student 02.html", out / "class.csv"]
    for path in locked:  # as a file that is open in Word is for us on Windows
        (path / "held").mkdir(parents=True)
    run = call(source, "--out", out)
    assert run.code == ExitCode.FAILED
    assert runs(database) == 3
    for name in ("students/Student 01.html", "students/Student 03.html", "class.html"):
        assert (out / name).is_file()
    assert all(path.name in run.err for path in locked)
    assert f"segue batch {source} --out {out} --format html,csv --resume" in run.err
    for path in locked:
        (path / "held").rmdir()
        path.rmdir()
    assert call(source, "--out", out, "--resume").code == ExitCode.OK
    assert all(path.is_file() for path in locked)
    assert runs(database) == 3


def test_an_older_report_is_written_anew_where_it_could_not_be_at_first(
    call: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = write_class(tmp_path / "class", 1), tmp_path / "out"
    call(source, "--out", out)
    report = out / "students/Student 01.html"
    report.write_text("from the last time", encoding="utf-8")
    tries: list[Path] = []

    def held_once(made: Any, kind: str, path: Path) -> tuple[Path, ...]:
        tries.append(path)
        if len(tries) == 1:
            raise UnreadableFile(f"{path} cannot be written.")
        return reports.write(made, kind, path)

    monkeypatch.setattr(batch_reports, "write", held_once)
    assert call(source, "--out", out).code == ExitCode.OK
    assert tries.count(report) == 2
    assert "<html" in report.read_text(encoding="utf-8")


def test_of_many_reports_that_cannot_be_written_some_are_named(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    source, out = write_class(tmp_path / "class", 8), tmp_path / "out"
    for number in range(1, 9):
        (out / f"students/Student 0{number}.html/held").mkdir(parents=True)
    run = call(source, "--out", out, "--format", "html")
    assert run.code == ExitCode.FAILED
    assert run.err.count(" could not be written") == SHOWN + 1
    assert "3 more could not be written." in run.err


def test_resuming_keeps_the_settings_and_refuses_others(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    source, out = write_class(tmp_path / "class", 1), tmp_path / "out"
    call(source, "--out", out, "--topic", "Parks", "--anonymous")
    assert call(source, "--out", out, "--resume").code == 0
    with pytest.raises(UsageError, match="begun with other settings"):
        call(source, "--out", out, "--resume", "--strictness", "few")


def test_grammar_is_corrected_for_the_judgement_where_that_is_asked_for_and_said_so(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    text = "Parks are good for cities. A volcanno is hot. People rest there."
    source, out = write_files(tmp_path / "class", {"Ana.txt": text}), tmp_path / "out"
    said = "volcanno” → “volcano"

    def engine(_device: str) -> Engine:
        return Engine(tagger=FakeTagger(), rewriter=OpenerRewriter(), grammar=Speller())

    call(source, "--out", out, engine_factory=engine)
    assert said not in (out / "students/Ana.html").read_text(encoding="utf-8")
    again = tmp_path / "again"
    call(source, "--out", again, "--correct-grammar", engine_factory=engine)
    page = (again / "students/Ana.html").read_text(encoding="utf-8")
    assert said in page
    assert "A volcanno is hot." in page
    assert "after its sure mistakes" not in (out / "class.html").read_text(encoding="utf-8")
    assert "after its sure mistakes" in (again / "class.html").read_text(encoding="utf-8")
    write_files(tmp_path / "class", {"Bo.txt": f"{text} It is late."})
    call(source, "--out", again, "--resume", engine_factory=engine)
    assert said in (again / "students/Bo.html").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="begun with other settings"):
        call(source, "--out", out, "--resume", "--correct-grammar", engine_factory=engine)


def test_resuming_what_was_never_begun_says_so(call: Callable[..., Run], tmp_path: Path) -> None:
    run = call(write_class(tmp_path / "class", 1), "--out", tmp_path / "out", "--resume")
    assert run.code == 0
    assert "nothing to resume" in run.err


def test_anonymous_reports_name_nobody(call: Callable[..., Run], tmp_path: Path) -> None:
    source = write_files(
        tmp_path / "class",
        {"Zebulon Pike.txt": FLAWED, "Yolanda Quix.txt": FLAWED, "Xerxes Wu.txt": b""},
    )
    out = tmp_path / "out"
    call(source, "--out", out, "--anonymous", "--format", "html,csv,json")
    everything = " ".join(files(out)) + "".join(
        path.read_text(encoding="utf-8") for path in out.rglob("*.*")
    )
    for name in ("Zebulon", "Pike", "Yolanda", "Quix", "Xerxes"):
        assert name not in everything
    assert len([name for name in files(out) if name.startswith("students/Student ")]) == 4


def test_a_roster_gives_the_names(call: Callable[..., Run], tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"kowalska_a_anna.txt": FLAWED})
    roster = tmp_path / "list.csv"
    roster.write_text("name\nAnna Kowalska\nBen Late\n", encoding="utf-8")
    out = tmp_path / "out"
    run = call(source, "--out", out, "--roster", roster)
    assert (out / "students/Anna Kowalska.html").is_file()
    assert "1 student of the roster handed in nothing." in run.err


def test_a_moodle_class_gets_what_moodle_takes_back(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    sheet = (
        "Identifier,Full name,Email address,Status,Grade,Feedback comments\r\n"
        "Participant 7,Ann Lee,ann@x.org,Submitted,,\r\n"
    )
    source = write_zip(
        tmp_path / "task.zip",
        {"Ann Lee_7_assignsubmission_file_/a.txt": FLAWED, "Grades-task.csv": sheet},
    )
    out = tmp_path / "out"
    assert call(source, "--out", out).code == 0
    assert "moodle-feedback.zip" in files(out)
    rows = table(out / "moodle-worksheet.csv")
    assert rows[1][:5] == ["Participant 7", "Ann Lee", "ann@x.org", "Submitted", ""]
    assert rows[1][5].startswith("<p>")


def test_two_students_of_one_name_have_two_reports(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    source = write_zip(
        tmp_path / "task.zip",
        {
            "Ann Lee_1_assignsubmission_file_/a.txt": essay_text("one"),
            "Ann Lee_2_assignsubmission_file_/a.txt": essay_text("two"),
        },
    )
    out = tmp_path / "out"
    call(source, "--out", out)
    assert {"students/Ann Lee.html", "students/Ann Lee (2).html"} < set(files(out))


def test_reports_among_the_essays_are_refused(call: Callable[..., Run], tmp_path: Path) -> None:
    source = write_class(tmp_path / "class", 1)
    with pytest.raises(UsageError, match="among the essays"):
        call(source, "--out", source / "reports")
    with pytest.raises(UsageError, match="is a file"):
        call(source, "--out", source / "Student 01.txt")


def test_a_format_that_there_is_not_is_refused(call: Callable[..., Run], tmp_path: Path) -> None:
    source = write_class(tmp_path / "class", 1)
    for text in ("html,xls", ","):
        with pytest.raises(UsageError, match="no format"):
            call(source, "--out", tmp_path / "out", "--format", text)


def test_without_a_model_nothing_is_written(call: Callable[..., Run], tmp_path: Path) -> None:
    class NoModel(Engine):
        def warm(self) -> None:
            raise ModelError("There is no model.")

    out = tmp_path / "out"
    with pytest.raises(ModelError):
        call(write_class(tmp_path / "class", 1), "--out", out, engine_factory=lambda _: NoModel())
    assert files(out) == []


def test_a_name_in_a_failure_cannot_steer_the_terminal(
    call: Callable[..., Run], tmp_path: Path
) -> None:
    source = write_files(tmp_path / "class", {"Ann.txt": FLAWED, "B\x1b[31m.xyz": b"x"})
    assert "\x1b" not in call(source, "--out", tmp_path / "out").err


def test_the_bar_shows_on_a_terminal(call: Callable[..., Run], tmp_path: Path) -> None:
    terminal = Console(io.StringIO(), Terminal())
    run = call(write_class(tmp_path / "class", 2), "--out", tmp_path / "out", console=terminal)
    assert "2 of 2" in run.err


def test_progress_in_words() -> None:
    event = QueueProgress(16, 30, 1, name="Anna", seconds_left=40.2)
    assert words(event) == "16 of 30, 1 failed, about 40 s left (Anna)"
    assert words(QueueProgress(0, 3, 0)) == "0 of 3"
    assert [time_left(n) for n in (0.1, 59, 90, 3700)] == [
        "about 1 s", "about 59 s", "about 2 min", "about 1 h 2 min",
    ]  # fmt: skip


def test_the_help_explains_resuming_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["batch", "--help"])
    said = capsys.readouterr().out
    assert "--resume goes on where it stopped" in said
    assert "130" in said


class TestEndedFromOutside:
    """The command as a program that is stopped or killed."""

    def start(self, database: Path, source: Path, out: Path, *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.cli.slow_batch", str(database), "0.2"]
        return subprocess.Popen(
            [*command, str(source), "--out", str(out), *more],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def wait_for(self, database: Path, number: int) -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                if count(database, "SELECT count(*) FROM submissions WHERE run_id") >= number:
                    return
            except sqlite3.Error:
                pass
            time.sleep(0.02)
        pytest.fail(f"{number} essays were not checked in time")

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
    def test_killed_in_the_middle_nothing_is_done_twice(
        self, database: Path, tmp_path: Path, call: Callable[..., Run]
    ) -> None:
        source, out = write_class(tmp_path / "class", 8), tmp_path / "out"
        process = self.start(database, source, out)
        self.wait_for(database, 4)
        process.kill()
        process.communicate()
        with History.open(database) as history:
            kept = {row.id for row in history.runs()}
        assert 4 <= len(kept) < 8

        run = call(source, "--out", out, "--resume")
        assert run.code == ExitCode.OK
        with History.open(database) as history:
            after = history.runs()
        assert kept < {row.id for row in after}
        assert len(after) == 8
        assert len({row.content_hash for row in after}) == 8
        assert len(list((out / "students").iterdir())) == 8
        assert len(table(out / "class.csv")) == 9

    @pytest.mark.skipif(os.name == "nt", reason="Ctrl+C needs a console of its own on Windows")
    def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(
        self, database: Path, tmp_path: Path, call: Callable[..., Run]
    ) -> None:
        source, out = write_class(tmp_path / "my class", 8), tmp_path / "out"
        process = self.start(database, source, out, "--format", "json")
        self.wait_for(database, 2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        assert process.returncode == ExitCode.STOPPED
        assert "Traceback" not in said
        assert f"segue batch '{source}' --out {out} --format json --resume" in said
        assert count(database, "SELECT count(*) FROM submissions WHERE state = 'checking'") == 0

        done = runs(database)
        assert 2 <= done < 8
        assert call(source, "--out", out, "--resume", "--format", "json").code == 0
        assert runs(database) == 8
        assert json.loads((out / "class.json").read_text(encoding="utf-8"))


def test_the_school_stands_at_the_head_of_the_reports(
    tmp_path: Path, call: Callable[..., Run]
) -> None:
    source, out = write_class(tmp_path / "class", 1), tmp_path / "out"
    run = call(source, "--out", out, "--school", "Night School & Co")
    assert run.code == ExitCode.OK
    (report,) = (out / "students").glob("*.html")
    page = report.read_text(encoding="utf-8")
    assert "Night School &amp; Co" in page
    assert "Night School &amp; Co" in (out / "class.html").read_text(encoding="utf-8")


def test_the_halves_of_a_killed_run_are_cleared_away(
    tmp_path: Path, call: Callable[..., Run]
) -> None:
    source, out = write_class(tmp_path / "class", 1), tmp_path / "out"
    half = out / "students" / ".Student 01.html.abc.tmp"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"<html")
    assert call(source, "--out", out).code == ExitCode.OK
    assert not half.exists()
