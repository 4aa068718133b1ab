from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.models.store import ModelStore
from engine.resources import resources_folder
from tests.models.model_folder import write_model


def test_the_shipped_model_is_found(tmp_path: Path) -> None:
    write_model(tmp_path / "shipped" / "tiny")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    assert store.find("tagger") == tmp_path / "shipped" / "tiny"


def test_a_model_of_the_users_own_comes_first(tmp_path: Path) -> None:
    write_model(tmp_path / "shipped" / "a")
    write_model(tmp_path / "user" / "b")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    assert store.folders() == (tmp_path / "user" / "b", tmp_path / "shipped" / "a")
    assert store.find("tagger") == tmp_path / "user" / "b"


def test_folders_without_a_manifest_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "shipped" / "notes").mkdir(parents=True)
    (tmp_path / "shipped" / "file.txt").touch()
    assert ModelStore(tmp_path / "shipped", tmp_path / "user").folders() == ()


def test_no_model_for_a_role_names_both_places(tmp_path: Path) -> None:
    write_model(tmp_path / "shipped" / "tiny", role="generator")
    with pytest.raises(ModelError, match="tagger") as caught:
        ModelStore(tmp_path / "shipped", tmp_path / "user").find("tagger")
    assert str(tmp_path / "user") in caught.value.message
    assert caught.value.hint


def test_the_resources_lie_beside_the_code() -> None:
    assert (resources_folder() / "models").is_dir()
