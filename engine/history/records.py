"""What the history hands out: plain rows, and how an analysis is laid into tables and read back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.analysis import Analysis, Decision, Finding, Rewrite

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class RunStatus(StrEnum):
    """How a run stands; "interrupted" is one that the program did not live to finish."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class RunKind(StrEnum):
    """Which checks to list: the user's own essays, those of a class, or both."""

    ALL = "all"
    OWN = "own"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list of past checks. Times are in UTC.

    `class_name` names the class that the essay was checked with, and is empty for any other.
    """

    id: int
    essay_name: str
    path: Path | None
    content_hash: str
    topic: str
    status: RunStatus
    error_code: str
    started_at: datetime
    finished_at: datetime | None
    word_count: int
    sentence_count: int
    finding_count: int
    decision_count: int
    class_name: str = ""


@dataclass(frozen=True)
class RunRecord:
    """A whole past check. `analysis` is None where the run did not finish.

    `decisions` holds the writer's last answer to each finding, by key; `chosen` the index of the
    rewrite that it was an answer to, where it was one.
    """

    row: RunRow
    text: str
    settings: Mapping[str, Any]
    analysis: Analysis | None
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    chosen: Mapping[str, int] = field(default_factory=dict)


def storable(text: str) -> str:
    """The text with lone surrogates, which SQLite cannot hold, replaced one for one."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def to_json(value: Any) -> str:
    """Compact JSON that SQLite can hold; lone surrogates stay as escapes."""
    return json.dumps(value, separators=(",", ":"))


def finding_row(run_id: int, position: int, finding: Finding) -> dict[str, Any]:
    """A finding as a row of `findings`, without its rewrites."""
    data = finding.as_dict()
    del data["rewrites"]
    return {
        **data,
        "run_id": run_id,
        "position": position,
        "reasons": to_json(data["reasons"]),
        "explanation": storable(finding.explanation),
        "note": storable(finding.note),
    }


def rewrite_row(finding_id: int, position: int, rewrite: Rewrite) -> dict[str, Any]:
    """A rewrite as a row of `rewrites`."""
    data = rewrite.as_dict()
    return {
        **data,
        "finding_id": finding_id,
        "position": position,
        "text": storable(rewrite.text),
        "edits": to_json(data["edits"]),
    }


def analysis_frame(analysis: Analysis) -> str:
    """The analysis without its findings, which have their own table, as JSON."""
    return to_json({**analysis.as_dict(), "findings": []})


def analysis_from(
    frame: str, findings: Sequence[Mapping[str, Any]], rewrites: Sequence[Mapping[str, Any]]
) -> Analysis:
    """The analysis from its frame and the rows of both tables, in order.

    Raises KeyError or ValueError on rows that `finding_row` and `rewrite_row` did not write.
    """
    by_finding: dict[int, list[dict[str, Any]]] = {}
    for row in rewrites:
        rewrite = {**row, "edits": json.loads(row["edits"])}
        by_finding.setdefault(row["finding_id"], []).append(rewrite)
    whole = json.loads(frame)
    whole["findings"] = [
        {**row, "reasons": json.loads(row["reasons"]), "rewrites": by_finding.get(row["id"], [])}
        for row in findings
    ]
    return Analysis.from_dict(whole)
