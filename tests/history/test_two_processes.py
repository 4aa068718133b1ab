"""One history, several connections, two processes: nobody takes the log from under another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from engine.history import History

ROOT = Path(__file__).resolve().parents[2]
OTHER = """
import sys
from pathlib import Path
from engine.history import History
with History.open(Path(sys.argv[1])) as history:
    history.begin_run("from the other", None, "0", "text")
"""


def run_other(file: Path) -> None:
    subprocess.run([sys.executable, "-c", OTHER, str(file)], check=True, cwd=ROOT, timeout=120)


def test_two_connections_see_what_another_process_wrote_and_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    with History.open(file) as first:
        first.begin_run("before", None, "0", "text")
        with History.open(file) as second:
            run_other(file)
            assert len(first.runs()) == len(second.runs()) == 2
            first.begin_run("after", None, "0", "text")
            run_other(file)
            assert len(first.runs()) == len(second.runs()) == 4
    with History.open(file) as again:
        names = [run.essay_name for run in again.runs()]
    assert names == ["from the other", "after", "from the other", "before"]
