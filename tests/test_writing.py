"""A check with a language model beside the rules: signed, recorded, and finished where it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.analysis import Analysis
from engine.errors import BackendError
from engine.essay import Essay
from engine.events import Event, Found
from engine.history import History
from engine.llm.fake import FakeGenerator
from engine.llm.standby import FAILED, StandbyWriter
from engine.llm.writer import EditWriter
from engine.pipeline import Engine
from engine.writing import WriterChoice
from tests.fakes import FakeTagger

ESSAY = Essay.from_text(
    "City life is hard. Many people live in one house. Good people never go out to see friends. "
    "Parks help people to rest."
)
"""The third sentence is flagged for what no rule mends (R4)."""
MENDED = "Good people go out to see friends."


def writer(*answers: str) -> StandbyWriter:
    """A writer that answers from a script."""
    fake = FakeGenerator(answers or [MENDED])
    return StandbyWriter(WriterChoice("fake"), lambda: EditWriter(fake, id="small-writer"))


def broken_writer() -> StandbyWriter:
    """A writer whose model is missing."""

    def missing() -> EditWriter:
        raise BackendError("llama_cpp is not installed.", hint="Install it.")

    return StandbyWriter(WriterChoice("stored", "small-writer"), missing)


@pytest.fixture
def engine() -> Engine:
    return Engine(tagger=FakeTagger())


def check(engine: Engine) -> tuple[Analysis, list[Event]]:
    heard: list[Event] = []
    return engine.check(ESSAY, on_event=heard.append), heard


def test_what_a_model_wrote_is_signed_and_the_model_is_recorded(engine: Engine) -> None:
    engine.write_with(writer())
    analysis, heard = check(engine)
    (rewrite,) = analysis.findings[0].rewrites
    assert (rewrite.text, rewrite.writer) == (MENDED, "small-writer")
    assert analysis.writer is not None
    assert (analysis.writer["id"], analysis.writer["backend"]) == ("small-writer", "fake")
    last = [event.finding for event in heard if isinstance(event, Found)][-1]
    assert last.rewrites[0].writer == "small-writer"
    assert analysis.notices == ()


def test_the_rules_sign_nothing(engine: Engine) -> None:
    analysis, _ = check(engine)
    assert analysis.writer is None
    assert "writer" not in analysis.as_dict()
    assert analysis.findings[0].rewrites == ()


def test_a_model_that_fails_leaves_the_check_whole(engine: Engine) -> None:
    bare, _ = check(engine)
    engine.write_with(broken_writer())
    analysis, _ = check(engine)
    assert analysis.findings == bare.findings
    (notice,) = analysis.notices
    assert notice.code == FAILED
    assert "llama_cpp is not installed. Install it." in notice.message
    assert analysis.writer is not None
    assert analysis.writer["reason"] == "llama_cpp is not installed."


def test_another_writer_takes_over_from_the_next_check_on(engine: Engine) -> None:
    engine.write_with(writer())
    check(engine)
    engine.write_with(None)
    assert check(engine)[0].findings[0].rewrites == ()
    engine.write_with(writer())
    assert check(engine)[0].findings[0].rewrites[0].text == MENDED


def test_nothing_is_opened_where_no_rewrites_are_wanted(engine: Engine) -> None:
    engine.write_with(broken_writer())
    analysis = engine.check(ESSAY, rewrites=False)
    assert (analysis.notices, analysis.writer) == ((), None)


def test_the_record_survives_the_wire_and_the_history(engine: Engine, tmp_path: Path) -> None:
    engine.write_with(writer())
    analysis, _ = check(engine)
    assert Analysis.from_dict(analysis.as_dict()).findings == analysis.findings
    with History.open(tmp_path / "history.db") as history:
        run = history.begin_run("essay", None, ESSAY.content_hash, ESSAY.text)
        history.finish_run(run, analysis)
        kept = history.run(run).analysis
    assert kept is not None
    assert kept.writer == analysis.writer
    assert kept.findings[0].rewrites[0].writer == "small-writer"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("https://name:key@host/v1?api-key=key#key", "https://host/v1"),
        ("name:key@host:8080/v1", "http://host:8080/v1"),
        ("http://[key", ""),
        ("", ""),
    ],
)
def test_an_address_can_be_had_without_its_secrets(address: str, kept: str) -> None:
    assert WriterChoice("server", "m", address).without_secrets().server == kept
