"""Entries of a catalogue whose files are small enough for a test."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.models.catalogue import CatalogueEntry


def gguf_bytes(facts: Mapping[str, Any], size: int = 300_000) -> bytes:
    """A file with the head of a GGUF model, and then bytes that mean nothing."""
    pairs = {"general.architecture": "llama", "llama.context_length": 2048, **facts}
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs))
    for key, value in pairs.items():
        head += _text(key)
        if isinstance(value, str):
            head += struct.pack("<I", 8) + _text(value)
        else:
            head += struct.pack("<II", 4, value)
    return head + random.Random(7).randbytes(size - len(head))


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


WEIGHTS = gguf_bytes({"general.name": "Tiny Writer", "general.license": "mit"})


def gguf_entry(**changes: Any) -> CatalogueEntry:
    """A model of one file, its checksum known beforehand."""
    made = CatalogueEntry(
        id="tiny-writer",
        name="Tiny Writer",
        role="writer",
        job="Rewrites sentences.",
        licence="Apache-2.0",
        repository="someone/model",
        revision="main",
        format="gguf",
        entry="model.gguf",
        files={"model.gguf": hashlib.sha256(WEIGHTS).hexdigest()},
        patterns=(),
        bytes=len(WEIGHTS),
        memory_bytes=1_000_000,
        parameters=500_000,
        base_model="someone/base",
        settings={"thinking": False},
    )
    return replace(made, **changes)


def folder_entry(**changes: Any) -> CatalogueEntry:
    """A model of several files whose checksums only the hub knows, under a licence of its own."""
    return gguf_entry(
        **{
            "id": "big-writer",
            "licence": "Llama 2 Community License",
            "licence_url": "https://example.org/licence",
            "format": "transformers",
            "entry": "config.json",
            "files": {},
            "patterns": ("*.safetensors", "*.json"),
            **changes,
        }
    )
