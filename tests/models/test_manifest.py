from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelError
from engine.models import manifest as manifest_module
from engine.models.manifest import load_manifest, verify, write_manifest
from tests.models.model_folder import FIELDS, write_model


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    written = write_model(tmp_path / "tiny")
    assert load_manifest(tmp_path / "tiny") == written


def test_every_file_is_listed_with_its_size_and_sha256(tmp_path: Path) -> None:
    manifest = write_model(tmp_path)
    assert set(manifest.files) == {"model.onnx", "tokenizer/vocab.txt"}
    record = manifest.files["tokenizer/vocab.txt"]
    assert record.bytes == 4
    assert record.sha256 == hashlib.sha256(b"a\nb\n").hexdigest()


def test_the_fingerprint_changes_with_any_file(tmp_path: Path) -> None:
    before = write_model(tmp_path)
    (tmp_path / "tokenizer" / "vocab.txt").write_text("a\nc\n", encoding="utf-8")
    assert write_manifest(tmp_path, FIELDS).fingerprint != before.fingerprint


def test_a_whole_model_passes(tmp_path: Path) -> None:
    verify(tmp_path, write_model(tmp_path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    manifest = write_model(tmp_path)
    (tmp_path / "model.onnx").unlink()
    with pytest.raises(ModelError, match=r"model\.onnx is missing") as caught:
        verify(tmp_path, manifest)
    assert "again" in caught.value.hint


def test_a_file_cut_short_is_named_with_both_sizes(tmp_path: Path) -> None:
    manifest = write_model(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"weights " * 99)
    with pytest.raises(ModelError, match=r"model\.onnx is cut short: 792 of 800 bytes"):
        verify(tmp_path, manifest)


def test_a_file_that_grew_is_named(tmp_path: Path) -> None:
    manifest = write_model(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"weights " * 101)
    with pytest.raises(ModelError, match=r"model\.onnx is altered"):
        verify(tmp_path, manifest)


def test_a_changed_byte_is_found_by_checksum(tmp_path: Path) -> None:
    manifest = write_model(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"Weights " + b"weights " * 99)
    with pytest.raises(ModelError, match=r"model\.onnx .*checksum"):
        verify(tmp_path, manifest)


def test_a_checksum_is_worked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = write_model(tmp_path / "tiny")
    read: list[str] = []
    real = manifest_module.sha256_of

    def noted(path: Path) -> str:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(manifest_module, "sha256_of", noted)
    cache = tmp_path / "cache" / "verified.json"
    verify(tmp_path / "tiny", manifest, cache=cache)
    verify(tmp_path / "tiny", manifest, cache=cache)
    assert read == ["model.onnx", "vocab.txt"]


def test_again_reads_the_files_again(tmp_path: Path) -> None:
    manifest = write_model(tmp_path / "tiny")
    cache = tmp_path / "verified.json"
    verify(tmp_path / "tiny", manifest, cache=cache)
    weights = tmp_path / "tiny" / "model.onnx"
    times = (weights.stat().st_atime_ns, weights.stat().st_mtime_ns)
    weights.write_bytes(b"Weights " + b"weights " * 99)
    os.utime(weights, ns=times)
    verify(tmp_path / "tiny", manifest, cache=cache)
    with pytest.raises(ModelError, match="checksum"):
        verify(tmp_path / "tiny", manifest, again=True, cache=cache)


def test_a_file_replaced_since_is_read_again(tmp_path: Path) -> None:
    manifest = write_model(tmp_path / "tiny")
    cache = tmp_path / "verified.json"
    verify(tmp_path / "tiny", manifest, cache=cache)
    weights = tmp_path / "tiny" / "model.onnx"
    weights.write_bytes(b"Weights " + b"weights " * 99)
    os.utime(weights, ns=(0, 0))
    with pytest.raises(ModelError, match="checksum"):
        verify(tmp_path / "tiny", manifest, cache=cache)


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"/x": 3}', "\x00"])
def test_a_damaged_cache_costs_nothing_but_time(tmp_path: Path, content: str) -> None:
    manifest = write_model(tmp_path / "tiny")
    cache = tmp_path / "verified.json"
    cache.write_text(content, encoding="utf-8")
    verify(tmp_path / "tiny", manifest, cache=cache)


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    manifest = write_model(tmp_path / "tiny")
    (tmp_path / "file").touch()
    verify(tmp_path / "tiny", manifest, cache=tmp_path / "file" / "verified.json")


def test_a_folder_without_a_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no manifest\.json"):
        load_manifest(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"thresholds": {"few": 0.8}},
        {"thresholds": {"few": 0.8, "balanced": 0.0, "thorough": 0.4}},
        {"thresholds": {"few": 0.8, "balanced": float("nan"), "thorough": 0.4}},
        {"formats": {"onnx": "other.onnx"}},
        {"formats": {"onnx": "../model.onnx"}},
        {"id": ""},
        {"labels": None},
        {"files": {"../../etc/passwd": {"sha256": "0", "bytes": 1}}},
        {"files": {"/etc/passwd": {"sha256": "0", "bytes": 1}}},
        {"files": {"C:\\x": {"sha256": "0", "bytes": 1}}},
        {"files": []},
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    write_model(tmp_path)
    path = tmp_path / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **changes}), encoding="utf-8")
    with pytest.raises(ModelError, match="does not describe a model"):
        load_manifest(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"manifest\.json is damaged"):
        load_manifest(tmp_path)


@pytest.mark.parametrize("content", ["null", "[]", '"x"', "{}"])
def test_json_that_is_no_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match="does not describe a model"):
        load_manifest(tmp_path)


def test_a_model_that_writes_needs_no_labels_and_no_thresholds(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"weights")
    fields = {"id": "w", "role": "writer", "version": "1", "formats": {"gguf": "model.gguf"}}
    assert write_manifest(tmp_path, fields) == load_manifest(tmp_path)
    with pytest.raises(ModelError, match="incomplete"):
        write_manifest(tmp_path, {**fields, "role": "tagger"})


def test_a_known_checksum_is_not_worked_out_again(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"weights")
    fields = {"id": "w", "role": "writer", "version": "1", "formats": {"gguf": "model.gguf"}}
    manifest = write_manifest(tmp_path, fields, checksums={"model.gguf": "ab" * 32})
    assert manifest.files["model.gguf"].sha256 == "ab" * 32
