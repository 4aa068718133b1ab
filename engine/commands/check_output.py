"""Where `segue check` writes: the terminal, one file, or a folder with a report an essay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from engine.console import Console
from engine.errors import UnreadableFile, UsageError
from engine.reports.model import CheckedEssay, CheckReport
from engine.reports.text import essay_text, report_text, summary_text

STDIN = "-"
SUFFIXES = {"text": ".txt", "json": ".json", "html": ".html"}


SHOWN = 5
"""So many files that cannot be written are named; on a full disk it is every one."""


class Output(Protocol):
    """Takes essays as they are finished, and the whole report at the end."""

    def add(self, essay: CheckedEssay) -> None:
        """One more essay is done."""

    def close(self, report: CheckReport) -> None:
        """Nothing follows."""


def choose_output(
    names: Sequence[str], out: Path | None, format: str | None, console: Console
) -> Output:
    """The output that the arguments ask for. Raises UsageError where they make no sense."""
    kind = format or _format_of(out)
    if out is None:
        return TerminalText(console) if kind == "text" else WholeToTerminal(kind, console)
    is_one_file = len(names) == 1 or out.suffix.lower() == SUFFIXES[kind]
    if is_one_file and not out.is_dir() and not str(out).endswith(("/", "\\")):
        _refuse_inputs([out], names)
        if not out.absolute().parent.is_dir():
            raise UsageError(f"There is no folder {out.parent} to write {out.name} into.")
        return WholeToFile(out, kind, console)
    if out.exists() and not out.is_dir():
        raise UsageError(
            f"{out} is a file, and {len(names)} essays need a folder.",
            hint=f"Give --out a folder, or a name ending in {SUFFIXES[kind]} for one file.",
        )
    targets = _targets(names, out, kind)
    _refuse_inputs(targets, names)
    return Folder(out, targets, kind, console)


def _format_of(out: Path | None) -> str:
    suffix = "" if out is None else out.suffix.lower()
    return {".json": "json", ".html": "html", ".htm": "html"}.get(suffix, "text")


def _targets(names: Sequence[str], folder: Path, kind: str) -> list[Path]:
    """A report's path for each essay; essays of the same name get numbers."""
    taken: set[str] = set()
    targets: list[Path] = []
    for name in names:
        stem = "standard-input" if name == STDIN else Path(name).stem
        candidate = f"{stem}.segue{SUFFIXES[kind]}"
        number = 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{stem}-{number}.segue{SUFFIXES[kind]}"
        taken.add(candidate.lower())
        targets.append(folder / candidate)
    return targets


def _refuse_inputs(targets: Sequence[Path], names: Sequence[str]) -> None:
    inputs = [Path(name) for name in names if name != STDIN]
    for target in targets:
        for path in inputs:
            if target.resolve() == path.resolve() or _same_file(target, path):
                raise UsageError(
                    f"{target} is one of the essays; the report would overwrite it.",
                    hint="Give --out another name.",
                )


def _same_file(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False


def render(report: CheckReport, kind: str) -> str:
    """The report in one of the formats, without colours."""
    if kind == "json":
        return report.as_json()
    if kind == "html":
        from engine.reports.html import report_html

        return report_html(report)
    return report_text(report)


class TerminalText:
    """Text on standard output, each essay as soon as it is done."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def add(self, essay: CheckedEssay) -> None:
        """Write the essay's findings."""
        self.console.line(essay_text(essay, paint=self.console.paint))

    def close(self, report: CheckReport) -> None:
        """Write the summary."""
        if report.essays:
            self.console.write(summary_text(report, paint=self.console.paint))


class WholeToTerminal:
    """JSON or HTML on standard output, in one piece at the end."""

    def __init__(self, kind: str, console: Console) -> None:
        self.kind = kind
        self.console = console

    def add(self, essay: CheckedEssay) -> None:
        """Name an essay that failed on standard error, where it is seen."""
        _say_failure(essay, self.console)

    def close(self, report: CheckReport) -> None:
        """Write the report."""
        self.console.write(render(report, self.kind))


class WholeToFile:
    """One file that holds everything."""

    def __init__(self, path: Path, kind: str, console: Console) -> None:
        self.path = path
        self.kind = kind
        self.console = console

    def add(self, essay: CheckedEssay) -> None:
        """Name an essay that failed."""
        _say_failure(essay, self.console)

    def close(self, report: CheckReport) -> None:
        """Write the file whole or not at all."""
        if not report.essays:
            return
        _write(self.path, render(report, self.kind))
        self.console.say(f"Wrote {self.path}.")


class Folder:
    """A folder with one report an essay, each written as soon as it is done."""

    def __init__(self, folder: Path, targets: Sequence[Path], kind: str, console: Console) -> None:
        self.folder = folder
        self.kind = kind
        self.console = console
        self._left = list(targets)
        self._written = 0

    def add(self, essay: CheckedEssay) -> None:
        """Write the essay's report."""
        _say_failure(essay, self.console)
        target = self._left.pop(0)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnreadableFile(
                f"The folder {self.folder} cannot be made: {error.strerror or error}."
            ) from error
        _write(target, render(CheckReport.of(essay), self.kind))
        self._written += 1

    def close(self, report: CheckReport) -> None:
        """Say where the reports are."""
        noun = "report" if self._written == 1 else "reports"
        self.console.say(f"Wrote {self._written} {noun} into {self.folder}.")


def _say_failure(essay: CheckedEssay, console: Console) -> None:
    if essay.error is not None:
        name = "standard input" if essay.path == STDIN else essay.path
        console.error(f"{name}: {essay.error['message']}", essay.error["hint"])


def _write(path: Path, text: str) -> None:
    from engine.documents.atomic import write_bytes

    write_bytes(path, text.encode("utf-8", "replace"))
