"""`segue history`: the checks that the window kept, listed, shown and deleted."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.console import Console, printable
from engine.errors import UsageError
from engine.exit_codes import ExitCode
from engine.reports.model import CheckedEssay

if TYPE_CHECKING:
    from engine.history import History, RunRow


_LARGEST = 2**63 - 1


def open_history() -> History:
    """The user's own history."""
    from engine.folders import history_path
    from engine.history import History

    return History.open(history_path())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands of `segue history`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list past checks, the newest first")
    listing.add_argument("--search", default="", metavar="TEXT", help="only those with this text")
    listing.add_argument("--limit", type=_number, default=20, help="how many at most (default: 20)")
    show = actions.add_parser("show", help="show what a past check found")
    show.add_argument("number", type=_number, metavar="NUMBER", help="the number that list shows")
    delete = actions.add_parser("delete", help="delete a past check")
    delete.add_argument("number", type=_number, metavar="NUMBER", help="the number that list shows")
    clear = actions.add_parser("clear", help="delete all past checks")
    clear.add_argument("--yes", action="store_true", help="really do it")


def _number(text: str) -> int:
    """A whole number that the database can hold."""
    try:
        number = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from error
    if abs(number) > _LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is too large")
    return number


def run(
    arguments: argparse.Namespace,
    console: Console,
    *,
    history_factory: Callable[[], History] = open_history,
) -> int:
    """List, show or delete. Raises HistoryError, and UsageError on `clear` without `--yes`."""
    if arguments.action == "clear" and not arguments.yes:
        raise UsageError(
            "This deletes every past check and every decision in it.",
            hint="To do it: segue history clear --yes",
        )
    with history_factory() as history:
        for notice in history.notices:
            console.say(notice)
        if arguments.action == "list":
            _list(history, arguments, console)
        elif arguments.action == "show":
            _show(history, arguments.number, console)
        elif arguments.action == "delete":
            history.run(arguments.number)
            history.delete_run(arguments.number)
            console.say(f"Deleted check {arguments.number}.")
        else:
            history.delete_all()
            console.say("Deleted all past checks.")
    return ExitCode.OK


def _list(history: History, arguments: argparse.Namespace, console: Console) -> None:
    if arguments.limit < 1:
        raise UsageError("--limit must be 1 or more.")
    rows = history.runs(limit=arguments.limit, search=arguments.search)
    if not rows:
        console.say("No past checks.")
    for row in rows:
        console.line(_row_line(row))
    if len(rows) == arguments.limit:
        console.say(f"These are the last {arguments.limit}; --limit shows more.")


def _row_line(row: RunRow) -> str:
    when = row.started_at.astimezone().strftime("%Y-%m-%d %H:%M")
    noun = "finding" if row.finding_count == 1 else "findings"
    found = f"{row.finding_count} {noun}" if row.status == "finished" else str(row.status)
    name = printable(row.essay_name).replace("\n", " ") or "untitled"
    return f"{row.id:>5}  {when}  {found:<12}  {name}"


def _show(history: History, number: int, console: Console) -> None:
    from engine.reports.text import essay_text

    record = history.run(number)
    console.line(_row_line(record.row))
    if record.analysis is None:
        console.say("This check did not finish.")
        return
    name = str(record.row.path or record.row.essay_name or "untitled")
    essay = CheckedEssay(name, record.text, analysis=record.analysis)
    console.write(essay_text(essay, paint=console.paint))
    for finding in record.analysis.findings:
        decision = record.decisions.get(finding.key)
        if decision is not None:
            console.line(f"Sentence {finding.sentence + 1}: {decision.verdict}")
