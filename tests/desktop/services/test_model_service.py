"""The window's models: fetched in a real child from a hub on this machine, stopped, gone on with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.model_service import ModelListing, ModelService, Task
from desktop.services.settings import Settings
from engine.models.overview import ModelOverview, ModelState
from engine.models.progress import ModelProgress
from engine.models.store import default_store
from tests.models.catalogue_entries import WEIGHTS
from tests.models.hub_server import HubServer, running
from tests.worker.fake_model_worker import CATALOGUE

PATIENCE = 60_000
CHILD = (sys.executable, "-m", "tests.worker.fake_model_worker")
MODEL, NAME = "tiny-writer", "Tiny Writer"

Service = Callable[..., ModelService]


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running(HubServer({"model.gguf": WEIGHTS})) as served:
        yield served


@pytest.fixture
def service(qtbot: QtBot, tmp_path: Path, server: HubServer) -> Iterator[Service]:
    made: list[ModelService] = []

    def make(*, command: tuple[str, ...] = CHILD, grace_ms: int = PATIENCE) -> ModelService:
        settings = Settings(tmp_path / "settings.json")
        settings.download_mirror = server.address
        made.append(ModelService(command, settings, catalogue=CATALOGUE, grace_ms=grace_ms))
        return made[-1]

    yield make
    server.held.set()
    for one in made:
        one.close(PATIENCE)


def listed(qtbot: QtBot, service: ModelService) -> dict[str, ModelOverview]:
    with qtbot.waitSignal(service.listed, timeout=PATIENCE) as signal:
        service.refresh()
    assert signal.args is not None
    listing = signal.args[0]
    assert isinstance(listing, ModelListing)
    return {one.id: one for one in listing.models}


def wait_for_end(qtbot: QtBot, service: ModelService) -> None:
    qtbot.waitUntil(lambda: service.running is None, timeout=PATIENCE)


def wait_for_bytes(qtbot: QtBot, service: ModelService, count: int) -> None:
    heard: list[int] = []
    service.progressed.connect(lambda _task, progress: heard.append(progress.done))
    qtbot.waitUntil(lambda: bool(heard) and heard[-1] >= count, timeout=PATIENCE)


def test_a_model_is_downloaded_with_progress_and_then_on_the_list(
    qtbot: QtBot, service: Service
) -> None:
    made = service()
    heard: list[tuple[Task, ModelProgress]] = []
    said: list[tuple[str, str, str]] = []
    made.progressed.connect(lambda task, progress: heard.append((task, progress)))
    made.message.connect(lambda *message: said.append(message))
    assert listed(qtbot, made)[MODEL].state is ModelState.AVAILABLE
    made.install(MODEL, NAME)
    assert made.is_running(MODEL)
    wait_for_end(qtbot, made)
    assert said == [("info", "Tiny Writer is installed.", "")]
    assert heard[-1][0].model == MODEL
    assert heard[-1][1].done == len(WEIGHTS)
    assert listed(qtbot, made)[MODEL].state is ModelState.INSTALLED


def test_a_paused_download_keeps_its_bytes_and_goes_on(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service()
    server.slow.set()
    made.install(MODEL, NAME)
    wait_for_bytes(qtbot, made, 20_000)
    made.stop(MODEL)
    assert made.is_stopping
    wait_for_end(qtbot, made)
    found = listed(qtbot, made)[MODEL]
    assert found.state is ModelState.PARTIAL
    assert found.done_bytes >= 20_000
    server.slow.clear()
    made.install(MODEL, NAME)
    wait_for_end(qtbot, made)
    assert server.downloads()[-1].startswith("bytes=")
    assert listed(qtbot, made)[MODEL].state is ModelState.INSTALLED


def test_a_server_that_says_nothing_does_not_hold_up_a_pause(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service(grace_ms=200)
    server.faults, server.stall_after = 1, 40_960
    made.install(MODEL, NAME)
    store = default_store()
    qtbot.waitUntil(lambda: store.partials().get(MODEL, 0) >= 30_000, timeout=PATIENCE)
    made.stop(MODEL)
    wait_for_end(qtbot, made)
    assert store.partials()[MODEL] >= 30_000
    assert store.get(MODEL) is None


def test_a_download_that_runs_can_be_deleted(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service()
    server.slow.set()
    made.install(MODEL, NAME)
    wait_for_bytes(qtbot, made, 20_000)
    with qtbot.waitSignal(made.listed, timeout=PATIENCE):
        made.delete_part(MODEL)
    assert default_store().partials() == {}


def test_a_paused_download_can_be_deleted(qtbot: QtBot, service: Service) -> None:
    store = default_store()
    store.partial_folder(MODEL).mkdir(parents=True)
    (store.partial_folder(MODEL) / "x.part").write_bytes(b"12345")
    made = service()
    with qtbot.waitSignal(made.listed, timeout=PATIENCE):
        made.delete_part(MODEL)
    assert store.partials() == {}


def test_one_waits_until_the_other_is_done_and_can_be_taken_back(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service()
    server.slow.set()
    made.install(MODEL, NAME)
    made.install("big-writer", "Big", accept_licence=True)
    made.install("big-writer", "Big", accept_licence=True)
    assert made.is_waiting("big-writer")
    made.stop("big-writer")
    assert not made.is_waiting("big-writer")
    server.slow.clear()
    wait_for_end(qtbot, made)
    assert default_store().get("big-writer") is None


def test_what_goes_wrong_is_told_with_what_to_do(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service()
    server.repository = "someone/else"
    with qtbot.waitSignal(made.message, timeout=PATIENCE) as signal:
        made.install(MODEL, NAME)
    assert signal.args is not None
    assert signal.args[0] == "error"
    assert "no longer" in signal.args[1]
    assert signal.args[2]
    assert made.running is None


def test_a_child_that_does_not_start_is_told(qtbot: QtBot, service: Service) -> None:
    made = service(command=("segue-has-no-such-program",))
    with qtbot.waitSignal(made.message, timeout=PATIENCE) as signal:
        made.install(MODEL, NAME)
    assert signal.args is not None
    assert "stopped unexpectedly" in signal.args[1]
    assert made.running is None


def test_a_file_is_brought_in_checked_found_damaged_and_removed(
    qtbot: QtBot, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "mine.gguf").write_bytes(WEIGHTS)
    made = service()
    made.bring_in(tmp_path / "mine.gguf")
    wait_for_end(qtbot, made)
    # The catalogue recognised it by its checksum.
    assert listed(qtbot, made)["mine"].licence == "Apache-2.0"
    (default_store().folder("mine") / "mine.gguf").write_bytes(b"x" + WEIGHTS[1:])
    with qtbot.waitSignal(made.message, timeout=PATIENCE) as signal:
        made.verify("mine", "Mine")
    assert signal.args is not None
    assert signal.args[0] == "error"
    assert "checksum" in made.damaged["mine"]
    with qtbot.waitSignal(made.message, timeout=PATIENCE):
        made.remove("mine", "Mine")
    assert made.damaged == {}
    assert default_store().get("mine") is None


def test_closing_in_the_middle_keeps_what_is_there(
    qtbot: QtBot, service: Service, server: HubServer
) -> None:
    made = service()
    server.slow.set()
    made.install(MODEL, NAME)
    wait_for_bytes(qtbot, made, 20_000)
    made.close(PATIENCE)
    assert default_store().partials()[MODEL] >= 20_000
