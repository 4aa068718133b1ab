"""Which file or folder a backend loads, from what the user named."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError
from engine.models.manifest import load_manifest, verify
from engine.models.store import ModelStore, default_store

ROLE = "writer"
"""The role of language models in the store."""


def find_writer(model: str | Path | None, format: str, *, store: ModelStore | None = None) -> Path:
    """The GGUF file or the folder in Transformers' layout to load.

    `model` is a path, the id of a stored model, or None for the first stored model of the right
    `format` ("gguf" or "transformers"). A stored model is checked against its manifest. Raises
    ModelError where there is none.
    """
    if model is not None:
        path = Path(model)
        if path.exists():
            return _in_folder(path, format)
    for folder in (store or default_store()).folders():
        manifest = load_manifest(folder)
        if manifest.role != ROLE or format not in manifest.formats:
            continue
        if model is None or manifest.id == str(model):
            verify(folder, manifest)
            file = folder / manifest.formats[format]
            return file.parent if format == "transformers" else file
    if model is None:
        raise ModelError(
            "There is no language model for rewriting on this computer.",
            hint="Install one with `segue models install ID`, or name a file with --model.",
        )
    raise ModelError(
        f"There is no model called {model}.",
        hint="Give the path of a model, or an id that `segue models list` shows.",
    )


def _in_folder(path: Path, format: str) -> Path:
    """The path itself, or the one GGUF file in it."""
    if format != "gguf" or path.is_file():
        return path
    found = sorted(path.glob("*.gguf"))
    if len(found) != 1:
        raise ModelError(
            f"{path} holds {len(found)} GGUF files.", hint="Name the file itself with --model."
        )
    return found[0]
