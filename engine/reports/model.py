"""The report that every writer starts from, and its JSON form, the contract `segue.check/1`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.analysis import SCHEMA, Analysis
from engine.essay import Essay, Notice
from engine.scheme import ReasonCode


@dataclass(frozen=True)
class CheckedEssay:
    """One essay of a report: an analysis, or the error that stood in its way.

    `path` is what the user called it, "-" for standard input. `text` is the text that the
    analysis's offsets count in; it is shown but not part of the JSON form, and neither is
    `essay`, which is there after a check.
    """

    path: str
    text: str = ""
    notices: tuple[Notice, ...] = ()
    analysis: Analysis | None = None
    error: Mapping[str, str] | None = None
    essay: Essay | None = None

    def as_dict(self) -> dict[str, Any]:
        """This essay's part of the JSON form."""
        found: dict[str, Any] = {"sentences": [], "findings": []}
        if self.analysis is not None:
            found = self.analysis.essay_dict()
        return {
            "path": self.path,
            "notices": [notice.as_dict() for notice in self.all_notices],
            **found,
            "error": None if self.error is None else dict(self.error),
        }

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """What the reader of the file and the check itself want known."""
        return self.notices + (() if self.analysis is None else self.analysis.notices)

    def place_of(self, sentence: int) -> str:
        """Where a sentence stands: "line 3" of a text file, "paragraph 3" of a document.

        Both count from 1; a document's title and headings are paragraphs too.
        """
        if self.analysis is None:
            raise ValueError("an essay without an analysis has no sentences")
        lines = self.text[: self.analysis.sentences[sentence].span.start].split("\n")
        if self.path == "-" or self.path.lower().endswith(".txt"):
            return f"line {len(lines)}"
        return f"paragraph {sum(bool(line.strip()) for line in lines[:-1]) + 1}"


@dataclass(frozen=True)
class CheckReport:
    """Every essay of one call, in the order asked for, and what judged them."""

    essays: tuple[CheckedEssay, ...]
    model: Mapping[str, Any] = field(default_factory=dict)
    device: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *essays: CheckedEssay) -> CheckReport:
        """A report on these essays; model and device are those of the first that was judged."""
        judged = (essay.analysis for essay in essays if essay.analysis and essay.analysis.model)
        first = next(judged, None)
        if first is None:
            return cls(essays)
        return cls(essays, first.model, first.device)

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "schema": SCHEMA,
            "model": dict(self.model),
            "device": dict(self.device),
            "essays": [essay.as_dict() for essay in self.essays],
        }

    def as_json(self) -> str:
        """The JSON form as text that any encoding of Unicode can carry."""
        text = json.dumps(self.as_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        # Half a surrogate pair can stand in a damaged essay, but not in UTF-8.
        return re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half.group()):04x}", text) + "\n"

    def reason_counts(self) -> Counter[ReasonCode]:
        """How many findings there are of each first reason."""
        return Counter(
            finding.code
            for essay in self.essays
            if essay.analysis is not None
            for finding in essay.analysis.findings
        )

    @property
    def failures(self) -> int:
        """How many essays could not be checked."""
        return sum(essay.error is not None for essay in self.essays)
