"""`segue rewrite`: suggestions side by side, by rules or by a language model, stopped cleanly."""

from __future__ import annotations

import argparse
import io
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.commands import rewrite
from engine.commands.rewrite_output import suggestions_text
from engine.console import Console
from engine.documents import load as load_essay
from engine.errors import BackendError, ModelError, UsageError
from engine.events import Event, Found
from engine.exit_codes import ExitCode
from engine.llm.writer import EditWriter
from engine.pipeline import Engine
from engine.reports.model import CheckedEssay
from engine.resources import resources_folder
from tests.cli.cli_support import ESSAY, Run, Terminal
from tests.fakes import FakeTagger

SCHEMA = json.loads(
    (resources_folder() / "contracts" / "segue.rewrite-1.schema.json").read_text(encoding="utf-8")
)
TEXT = (
    "City life is hard. Many people live in one house. They seldom go out to see their friends. "
    "Parks help people to rest.\n"
)
"""Four sentences; the third is flagged for what it says (R2)."""
EDITED = "People seldom go out to see their friends."


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    path = tmp_path / "essay.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def script(folder: Path, *answers: str) -> Path:
    path = folder / "script.json"
    path.write_text(json.dumps(answers), encoding="utf-8")
    return path


def make_engine(device: str, writer: EditWriter | None) -> Engine:
    """An engine that judges by keywords and rewrites as always."""
    return Engine(tagger=FakeTagger(), generator=writer)


def run_rewrite(
    *arguments: str | Path,
    console: Console | None = None,
    engine_maker: Callable[[str, EditWriter | None], Any] = make_engine,
) -> Run:
    console = console or Console(io.StringIO(), io.StringIO())
    parser = argparse.ArgumentParser()
    rewrite.add_arguments(parser)
    options = parser.parse_args([str(argument) for argument in arguments])
    return Run(rewrite.run(options, console, engine_maker=engine_maker), console)


def rewrite_json(*arguments: str | Path) -> dict[str, Any]:
    result = json.loads(run_rewrite(*arguments, "--format", "json").out)
    jsonschema.validate(result, SCHEMA)
    assert isinstance(result, dict)
    return result


def test_marked_sentences_stand_beside_what_would_mend_them(essay: Path) -> None:
    essay.write_text(ESSAY, encoding="utf-8")
    run = run_rewrite(essay)
    assert run.code == ExitCode.OK
    assert "Line 1, sentence 3: Linking word (R3)" in run.out
    assert "[But] they are happy." in run.out
    assert " | [However,] they are happy." in run.out
    assert "answers Linking word (R3); rule: " in run.out
    assert "0.90 -> 0.05" in " ".join(run.out.split())
    assert " | (delete this sentence)" in run.out
    assert "2 of 2 sentences have a suggestion." in run.out
    assert "Made by Segue's own rules." in run.out
    assert max(len(line) for line in run.out.splitlines()) <= 80


@pytest.fixture
def contradiction(essay: Path) -> Path:
    """An essay whose third sentence is flagged for a reason that no rule mends (R4)."""
    changed = TEXT.replace("They seldom go out", "Good people never go out")
    essay.write_text(changed, encoding="utf-8")
    return essay


MENDED = "Good people go out to see their friends."


@pytest.mark.usefixtures("fake_backend")
def test_a_language_models_edit_is_offered_as_such(contradiction: Path, tmp_path: Path) -> None:
    path = script(tmp_path, f"Sure! Here is the edited sentence: {MENDED}")
    run = run_rewrite(contradiction, "--backend", "fake", "--model", path)
    assert "Good people [never] go out to see" in run.out
    assert "answers Contradiction (R4); language model;" in " ".join(run.out.split())
    assert "script (fake)" in run.out


def test_without_one_it_says_that_nothing_was_found(contradiction: Path) -> None:
    run = run_rewrite(contradiction)
    assert "0 of 1 sentences have a suggestion." in run.out
    assert "language model" not in run.out


@pytest.mark.usefixtures("fake_backend")
def test_the_contract_holds(contradiction: Path, tmp_path: Path) -> None:
    path = script(tmp_path, MENDED)
    result = rewrite_json(contradiction, "--backend", "fake", "--model", path, "--seed", "7")
    assert (result["schema"], result["is_complete"]) == ("segue.rewrite/1", True)
    writer = result["writer"]
    assert (writer["backend"], writer["seed"], writer["prompt"]) == ("fake", 7, "minimal-edit")
    assert writer["tokens"] > 0
    (sentence,) = result["sentences"]
    assert (sentence["sentence"], sentence["is_flagged"]) == (2, True)
    assert sentence["reasons"][0]["code"] == "R4"
    (one,) = [r for r in sentence["rewrites"] if r["operator"] == "generated"]
    assert one["text"] == MENDED
    assert (one["probability_before"], one["probability_after"]) == (0.9, 0.05)
    assert one["edits"] == [{"kind": "delete", "start": 12, "end": 18, "old": "never ", "new": ""}]
    assert one["reason"] == "R4"


def test_named_sentences_are_rewritten_marked_or_not(essay: Path) -> None:
    result = rewrite_json(essay, "--sentence", "4", "2")
    assert [one["sentence"] for one in result["sentences"]] == [1, 3]
    assert not any(one["is_flagged"] for one in result["sentences"])
    for one in result["sentences"]:
        kept = [r for r in one["rewrites"] if r["action"] == "replace" and r["clears"]]
        assert all(r["probability_after"] < one["probability"] for r in kept)


def test_an_essay_without_marks_says_so(essay: Path) -> None:
    essay.write_text("City life is hard. Many people live there.\n", encoding="utf-8")
    assert "No sentence is marked" in run_rewrite(essay).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sentence", "1"], "first sentence"),
        (["--sentence", "9"], "There is no sentence 9"),
        (["--sentence", "0"], "There is no sentence 0"),
        (["--backend", "lama-cp"], "no backend"),
        (["--model", "x.gguf"], "needs a backend"),
        (["--backend", "llama-cpp", "--server", "http://x"], "--server"),
        (["--versions", "0"], "--versions"),
        (["--backend", "server"], "No server is named"),
    ],
)
def test_what_makes_no_sense_is_refused(essay: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError) as error:
        run_rewrite(essay, *arguments)
    assert said in error.value.message


def test_without_an_installed_model_it_says_how_to_get_one(essay: Path) -> None:
    pytest.importorskip("llama_cpp")
    with pytest.raises((ModelError, BackendError)) as error:
        run_rewrite(essay, "--backend", "llama-cpp", "--model", "no-such-model")
    assert "no-such-model" in error.value.message


def test_a_server_is_named_before_anything_is_sent_there(essay: Path) -> None:
    console = Console(io.StringIO(), io.StringIO())
    with pytest.raises(BackendError):
        run_rewrite(
            essay, "--server", "http://127.0.0.1:9/v1", "--model", "m", "--sentence", "4",
            console=console,
        )  # fmt: skip
    assert isinstance(console.err, io.StringIO)
    assert "http://127.0.0.1:9/v1" in console.err.getvalue()
    assert "sent there" in console.err.getvalue()


def test_off_and_operators_both_want_nobody_to_write(essay: Path) -> None:
    plain = rewrite_json(essay)
    for name in ("off", "operators"):
        assert rewrite_json(essay, "--backend", name) == plain
        with pytest.raises(UsageError, match="needs a backend"):
            run_rewrite(essay, "--backend", name, "--model", "m")


@pytest.mark.usefixtures("fake_backend")
def test_on_a_terminal_the_text_is_shown_while_it_is_written(essay: Path, tmp_path: Path) -> None:
    console = Console(io.StringIO(), Terminal())
    path = script(tmp_path, EDITED)
    run_rewrite(essay, "--backend", "fake", "--model", path, "--sentence", "4", console=console)
    assert isinstance(console.err, io.StringIO)
    shown = console.err.getvalue()
    assert "... People seldom go" in shown
    assert shown.endswith("\r\033[K")


def test_ctrl_c_shows_what_is_done_and_stops(essay: Path) -> None:
    class Interrupted(Engine):
        def check(self, *args: Any, **kw: Any) -> Any:
            listener = kw["on_event"]

            def hear(event: Event) -> None:
                listener(event)
                if isinstance(event, Found) and event.finding.rewrites:
                    signal.raise_signal(signal.SIGINT)

            return super().check(*args, **{**kw, "on_event": hear})

    essay.write_text(ESSAY + "But they are many. But it is late.\n", encoding="utf-8")
    run = run_rewrite(
        essay,
        "--format",
        "json",
        engine_maker=lambda device, writer: Interrupted(tagger=FakeTagger(), generator=writer),
    )
    assert run.code == ExitCode.STOPPED
    result = json.loads(run.out)
    jsonschema.validate(result, SCHEMA)
    assert result["is_complete"] is False
    assert 1 <= len(result["sentences"]) < 4
    assert "Stopped" in run.err


def test_a_writer_without_a_name_is_still_called_something(essay: Path) -> None:
    writer = {"backend": "server", "model": "", "device": "server", "reason": "Runs elsewhere."}
    console = Console(io.StringIO(), io.StringIO())
    analysis = Engine(tagger=FakeTagger()).check(load_essay(essay))
    checked = CheckedEssay(str(essay), TEXT, (), analysis)
    shown = suggestions_text(checked, analysis.findings, writer, console.paint)
    assert "and a language model (server)." in " ".join(shown.split())
