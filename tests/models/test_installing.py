"""Installing a model of the catalogue, from asking the hub to a model that can be loaded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from engine.errors import Cancelled, DownloadError, ModelError, UsageError
from engine.models.catalogue import CatalogueEntry
from engine.models.hub import Hub
from engine.models.installing import Installer, verify_model
from engine.models.manifest import load_manifest, verify
from engine.models.progress import ModelProgress, Stage
from engine.models.store import ModelStore
from tests.models.catalogue_entries import WEIGHTS, folder_entry, gguf_entry
from tests.models.hub_server import COMMIT, HubServer

FOLDER_FILES = {
    "config.json": b'{"model_type": "llama"}',
    "tokenizer.json": b"{}",
    "model-00001-of-00002.safetensors": b"first " * 9_000,
    "model-00002-of-00002.safetensors": b"second " * 9_000,
    "pytorch_model.bin": b"pickled",
}


@pytest.fixture
def installer(store: ModelStore, hub: Hub) -> Installer:
    return Installer(store, hub, sleep=lambda _seconds: None)


def test_an_installed_model_is_found_by_its_role_and_its_id(
    installer: Installer, store: ModelStore, entry: CatalogueEntry
) -> None:
    folder = installer.install(entry)
    assert store.find("writer") == store.folder("tiny-writer") == folder
    assert (folder / "model.gguf").read_bytes() == WEIGHTS
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "model.gguf"]


def test_the_manifest_says_what_was_installed_and_where_it_is_from(
    installer: Installer, server: HubServer, entry: CatalogueEntry
) -> None:
    manifest = load_manifest(installer.install(entry))
    assert (manifest.id, manifest.role, manifest.licence) == ("tiny-writer", "writer", "Apache-2.0")
    assert manifest.formats == {"gguf": "model.gguf"}
    assert manifest.files["model.gguf"].sha256 == hashlib.sha256(WEIGHTS).hexdigest()
    assert manifest.thresholds == {}
    assert manifest.settings == {"thinking": False}
    assert manifest.recipe["source"] == f"{server.address}/someone/model"
    assert manifest.recipe["commit"] == COMMIT
    assert manifest.recipe["checksums"] == "catalogue"


def test_a_model_of_several_files_takes_those_that_fit_and_the_hubs_checksums(
    installer: Installer, server: HubServer
) -> None:
    server.files, server.small = FOLDER_FILES, frozenset({"config.json"})
    folder = installer.install(folder_entry(), accept_licence=True)
    manifest = load_manifest(folder)
    assert set(manifest.files) == set(FOLDER_FILES) - {"pytorch_model.bin"}
    assert manifest.recipe["checksums"] == "hub"
    verify(folder, manifest, again=True)


def test_a_licence_with_conditions_has_to_be_accepted(
    installer: Installer, server: HubServer
) -> None:
    with pytest.raises(UsageError, match="Llama 2 Community License") as caught:
        installer.install(folder_entry())
    assert "--accept-licence" in caught.value.hint
    assert server.requests == []


def test_progress_goes_from_looking_to_the_last_byte(
    installer: Installer, entry: CatalogueEntry
) -> None:
    heard: list[ModelProgress] = []
    installer.install(entry, on_progress=heard.append)
    assert heard[0].stage is Stage.LOOKING
    assert (heard[-1].stage, heard[-1].done, heard[-1].total) == (
        Stage.DOWNLOADING,
        len(WEIGHTS),
        len(WEIGHTS),
    )


def test_a_model_that_is_there_is_not_fetched_again(
    installer: Installer, server: HubServer, entry: CatalogueEntry
) -> None:
    first = installer.install(entry)
    asked = len(server.requests)
    assert installer.install(entry) == first
    assert len(server.requests) == asked


def test_of_a_damaged_model_only_the_damaged_file_is_fetched_again(
    installer: Installer, server: HubServer
) -> None:
    server.files = FOLDER_FILES
    entry = folder_entry()
    folder = installer.install(entry, accept_licence=True)
    (folder / "model-00002-of-00002.safetensors").write_bytes(b"short")
    server.requests.clear()
    installer.install(entry, accept_licence=True)
    fetched = [path for path, _range in server.requests if "/resolve/" in path]
    assert [path.rpartition("/")[2] for path in fetched] == ["model-00002-of-00002.safetensors"]
    verify(folder, load_manifest(folder), again=True)


def test_a_stopped_install_goes_on_where_it_was(
    installer: Installer, server: HubServer, store: ModelStore, entry: CatalogueEntry
) -> None:
    heard: list[ModelProgress] = []

    def stop_half_way() -> None:
        if store.partials().get("tiny-writer", 0) > 100_000:
            raise Cancelled

    with pytest.raises(Cancelled):
        installer.install(entry, on_progress=heard.append, check_cancelled=stop_half_way)
    assert store.get("tiny-writer") is None
    left = store.partials()["tiny-writer"]
    installer.install(entry)
    assert server.downloads()[-1] == f"bytes={left}-"
    assert store.partials() == {}


def test_a_new_version_on_the_hub_does_not_go_on_with_the_old_ones_bytes(
    installer: Installer, server: HubServer, store: ModelStore
) -> None:
    server.files = FOLDER_FILES
    entry = folder_entry()
    partial = store.partial_folder(entry.id)
    partial.mkdir(parents=True)
    (partial / "model-00001-of-00002.safetensors.0123456789abcdef.part").write_bytes(b"old")
    folder = installer.install(entry, accept_licence=True)
    assert not list(folder.glob("*.part"))


def test_a_disk_without_room_is_found_out_before_the_download(
    store: ModelStore, hub: Hub, server: HubServer, entry: CatalogueEntry
) -> None:
    installer = Installer(store, hub, free=lambda _folder: 200_000_000)
    with pytest.raises(DownloadError, match="not enough room"):
        installer.install(entry)
    assert server.downloads() == []


def test_what_is_there_already_counts_as_room(
    store: ModelStore, hub: Hub, entry: CatalogueEntry
) -> None:
    partial = store.partial_folder(entry.id)
    partial.mkdir(parents=True)
    mark = entry.files["model.gguf"][:16]
    (partial / f"model.gguf.{mark}.part").write_bytes(WEIGHTS[:250_000])
    Installer(store, hub, free=lambda _folder: 200_000_000 + 60_000).install(entry)
    assert store.get(entry.id) is not None


def test_another_file_than_the_one_that_the_catalogue_knows_is_refused(
    installer: Installer, server: HubServer, entry: CatalogueEntry
) -> None:
    server.files = {"model.gguf": b"x" + WEIGHTS[1:]}
    with pytest.raises(DownloadError, match=r"another model\.gguf"):
        installer.install(entry)
    assert server.downloads() == []


def test_a_file_that_the_repository_has_lost_is_named(
    installer: Installer, server: HubServer, entry: CatalogueEntry
) -> None:
    server.files = {"other.gguf": WEIGHTS}
    with pytest.raises(DownloadError, match=r"does not hold model\.gguf"):
        installer.install(entry)


def test_a_repository_that_is_gone_is_named(installer: Installer) -> None:
    with pytest.raises(DownloadError, match="no longer"):
        installer.install(gguf_entry(repository="someone/gone"))


def test_a_hub_that_is_busy_at_first_is_asked_again(
    installer: Installer, server: HubServer, store: ModelStore, entry: CatalogueEntry
) -> None:
    server.status, server.faults = 503, 2
    installer.install(entry)
    assert store.get(entry.id) is not None


def test_a_hub_that_cannot_be_reached_says_what_to_look_at(
    store: ModelStore, entry: CatalogueEntry
) -> None:
    away = Hub(endpoint="http://127.0.0.1:9", stall_seconds=1.0)
    with pytest.raises(DownloadError, match="connection") as caught:
        Installer(store, away, sleep=lambda _seconds: None).install(entry)
    assert "--proxy" in caught.value.hint
    away.close()


def test_a_file_name_that_leads_out_of_the_folder_is_refused(
    installer: Installer, server: HubServer
) -> None:
    server.files = {**FOLDER_FILES, "../evil.json": b"{}"}
    with pytest.raises(DownloadError, match="leads out"):
        installer.install(folder_entry(), accept_licence=True)


def test_two_at_once_do_not_write_into_each_other(
    installer: Installer, store: ModelStore, entry: CatalogueEntry
) -> None:
    with store.alone(entry.id), pytest.raises(DownloadError, match="already"):
        installer.install(entry)


def test_a_shipped_model_is_not_downloaded(
    installer: Installer, store: ModelStore, entry: CatalogueEntry, hub: Hub
) -> None:
    folder = installer.install(entry)
    store.shipped.mkdir()
    folder.rename(store.shipped / entry.id)
    with pytest.raises(UsageError, match="part of Segue already"):
        installer.install(entry)


def test_verifying_finds_a_changed_byte_and_tells_how_far_it_is(
    installer: Installer, store: ModelStore, entry: CatalogueEntry
) -> None:
    folder = installer.install(entry)
    heard: list[ModelProgress] = []
    verify_model(store, entry.id, on_progress=heard.append)
    assert (heard[-1].stage, heard[-1].done) == (Stage.CHECKING, len(WEIGHTS))
    (folder / "model.gguf").write_bytes(b"x" + WEIGHTS[1:])
    with pytest.raises(ModelError, match="checksum"):
        verify_model(store, entry.id)


def test_verifying_can_be_stopped(
    installer: Installer, store: ModelStore, entry: CatalogueEntry
) -> None:
    installer.install(entry)

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        verify_model(store, entry.id, check_cancelled=stop)


def test_a_fresh_model_is_not_read_once_more_when_it_is_loaded(
    installer: Installer, entry: CatalogueEntry, _own_user_folders: Path
) -> None:
    folder = installer.install(entry)
    caches = list(_own_user_folders.rglob("verified-models.json"))
    assert len(caches) == 1
    assert str((folder / "model.gguf").resolve()) in json.loads(caches[0].read_text())
