"""A check with a language model in the worker: chosen by the request, stopped, done without."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import ModelError
from engine.llm.fake import FakeGenerator
from engine.llm.writer import EditWriter, Heard
from engine.pipeline import Engine
from engine.worker.protocol import CheckRequest, ProtocolError, parse_request
from engine.worker.writers import Writers
from engine.writing import RULES_ALONE, WriterChoice
from tests.fakes import MIXED_ESSAY, FakeTagger
from tests.worker.parent import in_process

ESSAY = (
    "City life is hard. Many people live in one house. Good people never go out to see friends. "
    "Parks help people to rest."
)
"""The third sentence is flagged for what no rule mends (R4)."""
MENDED = "Good people go out to see friends."
SMALL = {"backend": "stored", "model": "small", "server": ""}


class Bench:
    """An engine that judges by keywords, and the writers that it was given."""

    def __init__(self, *, delay: float = 0.0, missing: bool = False, answer: str = MENDED) -> None:
        self.answer = answer
        self.engine = Engine(tagger=FakeTagger())
        self.writers = Writers(self.engine, opener=self._open)
        self.delay = delay
        self.missing = missing
        self.opened: list[tuple[WriterChoice, FakeGenerator]] = []

    def _open(self, choice: WriterChoice, on_text: Heard) -> EditWriter:
        if self.missing:
            raise ModelError("The language model small is not installed.", hint="Add it.")
        fake = FakeGenerator([self.answer], delay=self.delay)
        self.opened.append((choice, fake))
        return EditWriter(fake, id=choice.model, on_text=on_text)


def rewrites_in(reply: dict[str, Any]) -> list[dict[str, Any]]:
    rewrites: list[dict[str, Any]] = reply["analysis"]["findings"][0]["rewrites"]
    return rewrites


def test_the_writer_of_the_request_writes_and_is_named() -> None:
    bench = Bench()
    with in_process(bench.engine, writers=bench.writers) as parent:
        last = parent.job(id="1", text=ESSAY, writer=SMALL)[-1]
    (rewrite,) = rewrites_in(last)
    assert (rewrite["text"], rewrite["operator"], rewrite["writer"]) == (
        MENDED,
        "generated",
        "small",
    )
    assert last["analysis"]["writer"]["id"] == "small"


def test_what_the_rules_found_comes_before_what_is_generated() -> None:
    bench = Bench()
    with in_process(bench.engine, writers=bench.writers) as parent:
        replies = parent.job(
            id="1", text=ESSAY.replace("never go", "eat a banana and go"), writer=SMALL
        )
    found = [one["finding"] for one in replies if one["event"] == "found"]
    assert len(found) == 3
    assert found[0]["rewrites"] == []
    assert found[1]["rewrites"]
    assert not any("writer" in one for one in found[1]["rewrites"])
    assert any(one.get("writer") == "small" for one in found[2]["rewrites"])
    assert {one["key"] for one in found} == {found[0]["key"]}


def writing_in(replies: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(one["sentence"], one["text"]) for one in replies if one["event"] == "writing"]


def test_what_is_written_is_told_of_from_its_beginning_and_grows() -> None:
    bench = Bench()
    with in_process(bench.engine, writers=bench.writers) as parent:
        replies = parent.job(id="1", text=ESSAY, writer=SMALL)
    told = writing_in(replies)
    words = MENDED.split()
    assert told == [(2, " ".join(words[:count])) for count in range(len(words) + 1)]
    order = [one["event"] for one in replies]
    assert order.index("writing") > order.index("scored")
    last = len(order) - 1 - order[::-1].index("writing")
    assert "found" in order[last:], "the draft is judged before it is offered"


def test_every_job_hears_its_own_writing_from_a_model_that_is_kept() -> None:
    bench = Bench()
    with in_process(bench.engine, writers=bench.writers) as parent:
        parent.job(id="1", text=ESSAY, writer=SMALL)
        replies = parent.job(id="2", text="All is well. " + ESSAY, writer=SMALL)
        assert {one["id"] for one in replies} == {"2"}
        assert writing_in(replies)[-1] == (3, MENDED)
        assert writing_in(parent.job(id="3", text=ESSAY)) == []


@pytest.mark.parametrize("answer", ["DELETE", "[DELETE]", "<<<DELETE>>>"])
def test_the_sign_to_delete_a_sentence_is_never_shown_as_its_words(answer: str) -> None:
    bench = Bench(answer=answer)
    with in_process(bench.engine, writers=bench.writers) as parent:
        told = writing_in(parent.job(id="1", text=ESSAY, writer=SMALL))
    assert told
    assert {text for _, text in told} == {""}


def test_the_model_is_kept_while_it_is_wanted_and_closed_when_it_is_not() -> None:
    bench = Bench()
    with in_process(bench.engine, writers=bench.writers) as parent:
        parent.job(id="1", text=ESSAY, writer=SMALL)
        parent.job(id="2", text=ESSAY, writer=SMALL)
        assert [choice.model for choice, _ in bench.opened] == ["small"]
        parent.job(id="3", text=ESSAY, writer={**SMALL, "model": "large"})
        assert [choice.model for choice, _ in bench.opened] == ["small", "large"]
        assert rewrites_in(parent.job(id="4", text=ESSAY)[-1]) == []
    assert all(fake.is_closed for _, fake in bench.opened)


def test_a_model_that_is_missing_costs_only_the_generated_rewrites() -> None:
    bench = Bench(missing=True)
    with in_process(bench.engine, writers=bench.writers) as parent:
        last = parent.job(id="1", text=MIXED_ESSAY + " Good plans never help.", writer=SMALL)[-1]
    assert last["event"] == "finished"
    (notice,) = last["analysis"]["notices"]
    assert notice["code"] == "writer-failed"
    assert "small is not installed. Add it." in notice["message"]
    assert [bool(one["rewrites"]) for one in last["analysis"]["findings"]] == [True, True, False]


def test_a_check_can_be_stopped_while_text_is_written() -> None:
    bench = Bench(delay=20.0)
    with in_process(bench.engine, writers=bench.writers) as parent:
        parent.send(type="check", id="1", text=ESSAY, writer=SMALL)
        parent.until("found", job="1")
        parent.send(type="cancel", id="1")
        assert parent.until("cancelled", "finished", "failed")[-1]["event"] == "cancelled"


def test_an_engine_without_writers_refuses_to_generate() -> None:
    engine = Engine(tagger=FakeTagger())
    with in_process(engine) as parent:
        assert parent.job(id="1", text=ESSAY, writer=SMALL)[-1]["event"] == "failed"
        assert parent.job(id="2", text=ESSAY)[-1]["event"] == "finished"


def test_without_a_writer_the_rules_work_alone() -> None:
    request = parse_request(b'{"type": "check", "id": "1", "text": "One."}')
    assert isinstance(request, CheckRequest)
    assert request.writer == RULES_ALONE


@pytest.mark.parametrize("writer", ['"fast"', "7", '{"backend": 1}', '{"server": null}'])
def test_a_writer_that_makes_no_sense_is_refused(writer: str) -> None:
    for line in (
        f'{{"type": "check", "id": "1", "text": "One.", "writer": {writer}}}',
        f'{{"type": "batch", "id": "1", "history": "h", "assignment": 1, "writer": {writer}}}',
    ):
        with pytest.raises(ProtocolError, match="writer"):
            parse_request(line.encode())
