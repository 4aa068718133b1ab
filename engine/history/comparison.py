"""How often each reason occurs in a class, and how that was in the assignment before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.classroom.model import Assignment
from engine.history.assignments import Assignments
from engine.history.store import History
from engine.scheme import CODES, ReasonCode

SAME_CLASS = 0.5
"""Share of this class's students that an earlier assignment must have to be compared with."""


@dataclass(frozen=True)
class ReasonCounts:
    """Flags by first reason in the checked essays of a class, and how much text they are in."""

    essays: int = 0
    sentences: int = 0
    counts: Mapping[ReasonCode, int] = field(default_factory=dict)

    def per_hundred(self, code: ReasonCode) -> float:
        """Flags of this reason in a hundred sentences; 0.0 where there is no sentence."""
        return 100 * self.counts.get(code, 0) / self.sentences if self.sentences else 0.0


@dataclass(frozen=True)
class Comparison:
    """A class's counts now, and those of its assignment before; None where there is none.

    `strictness_differs` warns that the two were not checked alike.
    """

    now: ReasonCounts
    before: ReasonCounts | None = None
    before_name: str = ""
    strictness_differs: bool = False

    def change(self, code: ReasonCode) -> float | None:
        """How many more (or, negative, fewer) flags there are in a hundred sentences."""
        if self.before is None:
            return None
        return self.now.per_hundred(code) - self.before.per_hundred(code)


def compare(history: History, assignment: Assignment) -> Comparison:
    """Compare a class with its last assignment: the newest one with half of the same students."""
    assignments = Assignments(history)
    now = _counts(history, assignment)
    wanted = _students(assignment)
    for row in assignments.listed():
        if row.id >= assignment.id or not row.done:
            continue
        earlier = assignments.load(row.id)
        if earlier.source == assignment.source and earlier.name == assignment.name:
            continue
        if len(wanted & _students(earlier)) >= SAME_CLASS * len(wanted):
            differs = earlier.settings.strictness != assignment.settings.strictness
            return Comparison(now, _counts(history, earlier), earlier.name, differs)
    return Comparison(now)


def _students(assignment: Assignment) -> set[str]:
    """What tells students apart across sources: number, address or name."""
    found = set()
    for one in assignment.submissions:
        student = one.student
        found.add((student.number or student.email or student.name).casefold())
    return found


def _counts(history: History, assignment: Assignment) -> ReasonCounts:
    done = [one for one in assignment.submissions if one.state.is_done]
    counts: Counter[ReasonCode] = Counter()
    for one in done:
        counts.update(one.reasons)
    (row,) = history.query(
        "SELECT coalesce(sum(sentence_count), 0) AS sentences FROM runs WHERE id IN"
        " (SELECT run_id FROM submissions WHERE assignment_id = :id)",
        {"id": assignment.id},
    )
    ordered = {code: counts[code] for code in CODES if counts[code]}
    return ReasonCounts(len(done), row["sentences"], ordered)
