"""Work on a model as a job of the worker: installed, stopped and gone on with, brought in, verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.classroom.controls import Controls
from engine.errors import Cancelled, DownloadError, UsageError
from engine.models.catalogue import Catalogue
from engine.models.store import ModelStore, default_store
from engine.pipeline import Engine
from engine.worker.models import run_model_job
from engine.worker.protocol import ModelRequest, ProtocolError, parse_request
from tests.fakes import FakeTagger
from tests.models.catalogue_entries import WEIGHTS, folder_entry, gguf_entry
from tests.models.hub_server import HubServer, running
from tests.worker.parent import child_process, in_process

LAST = ("model-finished", "cancelled", "failed")
CATALOGUE = Catalogue((gguf_entry(), folder_entry()))


@pytest.fixture(autouse=True)
def _no_hub_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running(HubServer({"model.gguf": WEIGHTS})) as served:
        yield served


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "shipped", tmp_path / "user")


class Job:
    """Runs jobs on a store and collects what they send."""

    def __init__(self, store: ModelStore) -> None:
        self.store = store
        self.controls = Controls()
        self.sent: list[Mapping[str, Any]] = []

    def run(self, action: str, model: str = "", **fields: Any) -> None:
        request = ModelRequest("1", action, model, **fields)
        run_model_job(
            request, self.controls, self.sent.append, store=self.store, catalogue=CATALOGUE
        )


@pytest.fixture
def job(store: ModelStore) -> Job:
    return Job(store)


def test_a_model_is_installed_with_progress_on_the_way(job: Job, server: HubServer) -> None:
    job.run("install", "tiny-writer", mirror=server.address)
    assert job.store.get("tiny-writer") is not None
    assert [one["event"] for one in job.sent[:-1]] == ["model-progress"] * (len(job.sent) - 1)
    assert job.sent[-1] == {"event": "model-finished", "action": "install", "model": "tiny-writer"}


def test_a_job_that_was_stopped_before_its_turn_asks_nobody(job: Job, server: HubServer) -> None:
    job.controls.stop()
    with pytest.raises(Cancelled):
        job.run("install", "tiny-writer", mirror=server.address)
    assert server.requests == []


def test_a_licence_with_conditions_needs_consent(job: Job, server: HubServer) -> None:
    with pytest.raises(UsageError, match="conditions"):
        job.run("install", "big-writer", mirror=server.address)


def test_a_file_is_brought_in_and_verified(job: Job, tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(WEIGHTS)
    job.run("import", path=tmp_path / "mine.gguf")
    assert job.sent[-1]["model"] == "mine"
    job.run("verify", "mine")
    assert job.sent[-1] == {"event": "model-finished", "action": "verify", "model": "mine"}


def test_where_downloads_are_off_it_is_said(
    job: Job, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DownloadError, match="switched off"):
        job.run("install", "tiny-writer", mirror=server.address)


def test_the_loop_answers_with_the_jobs_id(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(WEIGHTS)
    with in_process(Engine(tagger=FakeTagger())) as parent:
        parent.send(type="model", id="5", action="import", path=str(tmp_path / "mine.gguf"))
        replies = parent.until(*LAST)
        assert replies[-1]["event"] == "model-finished"
        assert {one["id"] for one in replies[1:]} == {"5"}
        parent.send(type="model", id="6", action="verify", model="none")
        failed = parent.until(*LAST)[-1]
    assert (failed["id"], failed["code"]) == ("6", "usage")
    assert default_store().get("mine") is not None


def test_a_download_in_a_child_is_stopped_and_goes_on(server: HubServer) -> None:
    request = {
        "type": "model",
        "action": "install",
        "model": "tiny-writer",
        "mirror": server.address,
    }
    server.slow.set()
    with child_process(module="tests.worker.fake_model_worker") as (parent, _process):
        parent.send(**request, id="1")
        while parent.until("model-progress", *LAST)[-1]["done"] < 20_000:
            pass
        parent.send(type="cancel", id="1")
        assert parent.until(*LAST)[-1]["event"] == "cancelled"
        server.slow.clear()
        parent.send(**request, id="2")
        assert parent.until(*LAST)[-1]["event"] == "model-finished"
    assert server.downloads()[-1].startswith("bytes=")
    assert default_store().get("tiny-writer") is not None


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"model","action":"install","model":"m"}',
        b'{"type":"model","id":"1","action":"install"}',
        b'{"type":"model","id":"1","action":"import","model":"m"}',
        b'{"type":"model","id":"1","action":"delete","model":"m"}',
        b'{"type":"model","id":"1","action":"install","model":7}',
        b'{"type":"model","id":"1","action":"install","model":"m","accept_licence":"yes"}',
    ],
)
def test_a_request_that_makes_no_sense_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_request(line)


def test_a_request_carries_where_to_download_from() -> None:
    line = (
        b'{"type":"model","id":"1","action":"install","model":"m","accept_licence":true,'
        b'"mirror":"https://m","proxy":"http://p:1"}'
    )
    assert parse_request(line) == ModelRequest(
        "1", "install", "m", None, True, "https://m", "http://p:1"
    )
