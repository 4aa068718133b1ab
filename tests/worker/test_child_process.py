"""The worker as what it is: another process."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.fakes import MIXED_ESSAY
from tests.worker.parent import PATIENCE, ROOT, child_process


def test_a_check_finishes_and_shutdown_ends_the_process() -> None:
    with child_process() as (parent, process):
        replies = parent.job(id="1", text=MIXED_ESSAY)
        assert replies[0]["event"] == "ready"
        assert replies[-1]["event"] == "finished"
        flagged = [finding["sentence"] for finding in replies[-1]["analysis"]["findings"]]
        assert flagged == [2, 3]
        parent.send(type="shutdown")
        assert process.wait(PATIENCE) == 0


def test_a_running_check_is_cancelled_within_a_second_and_the_next_one_runs() -> None:
    with child_process("--delay", "20") as (parent, _process):
        parent.send(type="check", id="1", text=MIXED_ESSAY)
        parent.until("progress", job="1")
        asked = time.monotonic()
        parent.send(type="cancel", id="1")
        assert parent.until("cancelled", "finished", "failed")[-1]["event"] == "cancelled"
        assert time.monotonic() - asked < 5
        replies = parent.job(id="2", text="One sentence only.")
        assert replies[-1]["event"] == "finished"


def test_a_check_that_cannot_be_cancelled_dies_with_its_process_at_once() -> None:
    with child_process("--delay", "60", "--stubborn") as (parent, process):
        parent.send(type="check", id="1", text=MIXED_ESSAY)
        parent.until("progress", job="1")
        parent.send(type="cancel", id="1")
        process.kill()
        killed = time.monotonic()
        process.wait(PATIENCE)
        assert time.monotonic() - killed < 5
        assert "finished" not in {reply["event"] for reply in parent.rest()}


def test_the_end_of_the_input_ends_an_idle_worker() -> None:
    with child_process() as (parent, process):
        parent.until("ready")
        parent.hang_up()
        assert process.wait(PATIENCE) == 0


def test_the_end_of_the_input_ends_a_worker_that_cannot_be_cancelled() -> None:
    with child_process("--delay", "60", "--stubborn", "--grace", "0.2") as (parent, process):
        parent.send(type="check", id="1", text=MIXED_ESSAY)
        parent.until("progress", job="1")
        parent.hang_up()
        hung_up = time.monotonic()
        process.wait(PATIENCE)
        assert time.monotonic() - hung_up < 10


def test_what_libraries_print_or_read_never_touches_the_protocol() -> None:
    with child_process("--noisy") as (parent, process):
        parent.send(type="check", id="1", text=MIXED_ESSAY, rewrites=False)
        parent.send(type="check", id="2", text=MIXED_ESSAY, rewrites=False)
        assert parent.until("finished", job="2")[-1]["event"] == "finished"
        parent.send(type="shutdown")
        process.wait(PATIENCE)
        assert process.stderr is not None
        assert process.stderr.read().count(b"noise") == 4


@pytest.mark.parametrize("arguments", [("--device", "npu"), ("surplus",)])
def test_the_real_worker_refuses_arguments_it_does_not_know(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine.worker", *arguments],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""


def test_the_real_worker_is_ready_before_it_looks_for_a_model() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine.worker"],
        cwd=ROOT,
        input=b"",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 1
    assert b'"event":"ready"' in done.stdout
