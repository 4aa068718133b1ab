"""An evaluation as text, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.research.evaluate_decor import DETECTION, SCORES, Report, TaskScores, percent
from engine.scheme import SCHEME

_HALVES = {"first": "First half of the essays", "last": "Last half of the essays"}


def report_lines(report: Report) -> Iterator[str]:
    """The whole report: tasks with intervals and majority rows, codes, halves where scored."""
    detection = report.tasks[DETECTION]
    yield f"{detection.n} pairs of {report.predictions.essays} essays. Percentages."
    yield "Reasons are scored on the incoherent pairs only; `gold` is what experts mark."
    yield "The 95% intervals are bootstrapped over essays."
    yield ""
    yield from task_lines(report.tasks, intervals=True)
    yield ""
    yield from code_lines(report)
    for half, tasks in report.halves.items():
        yield ""
        yield _HALVES[half]
        yield from task_lines(tasks, intervals=False)


def task_lines(tasks: Mapping[str, TaskScores], *, intervals: bool) -> Iterator[str]:
    """One row a task, below it the intervals and what the majority class gets."""
    rows = [["", "n", "gold", "weighted F1", "macro F1", "AUC", "kappa"]]
    for name, scores in tasks.items():
        values = (scores.weighted_f1, scores.macro_f1, scores.auc, scores.kappa)
        counts = [str(scores.n), str(scores.counts.positives)]
        rows.append([name, *counts, *(_percent(value) for value in values)])
        if intervals:
            spans = [_interval(scores, score) for score in SCORES]
            rows.append(["  95% interval", "", "", *spans])
        majority = (scores.majority_weighted_f1, scores.majority_macro_f1)
        rows.append(["  majority", "", "", *(_percent(value) for value in majority), "", ""])
    yield from table_lines(rows)


def code_lines(report: Report) -> Iterator[str]:
    """One row a reason code."""
    rows = [["", "", "precision", "recall", "F1", "AUC", "support", "named"]]
    for scores in report.codes:
        counts = scores.counts
        values = (counts.precision, counts.recall, counts.f1, scores.auc)
        rows.append(
            [
                scores.code.value,
                SCHEME[scores.code].name,
                *(_percent(value) for value in values),
                str(counts.positives),
                str(counts.flagged),
            ]
        )
    yield from table_lines(rows, left=2)


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{percent(score):.2f}"


def _interval(scores: TaskScores, name: str) -> str:
    found = scores.intervals.get(name)
    if found is None:
        return "-"
    low, high = (round(100 * bound, 1) + 0.0 for bound in (found.low, found.high))
    return f"{low:.3g}..{high:.3g}"


def table_lines(rows: Sequence[Sequence[str]], *, left: int = 1) -> Iterator[str]:
    """Columns as wide as they need; the first `left` aligned left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
