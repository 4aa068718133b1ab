"""What is told of each model: where it stands, what it needs, where it runs, how fast."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.models.catalogue import Catalogue
from engine.models.device import Probe, choose_device
from engine.models.importing import import_model
from engine.models.manifest import load_manifest
from engine.models.overview import ModelOverview, ModelState, survey
from engine.models.progress import Meter, ModelProgress, Stage
from engine.models.speed import Machine, expect, in_words, look_at_machine
from engine.models.store import ModelStore
from tests.models.catalogue_entries import WEIGHTS, folder_entry, gguf_entry
from tests.models.model_folder import write_model

MACHINE = Machine(8_000_000_000, 4_000_000_000, cpus=2, bandwidth=10e9)
PROBE = Probe({"onnxruntime": "1.20", "llama_cpp": "0.3"}, cpus=2)
CATALOGUE = Catalogue((gguf_entry(), folder_entry()))

Survey = Callable[..., dict[str, ModelOverview]]


@pytest.fixture
def look(store: ModelStore) -> Survey:
    def found(machine: Machine = MACHINE, probe: Probe = PROBE) -> dict[str, ModelOverview]:
        return {one.id: one for one in survey(store, CATALOGUE, machine, probe)}

    return found


@pytest.fixture
def writer(store: ModelStore, tmp_path: Path) -> Path:
    (tmp_path / "w.gguf").write_bytes(WEIGHTS)
    return import_model(store, tmp_path / "w.gguf", like=gguf_entry())


def test_what_is_not_here_is_offered(look: Survey) -> None:
    found = look()
    assert [one.state for one in found.values()] == [ModelState.AVAILABLE] * 2
    assert found["tiny-writer"].licence == "Apache-2.0"
    assert not found["big-writer"].is_permissive


def test_what_was_begun_shows_how_far_it_is(look: Survey, store: ModelStore) -> None:
    store.partial_folder("tiny-writer").mkdir(parents=True)
    (store.partial_folder("tiny-writer") / "x.part").write_bytes(b"x" * 1000)
    found = look()["tiny-writer"]
    assert (found.state, found.done_bytes) == (ModelState.PARTIAL, 1000)


def test_an_installed_model_comes_once_with_its_folder_and_its_device(
    look: Survey, writer: Path
) -> None:
    found = look()["tiny-writer"]
    assert found.state is ModelState.INSTALLED
    assert found.folder == str(writer)
    assert found.device is not None
    assert (found.device.backend, found.device.device) == ("llama-cpp", "cpu")
    assert found.device.reason == "Runs on the processor: no supported GPU was found."


def test_a_model_that_nothing_can_run_says_what_to_install(look: Survey, writer: Path) -> None:
    found = look(probe=Probe({"onnxruntime": "1.20"}))["tiny-writer"]
    assert found.device is None
    assert "segue[llm]" in found.problem


def test_a_shipped_and_a_damaged_model_are_told_apart(look: Survey, store: ModelStore) -> None:
    write_model(store.shipped / "tiny", id="tiny")
    (store.user / "broken").mkdir(parents=True)
    (store.user / "broken" / "manifest.json").write_text("{", encoding="utf-8")
    found = look()
    assert found["tiny"].state is ModelState.SHIPPED
    assert found["tiny"].expectation is None
    assert found["broken"].state is ModelState.DAMAGED
    assert "damaged" in found["broken"].problem


def test_everything_told_is_plain_data(look: Survey, writer: Path) -> None:
    data = json.loads(json.dumps([one.as_dict() for one in look().values()]))
    assert data[0]["id"] == "tiny-writer"
    assert data[0]["device"]["backend"] == "llama-cpp"


def test_a_model_larger_than_the_memory_does_not_fit() -> None:
    size = {"weight_bytes": 5_000_000_000, "parameters": 8_000_000_000}
    assert not expect(MACHINE, memory_bytes=9_000_000_000, **size).fits
    tight = expect(MACHINE, memory_bytes=5_000_000_000, **size)
    assert tight.fits
    assert tight.is_tight


def test_more_cores_and_more_bandwidth_are_faster() -> None:
    def seconds(machine: Machine) -> float:
        return expect(
            machine, weight_bytes=10**9, parameters=1_700_000_000, memory_bytes=2 * 10**9
        ).seconds

    assert seconds(replace(MACHINE, cpus=8)) < seconds(MACHINE)
    assert seconds(replace(MACHINE, bandwidth=40e9)) < seconds(MACHINE)


def test_this_computer_has_memory_and_bandwidth() -> None:
    found = look_at_machine()
    assert found.memory_bytes > found.free_bytes > 0
    assert found.cpus >= 1
    assert 1e8 < found.bandwidth < 1e13


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.3, "under 1 s a sentence"),
        (2.6, "about 3 s a sentence"),
        (100, "about 2 min a sentence"),
    ],
)
def test_a_time_is_told_roughly(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


NVIDIA = Probe({"llama_cpp": "0.3"}, gpu="cuda", gpu_name="NVIDIA H200")


def test_llama_cpp_uses_a_gpu_that_it_was_built_for(writer: Path) -> None:
    manifest = load_manifest(writer)
    built = replace(NVIDIA, llama_gpus=frozenset({"cuda"}))
    assert choose_device(manifest, "auto", built).device == "gpu"
    choice = choose_device(manifest, "gpu", NVIDIA)
    assert choice.device == "cpu"
    assert "built for the processor only" in choice.reason


def test_a_transformers_model_runs_where_torch_does(writer: Path) -> None:
    manifest = replace(load_manifest(writer), formats={"transformers": "config.json"})
    machine = Probe({"torch": "2.6", "transformers": "4.50"})
    assert choose_device(manifest, "auto", machine).backend == "transformers"
    gpu = replace(machine, gpu="cuda", gpu_name="GPU", torch_gpus=frozenset({"cuda"}))
    assert choose_device(manifest, "auto", gpu).device == "cuda"


def test_a_meter_tells_a_few_times_a_second_and_always_at_the_end() -> None:
    now = 100.0
    heard: list[ModelProgress] = []
    meter = Meter("m", Stage.DOWNLOADING, 1000, heard.append, clock=lambda: now)
    for _ in range(10):
        meter.add(100)
        now += 0.05
    assert 2 <= len(heard) <= 5
    assert heard[-1].done == 1000


def test_progress_survives_the_way_through_a_pipe() -> None:
    sent = ModelProgress("m", Stage.COPYING, 5, 10, 2.5)
    assert ModelProgress.from_dict(json.loads(json.dumps(sent.as_dict()))) == sent


def test_the_time_left_follows_from_the_rate() -> None:
    now = 0.0
    heard: list[ModelProgress] = []
    meter = Meter("m", Stage.DOWNLOADING, 1000, heard.append, clock=lambda: now)
    meter.show(0)
    now = 2.0
    meter.show(200)
    assert heard[-1].rate == 100.0
    assert heard[-1].seconds_left == 8.0
    assert heard[0].seconds_left is None
