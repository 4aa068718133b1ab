"""A program for the tests of Ctrl+C and kill: `segue batch` with a tagger that takes its time.

Its first argument is the path of the history, the second the seconds that an essay takes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.commands import batch
from engine.console import Console
from engine.history import History
from tests.classroom.class_files import fake_engine

if __name__ == "__main__":
    history, delay, *rest = sys.argv[1:]
    parser = argparse.ArgumentParser()
    batch.add_arguments(parser)
    sys.exit(
        batch.run(
            parser.parse_args(rest),
            Console(),
            engine_factory=lambda device: fake_engine(delay=float(delay)),
            history_factory=lambda: History.open(Path(history)),
        )
    )
