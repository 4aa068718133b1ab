"""`python -m engine.worker [--device auto|cpu|gpu]`: serve one parent until it is gone."""

from __future__ import annotations

import argparse
from typing import NoReturn

from engine.log import set_up_logging
from engine.models.device import PREFERENCES
from engine.pipeline import Engine
from engine.worker.process import run_process


def main() -> NoReturn:
    """Serve with the stored model."""
    parser = argparse.ArgumentParser(prog="python -m engine.worker")
    parser.add_argument("--device", choices=PREFERENCES, default="auto")
    arguments = parser.parse_args()
    set_up_logging("engine")
    run_process(Engine(device=arguments.device))


if __name__ == "__main__":
    main()
