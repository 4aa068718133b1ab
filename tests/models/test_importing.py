"""Bringing in models that lie on a disk already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import Cancelled, DownloadError, ModelError, UnreadableFile, UsageError
from engine.models.gguf import read_gguf
from engine.models.importing import import_model, model_name
from engine.models.manifest import load_manifest, verify
from engine.models.progress import ModelProgress, Stage
from engine.models.store import ModelStore
from tests.models.catalogue_entries import WEIGHTS, folder_entry, gguf_bytes, gguf_entry
from tests.models.model_folder import write_model


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "from" / "My Writer (Q4_K_M).gguf"
    path.parent.mkdir()
    path.write_bytes(WEIGHTS)
    return path


def transformers_folder(path: Path, **files: bytes) -> Path:
    path.mkdir(parents=True)
    content = {
        "config.json": json.dumps(
            {"model_type": "llama", "max_position_embeddings": 4096}
        ).encode(),
        "tokenizer.json": b"{}",
        "model.safetensors": b"weights " * 100,
        **files,
    }
    for name, data in content.items():
        (path / name).write_bytes(data)
    return path


def test_a_gguf_file_becomes_a_writer_that_says_what_it_is(store: ModelStore, gguf: Path) -> None:
    folder = import_model(store, gguf)
    manifest = load_manifest(folder)
    assert store.find("writer") == folder
    assert manifest.id == "my-writer-q4-k-m"
    assert manifest.formats == {"gguf": gguf.name}
    assert manifest.base_model == "Tiny Writer"
    assert manifest.licence == "MIT"
    assert manifest.settings == {"context_length": 2048}
    verify(folder, manifest, again=True)
    assert gguf.read_bytes() == WEIGHTS


def test_a_folder_with_one_gguf_file_is_that_file(store: ModelStore, gguf: Path) -> None:
    (gguf.parent / "notes.txt").write_text("mine", encoding="utf-8")
    folder = import_model(store, gguf.parent, name="mine")
    assert sorted(path.name for path in folder.iterdir()) == [gguf.name, "manifest.json"]


def test_of_several_gguf_files_the_user_has_to_name_one(store: ModelStore, gguf: Path) -> None:
    (gguf.parent / "other.gguf").write_bytes(WEIGHTS)
    with pytest.raises(UsageError, match="several"):
        import_model(store, gguf.parent)


def test_a_model_cut_into_pieces_comes_with_all_of_them(store: ModelStore, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"big-0000{number}-of-00002.gguf").write_bytes(WEIGHTS)
    folder = import_model(store, tmp_path / "big-00001-of-00002.gguf")
    assert folder.name == "big"
    assert set(load_manifest(folder).files) == {
        "big-00001-of-00002.gguf",
        "big-00002-of-00002.gguf",
    }


def test_a_missing_piece_is_named(store: ModelStore, tmp_path: Path) -> None:
    (tmp_path / "big-00001-of-00002.gguf").write_bytes(WEIGHTS)
    with pytest.raises(ModelError, match="big-00002-of-00002"):
        import_model(store, tmp_path / "big-00001-of-00002.gguf")


def test_a_folder_of_transformers_comes_without_what_could_run(
    store: ModelStore, tmp_path: Path
) -> None:
    source = transformers_folder(
        tmp_path / "llama", **{"modeling_evil.py": b"import os", "pytorch_model.bin": b"pickled"}
    )
    manifest = load_manifest(import_model(store, source))
    assert manifest.formats == {"transformers": "config.json"}
    assert set(manifest.files) == {"config.json", "tokenizer.json", "model.safetensors"}
    assert manifest.settings == {"context_length": 4096}


def test_pickled_weights_are_refused_with_a_way_out(store: ModelStore, tmp_path: Path) -> None:
    source = transformers_folder(tmp_path / "old", **{"pytorch_model.bin": b"pickled"})
    (source / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="no weights in safetensors") as caught:
        import_model(store, source)
    assert "save_pretrained" in caught.value.hint


def test_a_missing_shard_is_named(store: ModelStore, tmp_path: Path) -> None:
    index = json.dumps({"weight_map": {"a": "model.safetensors", "b": "gone.safetensors"}})
    source = transformers_folder(
        tmp_path / "big", **{"model.safetensors.index.json": index.encode()}
    )
    with pytest.raises(ModelError, match=r"gone\.safetensors"):
        import_model(store, source)


def test_a_folder_in_our_own_layout_keeps_its_manifest(store: ModelStore, tmp_path: Path) -> None:
    written = write_model(tmp_path / "from" / "anything")
    folder = import_model(store, tmp_path / "from" / "anything")
    assert load_manifest(folder) == written
    assert store.find("tagger") == folder


def test_a_damaged_folder_of_our_own_is_refused(store: ModelStore, tmp_path: Path) -> None:
    write_model(tmp_path / "from")
    (tmp_path / "from" / "model.onnx").write_bytes(b"cut")
    with pytest.raises(ModelError, match="cut short"):
        import_model(store, tmp_path / "from")
    assert store.models() == ()


def test_a_copy_of_a_known_model_is_recognised_by_its_checksum(
    store: ModelStore, gguf: Path
) -> None:
    manifest = load_manifest(import_model(store, gguf, catalogue=[folder_entry(), gguf_entry()]))
    assert manifest.licence == "Apache-2.0"
    assert manifest.settings == {"context_length": 2048, "thinking": False}
    assert manifest.recipe["like"] == "tiny-writer"


def test_a_copy_takes_over_what_the_catalogue_says_of_the_model_it_is_named_to_be_like(
    store: ModelStore, tmp_path: Path
) -> None:
    source = transformers_folder(tmp_path / "download")
    entry = folder_entry(settings={"prompt": "decor", "reasons": True})
    manifest = load_manifest(import_model(store, source, like=entry))
    assert manifest.id == entry.id
    assert manifest.settings == {"context_length": 4096, "prompt": "decor", "reasons": True}
    assert manifest.licence == entry.licence


def test_a_model_is_not_like_one_of_another_format(store: ModelStore, gguf: Path) -> None:
    with pytest.raises(UsageError, match="no copy"):
        import_model(store, gguf, like=folder_entry())
    assert store.partials() == {}


def test_a_name_that_is_taken_is_refused(store: ModelStore, gguf: Path) -> None:
    import_model(store, gguf, name="mine")
    with pytest.raises(UsageError, match="already") as caught:
        import_model(store, gguf, name="mine")
    assert "--name" in caught.value.hint


@pytest.mark.parametrize("name", ["../evil", "a/b", "..", ".hidden", "-x", "a b", "x" * 200])
def test_a_name_that_is_no_folders_name_is_refused(
    store: ModelStore, gguf: Path, name: str
) -> None:
    with pytest.raises(UsageError, match="cannot be a model's name"):
        import_model(store, gguf, name=name)


def test_without_room_nothing_is_copied(store: ModelStore, gguf: Path) -> None:
    with pytest.raises(DownloadError, match="not enough room"):
        import_model(store, gguf, free=lambda _folder: 1000)
    assert store.partials() == {}


def test_a_stopped_copy_leaves_nothing(store: ModelStore, gguf: Path) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        import_model(store, gguf, check_cancelled=stop)
    assert store.partials() == {}
    assert store.models() == ()


def test_a_copy_tells_how_far_it_is(store: ModelStore, gguf: Path) -> None:
    heard: list[ModelProgress] = []
    import_model(store, gguf, on_progress=heard.append)
    assert (heard[-1].stage, heard[-1].done) == (Stage.COPYING, len(WEIGHTS))


@pytest.mark.parametrize(
    "content",
    [b"", b"GGUF", b"GGML" + WEIGHTS[4:], WEIGHTS[:60], b"GGUF\x63\0\0\0" + WEIGHTS[8:]],
)
def test_what_is_no_gguf_model_is_named(store: ModelStore, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="not a whole GGUF model"):
        import_model(store, path)


def test_a_head_that_promises_too_much_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "evil.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 8 + b"\x01" + b"\0" * 7 + b"\xff" * 8)
    with pytest.raises(ModelError, match="too long"):
        read_gguf(path)


def test_the_head_of_a_gguf_file_is_read_up_to_the_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf_bytes({"tokenizer.ggml.model": "gpt2", "general.name": "Too late"}))
    assert read_gguf(path).architecture == "llama"
    assert read_gguf(path).name == ""


def test_what_is_no_model_is_named(store: ModelStore, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="empty"):
        import_model(store, tmp_path / "empty")
    with pytest.raises(UnreadableFile, match="nowhere"):
        import_model(store, tmp_path / "nowhere")


def test_a_request_to_stop_is_heard_while_a_source_is_still_being_looked_over(
    store: ModelStore, tmp_path: Path
) -> None:
    write_model(tmp_path / "other", id="other")
    (tmp_path / "other" / "model.onnx").write_bytes(b"Weights " + b"weights " * 99)

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        import_model(store, tmp_path / "other", check_cancelled=stop)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2-135m-instruct.q4-1"),
        ("Мой model.GGUF", "model"),
        ("llama3_8b", "llama3-8b"),
    ],
)
def test_a_name_is_made_from_the_files(text: str, name: str) -> None:
    assert model_name(text) == name
