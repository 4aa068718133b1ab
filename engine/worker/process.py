"""The worker as a process: its own pipes, out of reach of every library that reads or prints.

The protocol keeps private duplicates of standard input and output. Descriptor 1 is then pointed
at standard error, so that what a native library prints cannot land between two replies, and
descriptor 0 at the null device, so that nothing else can eat a request.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from typing import BinaryIO, NoReturn

from engine.worker.loop import ChoosesWriters, DescribedEngine, serve

logger = logging.getLogger(__name__)

GRACE_SECONDS = 3.0
"""How long a job may go on after the parent is gone; native code cannot be asked to stop."""


def run_process(
    engine: DescribedEngine,
    *,
    writers: ChoosesWriters | None = None,
    grace: float = GRACE_SECONDS,
) -> NoReturn:
    """Serve the parent process over this process's own pipes, then end the process."""
    # Ctrl-C in a terminal reaches the parent too, which then tells us what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        reader, writer = claim_streams()
        serve(engine, reader, writer, writers=writers, on_end=lambda: _leave_after(grace))
        code = 0
    except Exception:
        logger.exception("The worker ended on a bug")
    finally:
        logging.shutdown()
        # The reading thread may still wait for input, and would hold up a normal exit; model
        # runtimes take their time to unload, too. Everything that matters has been written.
        os._exit(code)


def _leave_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os._exit, [0])
    timer.daemon = True
    timer.start()


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """The reader and the writer of the protocol. Raises OSError where a pipe is missing."""
    reader = os.fdopen(_binary(os.dup(0)), "rb")
    writer = os.fdopen(_binary(os.dup(1)), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # A windowed program on Windows has no standard error.
        os.dup2(null, 1)
    os.close(null)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
    sys.stdout = open(  # noqa: SIM115 - a descriptor, open for as long as the process
        1, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )
    return reader, writer


def _binary(descriptor: int) -> int:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor
