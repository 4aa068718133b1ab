"""Writes small corpora in the published formats; all text is made up for the tests."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

DECOR_COLUMNS = (
    "essay_id", "topic", "context", "sentence", "label",
    "R1", "R2", "R3", "R4", "R5", "R6", "R7", "Rewrite",
)  # fmt: skip
COHESENTIA_COLUMNS = (
    "", "topic", "context", "sentence",
    "coherence_per_sent", "cohesion_per_sent", "consistency_per_sent", "relevance_per_sent",
)  # fmt: skip


def decor_rows(
    essay_id: str,
    sentences: Sequence[str],
    reasons: Mapping[int, str] | None = None,
    *,
    topic: str = "Pets are good company.",
    rewrites: Mapping[int, str] | None = None,
) -> list[dict[str, str]]:
    """The rows of an essay: `reasons` maps a sentence's index to its codes, as "R3 R6"."""
    flagged = reasons or {}
    rows = []
    for index in range(1, len(sentences)):
        row = dict.fromkeys(DECOR_COLUMNS, "")
        row |= {
            "essay_id": essay_id,
            "topic": topic,
            "context": " ".join(sentences[:index]),
            "sentence": sentences[index],
            "label": "0.0" if index in flagged else "1.0",
            "Rewrite": (rewrites or {}).get(index, ""),
        }
        if index in flagged:
            codes = flagged[index].split()
            row |= {f"R{n}": "1.0" if f"R{n}" in codes else "0.0" for n in range(1, 8)}
        rows.append(row)
    return rows


def as_csv(
    rows: Iterable[Mapping[str, str]],
    columns: Sequence[str] = DECOR_COLUMNS,
    *,
    delimiter: str = ",",
) -> str:
    """The rows as the text of a CSV file."""
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, columns, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


def write_csv(path: Path, rows: Iterable[Mapping[str, str]]) -> Path:
    """Write rows in DECOR's columns."""
    path.write_text(as_csv(rows), encoding="utf-8", newline="")
    return path
