"""Which runtime and which device judge an essay, and why.

`probe` looks at the machine without loading any ML runtime, which would cost seconds at every
start; `choose_device` is a pure function of the manifest, the setting and the probe, and says
its reason in a sentence that is shown to the user and stored with the run.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any

from engine.errors import BackendError, UsageError
from engine.models.manifest import Manifest

PREFERENCES = ("auto", "cpu", "gpu")
"""The settings that a user can choose from."""

_BUILD = re.compile(r"^(cuda|hip)\b[^=]*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_RUNTIMES = {
    "onnxruntime": "onnxruntime",
    "torch": "torch",
    "transformers": "transformers",
    "llama_cpp": "llama-cpp-python",
}
"""The runtimes that matter, by the name that Python imports, and their distributions."""
_LLAMA_LIBRARIES = {"cuda": "cuda", "hip": "rocm", "metal": "mps", "vulkan": "any"}
_GPU_NAMES = {"cuda": "NVIDIA GPU", "rocm": "AMD GPU", "mps": "Apple GPU"}


@dataclass(frozen=True, slots=True)
class Probe:
    """What this machine offers.

    `runtimes` maps an installed runtime to its version. `torch_gpus` are the kinds of GPU that
    the installed torch was built for, `llama_gpus` those of the installed llama.cpp ("any" for
    one that drives every kind). `gpu` is the kind of GPU found ("cuda", "rocm", "mps" or
    empty) and `gpu_name` what it calls itself. `cpus` counts the processors we may use.
    """

    runtimes: dict[str, str] = field(default_factory=dict)
    torch_gpus: frozenset[str] = frozenset()
    gpu: str = ""
    gpu_name: str = ""
    cpus: int = 1
    llama_gpus: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The backend, the device ("cpu", "cuda", "mps", or "gpu" for llama.cpp's) and the reason.

    The backend is "onnx" or "torch" for a tagger, "llama-cpp" or "transformers" for a writer.
    """

    backend: str
    device: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as stored with a run."""
        return {"backend": self.backend, "device": self.device, "reason": self.reason}


def choose_device(manifest: Manifest, preference: str, probe: Probe) -> DeviceChoice:
    """The best backend and device for a model on this machine.

    Raises UsageError on an unknown preference, BackendError where no runtime can load the model.
    """
    if preference not in PREFERENCES:
        raise UsageError(f"There is no device setting called {preference!r}: use auto, cpu or gpu.")
    if preference != "cpu":
        obstacle = _gpu_obstacle(manifest, probe)
        if not obstacle:
            return _on_gpu(manifest, probe)
    if preference == "gpu":
        reason = f"Runs on the processor although the GPU was asked for: {obstacle}."
    elif preference == "cpu":
        reason = "Runs on the processor, as set."
    else:
        reason = f"Runs on the processor: {obstacle}."
    return DeviceChoice(_cpu_backend(manifest, probe), "cpu", reason)


def probe() -> Probe:
    """Look at the installed runtimes and the hardware, without importing a runtime."""
    runtimes = {}
    for name, distribution in _RUNTIMES.items():
        version = _version(name, distribution)
        if version is not None:
            runtimes[name] = version
    gpu, gpu_name = _find_gpu()
    torch_gpus = _torch_gpus() if "torch" in runtimes else frozenset()
    llama_gpus = _llama_gpus() if "llama_cpp" in runtimes else frozenset()
    return Probe(runtimes, torch_gpus, gpu, gpu_name, cpu_count(), llama_gpus)


def _on_gpu(manifest: Manifest, probe: Probe) -> DeviceChoice:
    reason = f"Runs on the GPU ({probe.gpu_name})."
    if "gguf" in manifest.formats:
        return DeviceChoice("llama-cpp", "gpu", reason)
    # ROCm builds of torch answer to the device name "cuda".
    device = "mps" if probe.gpu == "mps" else "cuda"
    return DeviceChoice("torch" if "torch" in manifest.formats else "transformers", device, reason)


def _gpu_obstacle(manifest: Manifest, probe: Probe) -> str:
    """Why the GPU cannot be used, as the end of a sentence; empty where it can."""
    if not probe.gpu:
        return "no supported GPU was found"
    if "gguf" in manifest.formats:
        if probe.llama_gpus & {probe.gpu, "any"}:
            return ""
        return "the installed llama.cpp was built for the processor only"
    if not {"torch", "transformers"} & manifest.formats.keys():
        return "this model is made for the processor only"
    if not {"torch", "transformers"} <= probe.runtimes.keys():
        return "PyTorch, which the GPU needs, is not installed"
    if probe.gpu not in probe.torch_gpus:
        return f"the installed PyTorch was not built for this GPU ({probe.gpu_name})"
    return ""


def _cpu_backend(manifest: Manifest, probe: Probe) -> str:
    if "gguf" in manifest.formats:
        if "llama_cpp" in probe.runtimes:
            return "llama-cpp"
        raise BackendError(
            f"The model {manifest.id} needs llama-cpp-python, which is not installed.",
            hint="Install it with: pip install 'segue[llm]'",
        )
    if "transformers" in manifest.formats and {"torch", "transformers"} <= probe.runtimes.keys():
        return "transformers"
    if "onnx" in manifest.formats and "onnxruntime" in probe.runtimes:
        return "onnx"
    if "torch" in manifest.formats and {"torch", "transformers"} <= probe.runtimes.keys():
        return "torch"
    needed = "onnxruntime" if "onnx" in manifest.formats else "torch and transformers"
    raise BackendError(
        f"The model {manifest.id} needs {needed}, which is not installed.",
        hint=f"Install it with: pip install {needed.replace(' and', '')}",
    )


def _version(name: str, distribution: str) -> str | None:
    try:
        if util.find_spec(name) is None:
            return None
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        # A frozen application carries the module without its metadata, and
        # onnxruntime-gpu installs the module under another distribution's name.
        return "unknown"
    except (ImportError, ValueError):
        return None


def _torch_gpus() -> frozenset[str]:
    """The kinds of GPU that the installed torch can use, read from its version file."""
    if sys.platform == "darwin":
        return frozenset({"mps"} if platform.machine() == "arm64" else ())
    spec = util.find_spec("torch")
    if spec is None or spec.origin is None:
        return frozenset()
    try:
        text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    names = {"cuda": "cuda", "hip": "rocm"}
    return frozenset(names[kind] for kind, _version in _BUILD.findall(text))


def _llama_gpus() -> frozenset[str]:
    """The kinds of GPU that the installed llama.cpp can use, told by the libraries beside it."""
    spec = util.find_spec("llama_cpp")
    if spec is None or spec.origin is None:
        return frozenset()
    try:
        names = [path.name.lower() for path in (Path(spec.origin).parent / "lib").iterdir()]
    except OSError:
        return frozenset()
    return frozenset(
        kind
        for library, kind in _LLAMA_LIBRARIES.items()
        if any(f"ggml-{library}" in name for name in names)
    )


def _find_gpu() -> tuple[str, str]:
    name = _cuda_name()
    if name is not None:
        return "cuda", name
    if Path("/dev/kfd").exists():
        return "rocm", _GPU_NAMES["rocm"]
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "mps", _GPU_NAMES["mps"]
    return "", ""


def _cuda_name() -> str | None:
    """The name of the first NVIDIA GPU, asked of the driver itself; None where there is none."""
    if sys.platform == "darwin":
        return None
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None
    count, device = ctypes.c_int(0), ctypes.c_int(0)
    name = ctypes.create_string_buffer(128)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return None
    if count.value < 1:
        return None
    if driver.cuDeviceGet(ctypes.byref(device), 0) != 0:
        return _GPU_NAMES["cuda"]
    if driver.cuDeviceGetName(name, len(name), device) != 0:
        return _GPU_NAMES["cuda"]
    return name.value.decode("utf-8", "replace") or _GPU_NAMES["cuda"]


def cpu_count() -> int:
    """How many processors we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
