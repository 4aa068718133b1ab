"""What a backend is told when it is opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CONTEXT_TOKENS = 2048
"""Enough for every prompt of the rewriter and its answer."""


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """The model and where it runs; what a backend has no use for it leaves alone.

    `model` is a file or folder, or for a server the model's name there. `device` is "auto", "cpu"
    or "gpu". `url` and `api_key` are a server's; the key is kept out of every printout.
    `threads` None leaves the number to the runtime. `context_tokens` is how much text, prompt and
    answer together, the model may look at.
    """

    model: str | Path | None = None
    device: str = "auto"
    url: str = ""
    api_key: str = field(default="", repr=False)
    threads: int | None = None
    context_tokens: int = CONTEXT_TOKENS
    connect_seconds: float = 10.0
    stall_seconds: float = 120.0
