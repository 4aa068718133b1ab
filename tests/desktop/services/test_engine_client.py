"""The engine as a real child process: it finishes, it stops, it is killed, and the window goes on."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QObject, SignalInstance
from pytestqt.qtbot import QtBot

from desktop.services.engine_client import EngineClient
from engine.analysis import Analysis
from engine.essay import Essay
from engine.writing import WriterChoice
from tests.fakes import MIXED_ESSAY

PATIENCE = 120_000
"""Milliseconds; a test machine may be busy. The jobs that are stopped would take minutes."""

DEAF = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "warm":
        print(json.dumps({"id": "", "hash": "", "event": "ready"}), flush=True)
    if request["type"] == "check":
        step = {"event": "progress", "stage": "judging", "done": 0, "total": 5}
        print(json.dumps({"id": request["id"], "hash": "", **step}), flush=True)
time.sleep(600)
"""
"""A child that begins a check and then hears neither a cancel nor a shutdown."""

NO_MODEL = """
import json, sys
for line in sys.stdin:
    why = {"event": "failed", "code": "model", "message": "No model.", "hint": "Install one."}
    print(json.dumps({"id": json.loads(line).get("id"), "hash": "", **why}), flush=True)
"""
"""A child that cannot do anything."""

Factory = Callable[..., EngineClient]


class Heard(QObject):
    """Everything that a client says, in order."""

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self.events: list[tuple[str, tuple[Any, ...]]] = []
        for name in ("progress", "scored", "found", "finished", "cancelled", "failed", "crashed"):
            signal_: SignalInstance = getattr(client, name)
            signal_.connect(lambda *values, name=name: self.events.append((name, values)))

    def names(self) -> list[str]:
        return [name for name, _ in self.events]

    def last(self) -> tuple[Any, ...]:
        return self.events[-1][1]


@pytest.fixture
def client_with(qtbot: QtBot) -> Iterator[Factory]:
    clients: list[EngineClient] = []

    def make(*arguments: str, grace_ms: int = 2000, deaf: bool = False) -> EngineClient:
        fake = (sys.executable, "-m", "tests.worker.fake_worker", *arguments)
        command = (sys.executable, "-c", DEAF) if deaf else fake
        client = EngineClient(command=command, grace_ms=grace_ms)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.shutdown(0)


@pytest.mark.parametrize("ask", [EngineClient.describe, EngineClient.warm])
def test_an_engine_that_cannot_check_says_so_before_any_check(
    qtbot: QtBot, ask: Callable[[EngineClient], None]
) -> None:
    client = EngineClient(command=(sys.executable, "-c", NO_MODEL))
    with qtbot.waitSignal(client.unusable, timeout=PATIENCE) as told:
        ask(client)
    client.shutdown(0)
    assert told.args == [{"code": "model", "message": "No model.", "hint": "Install one."}]


def essay() -> Essay:
    return Essay.from_text(MIXED_ESSAY)


def check(client: EngineClient) -> str:
    return client.check(essay(), strictness="balanced")


def is_busy(client: EngineClient) -> bool:
    return client.busy


def test_a_check_finishes(qtbot: QtBot, client_with: Factory) -> None:
    client = client_with()
    heard = Heard(client)
    with qtbot.waitSignal(client.finished, timeout=PATIENCE):
        job_id = check(client)
        assert is_busy(client)
    assert not is_busy(client)
    analysis = heard.last()[1]
    assert isinstance(analysis, Analysis)
    assert analysis.content_hash == essay().content_hash
    assert [finding.sentence for finding in analysis.findings] == [2, 3]
    assert {values[0] for _, values in heard.events} == {job_id}
    names = heard.names()
    assert names.index("scored") < names.index("found") < names.index("finished")
    assert names.count("found") == 4


def test_a_stopped_check_ends_without_a_result_and_the_child_goes_on(
    qtbot: QtBot, client_with: Factory
) -> None:
    client = client_with("--delay", "60", grace_ms=PATIENCE)
    heard = Heard(client)
    with qtbot.waitSignal(client.progress, timeout=PATIENCE):
        job_id = check(client)
    child = client.process_id
    asked = time.monotonic()
    with qtbot.waitSignal(client.cancelled, timeout=PATIENCE) as stopped:
        client.cancel(job_id)
    assert stopped.args == [job_id]
    assert time.monotonic() - asked < 30
    assert not client.busy
    assert client.process_id == child
    assert "finished" not in heard.names()


def test_a_child_that_does_not_stop_is_replaced_after_the_grace_period(
    qtbot: QtBot, client_with: Factory
) -> None:
    client = client_with(deaf=True, grace_ms=100)
    with qtbot.waitSignal(client.progress, timeout=PATIENCE):
        job_id = check(client)
    child = client.process_id
    with qtbot.waitSignals([client.cancelled, client.ready], timeout=PATIENCE):
        client.cancel(job_id)
    assert client.process_id not in (0, child)
    qtbot.waitUntil(lambda: not psutil.pid_exists(child), timeout=PATIENCE)


def test_a_killed_child_is_reported_and_the_next_check_starts_another(
    qtbot: QtBot, client_with: Factory
) -> None:
    client = client_with("--delay", "3")
    heard = Heard(client)
    with qtbot.waitSignal(client.progress, timeout=PATIENCE):
        job_id = check(client)
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE) as crashed:
        os.kill(client.process_id, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    assert crashed.args[0] == job_id
    assert "stopped" in crashed.args[1]
    assert not client.busy
    assert client.process_id == 0
    with qtbot.waitSignal(client.finished, timeout=PATIENCE) as finished:
        second = client.check(essay(), strictness="balanced", rewrites=False)
    assert finished.args[0] == second != job_id
    assert heard.names().count("crashed") == 1


def test_a_child_that_cannot_start_is_reported(qtbot: QtBot) -> None:
    client = EngineClient(command=["/nowhere/at/all"])
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE) as crashed:
        client.start()
    assert crashed.args == ["", "The checking engine could not be started."]
    assert not client.busy
    client.shutdown()


def test_the_child_describes_its_engine(qtbot: QtBot, client_with: Factory) -> None:
    client = client_with()
    with qtbot.waitSignal(client.described, timeout=PATIENCE) as described:
        client.describe()
    assert {"model", "device"} <= set(described.args[0])


def test_another_command_takes_a_running_check_along(qtbot: QtBot, client_with: Factory) -> None:
    client = client_with("--delay", "300")
    with qtbot.waitSignal(client.progress, timeout=PATIENCE):
        job_id = check(client)
    with qtbot.waitSignal(client.finished, timeout=PATIENCE) as finished:
        client.restart((sys.executable, "-m", "tests.worker.fake_worker"))
    assert finished.args[0] == job_id


def test_shutting_down_during_a_check_takes_a_few_seconds_at_most(
    qtbot: QtBot, client_with: Factory
) -> None:
    client = client_with(deaf=True)
    with qtbot.waitSignal(client.progress, timeout=PATIENCE):
        check(client)
    child = client.process_id
    asked = time.monotonic()
    client.shutdown(300)
    assert time.monotonic() - asked < 30
    assert not psutil.pid_exists(child)


def say(client: EngineClient, **message: Any) -> None:
    client._on_message(message)


@pytest.fixture
def idle(client_with: Factory) -> EngineClient:
    """A client whose child says nothing by itself during the test."""
    return client_with("--delay", "300")


def test_events_of_unknown_jobs_and_other_texts_are_dropped(idle: EngineClient) -> None:
    heard = Heard(idle)
    job_id = check(idle)
    step = {"event": "progress", "stage": "judging", "done": 1, "total": 5}
    say(idle, id="another", hash=essay().content_hash, **step)
    say(idle, id=job_id, hash="another", **step)
    say(idle, id=job_id, hash="another", event="finished")
    assert heard.events == []
    assert idle.busy
    say(idle, id=job_id, hash=essay().content_hash, **step)
    assert heard.events == [("progress", (job_id, "judging", 1, 5))]


def test_a_draft_is_told_as_it_grows(idle: EngineClient) -> None:
    heard: list[tuple[str, int, str]] = []
    idle.writing.connect(lambda *told: heard.append(told))
    job_id = check(idle)
    for text in ("", "However,", "However, it"):
        say(idle, id=job_id, hash=essay().content_hash, event="writing", sentence=2, text=text)
    assert heard == [(job_id, 2, ""), (job_id, 2, "However,"), (job_id, 2, "However, it")]


def test_after_a_stop_nothing_but_the_stop_is_heard(idle: EngineClient) -> None:
    heard = Heard(idle)
    job_id = check(idle)
    idle.cancel(job_id)
    text = essay().content_hash
    say(idle, id=job_id, hash=text, event="progress", stage="judging", done=1, total=5)
    say(idle, id=job_id, hash=text, event="finished", analysis={})
    assert heard.events == [("cancelled", (job_id,))]
    say(idle, id=job_id, hash=text, event="cancelled")
    assert len(heard.events) == 1


@pytest.mark.parametrize(
    "broken",
    [
        {"event": "progress"},
        {"event": "writing", "text": "It"},
        {"event": "found", "finding": 3},
        {"event": "news"},
        {},
    ],
)
def test_an_event_that_cannot_be_read_does_no_harm(
    idle: EngineClient, broken: dict[str, Any]
) -> None:
    heard = Heard(idle)
    job_id = check(idle)
    say(idle, id=job_id, hash=essay().content_hash, **broken)
    assert heard.events == []
    assert idle.busy


def test_a_failure_comes_with_its_code_and_hint(idle: EngineClient) -> None:
    heard = Heard(idle)
    job_id = check(idle)
    say(
        idle, id=job_id, hash="", event="failed", code="model", message="Cut short.", hint="Doctor."
    )
    error = {"code": "model", "message": "Cut short.", "hint": "Doctor."}
    assert heard.events == [("failed", (job_id, error))]
    assert not idle.busy


CONTRADICTION = Essay.from_text(
    "City life is hard. Many people live in one house. Good people never go out to see friends. "
    "Parks help people to rest."
)
SMALL = WriterChoice("stored", "small")


def test_a_language_model_writes_in_the_child(qtbot: QtBot, client_with: Factory) -> None:
    client = client_with()
    with qtbot.waitSignal(client.finished, timeout=PATIENCE) as finished:
        client.check(CONTRADICTION, strictness="balanced", writer=SMALL)
    analysis: Analysis = finished.args[1]
    (rewrite,) = analysis.findings[0].rewrites
    assert (rewrite.text, rewrite.writer) == ("Good people go out to see friends.", "small")
    assert analysis.writer is not None
    assert analysis.writer["id"] == "small"


def test_a_check_is_stopped_while_text_is_generated(qtbot: QtBot, client_with: Factory) -> None:
    client = client_with("--writer-delay", "1", grace_ms=60_000)
    with qtbot.waitSignal(client.found, timeout=PATIENCE):
        job = client.check(CONTRADICTION, strictness="balanced", writer=SMALL)
    child = client.process_id
    with qtbot.waitSignal(client.cancelled, timeout=PATIENCE):
        client.cancel(job)
    assert client.process_id == child
    with qtbot.waitSignal(client.finished, timeout=PATIENCE) as finished:
        client.check(CONTRADICTION, strictness="balanced")
    assert finished.args[1].findings[0].rewrites == ()
