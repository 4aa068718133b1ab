"""A class with a language model: named once, used again by `--resume`, no key ever kept."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.commands import batch
from engine.commands.batch import resume_command
from engine.console import Console
from engine.errors import UsageError
from engine.history import History
from engine.history.assignments import Assignments
from engine.pipeline import Engine
from tests.classroom.class_files import write_files
from tests.cli.cli_support import Run
from tests.cli.test_check_writer import MENDED, TEXT
from tests.fakes import FakeTagger

SAID = "Written by the language model script"
KEY = "sk-very-secret"


@pytest.fixture
def script(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Answers of the generator that `--writer fake` then names."""
    request.getfixturevalue("fake_backend")
    path = tmp_path / "script.json"
    path.write_text(json.dumps([MENDED]), encoding="utf-8")
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_files(tmp_path / "class", {"Ana.txt": TEXT})


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def options(*arguments: str | Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    batch.add_arguments(parser)
    return parser.parse_args([str(argument) for argument in arguments])


@pytest.fixture
def call(database: Path, source: Path, out: Path) -> Callable[..., Run]:
    """Calls the command on the class, with a history of its own."""

    def run(*arguments: str | Path) -> Run:
        console = Console(io.StringIO(), io.StringIO())
        code = batch.run(
            options(source, "--out", out, *arguments),
            console,
            engine_factory=lambda device: Engine(tagger=FakeTagger()),
            history_factory=lambda: History.open(database),
        )
        return Run(code, console)

    return run


def hand_in(source: Path, name: str) -> None:
    """One more essay, which no rule mends."""
    write_files(source, {f"{name}.txt": f"{TEXT} {name} says so.\n"})


def page(out: Path, name: str) -> str:
    return (out / f"students/{name}.html").read_text(encoding="utf-8")


def test_going_on_uses_the_writer_again_and_says_so(
    call: Callable[..., Run], source: Path, out: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(script.parent)
    call("--writer", "fake", "--model", script.name)
    assert SAID in page(out, "Ana")
    hand_in(source, "Bo")
    monkeypatch.chdir(source)
    run = call("--resume")
    assert "Going on with the language model" in run.err
    assert SAID in page(out, "Bo")


def test_a_class_without_a_writer_goes_on_without(
    call: Callable[..., Run], source: Path, out: Path
) -> None:
    call()
    hand_in(source, "Bo")
    run = call("--resume")
    assert "Going on with" not in run.err
    assert SAID not in page(out, "Bo")


def test_another_writer_takes_its_place_for_good(
    call: Callable[..., Run], source: Path, out: Path, script: Path
) -> None:
    call("--writer", "fake", "--model", script)
    hand_in(source, "Bo")
    call("--resume", "--writer", "off")
    assert SAID not in page(out, "Bo")
    hand_in(source, "Cy")
    call("--resume")
    assert SAID not in page(out, "Cy")
    hand_in(source, "Di")
    call("--resume", "--writer", "fake", "--model", script)
    assert SAID in page(out, "Di")


def test_a_writer_that_is_gone_is_told_with_a_way_on(
    call: Callable[..., Run], source: Path, out: Path, script: Path
) -> None:
    call("--writer", "fake", "--model", script)
    script.unlink()
    hand_in(source, "Bo")
    with pytest.raises(UsageError) as caught:
        call("--resume")
    assert f"begun with the language model {script} on fake" in caught.value.message
    assert "--writer off" in caught.value.hint
    assert call("--resume", "--writer", "off").code == 0
    assert page(out, "Bo")


def test_a_writer_that_there_is_not_is_refused_before_anything_is_kept(
    call: Callable[..., Run], database: Path
) -> None:
    with pytest.raises(UsageError, match="no backend called 'lama-cpp'") as caught:
        call("--writer", "lama-cpp")
    assert caught.value.hint == "Did you mean llama-cpp?"
    with History.open(database) as history:
        assert Assignments(history).listed() == []


def test_no_key_of_a_server_is_kept(
    call: Callable[..., Run],
    database: Path,
    source: Path,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEGUE_SERVER_KEY", KEY)
    address = f"http://ana:{KEY}@127.0.0.1:9/v1?key={KEY}#{KEY}"
    call("--server", address, "--model", "tiny")
    with History.open(database) as history:
        kept = Assignments(history).find(str(source.absolute()), str(out.absolute()))
        assert kept is not None
        assert kept.writer.server == "http://127.0.0.1:9/v1"
        assert kept.writer.model == "tiny"
    everything = b"".join(path.read_bytes() for path in database.parent.glob("history.db*"))
    assert KEY.encode() not in everything
    run = call("--resume")
    assert "Going on with the language model tiny on the server http://127.0.0.1:9/v1" in run.err
    assert "sent there" in run.err


def test_the_command_that_goes_on_needs_no_writer() -> None:
    asked = options("class", "--out", "out", "--server", f"http://a:{KEY}@x/v1", "--model", "m")
    assert resume_command(asked) == "segue batch class --out out --format html,csv --resume"


def test_a_class_without_rewrites_takes_no_writer(call: Callable[..., Run]) -> None:
    call("--no-rewrites")
    with pytest.raises(UsageError, match="--no-rewrites"):
        call("--resume", "--writer", "llama-cpp")
