"""What downloading and importing share: room on the disk, and the last step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import DownloadError
from engine.models.manifest import remember_verified, write_manifest
from engine.models.store import ModelStore, immovable

MARGIN = 200 * 1000 * 1000
"""Bytes that must stay free on the disk."""

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """How much room there is where the folder is or will be."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(existing).free


def check_room(store: ModelStore, needed: int, free: FreeBytes) -> None:
    """Raise DownloadError where the disk cannot take so many bytes more."""
    there = free(store.user)
    if needed + MARGIN > there:
        raise DownloadError(
            f"There is not enough room: the model needs {in_words(needed)} more, and "
            f"{in_words(there)} are free on the disk that holds {store.user}.",
            hint="Delete what you do not need, `segue models remove` a model, or set SEGUE_HOME "
            "to a folder on a larger disk.",
        )


def put_in_place(
    store: ModelStore, model: str, fields: Mapping[str, Any], checksums: Mapping[str, str]
) -> Path:
    """Turn a finished partial folder into a model; its new folder.

    The manifest is the last file to be written and the renaming the last step, so that whatever
    happens in between leaves no model that looks whole and is not. Raises ModelError.
    """
    partial = store.partial_folder(model)
    final = store.user / model
    manifest = write_manifest(partial, fields, checksums=checksums)
    try:
        partial.rename(final)
    except OSError as error:
        raise immovable(partial, error) from error
    # The checksums were worked out as the bytes came in: no need to read it all again.
    remember_verified(final, manifest)
    return final


def in_words(size: int) -> str:
    """A size as people say it: "105 MB", "2.5 GB" (thousands, as disks are sold)."""
    if size >= 1_000_000_000:
        return f"{size / 1e9:.1f} GB"
    return f"{max(1, round(size / 1e6))} MB" if size >= 1_000_000 else f"{size / 1e3:.0f} kB"
