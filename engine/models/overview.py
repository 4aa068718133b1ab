"""All models at a glance: what is installed, what could be, and what to expect of each here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.errors import BackendError
from engine.models.catalogue import Catalogue, CatalogueEntry
from engine.models.device import DeviceChoice, Probe, choose_device
from engine.models.manifest import Manifest
from engine.models.speed import Expectation, Machine, expect
from engine.models.store import ModelStore, StoredModel

SCHEMA = "segue.models/1"
JOBS = {"tagger": "Finds the sentences that break the flow."}
_OTHER_JOB = "Rewrites sentences."
_SPARE_MEMORY = 300_000_000


class ModelState(StrEnum):
    """Where a model stands."""

    SHIPPED = "shipped"
    INSTALLED = "installed"
    DAMAGED = "damaged"
    PARTIAL = "partial"
    AVAILABLE = "available"

    @property
    def is_here(self) -> bool:
        """Whether it can be used."""
        return self in (ModelState.SHIPPED, ModelState.INSTALLED)


@dataclass(frozen=True)
class ModelOverview:
    """One model, installed or not.

    `done_bytes` of `bytes` are here. `expectation` is None where nothing can be said about its
    speed. `device` says where an installed model runs and why; `problem` what is wrong with it.
    """

    id: str
    name: str
    role: str
    job: str
    state: ModelState
    bytes: int
    done_bytes: int
    memory_bytes: int
    licence: str
    is_permissive: bool
    licence_url: str = ""
    note: str = ""
    folder: str = ""
    source: str = ""
    version: str = ""
    expectation: Expectation | None = None
    device: DeviceChoice | None = None
    problem: str = ""
    is_offered: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `segue models list --json`."""
        expectation = self.expectation
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role,
            "job": self.job,
            "state": self.state.value,
            "bytes": self.bytes,
            "done_bytes": self.done_bytes,
            "memory_bytes": self.memory_bytes,
            "licence": self.licence,
            "is_permissive": self.is_permissive,
            "licence_url": self.licence_url,
            "note": self.note,
            "folder": self.folder,
            "source": self.source,
            "version": self.version,
            "seconds_a_rewrite": round(expectation.seconds, 2) if expectation else None,
            "fits": expectation.fits if expectation else None,
            "device": self.device.as_dict() if self.device else None,
            "problem": self.problem,
        }


def survey(
    store: ModelStore, catalogue: Catalogue, machine: Machine, probe: Probe, *, device: str = "auto"
) -> tuple[ModelOverview, ...]:
    """The installed models first, then those that can be downloaded; `device` is the setting."""
    partials = store.partials()
    installed = [_installed(one, catalogue, machine, probe, device) for one in store.models()]
    here = {one.id for one in installed}
    offered = [
        _offered(entry, machine, partials.get(entry.id))
        for entry in catalogue
        if entry.id not in here
    ]
    return (*installed, *offered)


def _installed(
    stored: StoredModel, catalogue: Catalogue, machine: Machine, probe: Probe, device: str
) -> ModelOverview:
    entry = catalogue.get(stored.id)
    manifest = stored.manifest
    if manifest is None:
        return _damaged(stored, entry)
    size = stored.bytes
    memory = _number(manifest.recipe, "memory_bytes") or size + _SPARE_MEMORY
    parameters = _number(manifest.recipe, "parameters")
    choice, problem = _device(manifest, probe, device)
    return ModelOverview(
        id=stored.id,
        name=str(manifest.recipe.get("name") or stored.id),
        role=manifest.role,
        job=entry.job if entry else JOBS.get(manifest.role, _OTHER_JOB),
        state=ModelState.SHIPPED if stored.is_shipped else ModelState.INSTALLED,
        bytes=size,
        done_bytes=size,
        memory_bytes=memory,
        licence=manifest.licence,
        is_permissive=entry.is_permissive if entry else True,
        note=entry.note if entry else "",
        folder=str(stored.folder),
        source=str(manifest.recipe.get("source", "")),
        version=manifest.version,
        expectation=_expectation(machine, manifest.role, size, parameters, memory),
        device=choice,
        problem=problem,
        is_offered=entry is not None,
    )


def _damaged(stored: StoredModel, entry: CatalogueEntry | None) -> ModelOverview:
    return ModelOverview(
        id=stored.id,
        name=entry.name if entry else stored.id,
        role=entry.role if entry else "",
        job=entry.job if entry else "",
        state=ModelState.DAMAGED,
        bytes=entry.bytes if entry else 0,
        done_bytes=0,
        memory_bytes=entry.memory_bytes if entry else 0,
        licence=entry.licence if entry else "",
        is_permissive=entry.is_permissive if entry else True,
        folder=str(stored.folder),
        problem=stored.error.message if stored.error else "",
        is_offered=entry is not None,
    )


def _offered(entry: CatalogueEntry, machine: Machine, done: int | None) -> ModelOverview:
    return ModelOverview(
        id=entry.id,
        name=entry.name,
        role=entry.role,
        job=entry.job,
        state=ModelState.AVAILABLE if done is None else ModelState.PARTIAL,
        bytes=entry.bytes,
        done_bytes=min(done or 0, entry.bytes),
        memory_bytes=entry.memory_bytes,
        licence=entry.licence,
        is_permissive=entry.is_permissive,
        licence_url=entry.licence_url,
        note=entry.note,
        source=entry.repository,
        version=entry.revision[:12],
        expectation=_expectation(
            machine, entry.role, entry.bytes, entry.parameters, entry.memory_bytes
        ),
        is_offered=True,
    )


def _expectation(
    machine: Machine, role: str, size: int, parameters: int, memory: int
) -> Expectation | None:
    """How fast a model writes; a tagger does not, and an unknown size says nothing."""
    if role == "tagger":
        return None
    # Four bits and a little a parameter is how most GGUF files are cut.
    return expect(
        machine,
        weight_bytes=size,
        parameters=parameters or round(size / 0.6),
        memory_bytes=memory,
    )


def _device(manifest: Manifest, probe: Probe, preference: str) -> tuple[DeviceChoice | None, str]:
    try:
        return choose_device(manifest, preference, probe), ""
    except BackendError as error:
        return None, f"{error.message} {error.hint}"


def _number(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key, 0)
    return value if isinstance(value, int) else 0
