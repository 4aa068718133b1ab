"""Fixtures of the classroom tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.history import History


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """A history of its own."""
    with History.open(tmp_path / "history.db") as opened:
        yield opened
