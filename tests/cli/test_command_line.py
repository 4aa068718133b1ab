"""The command line as a program: exit codes, speed, Ctrl+C, closed pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from engine import cli
from engine.errors import BackendError, ModelError
from engine.exit_codes import MEANINGS, ExitCode
from engine.history import History
from engine.pipeline import Engine
from tests.cli.cli_support import fake_engine, run_check
from tests.fakes import FakeTagger

ROOT = Path(__file__).resolve().parents[2]
SLOW = Path(__file__).with_name("slow_check.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def start(*command: str | Path, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        **options,
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom engine.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'torch', 'numpy', 'onnxruntime', 'rich', 'jinja2', 'sqlite_utils', 'docx'}\n"
        "print(heavy & set(sys.modules), file=sys.stderr)"
    )
    process = start("-c", code)
    _, err = process.communicate(timeout=60)
    assert err.strip() == "set()"


def test_help_and_readme_name_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines()) <= 80
    in_one_line = " ".join(shown.split())
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for code, meaning in MEANINGS.items():
        assert re.search(rf"^  {code.value} +{meaning.split()[0]}", shown, re.MULTILINE)
        assert f" {code.value} {meaning}" in in_one_line
        assert f"| {code.value} | {meaning} |" in readme


@pytest.mark.parametrize("command", [*cli.COMMANDS])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "--help"])
    assert stopped.value.code == 0
    assert f"usage: segue {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["no-such-command"], ["check"], ["check", "a.txt", "--format", "pdf"]]
)
def test_a_senseless_call_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == ExitCode.USAGE


def test_findings_do_not_change_the_exit_code(essay: Path) -> None:
    assert run_check(essay).code == ExitCode.OK


def test_a_file_that_cannot_be_read_ends_with_1(tmp_path: Path) -> None:
    run = run_check(tmp_path / "missing.txt")
    assert run.code == ExitCode.FAILED
    assert "not checked" in run.out


@pytest.mark.parametrize("error", [ModelError("No model."), BackendError("No runtime.")])
def test_without_a_model_it_ends_with_3(
    essay: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: ModelError | BackendError,
) -> None:
    def warm(_engine: Engine) -> None:
        raise error

    monkeypatch.setattr(Engine, "warm", warm)
    assert cli.main(["check", str(essay)]) == ExitCode.NO_MODEL
    shown = capsys.readouterr()
    assert error.message in shown.err
    assert error.hint in shown.err
    assert shown.out == ""


def test_one_essay_that_breaks_the_tagger_does_not_stop_the_others(
    essay: Path, tmp_path: Path
) -> None:
    class Moody(FakeTagger):
        def judge(self, sentences, topic, only=None, **options):  # type: ignore[no-untyped-def]
            if any("cursed" in sentence for sentence in sentences):
                raise ZeroDivisionError
            return super().judge(sentences, topic, only, **options)

    cursed = tmp_path / "cursed.txt"
    cursed.write_text("This one is cursed. It breaks.", encoding="utf-8")
    run = run_check(
        cursed, essay, "--format", "json", engine_factory=lambda device: Engine(tagger=Moody())
    )
    first, second = json.loads(run.out)["essays"]
    assert first["error"]["code"] == "bug"
    assert "ZeroDivisionError" in first["error"]["message"]
    assert second["error"] is None
    assert run.code == ExitCode.FAILED


def test_the_device_asked_for_reaches_the_engine(essay: Path) -> None:
    asked: list[str] = []

    def factory(device: str) -> Engine:
        asked.append(device)
        return fake_engine(device)

    run_check(essay, "--device", "gpu", engine_factory=factory)
    assert asked == ["gpu"]


def test_the_topic_reaches_the_tagger(essay: Path) -> None:
    tagger = FakeTagger()
    run_check(essay, "--topic", "City life", engine_factory=lambda device: Engine(tagger=tagger))
    assert {call.topic for call in tagger.calls} == {"City life"}


def test_strictness_decides_what_is_flagged(essay: Path) -> None:
    def factory(device: str) -> Engine:
        thresholds = {"few": 0.95, "balanced": 0.5, "thorough": 0.01}
        return Engine(tagger=FakeTagger(), thresholds=thresholds)

    arguments = ("--no-rewrites", "--format", "json")
    counts = {}
    for level in ("few", "balanced", "thorough"):
        run = run_check(essay, "--strictness", level, *arguments, engine_factory=factory)
        counts[level] = len(json.loads(run.out)["essays"][0]["findings"])
    assert counts == {"few": 0, "balanced": 2, "thorough": 4}


def test_standard_input_is_read_as_a_text_file() -> None:
    process = start(SLOW, "-", "--format", "json", stdin=subprocess.PIPE)
    out, _ = process.communicate("We met at the café. But it closed.", timeout=60)
    (checked,) = json.loads(out)["essays"]
    assert checked["path"] == "-"
    assert [s["text"] for s in checked["sentences"]] == ["We met at the café.", "But it closed."]
    assert process.returncode == ExitCode.OK


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl+C in another way")
def test_ctrl_c_stops_at_once_and_keeps_what_is_done(essay: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    short = tmp_path / "short.txt"
    short.write_text("Only one sentence.", encoding="utf-8")
    process = start(SLOW, short, essay, essay, essay, "--format", "json", "--out", folder)
    while not (folder / "short.segue.json").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.3)  # the second essay, which takes seconds, is being judged
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == ExitCode.STOPPED
    assert time.monotonic() - began < 2
    assert "Traceback" not in err
    assert "1 of 4 files were checked" in err
    (kept,) = folder.iterdir()
    assert json.loads(kept.read_text(encoding="utf-8"))["essays"][0]["error"] is None


@pytest.mark.skipif(os.name == "nt", reason="there is no head on Windows")
@pytest.mark.parametrize("arguments", [("--help",), ("history", "list")])
def test_a_reader_that_goes_away_is_no_error(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "SEGUE_HOME", str(tmp_path))
    with History.open(tmp_path / "data" / "history.db") as history:
        history.begin_run("essay.txt", None, "hash", "Text.", "", {})
    process = start("-m", "engine.cli", *arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=120) == ExitCode.OK
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"segue {settings['project']['version']}\n"
