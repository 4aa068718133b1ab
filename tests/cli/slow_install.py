"""A program for the tests of Ctrl+C: `segue models install` of the tests' own tiny model."""

from __future__ import annotations

import argparse
import sys

from engine import cli
from engine.commands import models
from engine.console import Console
from engine.models.catalogue import Catalogue
from engine.models.device import Probe
from engine.models.speed import Machine
from engine.models.store import default_store
from tests.models.catalogue_entries import gguf_entry

AROUND = models.Surroundings(
    default_store(), Catalogue((gguf_entry(),)), Machine(8 << 30, 4 << 30, 2, 1e10), Probe()
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    models.add_arguments(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    return models.run(arguments, console, around=AROUND)


if __name__ == "__main__":
    cli.COMMANDS["models"] = ("tests.cli.slow_install", "the tests' own")
    sys.exit(cli.main(["models", *sys.argv[1:]]))
