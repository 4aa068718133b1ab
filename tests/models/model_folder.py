"""A model folder small enough to write in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.models.manifest import Manifest, write_manifest

FIELDS: dict[str, Any] = {
    "id": "tiny",
    "role": "tagger",
    "version": "1.0",
    "formats": {"onnx": "model.onnx"},
    "labels": ["incoherent", "R1", "R2", "R3", "R4", "R5", "R6", "R7"],
    "thresholds": {"few": 0.8, "balanced": 0.6, "thorough": 0.4},
    "base_model": "none",
    "licence": "CC0-1.0",
    "recipe": {"seed": 1},
    "metrics": {"f1": {"value": 0.5, "n": 10}},
    "operating_points": {"few": {"threshold": 0.8, "precision": 0.9, "recall": 0.3, "n": 10}},
    "settings": {"max_tokens": 512},
}


def write_model(folder: Path, **changes: Any) -> Manifest:
    """Write a model of two files, one of them in a subfolder, and its manifest."""
    (folder / "tokenizer").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"weights " * 100)
    (folder / "tokenizer" / "vocab.txt").write_text("a\nb\n", encoding="utf-8", newline="\n")
    return write_manifest(folder, {**FIELDS, **changes})
