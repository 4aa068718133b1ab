"""The table of models that can be downloaded: what is in it, and that it keeps its promises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.errors import ModelError, UsageError
from engine.llm.decor_prompts import checkpoint_of
from engine.models.catalogue import PERMISSIVE, Catalogue, CatalogueEntry, load_catalogue
from engine.models.manifest import inside
from engine.resources import resources_folder

SHIPPED = load_catalogue()


def names(entry: CatalogueEntry) -> str:
    return entry.id


@pytest.mark.parametrize("entry", SHIPPED.entries, ids=names)
def test_every_entry_is_complete(entry: CatalogueEntry) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", entry.id)
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", entry.repository)
    assert entry.role == "writer"
    assert entry.format in ("gguf", "transformers")
    assert entry.name
    assert entry.job.endswith(".")
    assert entry.licence
    assert entry.base_model
    assert 0 < entry.bytes < entry.memory_bytes
    assert entry.parameters > 100_000_000
    assert bool(entry.files) != bool(entry.patterns)


@pytest.mark.parametrize("entry", SHIPPED.entries, ids=names)
def test_every_checksum_comes_with_a_commit_that_cannot_move(entry: CatalogueEntry) -> None:
    for name, checksum in entry.files.items():
        assert inside(name) == name
        assert re.fullmatch(r"[0-9a-f]{64}", checksum)
        assert re.fullmatch(r"[0-9a-f]{40}", entry.revision)


@pytest.mark.parametrize("entry", SHIPPED.entries, ids=names)
def test_a_licence_with_conditions_is_marked_and_can_be_read(entry: CatalogueEntry) -> None:
    assert entry.is_permissive or entry.licence_url.startswith("https://")
    assert entry.is_permissive or entry.note


@pytest.mark.parametrize("entry", SHIPPED.entries, ids=names)
def test_nothing_that_could_run_is_fetched(entry: CatalogueEntry) -> None:
    for name in ("pytorch_model.bin", "modeling_llama.py", "training_args.bin", "x.pkl"):
        assert not entry.wants(name)


def test_ids_are_unique_and_permissive_licences_come_first() -> None:
    ids = [entry.id for entry in SHIPPED]
    assert len(ids) == len(set(ids))
    permissive = [entry.licence in PERMISSIVE for entry in SHIPPED]
    assert permissive == sorted(permissive, reverse=True)


def test_it_reaches_from_tiny_to_eight_thousand_million_parameters() -> None:
    sizes = [entry.parameters for entry in SHIPPED]
    assert min(sizes) < 200e6
    assert max(sizes) > 8e9


def test_the_checkpoints_of_the_paper_are_in_it_with_their_prompts() -> None:
    found = {entry.repository: entry for entry in SHIPPED if "Decor" in entry.repository}
    assert set(found) == {
        "Columbia-NLP/llama2-7b-rewriting-r-Decor",
        "Columbia-NLP/llama2-7b-rewriting-nr-Decor",
        "Columbia-NLP/llama3-8b-instruct-rewriting-r-Decor",
        "Columbia-NLP/llama3-8b-instruct-rewriting-nr-Decor",
    }
    for repository, entry in found.items():
        assert entry.settings["prompt"] == "decor"
        assert entry.settings["reasons"] is ("-r-" in repository)
        assert "Llama" in entry.licence
        # Whoever runs it tells by the id how it was trained.
        assert checkpoint_of(entry.id) == checkpoint_of(repository)
        assert checkpoint_of(entry.id) is not None


def test_a_near_name_is_offered() -> None:
    with pytest.raises(UsageError, match="smolm2") as caught:
        SHIPPED.find("smolm2-135m-instruct")
    assert "smollm2-135m-instruct" in caught.value.hint


def changed(tmp_path: Path, **fields: object) -> Path:
    data = json.loads((resources_folder() / "models-catalogue.json").read_text(encoding="utf-8"))
    data["models"][0].update(fields)
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_an_entry_that_does_not_fetch_what_it_loads_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not fetch"):
        load_catalogue(changed(tmp_path, entry="other.gguf"))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": "other", "models": []}'])
def test_a_damaged_table_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "catalogue.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"catalogue\.json"):
        load_catalogue(path)


def test_an_empty_table_is_no_fault() -> None:
    assert list(Catalogue(())) == []
