"""What the Models page says about a model, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.models.overview import ModelOverview, ModelState
from engine.models.placing import in_words as size_in_words
from engine.models.progress import ModelProgress, Stage
from engine.models.speed import Machine
from engine.models.speed import in_words as speed_in_words

_STAGES = {
    Stage.LOOKING: "Asking the server…",
    Stage.DOWNLOADING: "Downloading",
    Stage.COPYING: "Copying",
    Stage.CHECKING: "Checking",
}
_RUNTIMES = {
    "onnx": "ONNX Runtime",
    "torch": "PyTorch",
    "llama-cpp": "llama.cpp",
    "transformers": "PyTorch",
}
STATES = {
    ModelState.SHIPPED: "Part of Segue",
    ModelState.INSTALLED: "Installed",
    ModelState.DAMAGED: "Damaged",
    ModelState.PARTIAL: "Paused",
    ModelState.AVAILABLE: "",
}


def facts(one: ModelOverview) -> str:
    """Size, licence, memory and speed in one line."""
    parts = [size_in_words(one.bytes)] if one.bytes else []
    parts += [one.licence] if one.licence else []
    if one.expectation is not None:
        parts.append(f"needs {size_in_words(one.memory_bytes)} of memory")
        parts.append(f"{speed_in_words(one.expectation.seconds)} here")
    return "  ·  ".join(parts)


def remark(one: ModelOverview, damage: str = "") -> str:
    """What stands in the way of using a model; empty where nothing does."""
    if damage or one.problem:
        return damage or one.problem
    if one.expectation is not None and not one.expectation.fits:
        return "This computer has too little memory for it."
    return ""


def notes(one: ModelOverview) -> str:
    """What is worth knowing before a download; empty for installed models."""
    if one.state.is_here:
        return ""
    expectation = one.expectation
    is_tight = expectation is not None and expectation.fits and expectation.is_tight
    tight = "Other programs leave too little memory for it at the moment." if is_tight else ""
    return " ".join(filter(None, (one.note, tight)))


def where(one: ModelOverview) -> str:
    """Where an installed model runs and why; empty for others."""
    if one.device is None:
        return ""
    runtime = _RUNTIMES.get(one.device.backend, one.device.backend)
    return f"{one.device.reason} ({runtime})"


def how_far(progress: ModelProgress) -> str:
    """Such as "Downloading: 52 MB of 105 MB, 3 MB a second, about 20 seconds left"."""
    words = _STAGES[progress.stage]
    if progress.stage is Stage.LOOKING:
        return words
    parts = [f"{size_in_words(progress.done)} of {size_in_words(progress.total)}"]
    if progress.rate > 0:
        parts.append(f"{size_in_words(round(progress.rate))} a second")
    left = progress.seconds_left
    if left is not None and progress.done < progress.total:
        parts.append(f"{time_in_words(left)} left")
    return f"{words}: {', '.join(parts)}"


def time_in_words(seconds: float) -> str:
    """A rough time: nobody can say it to the second."""
    if seconds < 60:
        rounded = max(1, round(seconds))
        return f"about {rounded} second{'' if rounded == 1 else 's'}"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {minutes // 60} h {minutes % 60} min"


def engine_words(description: Mapping[str, Any]) -> str:
    """What `Engine.describe` says of the device that checks essays."""
    device: Mapping[str, Any] = description.get("device") or {}
    runtime = _RUNTIMES.get(str(device.get("backend") or ""), "")
    reason = str(device.get("reason") or "")
    return f"{reason} ({runtime})" if reason and runtime else reason


def machine_words(machine: Machine) -> str:
    """The computer that the times and warnings are for."""
    cores = "1 core" if machine.cpus == 1 else f"{machine.cpus} cores"
    return (
        f"{size_in_words(machine.memory_bytes)} of memory, of which "
        f"{size_in_words(machine.free_bytes)} are free, and a processor with {cores}. The times "
        "below are estimates for the processor."
    )
