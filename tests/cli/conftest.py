"""Fixtures of the command-line tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cli_support import ESSAY


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    """An essay with two findings."""
    path = tmp_path / "essay.txt"
    path.write_text(ESSAY, encoding="utf-8")
    return path
