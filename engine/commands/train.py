"""`segue train MODEL`: hands over to the research code, which needs the extra `train`."""

from __future__ import annotations

import argparse

from engine.commands.delegation import add_delegates, run_delegate
from engine.console import Console

_WRITER = "engine.research.training.writer.command"
DELEGATES = {
    "tagger": ("engine.research.training.command", "train the tagger and export it"),
    "markers": (
        "engine.research.training.marker_command",
        "learn from annotated essays which linking words fit where",
    ),
    "writer": (_WRITER, "train the language model that edits sentences, and export it"),
    "rewriter": (_WRITER, "the same as writer"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be trained."""
    add_delegates(parser, DELEGATES, metavar="MODEL")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Train."""
    return run_delegate(arguments, console)
