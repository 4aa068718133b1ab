"""Times and memory that a user feels: starting, a cold and a warm check, the window.

Run by `packaging/tasks.py bench`, in the checkout's environment. Each figure is the best of
several tries, since other programs can only slow a try down; the bars are those of the project.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "resources" / "samples" / "city-life.txt"
TRIES = 3

WINDOW = """
import json, os, sys, time
import psutil
from PySide6.QtCore import QTimer
from desktop.composition import Desktop, make_application
application = make_application()
desktop = Desktop(application)
desktop.show(None)
def report():
    seconds = time.time() - psutil.Process().create_time()
    memory = psutil.Process().memory_info().rss
    print(json.dumps({"seconds": seconds, "memory": memory}), flush=True)
    os._exit(0)
QTimer.singleShot(0, report)
application.exec()
"""


@dataclass(frozen=True)
class Figure:
    """One measured value, its unit, and the most it may be (None where nothing is set)."""

    name: str
    value: float
    unit: str
    bar: float | None = None


def main() -> int:
    """Measure and print; 1 if a bar was missed."""
    parser = argparse.ArgumentParser(prog="packaging/tasks.py bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="write JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="segue-bench-") as home:
        os.environ["SEGUE_HOME"] = home
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        figures = measure()
    if arguments.json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        for figure in figures:
            bar = "" if figure.bar is None else f"  (at most {figure.bar:g})"
            print(f"{figure.name:<44}{figure.value:>8.2f} {figure.unit}{bar}")
    return int(any(f.bar is not None and f.value > f.bar for f in figures))


def measure() -> list[Figure]:
    """All figures."""
    words = len(SAMPLE.read_text(encoding="utf-8").split())
    start = min(_timed(["-m", "engine.cli", "--help"]) for _ in range(TRIES))
    cold = min(_timed(["-m", "engine.cli", "check", str(SAMPLE)]) for _ in range(TRIES))
    warm, worker_memory = _warm_check()
    window = [_window() for _ in range(TRIES)]
    return [
        Figure("segue --help", start, "s", 0.2),
        Figure(f"check of {words} words, from a cold start", cold, "s", 4.0),
        Figure(f"check of {words} words, model loaded", warm, "s", 1.0),
        Figure("launch to a usable window", min(w["seconds"] for w in window), "s", 1.5),
        Figure("memory of the window's process", window[0]["memory"] / 2**20, "MiB"),
        Figure("memory of the engine's process", worker_memory / 2**20, "MiB"),
    ]


def _timed(arguments: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - began


def _warm_check() -> tuple[float, int]:
    """Seconds of a check by an engine process that has its model, and that process's memory."""
    request = {
        "type": "check",
        "text": SAMPLE.read_text(encoding="utf-8"),
        "topic": "",
        "strictness": "balanced",
        "rewrites": True,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "engine.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
    ) as worker:
        seconds = [
            _one_check(worker, {**request, "id": str(number)}) for number in range(TRIES + 1)
        ]
        memory = psutil.Process(worker.pid).memory_info().rss
        if worker.stdin is not None:
            worker.stdin.close()
        worker.wait(timeout=30)
    return min(seconds[1:]), memory


def _one_check(worker: subprocess.Popen[str], request: dict[str, Any]) -> float:
    if worker.stdin is None or worker.stdout is None:
        raise RuntimeError("the engine's process has no pipes")
    began = time.perf_counter()
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    for line in worker.stdout:
        event = json.loads(line)
        if event.get("id") == request["id"] and event["event"] == "finished":
            return time.perf_counter() - began
        if event["event"] == "failed":
            raise RuntimeError(f"the check failed: {event}")
    raise RuntimeError("the engine's process ended")


def _window() -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", WINDOW], check=True, capture_output=True, text=True, cwd=ROOT
    )
    facts = json.loads(done.stdout.strip().splitlines()[-1])
    return {"seconds": float(facts["seconds"]), "memory": float(facts["memory"])}


if __name__ == "__main__":
    sys.exit(main())
