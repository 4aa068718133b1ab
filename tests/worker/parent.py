"""The parent's end of a worker, for tests: the loop on a thread, or a real child process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from engine.worker import serve
from engine.worker.loop import ChoosesWriters, DescribedEngine

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds to wait for a reply; a test machine may be busy."""

LAST_EVENTS = ("finished", "cancelled", "failed")


class Parent:
    """Writes requests and reads replies; a reply that never comes fails the test."""

    def __init__(self, requests: IO[bytes], replies: IO[bytes]) -> None:
        self._requests = requests
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(replies,), daemon=True)
        self._reader.start()

    def send(self, **request: Any) -> None:
        self.send_line(json.dumps(request).encode("ascii"))

    def send_line(self, line: bytes) -> None:
        self._requests.write(line + b"\n")
        self._requests.flush()

    def hang_up(self) -> None:
        self._requests.close()

    def next(self) -> dict[str, Any]:
        """The next reply. Raises EOFError where the worker has ended."""
        line = self._lines.get(timeout=PATIENCE)
        if not line:
            raise EOFError
        assert line.endswith(b"\n")
        assert b"\r" not in line
        reply: dict[str, Any] = json.loads(line.decode("ascii"))
        return reply

    def until(self, *events: str, job: str | None = None) -> list[dict[str, Any]]:
        """The replies up to the first with one of these events (and of this job)."""
        replies = []
        while True:
            replies.append(self.next())
            if replies[-1]["event"] in events and job in (None, replies[-1]["id"]):
                return replies

    def job(self, **request: Any) -> list[dict[str, Any]]:
        """Send a check and return all its replies."""
        self.send(type="check", **request)
        return self.until(*LAST_EVENTS, job=request["id"])

    def rest(self) -> list[dict[str, Any]]:
        """Every reply until the worker ends."""
        replies = []
        try:
            while True:
                replies.append(self.next())
        except EOFError:
            return replies

    def join(self) -> None:
        self._reader.join(PATIENCE)

    def _read(self, replies: IO[bytes]) -> None:
        for line in iter(replies.readline, b""):
            self._lines.put(line)
        self._lines.put(b"")


@contextmanager
def in_process(
    engine: DescribedEngine, *, writers: ChoosesWriters | None = None
) -> Iterator[Parent]:
    """`serve` on a thread of this process, over real pipes."""
    requests_out, requests_in = _pipe()
    replies_out, replies_in = _pipe()

    def run() -> None:
        with replies_in:
            serve(engine, requests_out, replies_in, writers=writers)

    worker = threading.Thread(target=run)
    worker.start()
    parent = Parent(requests_in, replies_out)
    try:
        yield parent
    finally:
        parent.hang_up()
        worker.join(PATIENCE)
        parent.join()
        for stream in (requests_out, replies_out):
            stream.close()
        assert not worker.is_alive()


@contextmanager
def child_process(
    *arguments: str, module: str = "tests.worker.fake_worker"
) -> Generator[tuple[Parent, subprocess.Popen[bytes]], None, None]:
    """`tests/worker/fake_worker.py`, or another such program, as a child process."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    parent = Parent(process.stdin, process.stdout)
    try:
        yield parent, process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        parent.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return os.fdopen(read, "rb"), os.fdopen(write, "wb")
