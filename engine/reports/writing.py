"""One way to write any report in any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path

from engine.documents.atomic import write_bytes
from engine.errors import UsageError
from engine.reports.class_model import ClassReport
from engine.reports.report_model import StudentReport

Report = StudentReport | ClassReport


def write(report: Report, format: str, path: Path) -> tuple[Path, ...]:
    """Write a report to `path`, whole or not at all; the files that were written.

    `format` is one of `formats(report)`. A class's CSV is two files: the students at `path`, and
    their marks beside it under the same name with "-findings". Raises UsageError for a format
    that there is none of, UnreadableFile where the file cannot be written, BackendError where a
    PDF cannot be made.
    """
    made = render(report, format)
    targets = {name: path.with_stem(path.stem + name) for name in made}
    for name, data in made.items():
        write_bytes(targets[name], data)
    return tuple(targets.values())


def formats(report: Report | type[Report]) -> tuple[str, ...]:
    """The formats that a report, or all of its kind, can be written in."""
    kind = report if isinstance(report, type) else type(report)
    return tuple(_WRITERS[kind])


def render(report: Report, format: str) -> dict[str, bytes]:
    """The report's files as bytes, by what is added to their name: nothing, or "-findings".

    Raises UsageError and BackendError as `write` does.
    """
    writers = _WRITERS[type(report)]
    writer = writers.get(format)
    if writer is None:
        near = get_close_matches(format, writers, n=1)
        raise UsageError(
            f"There is no report format called {format!r}.",
            hint=f"Did you mean {near[0]}?" if near else f"Choose one of {', '.join(writers)}.",
        )
    return writer(report)


def _student_html(report: StudentReport) -> dict[str, bytes]:
    from engine.reports.web import student_page

    return {"": student_page(report).encode("utf-8")}


def _student_docx(report: StudentReport) -> dict[str, bytes]:
    from engine.reports.word import student_docx

    return {"": student_docx(report)}


def _student_pdf(report: StudentReport) -> dict[str, bytes]:
    from engine.reports.printed import student_pdf

    return {"": student_pdf(report)}


def _student_json(report: StudentReport) -> dict[str, bytes]:
    from engine.reports.tables import student_json

    return {"": student_json(report).encode("utf-8")}


def _class_html(report: ClassReport) -> dict[str, bytes]:
    from engine.reports.web import class_page

    return {"": class_page(report).encode("utf-8")}


def _class_docx(report: ClassReport) -> dict[str, bytes]:
    from engine.reports.word import class_docx

    return {"": class_docx(report)}


def _class_pdf(report: ClassReport) -> dict[str, bytes]:
    from engine.reports.printed import class_pdf

    return {"": class_pdf(report)}


def _class_csv(report: ClassReport) -> dict[str, bytes]:
    from engine.reports.tables import findings_csv, students_csv

    return {"": students_csv(report), "-findings": findings_csv(report)}


def _class_json(report: ClassReport) -> dict[str, bytes]:
    from engine.reports.tables import class_json

    return {"": class_json(report).encode("utf-8")}


_WRITERS: Mapping[type, Mapping[str, Callable[..., dict[str, bytes]]]] = {
    StudentReport: {
        "html": _student_html,
        "docx": _student_docx,
        "pdf": _student_pdf,
        "json": _student_json,
    },
    ClassReport: {
        "html": _class_html,
        "docx": _class_docx,
        "pdf": _class_pdf,
        "csv": _class_csv,
        "json": _class_json,
    },
}
