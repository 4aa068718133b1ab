"""The models that Segue offers for download: a curated table, shipped as data.

Permissive licences come first. Where the table pins a revision and a SHA-256, nothing else is
accepted; where it cannot (a branch, a checkpoint whose checksums nobody has published), the
commit and the checksums that the hub reports are taken and recorded in the manifest at install
time, so that every later check holds the files to what was installed.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from engine.errors import ModelError, UsageError
from engine.plain_data import read_back
from engine.resources import resources_folder

FILE_NAME = "models-catalogue.json"
SCHEMA = "segue.models-catalogue/1"
PERMISSIVE = frozenset({"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause"})
"""Licences (SPDX) that ask for nothing but to be passed on."""


@dataclass(frozen=True)
class CatalogueEntry:
    """One model on offer.

    `format` is "gguf" or "transformers" and `entry` the file that its backend opens. `files`
    maps the files to fetch to their SHA-256 as hex, empty where it is not known beforehand; with
    `patterns` instead, whatever in the repository fits one is fetched. `bytes` is the size of the
    download, `memory_bytes` what the model needs while it runs.
    """

    id: str
    name: str
    role: str
    job: str
    licence: str
    repository: str
    revision: str
    format: str
    entry: str
    files: Mapping[str, str]
    patterns: tuple[str, ...]
    bytes: int
    memory_bytes: int
    parameters: int
    base_model: str = ""
    licence_url: str = ""
    note: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_permissive(self) -> bool:
        """Whether the licence asks for nothing that a user would have to agree to."""
        return self.licence in PERMISSIVE

    def wants(self, name: str) -> bool:
        """Whether a file of the repository belongs to this model."""
        return name in self.files or any(fnmatchcase(name, pattern) for pattern in self.patterns)


class Catalogue:
    """The entries, in the order in which they are shown."""

    def __init__(self, entries: tuple[CatalogueEntry, ...]) -> None:
        self.entries = entries

    def __iter__(self) -> Iterator[CatalogueEntry]:
        return iter(self.entries)

    def get(self, model: str) -> CatalogueEntry | None:
        """The entry with this id, None where there is none."""
        return next((entry for entry in self.entries if entry.id == model), None)

    def find(self, model: str) -> CatalogueEntry:
        """The entry with this id. Raises UsageError, with near names, where there is none."""
        entry = self.get(model)
        if entry is not None:
            return entry
        near = difflib.get_close_matches(model.lower(), [one.id for one in self.entries], n=3)
        hint = "`segue models list` shows the models to choose from."
        if near:
            hint = f"Did you mean {' or '.join(near)}? {hint}"
        raise UsageError(f"There is no model called {model!r} to download.", hint=hint)


def load_catalogue(file: Path | None = None) -> Catalogue:
    """Read the table, by default the shipped one. Raises ModelError where it cannot be used."""
    path = file or resources_folder() / FILE_NAME
    hint = "Install Segue again."
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(f"unknown schema {data['schema']!r}")
        entries = tuple(_entry(one) for one in data["models"])
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}).", hint=hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"The table of models {path} is damaged: {error}.", hint=hint) from error
    # Stable: the file's own order holds within the two groups.
    return Catalogue(tuple(sorted(entries, key=lambda entry: not entry.is_permissive)))


def _entry(data: Mapping[str, Any]) -> CatalogueEntry:
    entry = read_back(
        CatalogueEntry,
        data,
        files={str(name): str(checksum) for name, checksum in data["files"].items()},
        patterns=tuple(str(pattern) for pattern in data["patterns"]),
        settings=dict(data.get("settings", {})),
    )
    if not entry.wants(entry.entry):
        raise ValueError(f"{entry.id} does not fetch {entry.entry}")
    return entry
