from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import DownloadError, ModelError, UsageError
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


def test_a_model_is_found_by_its_id(tmp_path: Path) -> None:
    write_model(tmp_path / "user" / "anything", id="mine")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    assert store.folder("mine") == tmp_path / "user" / "anything"
    assert store.get("other") is None


def test_a_near_name_is_offered(tmp_path: Path) -> None:
    write_model(tmp_path / "user" / "mine", id="smollm2-135m")
    with pytest.raises(UsageError, match="installed") as caught:
        ModelStore(tmp_path / "shipped", tmp_path / "user").folder("smollm-135m")
    assert "smollm2-135m" in caught.value.hint


def test_a_model_whose_manifest_is_damaged_is_listed_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "user" / "broken").mkdir(parents=True)
    (tmp_path / "user" / "broken" / "manifest.json").write_text("{", encoding="utf-8")
    (only,) = ModelStore(tmp_path / "shipped", tmp_path / "user").models()
    assert only.id == "broken"
    assert only.error is not None
    assert only.bytes == 0


def test_a_removed_model_is_gone_with_its_partial_download(tmp_path: Path) -> None:
    write_model(tmp_path / "user" / "mine", id="mine")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    store.partial_folder("mine").mkdir(parents=True)
    (store.partial_folder("mine") / "x.part").write_bytes(b"12345")
    assert store.partials() == {"mine": 5}
    assert store.remove("mine") == 804
    assert store.models() == ()
    assert store.partials() == {}
    assert [path.name for path in (tmp_path / "user").iterdir()] == [".partial"]


def test_a_partial_download_alone_can_be_removed(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    store.partial_folder("mine").mkdir(parents=True)
    assert store.remove("mine") == 0
    with pytest.raises(UsageError):
        store.remove("mine")


def test_a_damaged_model_can_be_removed(tmp_path: Path) -> None:
    (tmp_path / "user" / "broken").mkdir(parents=True)
    (tmp_path / "user" / "broken" / "manifest.json").write_text("{", encoding="utf-8")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    store.remove("broken")
    assert store.models() == ()


def test_a_shipped_model_stays(tmp_path: Path) -> None:
    write_model(tmp_path / "shipped" / "tiny", id="tiny")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    with pytest.raises(UsageError, match="part of Segue"):
        store.remove("tiny")
    assert store.get("tiny") is not None


def test_a_link_is_removed_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    write_model(tmp_path / "elsewhere", id="mine")
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    ModelStore(tmp_path / "shipped", tmp_path / "user").remove("mine")
    assert (tmp_path / "elsewhere" / "manifest.json").is_file()
    assert not (tmp_path / "user" / "link").exists()


@pytest.mark.parametrize("name", ["..", ".", "", "../user", "/etc"])
def test_no_name_leads_out_of_the_folder_of_models(tmp_path: Path, name: str) -> None:
    write_model(tmp_path / "user" / "mine", id="mine")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    with pytest.raises(UsageError):
        store.remove(name)
    assert not store.discard_partial(name)
    assert store.get("mine") is not None


def test_what_is_being_brought_in_elsewhere_cannot_be_removed(tmp_path: Path) -> None:
    write_model(tmp_path / "user" / "mine", id="mine")
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    with store.alone("mine"), pytest.raises(DownloadError, match="already"):
        store.remove("mine")


def test_a_lock_leaves_no_file_behind(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    with store.alone("mine"):
        with pytest.raises(DownloadError, match="already"), store.alone("mine"):
            pass
        assert list((tmp_path / "user").rglob("*.lock"))
    with pytest.raises(ValueError, match="cut off"), store.alone("mine"):
        raise ValueError("cut off")
    assert not list((tmp_path / "user").rglob("*.lock"))


def test_a_writer_that_is_missing_is_offered_by_the_list(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="writer") as caught:
        ModelStore(tmp_path / "shipped", tmp_path / "user").find("writer")
    assert "models list" in caught.value.hint
