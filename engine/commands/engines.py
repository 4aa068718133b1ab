"""The engine that a command runs, made only when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from engine.events import ChecksEssays

EngineFactory = Callable[[str], ChecksEssays]
"""A device preference -> an engine."""


def make_engine(device: str) -> ChecksEssays:
    """The engine with the shipped model."""
    from engine.pipeline import Engine

    return Engine(device=device)
