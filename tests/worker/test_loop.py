from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from engine.analysis import Analysis
from engine.errors import ModelError
from engine.essay import Essay
from engine.events import EventListener, event_from_dict
from engine.pipeline import Engine
from engine.worker import loop, protocol
from tests.fakes import MIXED_ESSAY, FakeTagger
from tests.worker.parent import LAST_EVENTS, PATIENCE, in_process


class Held:
    """An engine whose checks wait until the test lets them go on."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.checked: list[str] = []
        self.release = threading.Event()
        self.warmed = 0

    def warm(self) -> None:
        self.warmed += 1

    def describe(self) -> dict[str, Any]:
        return {"model": {"id": "held"}, "device": {}}

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        rewrites: bool = True,
        correct_grammar: bool = False,
        on_event: EventListener | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        self.checked.append(essay.text)
        assert check_cancelled is not None
        while not self.release.wait(0.01):
            check_cancelled()
        if self.error is not None:
            raise self.error
        return Engine(tagger=FakeTagger()).check(essay, rewrites=False, on_event=on_event)


def test_ready_comes_first_with_the_versions() -> None:
    with in_process(Held()) as parent:
        ready = parent.next()
    assert ready["event"] == "ready"
    assert ready["protocol"] == protocol.PROTOCOL_VERSION
    assert (ready["id"], ready["hash"]) == ("", "")


def test_every_event_of_a_job_carries_its_id_and_the_hash_of_its_text() -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        replies = parent.job(id="7", text=MIXED_ESSAY)[1:]
    assert {reply["id"] for reply in replies} == {"7"}
    assert {reply["hash"] for reply in replies} == {Essay.from_text(MIXED_ESSAY).content_hash}


def test_the_events_are_those_of_the_engine() -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        replies = parent.job(id="7", text=MIXED_ESSAY, rewrites=False)[1:]
    heard: list[Any] = []
    Engine(tagger=FakeTagger()).check(
        Essay.from_text(MIXED_ESSAY), rewrites=False, on_event=heard.append
    )
    assert [reply["event"] for reply in replies] == [event.as_dict()["event"] for event in heard]
    assert [event_from_dict(reply) for reply in replies[:-1]] == heard[:-1]


def test_jobs_that_arrive_while_one_runs_wait_their_turn() -> None:
    engine = Held()
    with in_process(engine) as parent:
        for job in ("1", "2", "3"):
            parent.send(type="check", id=job, text=f"{job} one. {job} two.")
        engine.release.set()
        last = [parent.until(*LAST_EVENTS)[-1]["id"] for _ in range(3)]
    assert last == ["1", "2", "3"]


def test_a_running_job_is_cancelled() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="check", id="1", text="One. Two.")
        parent.send(type="cancel", id="1")
        assert parent.until(*LAST_EVENTS)[-1]["event"] == "cancelled"


def test_a_waiting_job_is_cancelled_without_being_run() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="check", id="1", text="First one. Two.")
        parent.send(type="check", id="2", text="Second one. Two.")
        parent.send(type="cancel", id="2")
        parent.send(type="cancel", id="1")
        assert parent.until(*LAST_EVENTS, job="2")[-1]["event"] == "cancelled"
    assert "Second one. Two." not in engine.checked


def test_cancelling_an_unknown_job_is_harmless() -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        parent.send(type="cancel", id="99")
        assert parent.job(id="1", text=MIXED_ESSAY, rewrites=False)[-1]["event"] == "finished"


def test_an_id_in_use_is_refused_and_the_first_job_goes_on() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="check", id="1", text="One. Two.")
        parent.send(type="check", id="1", text="Three. Four.")
        assert parent.until("failed")[-1]["code"] == "protocol"
        engine.release.set()
        assert parent.until("finished")[-1]["id"] == "1"


@pytest.mark.parametrize("line", [b"nonsense", b"\xff", b'{"type":"fly"}', b"[" * 100_000])
def test_a_malformed_line_is_answered_and_the_loop_goes_on(line: bytes) -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        parent.send_line(line)
        failed = parent.until("failed")[-1]
        assert (failed["code"], failed["id"]) == ("protocol", "")
        assert parent.job(id="1", text=MIXED_ESSAY, rewrites=False)[-1]["event"] == "finished"


def test_blank_lines_are_passed_over() -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        parent.send_line(b"")
        parent.send_line(b"  \r")
        replies = parent.job(id="1", text=MIXED_ESSAY, rewrites=False)
    assert "failed" not in {reply["event"] for reply in replies}


def test_a_line_that_is_too_long_is_answered_and_dropped_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loop, "LONGEST_LINE", 1000)
    with in_process(Engine(tagger=FakeTagger())) as parent:
        parent.send_line(b'{"type":"check","id":"1","text":"' + b"a" * 5000 + b'"}')
        assert parent.until("failed")[-1]["message"] == "A line is too long."
        assert parent.job(id="2", text=MIXED_ESSAY, rewrites=False)[-1]["event"] == "finished"


def test_an_error_of_segue_is_passed_on_in_its_own_words() -> None:
    engine = Held(ModelError("model.onnx is missing.", hint="Install it."))
    engine.release.set()
    with in_process(engine) as parent:
        failed = parent.job(id="1", text="One. Two.")[-1]
    assert (failed["event"], failed["code"]) == ("failed", "model")
    assert (failed["message"], failed["hint"]) == ("model.onnx is missing.", "Install it.")


def test_a_bug_fails_its_job_keeps_the_essay_out_of_the_log_and_ends_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from engine.log import PrivateFormatter

    caplog.handler.setFormatter(PrivateFormatter("%(message)s"))
    engine = Held(KeyError("words of my essay"))
    engine.release.set()
    with caplog.at_level(logging.INFO), in_process(engine) as parent:
        failed = parent.job(id="1", text="One. Two.")[-1]
        assert failed["code"] == "bug"
        assert failed["message"]
        assert failed["hint"]
        engine.error = None
        assert parent.job(id="2", text="One. Two.")[-1]["event"] == "finished"
    assert "words of my essay" not in str(failed)
    assert "in check" in caplog.text
    assert "KeyError" in caplog.text
    assert "words of my essay" not in caplog.text


def test_running_out_of_memory_is_told_apart() -> None:
    engine = Held(MemoryError())
    engine.release.set()
    with in_process(engine) as parent:
        assert parent.job(id="1", text="One. Two.")[-1]["code"] == "backend"


def test_an_empty_essay_fails_with_its_code() -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        assert parent.job(id="1", text="  \n ")[-1]["code"] == "empty-essay"


def test_describe_answers_under_its_id_and_warm_under_none() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="describe", id="d")
        parent.send(type="warm")
        first, second = parent.until("described")[-1], parent.until("described")[-1]
    assert (first["id"], first["model"]) == ("d", {"id": "held"})
    assert second["id"] == ""
    assert engine.warmed == 1


def test_shutdown_cancels_what_runs_and_what_waits_and_ends() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="check", id="1", text="One. Two.")
        parent.send(type="check", id="2", text="One. Two.")
        parent.send(type="shutdown")
        events = [(reply["id"], reply["event"]) for reply in parent.rest()]
    assert events == [("", "ready"), ("1", "cancelled"), ("2", "cancelled")]


def test_the_end_of_the_input_cancels_and_ends_and_loads_no_model() -> None:
    engine = Held()
    with in_process(engine) as parent:
        parent.send(type="check", id="1", text="One. Two.")
        parent.send(type="warm")
        parent.hang_up()
        events = [reply["event"] for reply in parent.rest()]
    assert events == ["ready", "cancelled"]
    assert engine.warmed == 0


def test_a_parent_that_no_longer_reads_ends_the_loop() -> None:
    import os

    requests_out, requests_in = os.pipe()
    replies_out, replies_in = os.pipe()
    engine = Held()
    reader, writer = os.fdopen(requests_out, "rb"), os.fdopen(replies_in, "wb", buffering=0)
    worker = threading.Thread(target=loop.serve, args=(engine, reader, writer))
    worker.start()
    os.read(replies_out, 1)
    os.close(replies_out)
    os.write(requests_in, b'{"type":"describe","id":"1"}\n{"type":"describe","id":"2"}\n')
    worker.join(PATIENCE)
    assert not worker.is_alive()
    os.close(requests_in)
    reader.close()
    writer.close()


def test_the_caller_hears_once_that_no_more_will_come() -> None:
    import io

    heard: list[str] = []
    done = threading.Event()

    def note() -> None:
        heard.append(threading.current_thread().name)
        done.set()

    loop.serve(Held(), io.BytesIO(b""), io.BytesIO(), on_end=note)
    assert done.wait(PATIENCE)
    assert heard == ["worker-requests"]
