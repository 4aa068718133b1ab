"""ONNX Runtime reports to its makers by default; in Segue it must not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_CHECK = """
import pathlib
from engine import Engine, load_essay
essay = load_essay(pathlib.Path("resources/samples/city-life.txt"))
assert Engine(device="cpu").check(essay).sentences
"""


def test_a_check_leaves_no_trace_of_telemetry(tmp_path: Path) -> None:
    # The runtime keeps its queue of reports and a device id in the user's cache folder, and is
    # silent by itself under CI.
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "LD_"))}
    folders = dict.fromkeys(
        ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "SEGUE_HOME", "TMPDIR"),
        str(tmp_path),
    )
    subprocess.run(
        [sys.executable, "-c", _CHECK],
        env={**kept, **folders, "PATH": os.environ.get("PATH", "")},
        cwd=Path(__file__).parents[2],
        check=True,
        timeout=120,
    )
    names = {path.name for path in tmp_path.rglob("*")}
    assert not [name for name in names if name == "deviceid" or name.startswith("onnxruntime")]
