"""`python -m engine.worker [--device auto|cpu|gpu]`: serve one parent until it is gone."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import threading
from typing import NoReturn

from engine.log import set_up_logging
from engine.models.device import PREFERENCES
from engine.pipeline import Engine
from engine.worker.loop import ChecksEssays, serve
from engine.worker.streams import claim_streams

GRACE_SECONDS = 3.0
"""How long a job may go on after the parent is gone; native code cannot be asked to stop."""


def run(engine: ChecksEssays, *, grace: float = GRACE_SECONDS) -> int:
    """Serve the parent process over this process's own standard input and output."""
    # Ctrl-C in a terminal reaches the parent too, which then tells us what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader, writer = claim_streams()

    def leave_soon() -> None:
        timer = threading.Timer(grace, os._exit, [0])
        timer.daemon = True
        timer.start()

    serve(engine, reader, writer, on_end=leave_soon)
    return 0


def main() -> NoReturn:
    """Serve with the stored model; never returns."""
    parser = argparse.ArgumentParser(prog="python -m engine.worker")
    parser.add_argument("--device", choices=PREFERENCES, default="auto")
    arguments = parser.parse_args()
    set_up_logging("engine")
    code = 1
    try:
        code = run(Engine(device=arguments.device))
    except Exception:
        logging.getLogger(__name__).exception("The worker ended on a bug")
    finally:
        logging.shutdown()
        # The reading thread may still wait for input, and would hold up a normal exit; model
        # runtimes take their time to unload, too. Everything that matters has been written.
        os._exit(code)


if __name__ == "__main__":
    main()
