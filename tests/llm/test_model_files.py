"""Which file a backend loads: a path, a stored model's id, or the first that fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.llm.model_files import find_writer
from engine.models.manifest import write_manifest
from engine.models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(shipped=tmp_path / "shipped", user=tmp_path / "user")


def add_writer(root: Path, name: str, format: str) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    file = "model.gguf" if format == "gguf" else "config.json"
    (folder / file).write_bytes(b"weights")
    write_manifest(
        folder,
        {
            "id": name,
            "role": "writer",
            "version": "1",
            "formats": {format: file},
            "labels": [],
            "thresholds": {},
        },
    )
    return folder


def test_a_path_is_taken_as_it_is(tmp_path: Path, store: ModelStore) -> None:
    path = tmp_path / "any.gguf"
    path.write_bytes(b"")
    assert find_writer(path, "gguf", store=store) == path
    assert find_writer(str(tmp_path), "transformers", store=store) == tmp_path


def test_a_folder_with_one_gguf_file_stands_for_it(tmp_path: Path, store: ModelStore) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one.gguf").write_bytes(b"")
    assert find_writer(folder, "gguf", store=store) == folder / "one.gguf"
    (folder / "two.gguf").write_bytes(b"")
    with pytest.raises(ModelError, match="2 GGUF files"):
        find_writer(folder, "gguf", store=store)


def test_a_stored_model_is_found_by_its_id_and_format(store: ModelStore) -> None:
    small = add_writer(store.shipped, "small", "gguf")
    large = add_writer(store.shipped, "large", "transformers")
    assert find_writer("small", "gguf", store=store) == small / "model.gguf"
    assert find_writer("large", "transformers", store=store) == large
    with pytest.raises(ModelError, match="large"):
        find_writer("large", "gguf", store=store)


def test_without_a_name_the_users_own_model_comes_before_the_shipped_one(
    store: ModelStore,
) -> None:
    add_writer(store.shipped, "shipped", "gguf")
    own = add_writer(store.user, "own", "gguf")
    assert find_writer(None, "gguf", store=store) == own / "model.gguf"


def test_where_there_is_none_it_says_how_to_get_one(store: ModelStore) -> None:
    with pytest.raises(ModelError) as error:
        find_writer(None, "gguf", store=store)
    assert "segue models install" in error.value.hint


def test_a_stored_model_that_was_altered_is_refused(store: ModelStore) -> None:
    folder = add_writer(store.user, "own", "gguf")
    (folder / "model.gguf").write_bytes(b"weightz")
    with pytest.raises(ModelError, match="altered"):
        find_writer(None, "gguf", store=store)
