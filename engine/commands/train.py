"""`segue train MODEL`: hands over to the research code, which needs the extra `train`."""

from __future__ import annotations

import argparse

from engine.commands.delegation import add_delegates, run_delegate
from engine.console import Console

DELEGATES = {"tagger": ("engine.research.training.command", "train the tagger and export it")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be trained."""
    add_delegates(parser, DELEGATES, metavar="MODEL")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Train."""
    return run_delegate(arguments, console)
