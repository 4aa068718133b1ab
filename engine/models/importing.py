"""Bringing in a model from a folder or a file: checked, copied, and given a manifest.

Nothing that could run is taken along: no pickled weights, no Python files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from engine.errors import ModelError, UnreadableFile, UsageError
from engine.models.catalogue import PERMISSIVE, CatalogueEntry
from engine.models.download import unwritable
from engine.models.gguf import GgufFacts, read_gguf
from engine.models.manifest import MANIFEST_NAME, load_manifest, verify
from engine.models.placing import FreeBytes, check_room, free_bytes, put_in_place
from engine.models.progress import Meter, ProgressListener, Stage, unheard
from engine.models.store import ModelStore

ROLE = "writer"
"""What a model is for that brings no manifest: those are for rewriting sentences."""
_BLOCK = 1 << 20
_SAFE = (
    "*.safetensors", "*.safetensors.index.json", "config.json", "generation_config.json",
    "tokenizer*.json", "tokenizer*.model", "special_tokens_map.json", "added_tokens.json",
    "vocab.json", "vocab.txt", "merges.txt", "chat_template*", "LICENSE*", "LICENCE*", "NOTICE*",
    "README*", "USE_POLICY*",
)  # fmt: skip
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
_LICENCES = {one.lower(): one for one in PERMISSIVE}
_PIECE = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf", re.IGNORECASE)


@dataclass(frozen=True)
class _Found:
    """What is to be brought in: the manifest's fields, and each file by its name there."""

    fields: Mapping[str, Any]
    files: Mapping[str, Path]


def import_model(
    store: ModelStore,
    source: Path,
    *,
    name: str = "",
    like: CatalogueEntry | None = None,
    catalogue: Iterable[CatalogueEntry] = (),
    on_progress: ProgressListener = unheard,
    check_cancelled: Callable[[], None] = lambda: None,
    free: FreeBytes = free_bytes,
) -> Path:
    """Copy a model into the store; its new folder. The source is not touched.

    `source` is a folder with a manifest, a GGUF file, a folder with one, or a folder as
    Transformers saves it. `name` is the model's id, by default made from the source's name.
    `like` is the entry of the catalogue that the model is a copy of: it takes over that one's
    licence, prompt and other settings. Without it, an entry of `catalogue` is recognised by the
    checksum of its file.

    Raises UnreadableFile where there is no such source, ModelError where it holds no model or a
    damaged one, UsageError where the name is taken, DownloadError where there is no room,
    Cancelled from `check_cancelled`.
    """
    source = source.expanduser()
    found = _look(source, name or (like.id if like else ""), check_cancelled)
    model = str(found.fields["id"])
    taken = store.get(model)
    if taken is not None and not taken.is_shipped:
        raise UsageError(
            f"There is a model called {model} already.",
            hint=f"Give this one another name with --name, or remove that one: "
            f"segue models remove {model}",
        )
    folder = store.partial_folder(model)
    with store.alone(model):
        store.discard_partial(model)
        total = sum(path.stat().st_size for path in found.files.values())
        check_room(store, total, free)
        meter = Meter(model, Stage.COPYING, total, on_progress)

        def heard(count: int) -> None:
            check_cancelled()
            meter.add(count)

        try:
            checksums = {
                target: _copy(path, folder / target, heard)
                for target, path in sorted(found.files.items())
            }
            known = like or _recognised(catalogue, checksums)
            return put_in_place(store, model, _told(found.fields, known), checksums)
        finally:
            # A half copy is worth nothing: the source is still there.
            store.discard_partial(model)


def _recognised(
    catalogue: Iterable[CatalogueEntry], checksums: Mapping[str, str]
) -> CatalogueEntry | None:
    there = set(checksums.values())
    for entry in catalogue:
        if entry.files and all(one and one in there for one in entry.files.values()):
            return entry
    return None


def _told(fields: Mapping[str, Any], entry: CatalogueEntry | None) -> Mapping[str, Any]:
    """The manifest's fields with what the catalogue knows of the model."""
    if entry is None:
        return fields
    if entry.format not in fields["formats"]:
        raise UsageError(
            f"This is no copy of {entry.id}, whose format is {entry.format}.",
            hint="Bring it in without --like.",
        )
    return {
        **fields,
        "role": entry.role,
        "base_model": entry.base_model,
        "licence": entry.licence,
        "settings": {**fields["settings"], **entry.settings},
        "recipe": {
            **fields["recipe"],
            "name": entry.name,
            "like": entry.id,
            "memory_bytes": entry.memory_bytes,
            "parameters": entry.parameters,
        },
    }


def model_name(text: str) -> str:
    """A model's id made from a file's name: "My Model (Q4).gguf" -> "my-model-q4"."""
    stem = re.sub(r"\.gguf$", "", text, flags=re.IGNORECASE)
    return re.sub(r"[^a-z0-9.]+", "-", stem.lower()).strip("-.")[:80]


def _look(source: Path, name: str, check_cancelled: Callable[[], None]) -> _Found:
    if source.is_file():
        return _gguf(source, name)
    if not source.is_dir():
        raise UnreadableFile(
            f"There is no file or folder {source}.",
            hint="Check the path; give a GGUF file or a model's folder.",
        )
    if (source / MANIFEST_NAME).is_file():
        return _segue_folder(source, name, check_cancelled)
    files = sorted(path for path in source.iterdir() if path.is_file())
    heads = [path for path in files if path.suffix.lower() == ".gguf" and _is_head(path)]
    if len(heads) == 1:
        return _gguf(heads[0], name)
    if heads:
        raise UsageError(
            f"{source} holds several GGUF files.", hint="Name the one that you want, as a file."
        )
    if (source / "config.json").is_file():
        return _transformers(source, files, name)
    raise ModelError(
        f"{source} holds no model that Segue can use.",
        hint="It takes a GGUF file, a folder as Transformers saves it (config.json and "
        "*.safetensors), or a folder with a manifest.json.",
    )


def _segue_folder(source: Path, name: str, check_cancelled: Callable[[], None]) -> _Found:
    """A model folder in our own layout, every checksum right."""
    manifest = load_manifest(source)
    verify(source, manifest, again=True, on_read=lambda _count: check_cancelled())
    fields = {**manifest.as_dict(), "id": name or manifest.id}
    return _Found(fields, {one: source / one for one in manifest.files})


def _gguf(source: Path, name: str) -> _Found:
    facts = read_gguf(source)
    pieces = _pieces(source)
    return _Found(
        _fields(name or model_name(_whole_name(source)), "gguf", source.name, facts),
        {path.name: path for path in pieces},
    )


def _is_head(path: Path) -> bool:
    """Whether a GGUF file is a whole model, or the first piece of one."""
    match = _PIECE.fullmatch(path.name)
    return match is None or match[2] == "00001"


def _whole_name(source: Path) -> str:
    match = _PIECE.fullmatch(source.name)
    return match[1] if match else source.name


def _pieces(source: Path) -> list[Path]:
    """All the files of a model that may be cut into numbered ones."""
    match = _PIECE.fullmatch(source.name)
    if match is None:
        return [source]
    if match[2] != "00001":
        raise UsageError(f"{source.name} is not the first piece of its model.")
    last = int(match[3])
    paths = [
        source.with_name(f"{match[1]}-{number:05}-of-{match[3]}.gguf")
        for number in range(1, last + 1)
    ]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise ModelError(
            f"A piece of the model is missing: {missing[0]}.",
            hint="Put all pieces into one folder and try again.",
        )
    return paths


def _transformers(source: Path, files: list[Path], name: str) -> _Found:
    taken = {
        path.name: path
        for path in files
        if any(fnmatchcase(path.name, pattern) for pattern in _SAFE)
    }
    if not any(one.endswith(".safetensors") for one in taken):
        pickled = any(fnmatchcase(path.name, pattern) for path in files for pattern in _PICKLED)
        raise ModelError(
            f"{source} holds no weights in safetensors files.",
            hint="Its weights are pickled, and such files can run any program. Save the model "
            "again with save_pretrained(), or look for a version with safetensors."
            if pickled
            else "Copy the whole folder of the model.",
        )
    if not any(fnmatchcase(one, "tokenizer*") for one in taken):
        raise ModelError(f"{source} holds no tokenizer.", hint="Copy the whole folder.")
    _check_shards(source, taken)
    try:
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        length = config.get("max_position_embeddings", 0)
        facts = GgufFacts(
            architecture=str(config.get("model_type", "")),
            context_length=length if isinstance(length, int) else 0,
        )
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(f"{source / 'config.json'} is damaged.") from error
    model = name or model_name(source.resolve().name)
    return _Found(_fields(model, "transformers", "config.json", facts), taken)


def _check_shards(source: Path, taken: Mapping[str, Path]) -> None:
    """Raise ModelError where the index names a file of weights that is not there."""
    index = next((one for one in taken if one.endswith(".safetensors.index.json")), None)
    if index is None:
        return
    try:
        data = json.loads((source / index).read_text(encoding="utf-8"))
        wanted = {str(one) for one in data["weight_map"].values()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelError(f"{source / index} is damaged.") from error
    missing = sorted(wanted - taken.keys())
    if missing:
        raise ModelError(
            f"A piece of the model is missing: {missing[0]}.",
            hint="Put all pieces into one folder and try again.",
        )


def _fields(model: str, format: str, entry: str, facts: GgufFacts) -> dict[str, Any]:
    return {
        "id": model,
        "role": ROLE,
        "version": "imported",
        "formats": {format: entry},
        "base_model": facts.name,
        "licence": _LICENCES.get(facts.licence.lower(), facts.licence) or "unknown",
        "settings": {"context_length": facts.context_length} if facts.context_length else {},
        "recipe": {
            "name": facts.name or model,
            "architecture": facts.architecture,
            "source": "imported",
        },
    }


def _copy(source: Path, target: Path, on_bytes: Callable[[int], None]) -> str:
    """Copy a file; the SHA-256 of what was copied, as hex."""
    digest = hashlib.sha256()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as reader, target.open("wb") as writer:
            while block := reader.read(_BLOCK):
                writer.write(block)
                digest.update(block)
                on_bytes(len(block))
    except OSError as error:
        raise unwritable(target, error) from error
    return digest.hexdigest()
