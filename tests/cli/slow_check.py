"""A program for the tests of Ctrl+C: `segue check` with a tagger that takes its time."""

from __future__ import annotations

import argparse
import sys

from engine.commands import check
from engine.console import Console
from engine.pipeline import Engine
from tests.cli.cli_support import OpenerRewriter
from tests.fakes import FakeTagger

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    options = parser.parse_args(sys.argv[1:])
    tagger = FakeTagger(delay=1.0, steps=20)
    sys.exit(
        check.run(
            options,
            Console(),
            engine_factory=lambda device: Engine(tagger=tagger, rewriter=OpenerRewriter()),
        )
    )
