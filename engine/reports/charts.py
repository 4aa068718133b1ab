"""Bar charts as SVG: one drawing for web page, Word file and PDF.

Each bar carries its number and each series its pattern, so nothing is said by colour alone; the
alternative text gives every number. On a web page, style sheets can recolour the classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from engine.reports.class_model import ClassReport
from engine.reports.wording import counted, shortened

_WIDTH = 640
_LABELS = 168
_NUMBERS = 64
_BAR = 15
_GAP = 3
_BETWEEN = 13
_LEGEND = 28


@dataclass(frozen=True, slots=True)
class Bars:
    """One group of bars: a label and its value, with the earlier one where there is one."""

    label: str
    value: float
    earlier: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar chart: drawing, alternative text, size in pixels."""

    title: str
    svg: str
    alt: str
    width: int
    height: int


def class_charts(report: ClassReport) -> tuple[Chart, Chart]:
    """Marks by reason, and essays by how many marks they have."""
    earlier = report.earlier
    reasons = [Bars(row.tag, row.per_hundred, row.earlier_per_hundred) for row in report.reasons]
    now = report.cover.assignment or "This assignment"
    legend = (now, earlier.assignment or "The last assignment") if earlier else None
    spread = [Bars(label, count) for label, count in report.marks_each()]
    return (
        bar_chart("Marks per 100 sentences, by reason", reasons, legend=legend, digits=1),
        bar_chart("Essays by number of marks", spread, noun="essay"),
    )


def bar_chart(
    title: str,
    rows: Sequence[Bars],
    *,
    legend: tuple[str, str] | None = None,
    digits: int = 0,
    noun: str = "",
) -> Chart:
    """Horizontal bars, each with its number at the end."""
    group = 2 * _BAR + _GAP if legend else _BAR
    top = _LEGEND if legend else 6
    height = top + len(rows) * (group + _BETWEEN)
    most = max((max(row.value, row.earlier or 0) for row in rows), default=0) or 1
    scale = (_WIDTH - _LABELS - _NUMBERS) / most
    alt = _alternative(title, rows, legend, digits, noun)
    parts = [*_frame(alt, height), *(_legend(legend) if legend else ())]
    for number, row in enumerate(rows):
        y = top + number * (group + _BETWEEN)
        parts += _group(row, y, group, scale, digits, both=legend is not None)
    return Chart(title, "\n".join([*parts, "</svg>", ""]), alt, _WIDTH, height)


def _frame(alt: str, height: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="\'Noto Sans\', \'Segoe UI\', '
        f'Roboto, sans-serif" font-size="13" role="img" aria-label={quoteattr(alt)}>'
    )


def _legend(legend: tuple[str, str]) -> Iterator[str]:
    yield (
        '<defs><pattern id="earlier-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="chart-paper" width="6" height="6" '
        'fill="#ffffff"/><rect class="chart-hatch" width="2" height="6" fill="#6b7480"/>'
        "</pattern></defs>"
    )
    x = _LABELS
    for name, kind in zip(legend, ("now", "earlier"), strict=True):
        short = shortened(name, 26)
        yield _rectangle(x, 3, 13, 13, kind)
        yield _text(x + 19, 14, short)
        x += 40 + 8 * len(short)


def _group(
    row: Bars, y: float, group: int, scale: float, digits: int, *, both: bool
) -> Iterator[str]:
    yield _text(_LABELS - 10, y + group / 2 + 4.5, row.label, anchor="end")
    yield from _bar(row.value, y, scale, digits, "now")
    if both:
        yield from _bar(row.earlier or 0.0, y + _BAR + _GAP, scale, digits, "earlier")


def _bar(value: float, y: float, scale: float, digits: int, kind: str) -> Iterator[str]:
    length = max(value * scale, 1.5)
    yield _rectangle(_LABELS, y, length, _BAR, kind)
    yield _text(_LABELS + length + 6, y + 12, f"{value:.{digits}f}")


def _rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    fill = "#0b5cad" if kind == "now" else "url(#earlier-hatch)"
    edge = "" if kind == "now" else ' stroke="#6b7480" stroke-width="1"'
    return (
        f'<rect class="chart-{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" fill="{fill}"{edge}/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return (
        f'<text class="chart-ink" x="{x:.1f}" y="{y:.1f}" text-anchor={quoteattr(anchor)} '
        f'fill="#1f2328">{escape(text)}</text>'
    )


def _alternative(
    title: str, rows: Sequence[Bars], legend: tuple[str, str] | None, digits: int, noun: str
) -> str:
    told = []
    for row in rows:
        value = f"{row.value:.{digits}f}" if not noun else counted(int(row.value), noun)
        before = f" (before: {row.earlier:.{digits}f})" if row.earlier is not None else ""
        told.append(f"{row.label} {value}{before}")
    than = f" {legend[0]}, compared with {legend[1]}." if legend else ""
    return f"Bar chart. {title}.{than} {'; '.join(told)}."
