"""Where models lie: those that Segue ships, and those in the user's own folder."""

from __future__ import annotations

import difflib
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import DownloadError, ModelError, SegueError, UsageError
from engine.folders import data_folder
from engine.models.manifest import MANIFEST_NAME, Manifest, load_manifest
from engine.resources import resources_folder

PARTIAL = ".partial"
"""Under the user's models: downloads and copies that are not whole yet."""
_LEAVING = ".removed-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True)
class StoredModel:
    """A model folder and what its manifest says; where that cannot be read, `error` says why."""

    folder: Path
    is_shipped: bool
    manifest: Manifest | None
    error: SegueError | None = None

    @property
    def id(self) -> str:
        """The model's id, or its folder's name where the manifest is damaged."""
        return self.manifest.id if self.manifest else self.folder.name

    @property
    def bytes(self) -> int:
        """The size of the model's files, as its manifest says."""
        return sum(one.bytes for one in self.manifest.files.values()) if self.manifest else 0


class ModelStore:
    """Model folders under `user`, which come first, and under `shipped`.

    A folder is a model if it holds a manifest; its name does not matter.
    """

    def __init__(self, shipped: Path, user: Path) -> None:
        self.shipped = shipped
        self.user = user

    def folders(self) -> tuple[Path, ...]:
        """Every folder with a manifest: the user's own first, then the shipped, each by name."""
        found: list[Path] = []
        for root in (self.user, self.shipped):
            try:
                folders = sorted(path for path in root.iterdir() if path.is_dir())
            except OSError:
                # A user folder that is not there yet is the usual case.
                continue
            found.extend(
                folder
                for folder in folders
                if (folder / MANIFEST_NAME).is_file() and not folder.name.startswith(_LEAVING)
            )
        return tuple(found)

    def models(self) -> tuple[StoredModel, ...]:
        """Every model in the order of `folders`, also those whose manifest cannot be read."""
        return tuple(self._stored(folder) for folder in self.folders())

    def find(self, role: str) -> Path:
        """The folder of the first model with this role.

        A model of the user's own whose manifest cannot be read is reported, not passed over:
        they put it there to be used. Raises ModelError where there is none.
        """
        for folder in self.folders():
            if load_manifest(folder).role == role:
                return folder
        raise ModelError(
            f"Segue's {role} model was not found in {self.user} or {self.shipped}.",
            hint="`segue models list` shows what can be installed."
            if role == "writer"
            else "Install Segue again, or copy a model folder into the first of these.",
        )

    def get(self, model: str) -> StoredModel | None:
        """The model with this id, None where it is not installed."""
        return next((one for one in self.models() if one.id == model), None)

    def folder(self, model: str) -> Path:
        """The folder of the model with this id. Raises UsageError where it is not installed."""
        return self._existing(model).folder

    def remove(self, model: str) -> int:
        """Delete a model of the user's own, and what is left of its download.

        Returns the bytes of the model that was deleted, 0 where there was only a part. Raises
        UsageError where there is no such model or it ships with Segue, ModelError where its files
        cannot be deleted.
        """
        with self.alone(model):
            had_part = self.discard_partial(model)
            if had_part and self.get(model) is None:
                return 0
            stored = self._existing(model)
            if stored.is_shipped:
                raise UsageError(
                    f"{model} is part of Segue and cannot be removed.",
                    hint="A model of your own with the same job comes before it: bring one in "
                    "with `segue models import`.",
                )
            _delete(stored.folder)
            return stored.bytes

    def set_aside(self, model: str) -> None:
        """Turn a damaged model back into an unfinished download, which keeps its good files."""
        folder = self.folder(model)
        self.discard_partial(model)
        partial = self.partial_folder(model)
        try:
            partial.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(partial)
        except OSError as error:
            raise immovable(folder, error) from error

    @contextmanager
    def alone(self, model: str) -> Iterator[None]:
        """While entered, no other process brings in or removes the same model.

        Raises DownloadError where one does already.
        """
        name = model if _NAME.fullmatch(model) else "other"
        path = self.user / PARTIAL / f"{name}.lock"
        lock = FileLock(path)
        try:
            (self.user / PARTIAL).mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout as error:
            raise DownloadError(
                f"{model} is being brought in already, in another window or terminal.",
                hint="Wait for it, or stop it there.",
            ) from error
        except OSError as error:
            raise ModelError(
                f"{self.user} cannot be written to ({error.strerror or error}).",
                hint="Change its permissions, or set SEGUE_HOME to a folder of your own.",
            ) from error
        try:
            yield
        finally:
            # While it is still held: who opened the file meanwhile sees that it is gone, and makes
            # a new one. Windows deletes no open file; there the lock does it as it is released.
            with suppress(OSError):
                path.unlink()
            lock.release()

    def partial_folder(self, model: str) -> Path:
        """Where a download of this model collects its files.

        Raises UsageError on a name that cannot be a folder's on every system.
        """
        if not _NAME.fullmatch(model):
            raise UsageError(
                f"{model!r} cannot be a model's name.",
                hint="Use letters, digits, dots and hyphens, beginning with a letter or digit.",
            )
        return self.user / PARTIAL / model

    def partials(self) -> dict[str, int]:
        """The models whose download was begun and not finished, with the bytes so far."""
        try:
            folders = [path for path in (self.user / PARTIAL).iterdir() if path.is_dir()]
        except OSError:
            return {}
        return {folder.name: size for folder in sorted(folders) if (size := _size(folder))}

    def discard_partial(self, model: str) -> bool:
        """Delete what a download left; whether there was anything."""
        if not _NAME.fullmatch(model):
            return False
        folder = self.partial_folder(model)
        if not folder.is_dir():
            return False
        _delete(folder)
        return True

    def _stored(self, folder: Path) -> StoredModel:
        shipped = folder.parent == self.shipped
        try:
            return StoredModel(folder, shipped, load_manifest(folder))
        except ModelError as error:
            return StoredModel(folder, shipped, None, error)

    def _existing(self, model: str) -> StoredModel:
        stored = self.get(model)
        if stored is not None:
            return stored
        near = difflib.get_close_matches(model, [one.id for one in self.models()], n=3)
        hint = "`segue models list` shows the models on this computer."
        if near:
            hint = f"Did you mean {' or '.join(near)}? {hint}"
        raise UsageError(f"No model called {model!r} is installed.", hint=hint)


def _delete(folder: Path) -> None:
    """Delete a folder; it first gets a name that no half-deleted model can be mistaken by."""
    try:
        if folder.is_symlink():
            folder.unlink()
            return
        leaving = folder.with_name(f"{_LEAVING}{uuid.uuid4().hex[:8]}")
        folder.rename(leaving)
        shutil.rmtree(leaving)
    except OSError as error:
        raise immovable(folder, error) from error


def immovable(folder: Path, error: OSError) -> ModelError:
    """What to tell the user when a model's folder cannot be moved or deleted."""
    return ModelError(
        f"{folder} cannot be moved or deleted ({error.strerror or error}).",
        hint="Close what uses the model, such as another window of Segue, and try again.",
    )


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            # A running download has just renamed it.
            continue
    return total


def default_store() -> ModelStore:
    """The models that ship with Segue and those in the user's data folder."""
    return ModelStore(resources_folder() / "models", data_folder() / "models")
