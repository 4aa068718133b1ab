"""Memory: a large class needs no more of it than a small one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def peak(folder: Path, count: int) -> int:
    command = [sys.executable, "-m", "tests.classroom.peak_memory", str(folder), str(count)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_500_essays_need_hardly_more_memory_than_50(tmp_path: Path) -> None:
    small = peak(tmp_path / "small", 50)
    large = peak(tmp_path / "large", 500)
    assert large <= 1.10 * small, f"{large / 1e6:.1f} MB against {small / 1e6:.1f} MB"
