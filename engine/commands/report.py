"""`segue report`: check essays and write a feedback report on each, in one or more formats."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.check import add_judging_arguments, add_no_rewrites, check_into, essay_names
from engine.commands.check_output import STDIN
from engine.commands.engines import EngineFactory, make_engine
from engine.commands.writers import add_writer_arguments
from engine.console import Console
from engine.errors import UnreadableFile, UsageError
from engine.reports.model import CheckedEssay, CheckReport

if TYPE_CHECKING:
    from engine.reports.report_model import School

FORMATS = ("html", "docx", "pdf", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue report`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="an essay; - is standard input")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder to write reports into"
    )
    parser.add_argument(
        "--format",
        default="html",
        metavar="LIST",
        help=f"one or more of {','.join(FORMATS)} (default: html)",
    )
    parser.add_argument("--topic", default="", help="the essay prompt, if there was one")
    parser.add_argument("--student", default="", metavar="NAME", help="whose essay it is")
    parser.add_argument("--school", metavar="NAME", help="at the head of each report")
    parser.add_argument("--logo", type=Path, metavar="FILE", help="PNG, JPEG or SVG beside it")
    add_judging_arguments(parser)
    add_no_rewrites(parser)
    add_writer_arguments(parser)


def run(
    arguments: argparse.Namespace, console: Console, *, engine_factory: EngineFactory = make_engine
) -> int:
    """Write the reports; `ExitCode.FAILED` where some essays could not be checked."""
    from engine.classroom.letterhead import read_letterhead

    formats = chosen_formats(arguments.format, FORMATS)
    school = read_letterhead(school=arguments.school, logo=arguments.logo, teacher="").school
    names = essay_names(arguments.files)
    _make_folder(arguments.out)
    output = FeedbackFolder(arguments.out, formats, arguments.student, school, console)
    return check_into(output, names, arguments, console, engine_factory)


class FeedbackFolder:
    """Writes a feedback report on each essay as it is finished, and names those that failed."""

    def __init__(
        self, out: Path, formats: Sequence[str], student: str, school: School, console: Console
    ) -> None:
        self._out = out
        self._formats = formats
        self._student = student
        self._school = school
        self._console = console
        self._stems: set[str] = set()
        self._done = 0

    def add(self, checked: CheckedEssay) -> None:
        """Write the report on one essay, in every format that can be.

        Raises UnreadableFile for one that cannot.
        """
        from engine.reports import write
        from engine.reports.report_model import Cover, student_report

        if checked.essay is None or checked.analysis is None:
            error = checked.error or {}
            words = (error.get("message", ""), error.get("hint", ""))
            self._console.say(f"{checked.path}: {' '.join(words)}".rstrip())
            return
        stem = self._stem(checked.path)
        cover = Cover(student=self._student, assignment=stem, school=self._school)
        report = student_report(checked.essay, checked.analysis, cover)
        failures = []
        for kind in self._formats:
            try:
                write(report, kind, self._out / f"{stem}.report.{kind}")
            except UnreadableFile as error:
                failures.append(error)
        if failures:
            raise failures[0]
        self._done += 1

    def close(self, report: CheckReport) -> None:
        """Say where the reports are."""
        self._console.say(f"{self._done} of {len(report.essays)} reports are in {self._out}.")

    def _stem(self, path: str) -> str:
        """A name for an essay's reports; essays of the same name are numbered."""
        first = "essay" if path == STDIN else Path(path).stem
        stem, number = first, 1
        while stem in self._stems:
            number += 1
            stem = f"{first}-{number}"
        self._stems.add(stem)
        return stem


def chosen_formats(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The formats in a comma-separated list, each once.

    Raises UsageError for one that is not among the `known`.
    """
    names = list(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        shown = ", ".join(unknown) or text
        raise UsageError(
            f"There is no format {shown!r}.", hint=f"Use one or more of {', '.join(known)}."
        )
    return tuple(names)


def _make_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out needs a folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {out} cannot be made: {error.strerror or error}.") from error
