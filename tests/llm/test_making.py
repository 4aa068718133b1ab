"""Which backend and model a choice comes to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ModelError, UsageError
from engine.llm.making import open_writer, stored_choice
from engine.models.manifest import write_manifest
from engine.models.store import ModelStore
from engine.writing import WriterChoice, name_of


def add_writer(root: Path, name: str, format: str, file: str) -> None:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / file).write_bytes(b"weights")
    fields = {"id": name, "role": "writer", "version": "1", "formats": {format: file}}
    write_manifest(folder, {**fields, "labels": [], "thresholds": {}})


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "shipped", tmp_path / "user")


def test_a_stored_models_format_chooses_the_backend(store: ModelStore) -> None:
    add_writer(store.user, "a-folder", "transformers", "config.json")
    add_writer(store.user, "b-file", "gguf", "b.gguf")
    assert stored_choice("b-file", store) == WriterChoice("llama-cpp", "b-file")
    assert stored_choice("a-folder", store) == WriterChoice("transformers", "a-folder")
    assert stored_choice("", store).model == "a-folder"


def test_a_model_that_is_not_there_is_named(store: ModelStore) -> None:
    with pytest.raises(ModelError, match="No language model that writes is installed"):
        open_writer(WriterChoice("stored"), store=store)
    with pytest.raises(ModelError, match="b-file is not installed"):
        open_writer(WriterChoice("stored", "b-file"), store=store)


def test_what_opens_is_named_as_the_user_did(tmp_path: Path, fake_backend: str) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["Yes."]), encoding="utf-8")
    assert open_writer(WriterChoice(fake_backend, str(script))).describe()["id"] == "script"
    server = WriterChoice("server", "tiny", "http://name:secret@127.0.0.1:9/v1")
    described = open_writer(server).describe()
    assert name_of(described) == "tiny on http://127.0.0.1:9/v1"
    assert "secret" not in str(described)


def test_a_server_without_an_address_is_refused() -> None:
    with pytest.raises(UsageError, match="No server is named"):
        open_writer(WriterChoice("server"))


def test_a_choice_goes_over_the_wire_and_back() -> None:
    choice = WriterChoice("server", "tiny", "http://127.0.0.1:9/v1")
    assert WriterChoice.from_dict(choice.as_dict()) == choice
    assert WriterChoice.from_dict({}).is_off
    wrong: list[object] = [None, "server", [], {"backend": 3}, {"server": None}]
    for bad in wrong:
        with pytest.raises(ValueError, match="choice of a writer"):
            WriterChoice.from_dict(bad)
