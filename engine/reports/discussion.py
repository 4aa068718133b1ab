"""Sentences worth discussing in class: real ones, from different writers, that name nobody."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from engine.reports.report_model import MACHINE_ORIGIN, Mark, StudentReport, Suggestion
from engine.scheme import CODES, SCHEME, ReasonCode

MOST_EXAMPLES = 8
MOST_OF_ONE_REASON = 2
_LONGEST = 400  # characters; a longer sentence is no example for a class
_SHORTEST_NAME = 2

_QUESTIONS: dict[ReasonCode, str] = {
    ReasonCode.R1: "Which word or idea from the sentence before could this one pick up?",
    ReasonCode.R2: "Who or what is meant here? How could the reader be told?",
    ReasonCode.R3: "How does this sentence follow from the one before? Which word shows that?",
    ReasonCode.R4: "Do the two sentences agree? What would the writer have to change?",
    ReasonCode.R5: "Does this belong to the topic? What would connect it?",
    ReasonCode.R6: "What does this add to the argument? What happens if it is left out?",
    ReasonCode.R7: "Which parts of this sentence clash? How could it be said?",
}


@dataclass(frozen=True, slots=True)
class Example:
    """A marked sentence with the one before it, a question for the class, one suggestion."""

    code: ReasonCode
    before: str
    text: str
    question: str
    suggestion: Suggestion | None

    @property
    def tag(self) -> str:
        """The reason in two or three words."""
        return SCHEME[self.code].tag


class Candidates:
    """Gathers sentences while the students' reports go by, and keeps only the best few."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = {part for name in names for part in _parts(name)}
        self._kept: dict[ReasonCode, list[tuple[int, int, Example]]] = {}
        self._students = 0

    def add(self, report: StudentReport, names: Collection[str]) -> None:
        """Look at one student's marks: the clearest of each reason may become an example."""
        self._students += 1
        own = self._names | {part for name in names for part in _parts(name)}
        taken: set[ReasonCode] = set()
        for mark in sorted(report.marks, key=_rank):
            example = _example(report, mark)
            if mark.code in taken or not _is_fit(example, own):
                continue
            taken.add(mark.code)
            kept = self._kept.setdefault(mark.code, [])
            kept.append((_rank(mark)[0], self._students, example))
            kept.sort(key=lambda item: item[:2])
            del kept[MOST_EXAMPLES:]

    def chosen(self) -> tuple[Example, ...]:
        """At most eight, two of a reason, from different writers as far as there are enough."""
        used: set[int] = set()
        found: list[tuple[ReasonCode, Example]] = []
        for _ in range(MOST_OF_ONE_REASON):
            for code in CODES:
                options = self._kept.get(code, [])
                pick = next((one for one in options if one[1] not in used), None)
                if pick is None or len(found) == MOST_EXAMPLES:
                    continue
                used.add(pick[1])
                found.append((code, pick[2]))
        return tuple(example for _, example in sorted(found, key=lambda item: item[0]))


def _rank(mark: Mark) -> tuple[int, int]:
    """What the teacher touched first, then what the machine is surest of, then text order."""
    sureness = {"very likely": 1, "likely": 2, "possible": 3}
    teacher = mark.comment or mark.origin != MACHINE_ORIGIN
    return (0 if teacher else sureness.get(mark.confidence, 4), mark.number)


def _example(report: StudentReport, mark: Mark) -> Example:
    return Example(
        code=mark.code,
        before=report.texts[mark.sentence - 2] if mark.sentence > 1 else "",
        text=mark.text,
        question=_QUESTIONS[mark.code],
        suggestion=mark.suggestions[0] if mark.suggestions else None,
    )


def _is_fit(example: Example, names: Collection[str]) -> bool:
    quoted = f"{example.before} {example.text}"
    if example.suggestion is not None:
        quoted += " " + example.suggestion.text
    return len(example.text) <= _LONGEST and not any(_holds(quoted, name) for name in names)


def _holds(text: str, name: str) -> bool:
    if name[0] < "\u0370":
        return re.search(rf"\b{re.escape(name)}\b", text) is not None
    return name in text


def _parts(name: str) -> list[str]:
    """The name and its parts, without initials: each could give its bearer away."""
    parts = [name.strip(), *re.split(r"[\s,.'’\-_]+", name)]
    return [part for part in parts if len(part) >= _SHORTEST_NAME and not part.isdigit()]
