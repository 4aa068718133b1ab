"""Writing a class's reports into a folder, as `segue batch` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.classroom.letterhead import read_letterhead
from engine.classroom.model import State
from engine.commands.batch_reports import ClassReports
from engine.errors import UnreadableFile, UsageError
from engine.history import History
from engine.history.assignments import Assignments

if TYPE_CHECKING:
    from desktop.services.classroom_service import Export

_SHOWN = 3


def write_reports(
    history_file: Path, assignment_id: int, wanted: Export, check_cancelled: Callable[[], None]
) -> int:
    """Write the reports that are asked for; returns how many students they are on.

    A class from Moodle also gets what Moodle takes back. Raises UsageError where there is nothing
    to report on or the folder is that of the essays, UnreadableFile for files that cannot be
    written, when all others are, and what reading raises.
    """
    with History.open(history_file) as history:
        assignment = Assignments(history).load(assignment_id)
        _refuse_source(Path(assignment.source), wanted.folder)
        if wanted.only_released:
            released = assignment.in_state(State.RELEASED)
            assignment = replace(assignment, submissions=released)
        done = [one for one in assignment.submissions if one.state.is_done]
        if not done:
            raise _nothing(only_released=wanted.only_released)
        letterhead = read_letterhead()
        reports = ClassReports(
            history, assignment, wanted.folder, wanted.formats,
            letterhead=letterhead, again={one.id for one in done},
        )  # fmt: skip
        failures = reports.write_rest(check_cancelled)
    if failures:
        raise _unwritten(failures)
    return len(done)


def _refuse_source(source: Path, folder: Path) -> None:
    inner, outer = folder.resolve(), source.resolve()
    if source.is_dir() and (inner == outer or outer in inner.parents):
        raise UsageError(
            "The reports would lie among the essays and be taken for essays next time.",
            hint="Choose a folder outside that of the essays.",
        )


def _unwritten(failures: Sequence[UnreadableFile]) -> UnreadableFile:
    named = " ".join(str(error) for error in failures[:_SHOWN])
    more = f" {len(failures) - _SHOWN} more could not be." if len(failures) > _SHOWN else ""
    return UnreadableFile(
        f"{named}{more} The other reports are written.",
        hint="If one is open in another program, close it there; then export again.",
    )


def _nothing(*, only_released: bool) -> UsageError:
    if only_released:
        return UsageError(
            "No essay of this class is released yet.",
            hint="Release some after your review, or export all essays that are checked.",
        )
    return UsageError("No essay of this class is checked yet.", hint="Check the class first.")
