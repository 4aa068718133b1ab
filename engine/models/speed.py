"""What to expect of a model on this computer: whether it fits, and about how fast it will be.

An estimate from two facts, good to a factor of two: a model reads all its weights once for each
token that it writes, so memory bandwidth bounds writing; and it works two operations a parameter
for each token of the prompt, so arithmetic bounds reading. A measurement with the model itself,
`segue evaluate rewriting`, is better where there is one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

PROMPT_TOKENS = 300
"""Tokens that are read for one rewrite: the instruction, a little context and the sentence."""
ANSWER_TOKENS = 35
"""Tokens that are written for one rewrite."""
_OPERATIONS_A_CORE = 25e9
"""Operations a second of one core in a quantized matrix product: AVX2 and NEON cores of the last
ten years do 15 to 60 thousand million."""
_BLOCK = 32 << 20
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Machine:
    """What bounds a model here: memory in bytes, cores, and bytes a second from memory."""

    memory_bytes: int
    free_bytes: int
    cpus: int
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """`seconds` for one rewrite on the processor, about; `fits` in memory at all."""

    seconds: float
    fits: bool
    is_tight: bool


def look_at_machine() -> Machine:
    """Measure this computer; takes some hundredths of a second."""
    import psutil

    from engine.models.device import cpu_count

    memory = psutil.virtual_memory()
    return Machine(memory.total, memory.available, cpu_count(), measure_bandwidth())


def measure_bandwidth() -> float:
    """Bytes a second that one core moves through memory, by copying a block larger than caches."""
    source = bytearray(_BLOCK)
    target = memoryview(bytearray(_BLOCK))
    best = float("inf")
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        target[:] = source
        best = min(best, time.perf_counter() - began)
    # A copy reads and writes every byte.
    return 2 * _BLOCK / max(best, 1e-6)


def expect(
    machine: Machine, *, weight_bytes: int, parameters: int, memory_bytes: int
) -> Expectation:
    """What to expect of a model of this size on the processor of this machine."""
    reading = PROMPT_TOKENS * 2 * parameters / (machine.cpus * _OPERATIONS_A_CORE)
    writing = ANSWER_TOKENS * weight_bytes / machine.bandwidth
    return Expectation(
        seconds=reading + writing,
        fits=memory_bytes <= machine.memory_bytes,
        is_tight=memory_bytes > machine.free_bytes,
    )


def in_words(seconds: float) -> str:
    """Such as "about 3 s a sentence"; nobody can say it more exactly."""
    if seconds < 1:
        return "under 1 s a sentence"
    if seconds < 90:
        return f"about {round(seconds)} s a sentence"
    return f"about {round(seconds / 60)} min a sentence"
