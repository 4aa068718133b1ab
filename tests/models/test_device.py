from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BackendError, UsageError
from engine.models.device import DeviceChoice, Probe, choose_device, probe
from engine.models.manifest import Manifest
from tests.models.model_folder import write_model

ALL_RUNTIMES = {"onnxruntime": "1.20", "torch": "2.6", "transformers": "4.50"}
CPU_ONLY = Probe({"onnxruntime": "1.20"}, cpus=4)
NVIDIA = Probe(ALL_RUNTIMES, frozenset({"cuda"}), "cuda", "NVIDIA H200", 8)


@pytest.fixture
def onnx_only(tmp_path: Path) -> Manifest:
    return write_model(tmp_path / "tiny")


@pytest.fixture
def both(onnx_only: Manifest) -> Manifest:
    return replace(onnx_only, formats={"onnx": "model.onnx", "torch": "model.onnx"})


def test_without_a_gpu_onnx_runs_on_the_processor(both: Manifest) -> None:
    choice = choose_device(both, "auto", CPU_ONLY)
    assert (choice.backend, choice.device) == ("onnx", "cpu")
    assert choice.reason == "Runs on the processor: no supported GPU was found."


def test_with_a_gpu_that_torch_can_use_the_gpu_is_taken(both: Manifest) -> None:
    assert choose_device(both, "auto", NVIDIA) == DeviceChoice(
        "torch", "cuda", "Runs on the GPU (NVIDIA H200)."
    )


@pytest.mark.parametrize(("gpu", "device"), [("cuda", "cuda"), ("rocm", "cuda"), ("mps", "mps")])
def test_each_kind_of_gpu_has_its_torch_name(both: Manifest, gpu: str, device: str) -> None:
    machine = replace(NVIDIA, gpu=gpu, torch_gpus=frozenset({gpu}))
    assert choose_device(both, "gpu", machine).device == device


def test_the_processor_can_be_asked_for(both: Manifest) -> None:
    choice = choose_device(both, "cpu", NVIDIA)
    assert (choice.backend, choice.device) == ("onnx", "cpu")
    assert choice.reason == "Runs on the processor, as set."


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        (CPU_ONLY, "no supported GPU"),
        (replace(NVIDIA, runtimes={"onnxruntime": "1.20"}), "not installed"),
        (replace(NVIDIA, torch_gpus=frozenset()), "not built for this GPU"),
        (replace(NVIDIA, torch_gpus=frozenset({"rocm"})), "not built for this GPU"),
    ],
)
def test_a_gpu_asked_for_in_vain_says_why(both: Manifest, machine: Probe, why: str) -> None:
    choice = choose_device(both, "gpu", machine)
    assert choice.device == "cpu"
    assert "although the GPU was asked for" in choice.reason
    assert why in choice.reason


def test_a_model_for_the_processor_stays_there(onnx_only: Manifest) -> None:
    choice = choose_device(onnx_only, "gpu", NVIDIA)
    assert (choice.backend, choice.device) == ("onnx", "cpu")
    assert "made for the processor only" in choice.reason


def test_torch_steps_in_where_onnxruntime_is_missing(both: Manifest) -> None:
    machine = Probe({"torch": "2.6", "transformers": "4.50"})
    assert choose_device(both, "auto", machine).backend == "torch"


def test_without_any_runtime_the_error_says_what_to_install(onnx_only: Manifest) -> None:
    with pytest.raises(BackendError, match="onnxruntime") as caught:
        choose_device(onnx_only, "auto", Probe())
    assert caught.value.hint == "Install it with: pip install onnxruntime"


def test_an_unknown_preference_is_refused(onnx_only: Manifest) -> None:
    with pytest.raises(UsageError, match="'npu'"):
        choose_device(onnx_only, "npu", CPU_ONLY)


def test_the_probe_finds_this_machine_without_loading_a_runtime() -> None:
    script = (
        "import sys; from engine.models.device import probe; found = probe(); "
        "assert found.cpus >= 1; "
        "assert not {'torch', 'onnxruntime', 'transformers'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert "onnxruntime" in probe().runtimes
