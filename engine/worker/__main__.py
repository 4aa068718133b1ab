"""`python -m engine.worker [--device auto|cpu|gpu] [--online]`: serve one parent until it is gone.

`--online` is for the child that downloads models; every other one is kept from the internet.
"""

from __future__ import annotations

import argparse
from typing import NoReturn

from engine.log import set_up_logging
from engine.models.device import PREFERENCES
from engine.models.offline import stay_offline
from engine.pipeline import Engine
from engine.worker.process import run_process
from engine.worker.writers import Writers


def main() -> NoReturn:
    """Serve with the stored model."""
    parser = argparse.ArgumentParser(prog="python -m engine.worker")
    parser.add_argument("--device", choices=PREFERENCES, default="auto")
    parser.add_argument("--online", action="store_true")
    arguments = parser.parse_args()
    if not arguments.online:
        stay_offline()
    set_up_logging("models" if arguments.online else "engine")
    engine = Engine(device=arguments.device)
    run_process(engine, writers=Writers(engine, device=arguments.device))


if __name__ == "__main__":
    main()
