"""The manifest of a model folder, and the check that the folder is what the manifest says.

A model folder holds `manifest.json` beside the weights and the tokenizer. The manifest names
every file with its SHA-256 and size, so that a download cut short is told from a good one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import ModelError
from engine.folders import cache_folder

MANIFEST_NAME = "manifest.json"
STRICTNESS_LEVELS = ("few", "balanced", "thorough")
_REINSTALL = "Install Segue again, or download the model again."
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What one file of a model must be: its SHA-256 as hex, and its size in bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class Manifest:
    """What a model is, what it can do and where it comes from.

    `formats` maps a backend ("onnx", "torch"; of a writer "gguf", "transformers") to the file
    that it loads. A tagger has `labels` and `thresholds`, which map each strictness to the
    P(incoherent) from which a sentence is flagged; `operating_points` gives the precision and
    recall measured there. `settings` belongs to the code that loads the model.
    """

    id: str
    role: str
    version: str
    formats: Mapping[str, str]
    labels: tuple[str, ...]
    thresholds: Mapping[str, float]
    files: Mapping[str, FileRecord]
    base_model: str = ""
    licence: str = ""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    operating_points: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """One SHA-256, as hex, over the names and checksums of all files."""
        lines = (f"{name} {record.sha256}\n" for name, record in sorted(self.files.items()))
        return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `manifest.json`."""
        return {
            "id": self.id,
            "role": self.role,
            "version": self.version,
            "formats": dict(self.formats),
            "labels": list(self.labels),
            "thresholds": dict(self.thresholds),
            "operating_points": {
                name: dict(point) for name, point in self.operating_points.items()
            },
            "base_model": self.base_model,
            "licence": self.licence,
            "recipe": dict(self.recipe),
            "metrics": dict(self.metrics),
            "settings": dict(self.settings),
            "files": {
                name: {"sha256": record.sha256, "bytes": record.bytes}
                for name, record in sorted(self.files.items())
            },
        }


def load_manifest(folder: Path) -> Manifest:
    """Read `manifest.json` of a model folder. Raises ModelError where it is missing or unusable."""
    path = folder / MANIFEST_NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(
            f"The model folder {folder} has no {MANIFEST_NAME}.", hint=_REINSTALL
        ) from error
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read ({error.strerror}).", hint="Check that you may read the file."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is damaged.", hint=_REINSTALL) from error
    try:
        return _manifest_from(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"{path} does not describe a model: {type(error).__name__} {error}.", hint=_REINSTALL
        ) from error


def write_manifest(
    folder: Path,
    fields: Mapping[str, Any],
    *,
    checksums: Mapping[str, str] | None = None,
) -> Manifest:
    """Write `manifest.json` for a finished model folder and return what was written.

    `fields` holds every key of the manifest but "files", which is worked out from the files that
    lie in the folder; a file whose SHA-256 is in `checksums` is not read again. Raises ModelError
    where the fields are incomplete.
    """
    known = checksums or {}
    names = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).as_posix() != MANIFEST_NAME
    }
    files = {
        name: {"sha256": known.get(name) or sha256_of(path), "bytes": path.stat().st_size}
        for name, path in names.items()
    }
    try:
        manifest = _manifest_from({**fields, "files": files})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"The manifest is incomplete: {type(error).__name__} {error}.") from error
    text = json.dumps(manifest.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    temporary = folder / f".{MANIFEST_NAME}.{os.getpid()}"
    temporary.write_text(text, encoding="utf-8", newline="\n")
    temporary.replace(folder / MANIFEST_NAME)
    return manifest


def verify(
    folder: Path,
    manifest: Manifest,
    *,
    again: bool = False,
    cache: Path | None = None,
    on_read: Callable[[int], None] | None = None,
) -> None:
    """Check that every file of the model is there, whole and unaltered.

    Sizes are compared every time. A checksum costs seconds for a large model, so a file whose
    checksum was right is not read again while its size and time of change stay the same, unless
    `again` is set. `cache` is the file that remembers this, by default in the user's cache folder.
    `on_read` hears the bytes of each block that was read, and may raise to stop.

    Raises ModelError naming the first file that is missing, cut short or altered.
    """
    remembered = _Verified(cache or cache_folder() / "verified-models.json")
    for name, record in manifest.files.items():
        path = folder / name
        state = _checked_size(path, record)
        if not again and remembered.knows(path, state, record):
            continue
        try:
            found = sha256_of(path, on_read) if on_read else sha256_of(path)
        except OSError as error:
            raise _unreadable(path, error) from error
        if found != record.sha256:
            raise ModelError(
                f"The model file {path} is damaged or altered: its checksum is wrong.",
                hint=_REINSTALL,
            )
        remembered.add(path, state, record)
    remembered.save()


def remember_verified(folder: Path, manifest: Manifest, *, cache: Path | None = None) -> None:
    """Note that every file was just found right, so that `verify` need not read it again.

    For files whose checksums were worked out while they were written. Raises ModelError where
    a size is wrong.
    """
    remembered = _Verified(cache or cache_folder() / "verified-models.json")
    for name, record in manifest.files.items():
        path = folder / name
        remembered.add(path, _checked_size(path, record), record)
    remembered.save()


def _checked_size(path: Path, record: FileRecord) -> os.stat_result:
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise ModelError(f"The model file {path} is missing.", hint=_REINSTALL) from error
    except OSError as error:
        raise _unreadable(path, error) from error
    if state.st_size < record.bytes:
        raise ModelError(
            f"The model file {path} is cut short: {state.st_size} of {record.bytes} bytes.",
            hint=_REINSTALL,
        )
    if state.st_size > record.bytes:
        raise ModelError(
            f"The model file {path} is altered: {state.st_size} bytes instead of {record.bytes}.",
            hint=_REINSTALL,
        )
    return state


def _unreadable(path: Path, error: OSError) -> ModelError:
    return ModelError(
        f"The model file {path} cannot be read ({error.strerror}).",
        hint="Check that you may read the file.",
    )


class _Verified:
    """The files whose checksum was found right, kept between starts in a small JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_changed = False
        self._known: dict[str, list[Any]] = {}
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            # A cache that is missing or damaged only costs another reading.
            return
        if isinstance(data, dict):
            self._known = data

    def knows(self, path: Path, state: os.stat_result, record: FileRecord) -> bool:
        """Whether this very file was found right before."""
        return self._known.get(str(path.resolve())) == self._entry(state, record)

    def add(self, path: Path, state: os.stat_result, record: FileRecord) -> None:
        """Remember that the file is right."""
        self._known[str(path.resolve())] = self._entry(state, record)
        self._is_changed = True

    def save(self) -> None:
        """Write down what was added; a folder that cannot be written to is no reason to fail."""
        if not self._is_changed:
            return
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(self._known), encoding="utf-8")
            temporary.replace(self._path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()

    @staticmethod
    def _entry(state: os.stat_result, record: FileRecord) -> list[Any]:
        return [state.st_size, state.st_mtime_ns, record.sha256]


def sha256_of(path: Path, on_read: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a file, as hex, read in blocks. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            if on_read is not None:
                on_read(len(block))
    return digest.hexdigest()


def _manifest_from(data: Mapping[str, Any]) -> Manifest:
    files = {
        inside(name): FileRecord(str(entry["sha256"]).lower(), int(entry["bytes"]))
        for name, entry in data["files"].items()
    }
    formats = {str(name): inside(file) for name, file in data["formats"].items()}
    for file in formats.values():
        if file not in files:
            raise ValueError(f"{file} is not among the files")
    role = _text(data["role"])
    # Labels and thresholds are a tagger's business; a model that writes text may do without.
    labels = data["labels"] if role == "tagger" else data.get("labels", ())
    has_thresholds = role == "tagger" or bool(data.get("thresholds"))
    return Manifest(
        id=_text(data["id"]),
        role=role,
        version=_text(data["version"]),
        formats=formats,
        labels=tuple(_text(label) for label in labels),
        thresholds=_thresholds(data["thresholds"]) if has_thresholds else {},
        files=files,
        base_model=str(data.get("base_model", "")),
        licence=str(data.get("licence", "")),
        recipe=dict(data.get("recipe", {})),
        metrics=dict(data.get("metrics", {})),
        operating_points=dict(data.get("operating_points", {})),
        settings=dict(data.get("settings", {})),
    )


def _thresholds(data: Mapping[str, Any]) -> dict[str, float]:
    thresholds = {str(name): float(value) for name, value in data.items()}
    missing = [level for level in STRICTNESS_LEVELS if level not in thresholds]
    if missing:
        raise ValueError(f"no threshold for {', '.join(missing)}")
    if not all(0.0 < value <= 1.0 for value in thresholds.values()):
        raise ValueError("a threshold lies outside 0..1")
    return thresholds


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a name is missing")
    return value


def inside(name: str) -> str:
    """The name, if it cannot lead out of the model folder, whichever system reads it.

    Raises ValueError where it could.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise ValueError(f"{name!r} leads out of the folder")
    return path.as_posix()
