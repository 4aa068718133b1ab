"""`segue doctor`: what works on this computer, what is missing, and what to do about it."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.console import LINE_WIDTH, Console
from engine.exit_codes import ExitCode

if TYPE_CHECKING:
    from engine.diagnosis import Diagnosis, Item

_COLOURS = {"ok": "green", "note": "yellow", "problem": "red"}
_WORDS = {"ok": "ok", "note": "note", "problem": "PROBLEM"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue doctor`."""
    parser.add_argument("--json", action="store_true", help="write JSON (segue.doctor/1)")


def look() -> Diagnosis:
    """Look at this computer, with the shipped models and the user's own history."""
    from engine.diagnosis import diagnose
    from engine.folders import history_path
    from engine.models.store import default_store

    return diagnose(default_store(), history_path())


def run(
    arguments: argparse.Namespace, console: Console, *, look: Callable[[], Diagnosis] = look
) -> int:
    """Show the diagnosis; `ExitCode.FAILED` where essays cannot be checked."""
    diagnosis = look()
    if arguments.json:
        console.line(json.dumps(diagnosis.as_dict(), ensure_ascii=False, indent=2))
    else:
        for section in diagnosis.sections:
            console.line(console.paint(section.name, "bold"))
            for item in section.items:
                _show(item, console)
            console.line()
        console.line(
            "Essays can be checked on this computer."
            if diagnosis.can_check
            else "Essays cannot be checked yet; see what is marked PROBLEM above."
        )
    return ExitCode.OK if diagnosis.can_check else ExitCode.FAILED


def _show(item: Item, console: Console) -> None:
    word = f"{_WORDS[item.status]:<8}"
    lines = textwrap.wrap(
        f"{item.name}: {item.message}",
        LINE_WIDTH - 10,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if item.hint:
        lines += textwrap.wrap(
            item.hint, LINE_WIDTH - 10, break_long_words=False, break_on_hyphens=False
        )
    console.line(f"  {console.paint(word, _COLOURS[item.status])}{lines[0]}")
    for line in lines[1:]:
        console.line(f"{' ' * 10}{line}")
