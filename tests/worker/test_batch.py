"""A class as a job of the worker: stored as it goes, paused, stopped, and gone on with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from engine.analysis import Analysis
from engine.classroom.model import State
from engine.essay import Essay
from engine.history import History
from engine.history.assignments import Assignments
from engine.pipeline import Engine
from engine.worker.protocol import BatchRequest, PauseRequest, ProtocolError, parse_request
from tests.classroom.class_files import write_class, write_files
from tests.classroom.class_runs import begun
from tests.fakes import FakeTagger
from tests.worker.parent import PATIENCE, Parent, child_process, in_process

LAST = ("class-finished", "cancelled", "failed")


class Gated(Engine):
    """An engine that checks an essay each time the test lets one through."""

    def __init__(self) -> None:
        super().__init__(tagger=FakeTagger())
        self.checked: list[str] = []
        self.has_begun = threading.Event()
        self.gate = threading.Semaphore(0)

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        rewrites: bool = True,
        only: Collection[int] | None = None,
        correct_grammar: bool = False,
        on_event: Callable[[Any], None] | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        self.checked.append(essay.text)
        self.has_begun.set()
        while not self.gate.acquire(timeout=0.01):
            if check_cancelled is not None:
                check_cancelled()
        return super().check(essay, rewrites=False, on_event=on_event)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def class_of(database: Path, tmp_path: Path, count: int, *, broken: bool = False) -> int:
    """A class that waits; with `broken`, one more file that cannot be read."""
    source = write_class(tmp_path / "class", count)
    if broken:
        write_files(source, {"Empty.txt": b""})
    with History.open(database) as history:
        return begun(history, source).id


def states(database: Path, assignment: int) -> list[State]:
    with History.open(database) as history:
        return [one.state for one in Assignments(history).load(assignment).submissions]


def start(parent: Parent, database: Path, assignment: int, **more: Any) -> None:
    parent.send(type="batch", id="b", history=str(database), assignment=assignment, **more)


def states_told(replies: list[dict[str, Any]]) -> list[str]:
    return [one["state"] for one in replies if one["event"] == "submission-changed"]


def test_a_class_is_checked_and_each_essay_told_of(database: Path, tmp_path: Path) -> None:
    assignment = class_of(database, tmp_path, 3)
    with in_process(Engine(tagger=FakeTagger())) as parent:
        start(parent, database, assignment)
        replies = parent.until(*LAST)
    assert replies[-1]["event"] == "class-finished"
    assert (replies[-1]["checked"], replies[-1]["failed"]) == (3, 0)
    assert states_told(replies) == ["checking", "checked"] * 3
    assert states(database, assignment) == [State.CHECKED] * 3
    progress = [one for one in replies if one["event"] == "class-progress"]
    assert progress[-1]["done"] == progress[-1]["total"] == 3
    assert {one["id"] for one in replies if one["event"] != "ready"} == {"b"}


def test_a_broken_file_is_told_of_and_retried_alone(database: Path, tmp_path: Path) -> None:
    assignment = class_of(database, tmp_path, 2, broken=True)
    with in_process(Engine(tagger=FakeTagger())) as parent:
        start(parent, database, assignment)
        first = parent.until(*LAST)
        start(parent, database, assignment, retry=True)
        second = parent.until(*LAST)
    assert (first[-1]["checked"], first[-1]["failed"]) == (2, 1)
    assert (second[-1]["checked"], second[-1]["failed"]) == (0, 1)


def test_a_stopped_class_goes_on_without_doing_anything_twice(
    database: Path, tmp_path: Path
) -> None:
    assignment = class_of(database, tmp_path, 4)
    engine = Gated()
    with in_process(engine) as parent:
        start(parent, database, assignment)
        engine.gate.release()
        until_states(parent, ["checking", "checked", "checking"])
        parent.send(type="cancel", id="b")
        assert parent.until(*LAST)[-1]["event"] == "cancelled"
        assert states(database, assignment).count(State.CHECKED) == 1
        for _essay in range(3):
            engine.gate.release()
        start(parent, database, assignment)
        last = parent.until(*LAST)[-1]
    assert (last["event"], last["checked"]) == ("class-finished", 3)
    assert states(database, assignment) == [State.CHECKED] * 4


def test_a_paused_class_waits_until_it_is_let_go_on(database: Path, tmp_path: Path) -> None:
    assignment = class_of(database, tmp_path, 2)
    engine = Gated()
    with in_process(engine) as parent:
        start(parent, database, assignment)
        until_states(parent, ["checking"])
        # That is told before the essay is read, which a pause would hold up as well.
        assert engine.has_begun.wait(PATIENCE)
        parent.send(type="pause", id="b")
        # Refused on the reading thread, so the pause before it has been read by then.
        parent.send_line(b"nonsense")
        parent.until("failed")
        engine.gate.release()
        engine.gate.release()
        assert states(database, assignment)[1] is State.WAITING
        assert len(engine.checked) == 1
        parent.send(type="resume", id="b")
        assert parent.until("class-finished")[-1]["checked"] == 2


def test_a_paused_class_can_be_stopped(database: Path, tmp_path: Path) -> None:
    assignment = class_of(database, tmp_path, 2)
    with in_process(Gated()) as parent:
        start(parent, database, assignment)
        until_states(parent, ["checking"])
        parent.send(type="pause", id="b")
        parent.send(type="cancel", id="b")
        assert parent.until(*LAST)[-1]["event"] == "cancelled"
    assert states(database, assignment) == [State.WAITING] * 2


def test_a_killed_worker_loses_one_essay_at_most(database: Path, tmp_path: Path) -> None:
    assignment = class_of(database, tmp_path, 3)
    with child_process("--delay", "0.5") as (parent, process):
        start(parent, database, assignment)
        until_states(parent, ["checking", "checked", "checking"])
        process.kill()
        process.wait(PATIENCE)
    with child_process() as (parent, _process):
        start(parent, database, assignment)
        last = parent.until(*LAST)[-1]
    assert (last["event"], last["checked"]) == ("class-finished", 2)
    assert states(database, assignment) == [State.CHECKED] * 3


def test_a_class_that_is_not_there_is_an_error_and_makes_no_database(
    database: Path, tmp_path: Path
) -> None:
    with in_process(Engine(tagger=FakeTagger())) as parent:
        start(parent, database, 7)
        failed = parent.until(*LAST)[-1]
    assert (failed["event"], failed["code"]) == ("failed", "history")
    assert not database.exists()


def test_requests_are_read() -> None:
    line = b'{"type": "batch", "id": "b", "history": "/h.db", "assignment": 3, "retry": true}'
    assert parse_request(line) == BatchRequest("b", Path("/h.db"), 3, retry=True)
    assert parse_request(b'{"type": "pause", "id": "b"}') == PauseRequest("b")
    assert parse_request(b'{"type": "resume", "id": "b"}') == PauseRequest("b", is_over=True)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "batch", "history": "/h.db", "assignment": 3}',
        b'{"type": "batch", "id": "b", "assignment": 3}',
        b'{"type": "batch", "id": "b", "history": "", "assignment": 3}',
        b'{"type": "batch", "id": "b", "history": "/h.db"}',
        b'{"type": "batch", "id": "b", "history": "/h.db", "assignment": "3"}',
        b'{"type": "batch", "id": "b", "history": "/h.db", "assignment": true}',
        b'{"type": "batch", "id": "b", "history": "/h.db", "assignment": 3, "retry": 1}',
        b'{"type": "pause"}',
        b'{"type": "resume"}',
    ],
)
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_request(line)


def until_states(parent: Parent, wanted: list[str]) -> None:
    """Read replies until these states were told of."""
    heard: list[str] = []
    while heard != wanted:
        reply = parent.until("submission-changed", *LAST)[-1]
        assert reply["event"] == "submission-changed", reply
        heard.append(reply["state"])
