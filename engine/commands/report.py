"""`segue report`: check essays and write a feedback report on each, in one or more formats."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.check import load_essay
from engine.commands.engines import EngineFactory, make_engine
from engine.commands.progress import ProgressDisplay
from engine.commands.stopping import StopRequest
from engine.console import Console
from engine.errors import Cancelled, SegueError, UsageError
from engine.events import ChecksEssays
from engine.exit_codes import ExitCode

if TYPE_CHECKING:
    from engine.classroom.letterhead import Letterhead

FORMATS = ("html", "docx", "pdf", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `segue report`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="an essay")
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
    parser.add_argument(
        "--strictness",
        choices=("few", "balanced", "thorough"),
        default="balanced",
        help="how readily a sentence is flagged (default: balanced)",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto")
    parser.add_argument("--encoding", help="the encoding of text files, if it is not found out")
    parser.add_argument("--no-rewrites", action="store_true", help="find and explain only; faster")


def run(
    arguments: argparse.Namespace, console: Console, *, engine_factory: EngineFactory = make_engine
) -> int:
    """Write the reports; `ExitCode.FAILED` where some essays could not be checked."""
    from engine.classroom.letterhead import read_letterhead

    formats = chosen_formats(arguments.format, FORMATS)
    letterhead = read_letterhead(school=arguments.school, logo=arguments.logo, teacher="")
    stems = _stems(arguments.files)
    _make_folder(arguments.out)
    engine = engine_factory(arguments.device)
    failures = 0
    with StopRequest() as stop:
        try:
            for number, (name, stem) in enumerate(zip(arguments.files, stems, strict=True), 1):
                stop.check()
                with ProgressDisplay(console, number, len(stems)) as progress:
                    try:
                        _write(arguments, engine, letterhead, formats, name, stem, progress, stop)
                    except Cancelled:
                        raise
                    except SegueError as error:
                        failures += 1
                        console.say(f"{name}: {error.message} {error.hint}".rstrip())
        except (Cancelled, KeyboardInterrupt):
            console.say(f"Stopped. The reports written so far are in {arguments.out}.")
            return ExitCode.STOPPED
    console.say(f"{len(stems) - failures} of {len(stems)} reports are in {arguments.out}.")
    return ExitCode.FAILED if failures else ExitCode.OK


def _write(
    arguments: argparse.Namespace,
    engine: ChecksEssays,
    letterhead: Letterhead,
    formats: Sequence[str],
    name: str,
    stem: str,
    progress: ProgressDisplay,
    stop: StopRequest,
) -> None:
    from engine.reports import write
    from engine.reports.report_model import Cover, student_report

    essay = load_essay(name, arguments.topic, arguments.encoding)
    analysis = engine.check(
        essay,
        strictness=arguments.strictness,
        rewrites=not arguments.no_rewrites,
        on_event=progress.hear,
        check_cancelled=stop.check,
    )
    cover = Cover(student=arguments.student, assignment=stem, school=letterhead.school)
    report = student_report(essay, analysis, cover)
    for kind in formats:
        write(report, kind, arguments.out / f"{stem}.report.{kind}")


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


def _stems(names: Sequence[str]) -> list[str]:
    """A name for each essay's reports; essays of the same name are numbered."""
    stems: list[str] = []
    for name in names:
        stem = first = "essay" if name == "-" else Path(name).stem
        number = 1
        while stem in stems:
            number += 1
            stem = f"{first}-{number}"
        stems.append(stem)
    return stems


def _make_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out needs a folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {out} cannot be made: {error.strerror or error}.") from error
