"""`segue evaluate DATA`: hands over to the research code, which needs the extra `train`."""

from __future__ import annotations

import argparse

from engine.commands.delegation import add_delegates, run_delegate
from engine.console import Console

DELEGATES = {
    "decor": ("engine.research.evaluate_command", "measure the tagger on DECOR's human labels"),
    "rewriting": (
        "engine.research.evaluate_rewriting_command",
        "measure rewrites against DECOR's experts",
    ),
    "judge": (
        "engine.research.judge_command",
        "let a language model judge rewrites, as in the DECOR paper",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be evaluated on."""
    add_delegates(parser, DELEGATES, metavar="DATA")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Evaluate."""
    return run_delegate(arguments, console)
