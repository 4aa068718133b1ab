"""The teacher's part of the history: reviews of submissions, and the bank of comments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engine.classroom.model import State, Submission
from engine.classroom.review import Review, effective_findings
from engine.errors import UsageError
from engine.history.assignments import Assignments
from engine.history.records import storable, to_json
from engine.history.store import History
from engine.scheme import ReasonCode

_BANK = """
SELECT id, text, shortcut, reason, uses FROM bank_comments
WHERE :words = '' OR instr(fold(shortcut), :words) = 1 OR instr(fold(text), :words)
ORDER BY :words != '' AND fold(shortcut) = :words DESC,
         :words != '' AND instr(fold(shortcut), :words) = 1 DESC,
         reason != '' AND reason = :reason DESC, uses DESC, used_at DESC
LIMIT :limit
"""
_AFTER_CHECK = (State.CHECKED, State.REVIEWED, State.RELEASED)


@dataclass(frozen=True, slots=True)
class BankComment:
    """A comment kept for use again: a few keystrokes, and the reason that it goes with, if any."""

    id: int
    text: str
    shortcut: str = ""
    reason: ReasonCode | None = None
    uses: int = 0


class Reviews:
    """Reviews and comments of one open history. Methods raise HistoryError as `History` does."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._assignments = Assignments(history)

    def save(self, submission: Submission, review: Review) -> Submission:
        """Keep a review; the row's counts are then those of the flags that hold after it.

        The state stays as it is: whether a review is finished is for the teacher to say.
        """
        record = self._assignments.record(submission)
        counts: Counter[ReasonCode] = Counter()
        if record.analysis is not None:
            settings = self._assignments.settings_of(submission)
            effective = effective_findings(record.analysis, review, reasons=settings.reasons)
            counts.update(finding.code for finding in effective)
        with self._history.transaction() as database:
            database.execute(
                "INSERT INTO reviews (submission_id, review, counts, changed_at)"
                " VALUES (?, ?, ?, ?) ON CONFLICT (submission_id) DO UPDATE SET"
                " review = excluded.review, counts = excluded.counts,"
                " changed_at = excluded.changed_at",
                [submission.id, to_json(review.as_dict()), to_json(counts), _now()],
            )
        return self._assignments.submission(submission.id)

    def mark(self, submission: Submission, state: State) -> Submission:
        """Say that a submission is reviewed, released, or open again (CHECKED).

        Raises UsageError for another state, and for a submission that is not checked.
        """
        present = self._assignments.submission(submission.id).state
        if state not in _AFTER_CHECK:
            raise UsageError(f"A review cannot make a submission {state.value}.")
        if present not in _AFTER_CHECK:
            raise UsageError("Only an essay that was checked can be reviewed or released.")
        with self._history.transaction() as database:
            database.execute(
                "UPDATE submissions SET state = ? WHERE id = ?", [state.value, submission.id]
            )
        return replace(self._assignments.submission(submission.id), state=state)

    def comments(
        self, words: str = "", *, reason: ReasonCode | None = None, limit: int = 20
    ) -> list[BankComment]:
        """Comments whose shortcut begins with, or whose text holds, these words.

        A shortcut hit comes first, then those that go with `reason`, then the most used.
        """
        values = {
            "words": storable(words).strip().casefold(),
            "reason": "" if reason is None else reason.value,
            "limit": limit,
        }
        return [
            BankComment(**{**row, "reason": ReasonCode(row["reason"]) if row["reason"] else None})
            for row in self._history.query(_BANK, values)
        ]

    def keep_comment(
        self, text: str, *, shortcut: str = "", reason: ReasonCode | None = None
    ) -> None:
        """Put a comment into the bank; one with the same text gets the new shortcut and reason.

        Raises UsageError for an empty text, and for a shortcut that another comment has.
        """
        text, shortcut = storable(text).strip(), storable(shortcut).strip()
        if not text:
            raise UsageError("A comment needs some text.")
        with self._history.transaction() as database:
            taken = self._history.query(
                "SELECT id FROM bank_comments"
                " WHERE shortcut != '' AND fold(shortcut) = :shortcut AND text != :text",
                {"shortcut": shortcut.casefold(), "text": text},
            )
            if taken:
                raise UsageError(f"Another comment has the shortcut {shortcut!r}.")
            database.execute(
                "INSERT INTO bank_comments (text, shortcut, reason, used_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (text) DO UPDATE SET"
                " shortcut = excluded.shortcut, reason = excluded.reason",
                [text, shortcut, "" if reason is None else reason.value, _now()],
            )

    def used_comment(self, comment: BankComment) -> None:
        """Count a use, so that what is used often is found first."""
        with self._history.transaction() as database:
            database.execute(
                "UPDATE bank_comments SET uses = uses + 1, used_at = ? WHERE id = ?",
                [_now(), comment.id],
            )

    def forget_comment(self, comment: BankComment) -> None:
        """Take a comment out of the bank."""
        with self._history.transaction() as database:
            database.execute("DELETE FROM bank_comments WHERE id = ?", [comment.id])


def _now() -> str:
    return datetime.now(UTC).isoformat()
