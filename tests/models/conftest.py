"""What the tests of models share: a store, a hub on this machine, an entry of a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.models.catalogue import CatalogueEntry
from engine.models.hub import Hub
from engine.models.store import ModelStore
from tests.models.catalogue_entries import WEIGHTS, gguf_entry
from tests.models.hub_server import HubServer, running


@pytest.fixture(autouse=True)
def _no_hub_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "shipped", tmp_path / "user")


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running(HubServer({"model.gguf": WEIGHTS, "README.md": b"# A model\n"})) as served:
        yield served


@pytest.fixture
def hub(server: HubServer) -> Iterator[Hub]:
    made = Hub(endpoint=server.address, stall_seconds=0.4)
    yield made
    made.close()


@pytest.fixture
def entry() -> CatalogueEntry:
    return gguf_entry()
