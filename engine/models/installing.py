"""Installing a model of the catalogue: look, check the room, fetch, check, put in place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import DownloadError, ModelError, UsageError
from engine.models.catalogue import CatalogueEntry
from engine.models.download import WantedFile, fetch, wait
from engine.models.hub import Hub, HubFile, InterruptedTransfer, Listing
from engine.models.manifest import inside, load_manifest, sha256_of, verify
from engine.models.placing import FreeBytes, check_room, free_bytes, put_in_place
from engine.models.progress import Meter, ModelProgress, ProgressListener, Stage, unheard
from engine.models.store import ModelStore

_LOOKS = 3


def _never() -> None:
    """Nobody asks to stop."""


class Installer:
    """Fetches models from a hub into a store. Nothing is fetched unless `install` is called."""

    def __init__(
        self,
        store: ModelStore,
        hub: Hub,
        *,
        free: FreeBytes = free_bytes,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._hub = hub
        self._free = free
        self._sleep = sleep

    def install(
        self,
        entry: CatalogueEntry,
        *,
        accept_licence: bool = False,
        on_progress: ProgressListener = unheard,
        check_cancelled: Callable[[], None] = _never,
    ) -> Path:
        """Fetch a model, going on with what an earlier call left; its folder.

        A model that is there and whole is not fetched again. Raises UsageError where its licence
        wants to be agreed to and `accept_licence` is not set, Cancelled from `check_cancelled`
        (what is there is kept), DownloadError and ModelError.
        """
        if not (entry.is_permissive or accept_licence):
            raise UsageError(
                f"{entry.name} comes under the {entry.licence}, which has conditions "
                f"({entry.licence_url}).",
                hint="If you have read it and agree, add --accept-licence.",
            )
        with self._store.alone(entry.id):
            folder = self._whole(entry.id)
            if folder is None:
                folder = self._fetch(entry, on_progress, check_cancelled)
            else:
                self._store.discard_partial(entry.id)
            return folder

    def _whole(self, model: str) -> Path | None:
        """The model's folder if it is whole; of a damaged one, the good files are kept."""
        stored = self._store.get(model)
        if stored is None:
            return None
        if stored.is_shipped:
            raise UsageError(f"{model} is part of Segue already.")
        try:
            verify(stored.folder, load_manifest(stored.folder))
        except ModelError:
            self._store.set_aside(model)
            return None
        return stored.folder

    def _fetch(
        self,
        entry: CatalogueEntry,
        on_progress: ProgressListener,
        check_cancelled: Callable[[], None],
    ) -> Path:
        on_progress(ModelProgress(entry.id, Stage.LOOKING, 0, entry.bytes))
        listing = self._look(entry, check_cancelled)
        files = _chosen(entry, listing)
        folder = self._store.partial_folder(entry.id)
        wanted = [self._wanted(entry, listing.commit, file, folder) for file in files]
        _tidy(folder, wanted)
        total = sum(file.bytes for file in wanted)
        there = sum(_bytes_there(file) for file in wanted)
        check_room(self._store, total - there, self._free)
        meter = Meter(entry.id, Stage.DOWNLOADING, total, on_progress)
        checksums: dict[str, str] = {}
        before = 0
        for file in wanted:
            name = file.target.relative_to(folder).as_posix()
            checksums[name] = self._one(file, before, meter, check_cancelled)
            before += file.bytes
        return put_in_place(self._store, entry.id, _fields(entry, listing, self._hub), checksums)

    def _look(self, entry: CatalogueEntry, check_cancelled: Callable[[], None]) -> Listing:
        for attempt in range(1, _LOOKS + 1):
            check_cancelled()
            try:
                return self._hub.listing(entry.repository, entry.revision)
            except InterruptedTransfer as error:
                if attempt == _LOOKS:
                    raise DownloadError(
                        str(error),
                        hint="Check that this computer is online; where the network needs a "
                        "proxy or a mirror, name it in the settings or with --proxy and --mirror.",
                    ) from error
                wait(float(attempt), check_cancelled, self._sleep)
        raise DownloadError("The model hub was not asked.")

    def _wanted(
        self, entry: CatalogueEntry, commit: str, file: HubFile, folder: Path
    ) -> WantedFile:
        url = self._hub.url(entry.repository, commit, file.name)
        sha256 = entry.files.get(file.name) or file.sha256
        return WantedFile(url, folder / inside(file.name), file.bytes, sha256, file.git_sha1)

    def _one(
        self, file: WantedFile, before: int, meter: Meter, check_cancelled: Callable[[], None]
    ) -> str:
        """Fetch a file unless an earlier call has; its SHA-256."""
        there = file.target.is_file() and file.target.stat().st_size == file.bytes
        if there and file.sha256:
            found = sha256_of(file.target, lambda _count: check_cancelled())
            if found == file.sha256:
                meter.show(before + file.bytes)
                return found
        return fetch(
            self._hub,
            file,
            on_progress=lambda done: meter.show(before + done),
            check_cancelled=check_cancelled,
            sleep=self._sleep,
        )


def _chosen(entry: CatalogueEntry, listing: Listing) -> list[HubFile]:
    """The files of the repository that belong to the model.

    Raises DownloadError where one is missing or is not the one that the catalogue knows.
    """
    found = {file.name: file for file in listing.files if entry.wants(file.name)}
    for name in (*entry.files, entry.entry):
        if name not in found:
            raise DownloadError(
                f"{entry.repository} does not hold {name} any more.",
                hint="Choose another model, or look for a newer version of Segue.",
            )
    for name, checksum in entry.files.items():
        offered = found[name].sha256
        if checksum and offered and offered != checksum:
            raise DownloadError(
                f"The hub offers another {name} than the one that this version of Segue knows.",
                hint="Try again without a mirror, or look for a newer version of Segue.",
            )
    try:
        for name in found:
            inside(name)
    except ValueError as error:
        raise DownloadError(f"The hub names a file that cannot be stored: {error}.") from error
    return sorted(found.values(), key=lambda file: (file.bytes, file.name))


def _tidy(folder: Path, wanted: list[WantedFile]) -> None:
    """Delete what an earlier download of another version left."""
    kept = {path for file in wanted for path in (file.target, file.part)}
    for path in folder.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink(missing_ok=True)


def _bytes_there(file: WantedFile) -> int:
    for path in (file.target, file.part):
        if path.is_file():
            return min(path.stat().st_size, file.bytes)
    return 0


def _fields(entry: CatalogueEntry, listing: Listing, hub: Hub) -> Mapping[str, Any]:
    """The manifest's fields; the checksums of the files are added as they were found."""
    return {
        "id": entry.id,
        "role": entry.role,
        "version": listing.commit[:12] or entry.revision,
        "formats": {entry.format: entry.entry},
        "base_model": entry.base_model,
        "licence": entry.licence,
        "settings": {**entry.settings},
        "recipe": {
            "name": entry.name,
            "source": f"{hub.endpoint}/{entry.repository}",
            "commit": listing.commit,
            "checksums": "catalogue" if all(entry.files.values()) and entry.files else "hub",
            "memory_bytes": entry.memory_bytes,
            "parameters": entry.parameters,
        },
    }


def verify_model(
    store: ModelStore,
    model: str,
    *,
    on_progress: ProgressListener = unheard,
    check_cancelled: Callable[[], None] = _never,
) -> None:
    """Read every file of an installed model again and compare the checksums.

    Raises ModelError naming what is wrong, UsageError where there is no such model.
    """
    folder = store.folder(model)
    manifest = load_manifest(folder)
    total = sum(record.bytes for record in manifest.files.values())
    meter = Meter(model, Stage.CHECKING, total, on_progress)

    def heard(count: int) -> None:
        check_cancelled()
        meter.add(count)

    try:
        verify(folder, manifest, again=True, on_read=heard)
    except ModelError as error:
        shipped = folder.parent == store.shipped
        hint = (
            "It is part of Segue: install Segue again."
            if shipped
            else "Remove it, and install it or bring it in again."
        )
        raise ModelError(error.message, hint=hint) from error
