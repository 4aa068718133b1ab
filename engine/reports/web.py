"""Reports as web pages: one file each, no script, nothing fetched, safe with any essay."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from engine.reports.charts import class_charts
from engine.reports.class_model import ClassReport
from engine.reports.logo import data_uri
from engine.reports.report_model import StudentReport
from engine.reports.rows import STUDENT_HEADS, reason_cells, reason_heads, student_cells
from engine.resources import resources_folder

if TYPE_CHECKING:
    from jinja2 import Environment


def student_page(report: StudentReport) -> str:
    """A student's report as a page."""
    return _environment().get_template("student.html.j2").render(**_shared(report))


def class_page(report: ClassReport) -> str:
    """A class report as a page."""
    return (
        _environment()
        .get_template("class.html.j2")
        .render(
            **_shared(report),
            charts=class_charts(report),
            reason_heads=reason_heads(report),
            reason_rows=[reason_cells(report, row) for row in report.reasons],
            student_heads=STUDENT_HEADS,
            student_rows=[student_cells(row) for row in report.students],
        )
    )


def _shared(report: StudentReport | ClassReport) -> dict[str, object]:
    from markupsafe import Markup

    style = (resources_folder() / "reports" / "base.css").read_text(encoding="utf-8")
    logo = report.cover.school.logo
    return {
        "report": report,
        # Our own file, not anybody's text.
        "style": Markup(style),  # noqa: S704
        "logo": data_uri(logo) if logo else "",
    }


@cache
def _environment() -> Environment:
    """Templates, compiled once: that is most of the time of a page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(resources_folder() / "reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
