"""An evaluation as a picture: precision and recall, calibration, confusion of reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import BackendError, UsageError
from engine.research.evaluate_decor import Predictions, Report
from engine.research.metrics import (
    Floats,
    average_precision,
    calibration_bins,
    calibration_error,
    precision_recall,
)
from engine.scheme import CODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACCENT = "#1f6f8b"
_MUTED = "#9a9a9a"


def figure_class() -> Any:
    """Matplotlib's Figure. Raises BackendError, with the way to install it, where it is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BackendError(
            "The plot needs matplotlib, which is not installed.",
            hint='Install it with: pip install "segue[train]", or leave --plot out.',
        ) from error
    return Figure


def save_plot(report: Report, target: Path) -> None:
    """Draw the three panels into a file; its extension chooses the format.

    Raises BackendError without matplotlib, UsageError for a format that it cannot write.
    """
    figure = figure_class()(figsize=(15, 4.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _draw_precision_recall(left, report.predictions)
    _draw_calibration(middle, report.predictions)
    _draw_confusion(right, report.predictions)
    try:
        figure.savefig(target, dpi=150)
    except ValueError as error:
        raise UsageError(f"{target.name}: plots are saved as .png, .svg or .pdf.") from error


def _draw_precision_recall(axes: Axes, found: Predictions) -> None:
    base = float(found.gold.mean())
    axes.axhline(base, color=_MUTED, linestyle="--", label=f"flag everything ({base:.2f})")
    area = average_precision(found.gold, found.scores)
    if area is not None:
        precision, recall = precision_recall(found.gold, found.scores)
        axes.step(recall, precision, where="pre", color=_ACCENT, label=f"tagger (area {area:.2f})")
    hits = int((found.gold & found.flagged).sum())
    if hits:
        point = hits / int(found.gold.sum()), hits / int(found.flagged.sum())
        axes.plot(*point, "o", color=_ACCENT, label="at the threshold")
    axes.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1), ylim=(0, 1.02), title="Detection")
    axes.legend(loc="upper right")


def _draw_calibration(axes: Axes, found: Predictions) -> None:
    axes.plot((0, 1), (0, 1), color=_MUTED, linestyle="--", label="perfect")
    bins = calibration_bins(found.gold, found.scores)
    error = calibration_error(found.gold, found.scores) or 0.0
    axes.plot(
        [mean for mean, _, _ in bins],
        [share for _, share, _ in bins],
        "o-",
        color=_ACCENT,
        label=f"tagger (error {error:.2f})",
    )
    axes.set(xlabel="P(incoherent)", ylabel="Share found incoherent", title="Calibration")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.legend(loc="upper left")


def reason_confusion(found: Predictions) -> Floats:
    """Rows are the experts' codes, columns the likeliest predicted code; each row adds up to 1.

    A sentence with several codes counts in each of their rows; a code without sentences is a row
    of zeros. Only pairs that the experts found incoherent count.
    """
    table = np.zeros((len(CODES), len(CODES)))
    scores = found.code_scores[found.gold]
    named = scores.argmax(axis=1)
    has_reasons = scores.any(axis=1)
    for row in range(len(CODES)):
        chosen = found.gold_codes[found.gold, row] & has_reasons
        if chosen.any():
            table[row] = np.bincount(named[chosen], minlength=len(CODES)) / chosen.sum()
    return table


def _draw_confusion(axes: Axes, found: Predictions) -> None:
    table = reason_confusion(found)
    support = found.gold_codes[found.gold].sum(axis=0)
    axes.imshow(table, cmap="Blues", vmin=0, vmax=1)
    for row, column in np.ndindex(*table.shape):
        share = float(table[row, column])
        colour = "white" if share > 0.5 else "black"
        axes.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(CODES)), [code.value for code in CODES])
    labels = [f"{code.value} ({n})" for code, n in zip(CODES, support, strict=True)]
    axes.set_yticks(range(len(CODES)), labels)
    axes.set(xlabel="Likeliest reason", ylabel="Experts' reason (n)", title="Reasons")
