"""`segue batch`: a class of essays in, a report for each student and one on the class out."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.batch_controls import StopControls
from engine.commands.batch_progress import ClassProgress
from engine.commands.batch_writer import named_writer, open_class_engine
from engine.commands.check import add_correct_grammar, add_no_rewrites
from engine.commands.check_output import SHOWN
from engine.commands.engines import EngineFactory, make_engine
from engine.commands.history import open_history
from engine.commands.report import chosen_formats
from engine.commands.stopping import StopRequest
from engine.commands.writers import add_writer_arguments
from engine.console import Console, printable
from engine.errors import Cancelled, UsageError
from engine.events import ChecksEssays
from engine.exit_codes import ExitCode
from engine.writing import RULES_ALONE

if TYPE_CHECKING:
    from engine.classroom.letterhead import Letterhead
    from engine.classroom.model import Assignment, AssignmentSettings
    from engine.classroom.queue import QueueEvent
    from engine.commands.batch_reports import ClassReports
    from engine.history import History
    from engine.history.assignments import Assignments

FORMATS = ("html", "docx", "pdf", "csv", "json")

_EXPLAINED = """
SOURCE is a folder or a zip file with one essay or one folder a student, or Moodle's download of
all submissions. A Moodle grading worksheet or a roster.csv inside it is used for the names.

What is checked is kept in the history at once. After Ctrl+C, a crash or a restart, the same
command with --resume goes on where it stopped: it checks what is new, changed or failed, and
nothing twice. The language model that was named with --writer is used again, unless another one
is named; a server's key is never kept.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue batch`."""
    parser.description = f"{parser.description or ''}\n{_EXPLAINED}"
    parser.add_argument("source", type=Path, metavar="SOURCE", help="a folder or a zip file")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder to write reports into"
    )
    parser.add_argument("--topic", help="the essay prompt of the whole class")
    parser.add_argument(
        "--format",
        default="html,csv",
        metavar="LIST",
        help=f"one or more of {','.join(FORMATS)} (default: html,csv)",
    )
    parser.add_argument("--resume", action="store_true", help="go on with the same SOURCE and DIR")
    parser.add_argument(
        "--anonymous", action="store_true", help="codes instead of names in all reports"
    )
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="a list of the students, with a column “name”"
    )
    parser.add_argument(
        "--several",
        choices=("auto", "join", "latest"),
        help="several files by one student: join them, take the latest, or tell by their names "
        "(auto, the default)",
    )
    parser.add_argument(
        "--strictness",
        choices=("few", "balanced", "thorough"),
        help="how readily a sentence is flagged (default: balanced)",
    )
    parser.add_argument("--school", metavar="NAME", help="at the head of each report")
    parser.add_argument("--logo", type=Path, metavar="FILE", help="PNG, JPEG or SVG beside it")
    parser.add_argument(
        "--teacher",
        metavar="NAME",
        help="who reports; all three are by default those of the window's settings",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto")
    add_no_rewrites(parser)
    add_correct_grammar(parser)
    add_writer_arguments(parser)
    # To tell "nobody" from "whoever it was": a class remembers who writes.
    parser.set_defaults(writer=None)


def run(
    arguments: argparse.Namespace,
    console: Console,
    *,
    engine_factory: EngineFactory = make_engine,
    history_factory: Callable[[], History] = open_history,
) -> int:
    """Check the class and write its reports; `ExitCode.FAILED` where some essays failed."""
    from engine.classroom.letterhead import read_letterhead
    from engine.history.assignments import Assignments

    formats = chosen_formats(arguments.format, FORMATS)
    letterhead = read_letterhead(
        school=arguments.school, logo=arguments.logo, teacher=arguments.teacher
    )
    _refuse_folder(arguments.source, arguments.out)
    named_writer(arguments)  # a contradiction is told before anything is read
    with StopRequest() as stop, history_factory() as history:
        for notice in history.notices:
            console.say(notice)
        assignments = Assignments(history)
        try:
            assignment = _prepared(arguments, assignments, console, stop)
            batch = _Batch(arguments, console, history, assignments, formats, letterhead)
            with open_class_engine(arguments, console, engine_factory, assignment.writer) as engine:
                assignment = batch.check(assignment, engine, stop)
            written = batch.finish(assignment, stop)
        except (Cancelled, KeyboardInterrupt):
            console.say("Stopped. What was checked is kept. To go on:")
            console.say(f"  {resume_command(arguments)}")
            return ExitCode.STOPPED
    told = _tell(assignment, console)
    if written:
        return told
    console.say("Nothing is checked again when only reports are missing. To write them:")
    console.say(f"  {resume_command(arguments)}")
    return ExitCode.FAILED


def resume_command(arguments: argparse.Namespace) -> str:
    """The command line that goes on with the same class."""
    words = ["segue", "batch", str(arguments.source), "--out", str(arguments.out)]
    return shlex.join([*words, "--format", arguments.format, "--resume"])


class _Batch:
    """One call of the command: checking, with the reports written as essays are finished."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        console: Console,
        history: History,
        assignments: Assignments,
        formats: tuple[str, ...],
        letterhead: Letterhead,
    ) -> None:
        self._letterhead = letterhead
        self._out: Path = arguments.out
        self._console = console
        self._history = history
        self._assignments = assignments
        self._formats = formats
        self._again: set[int] = set()

    def check(self, assignment: Assignment, engine: ChecksEssays, stop: StopRequest) -> Assignment:
        """Check what waits. Raises Cancelled on a request to stop, and what the queue raises."""
        from engine.classroom.queue import ClassQueue, SubmissionChanged

        reports = self._reports(assignment)
        with ClassProgress(self._console) as progress:

            def hear(event: QueueEvent) -> None:
                if isinstance(event, SubmissionChanged):
                    if event.submission.state.is_done:
                        reports.write_student(event.submission)
                else:
                    progress.hear(event)

            queue = ClassQueue(
                engine, self._assignments, controls=StopControls(stop), on_event=hear
            )
            queue.run(assignment.id)
        self._again.update(reports.unwritten)
        return self._assignments.load(assignment.id)

    def finish(self, assignment: Assignment, stop: StopRequest) -> bool:
        """Write the class's reports, and a student's where it is not there yet; whether all are."""
        failures = self._reports(assignment).write_rest(stop.check)
        for error in failures[:SHOWN]:
            self._console.error(printable(str(error)), printable(error.hint))
        if len(failures) > SHOWN:
            self._console.say(f"{len(failures) - SHOWN} more could not be written.")
        which = "The other reports" if failures else "The reports"
        self._console.say(f"{which} are in {self._out}.")
        return not failures

    def _reports(self, assignment: Assignment) -> ClassReports:
        from engine.commands.batch_reports import ClassReports

        return ClassReports(
            self._history, assignment, self._out, self._formats,
            letterhead=self._letterhead, again=self._again,
        )  # fmt: skip


def _prepared(
    arguments: argparse.Namespace, assignments: Assignments, console: Console, stop: StopRequest
) -> Assignment:
    """The class in the history: a new one, or with `--resume` the one that was begun."""
    from engine.classroom.model import Several
    from engine.classroom.sources import gather

    source = str(arguments.source.absolute())
    out = str(arguments.out.absolute())
    known = assignments.find(source, out)
    writer = named_writer(arguments)
    if arguments.resume and known is not None:
        _refuse_other_settings(arguments, known)
        roster = arguments.roster or (Path(known.roster) if known.roster else None)
        gathered = gather(
            arguments.source, roster=roster, several=known.several, check_cancelled=stop.check
        )
        assignments.refresh(known.id, gathered)
        if writer is not None:
            assignments.write_with(known.id, writer)
        return assignments.retry(known.id)
    several = Several(arguments.several or "auto")
    gathered = gather(
        arguments.source, roster=arguments.roster, several=several, check_cancelled=stop.check
    )
    if arguments.resume:
        console.say("There is nothing to resume for this source and folder; it is a new start.")
    return assignments.create(
        gathered,
        name=arguments.source.absolute().stem,
        settings=_settings(arguments),
        out=out,
        roster="" if arguments.roster is None else str(arguments.roster.absolute()),
        several=several,
        writer=writer or RULES_ALONE,
    )


def _settings(arguments: argparse.Namespace) -> AssignmentSettings:
    from engine.classroom.model import AssignmentSettings

    return AssignmentSettings(
        topic=(arguments.topic or "").strip(),
        strictness=arguments.strictness or "balanced",
        rewrites=not arguments.no_rewrites,
        anonymous=arguments.anonymous,
        correct_grammar=arguments.correct_grammar,
    )


def _refuse_other_settings(arguments: argparse.Namespace, known: Assignment) -> None:
    """Raise UsageError where `--resume` comes with other settings than the run was begun with."""
    before = known.settings
    asked = replace(
        before,
        topic=before.topic if arguments.topic is None else arguments.topic.strip(),
        strictness=arguments.strictness or before.strictness,
        rewrites=before.rewrites and not arguments.no_rewrites,
        anonymous=before.anonymous or arguments.anonymous,
        correct_grammar=before.correct_grammar or arguments.correct_grammar,
    )
    writer = named_writer(arguments)
    if writer is not None and not (writer.is_off or before.rewrites):
        raise UsageError("--writer writes rewrites, and this class was begun with --no-rewrites.")
    if asked != before or (arguments.several or known.several.value) != known.several.value:
        raise UsageError(
            "This class was begun with other settings, and half a class must not be checked "
            "differently from the other half.",
            hint="Leave the settings out to go on with those it has, "
            "or leave --resume out to begin anew.",
        )


def _refuse_folder(source: Path, out: Path) -> None:
    """Raise UsageError where reports would end up among the essays, or on a file."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out needs a folder.")
    inner, outer = out.resolve(), source.resolve()
    if source.is_dir() and (inner == outer or outer in inner.parents):
        raise UsageError(
            "The reports would lie among the essays and be taken for essays next time.",
            hint="Give --out a folder outside SOURCE.",
        )


def _tell(assignment: Assignment, console: Console) -> ExitCode:
    """Say what became of the class; the exit code."""
    from engine.classroom.model import State

    failed = assignment.in_state(State.FAILED)
    done = sum(one.state.is_done for one in assignment.submissions)
    console.say(f"{done} of {len(assignment.submissions)} essays checked.")
    for one in failed:
        error = one.error or {}
        name = printable(one.student.name)
        console.error(f"{name}: {error.get('message', '')}", error.get("hint", ""))
    for skipped in assignment.skipped:
        console.say(f"Skipped {printable(skipped.name)}: {printable(skipped.message)}")
    for notice in assignment.notices:
        console.say(printable(notice.message))
    for one in assignment.submissions:
        for notice in one.notices:
            if notice.code in _TOLD:
                console.say(f"{printable(one.student.name)}: {printable(notice.message)}")
    return ExitCode.FAILED if failed else ExitCode.OK


_TOLD = frozenset(
    {"files-joined", "latest-taken", "same-as-other", "same-text", "same-file-twice",
     "gone-from-source", "name-in-text"}
)  # fmt: skip
"""Notices on a submission that the teacher should see at once; the rest is in the reports."""
