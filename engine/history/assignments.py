"""Classes in the history: assignments, their submissions, and which run belongs to which.

Names and files stay here as they were found; what a report may show of them is decided by
`Assignment.shown`.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psutil
from sqlite_utils.db import Database

from engine.analysis import Analysis
from engine.classroom.aliases import new_salt, with_aliases
from engine.classroom.model import (
    Assignment,
    AssignmentRow,
    AssignmentSettings,
    Gathered,
    Several,
    State,
    Student,
    Submission,
)
from engine.classroom.review import Review
from engine.errors import HistoryError
from engine.essay import Essay, Notice
from engine.history.assignment_rows import (
    SUBMISSIONS,
    SubmissionRecord,
    assignment_from,
    error_json,
    essay_from,
    files_json,
    layout_of,
    notices_json,
    read_notices,
    submission_from,
)
from engine.history.records import storable, to_json
from engine.history.store import History
from engine.scheme import ReasonCode
from engine.writing import RULES_ALONE, WriterChoice

_REASONS = """
SELECT findings.run_id, json_extract(findings.reasons, '$[0].code') AS code, count(*) AS number
FROM findings JOIN submissions ON submissions.run_id = findings.run_id
WHERE submissions.assignment_id = :id GROUP BY 1, 2
"""
_LISTED = """
SELECT assignments.id, assignments.name, assignments.source, assignments.created_at,
       count(submissions.id) AS submissions,
       coalesce(sum(run_id IS NOT NULL
                    AND state IN ('checked', 'reviewed', 'released')), 0) AS done,
       coalesce(sum(state = 'failed'), 0) AS failed,
       coalesce(sum(state = 'released'), 0) AS released
FROM assignments LEFT JOIN submissions ON submissions.assignment_id = assignments.id
GROUP BY assignments.id ORDER BY assignments.id DESC
"""
_GONE = Notice("gone-from-source", "This essay is no longer in the source.")


class Assignments:
    """The classes of one open history. Every method raises HistoryError where it cannot be used."""

    def __init__(self, history: History) -> None:
        self._history = history

    def create(
        self,
        gathered: Gathered,
        *,
        name: str,
        settings: AssignmentSettings,
        out: str = "",
        roster: str = "",
        several: Several = Several.AUTO,
        writer: WriterChoice = RULES_ALONE,
    ) -> Assignment:
        """Record a class as it was gathered; every submission waits, or has failed already."""
        salt = new_salt()
        with self._history.transaction() as database:
            cursor = database.execute(
                "INSERT INTO assignments (name, kind, source, out, roster, several, settings, salt,"
                " worksheet, skipped, missing, notices, writer, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', '', '', ?, ?)",
                [
                    storable(name),
                    gathered.kind.value,
                    storable(str(gathered.source)),
                    storable(out),
                    storable(roster),
                    several.value,
                    to_json(settings.as_dict()),
                    salt,
                    _writer_json(writer),
                    _now(),
                ],
            )
            assignment_id = int(cursor.lastrowid or 0)
            _describe(database, assignment_id, gathered)
            for position, one in enumerate(with_aliases(gathered.submissions, salt)):
                folder = gathered.folders.get(one.student.key, "")
                _insert(database, assignment_id, position, one, folder)
        return self.load(assignment_id)

    def refresh(self, assignment_id: int, gathered: Gathered) -> Assignment:
        """Bring a class up to date with its source.

        Whoever handed in something new or changed is to be checked; whoever did not keeps what
        is there, even under another file name. What is gone from the source is kept if it was
        checked, with a notice.
        """
        (row,) = self._rows("SELECT salt FROM assignments WHERE id = :id", assignment_id)
        old = {one.student.key: one for one in self.load(assignment_id).submissions}
        pairs = _paired(gathered.submissions, old)
        fresh = with_aliases(
            [new for new, known in pairs if known is None],
            row["salt"],
            taken={one.alias for one in old.values()},
        )
        waiting = iter(fresh)
        with self._history.transaction() as database:
            _describe(database, assignment_id, gathered)
            # Out of the way first: two students may have swapped their keys.
            database.execute(
                "UPDATE submissions SET student_key = '#' || id WHERE assignment_id = ?",
                [assignment_id],
            )
            for position, (new, known) in enumerate(pairs):
                folder = gathered.folders.get(new.student.key, "")
                if known is None:
                    _insert(database, assignment_id, position, next(waiting), folder)
                else:
                    _update(database, position, new, known, folder)
            kept = {known.id for _, known in pairs if known is not None}
            for offset, one in enumerate(o for o in old.values() if o.id not in kept):
                _keep_or_forget(database, one, len(pairs) + offset)
        return self.load(assignment_id)

    def find(self, source: str, out: str) -> Assignment | None:
        """The newest class of this source and output folder."""
        rows = self._history.query(
            "SELECT id FROM assignments WHERE source = :source AND out = :out"
            " ORDER BY id DESC LIMIT 1",
            {"source": storable(source), "out": storable(out)},
        )
        return self.load(rows[0]["id"]) if rows else None

    def listed(self) -> list[AssignmentRow]:
        """All classes, newest first."""
        return [
            AssignmentRow(**{**row, "created_at": datetime.fromisoformat(row["created_at"])})
            for row in self._history.query(_LISTED)
        ]

    def load(self, assignment_id: int) -> Assignment:
        """A class with all its rows, but no text and no analysis."""
        rows = self._rows("SELECT * FROM assignments WHERE id = :id", assignment_id)
        if not rows:
            raise HistoryError(
                f"The history has no class {assignment_id}.",
                hint="It may have been deleted in another window.",
            )
        submissions = self._rows(
            SUBMISSIONS + " WHERE assignment_id = :id ORDER BY position", assignment_id
        )
        reasons: defaultdict[int, Counter[ReasonCode]] = defaultdict(Counter)
        for row in self._rows(_REASONS, assignment_id):
            reasons[row["run_id"]][ReasonCode(row["code"])] += row["number"]
        found = tuple(submission_from(row, reasons.get(row["run_id"], {})) for row in submissions)
        return replace(assignment_from(rows[0]), submissions=found)

    def submission(self, submission_id: int) -> Submission:
        """One row, as it is now, without reading the class around it."""
        rows = self._rows(SUBMISSIONS + " WHERE submissions.id = :id", submission_id)
        if not rows:
            raise _missing(submission_id)
        counted = self._history.query(
            "SELECT json_extract(reasons, '$[0].code') AS code, count(*) AS number"
            " FROM findings WHERE run_id = :run GROUP BY 1",
            {"run": rows[0]["run_id"]},
        )
        return submission_from(rows[0], {ReasonCode(row["code"]): row["number"] for row in counted})

    def settings_of(self, submission: Submission) -> AssignmentSettings:
        """The settings of the class that a submission belongs to."""
        rows = self._rows(SUBMISSIONS + " WHERE submissions.id = :id", submission.id)
        if not rows:
            raise _missing(submission.id)
        return AssignmentSettings.from_dict(json.loads(rows[0]["settings"]))

    def record(self, submission: Submission) -> SubmissionRecord:
        """A submission's essay, analysis and review; only one essay is read."""
        rows = self._rows("SELECT review FROM reviews WHERE submission_id = :id", submission.id)
        review = Review.from_dict(json.loads(rows[0]["review"])) if rows else Review()
        if submission.run_id is None:
            return SubmissionRecord(submission, review=review)
        run = self._history.run(submission.run_id)
        if run.analysis is None:
            return SubmissionRecord(submission, review=review)
        essay = essay_from(run, submission)
        # Half a surrogate pair cannot be stored, so the text may differ in such signs.
        analysis = replace(run.analysis, content_hash=essay.content_hash)
        return SubmissionRecord(submission, essay, analysis, review)

    def change_settings(self, assignment_id: int, settings: AssignmentSettings) -> Assignment:
        """Change how a class is checked and shown.

        Where that makes analyses out of date, all that were checked wait again; the teacher's
        reviews are kept.
        """
        before = self.load(assignment_id).settings
        with self._history.transaction() as database:
            database.execute(
                "UPDATE assignments SET settings = ? WHERE id = ?",
                [to_json(settings.as_dict()), assignment_id],
            )
            if before.needs_new_check(settings):
                database.execute(
                    "UPDATE submissions SET state = 'waiting' WHERE assignment_id = ?"
                    " AND state IN ('checked', 'reviewed', 'released')",
                    [assignment_id],
                )
        return self.load(assignment_id)

    def write_with(self, assignment_id: int, writer: WriterChoice) -> None:
        """Remember who writes for a class from now on; what is checked already stays as it is."""
        with self._history.transaction() as database:
            database.execute(
                "UPDATE assignments SET writer = ? WHERE id = ?",
                [_writer_json(writer), assignment_id],
            )

    def claim(self, assignment_id: int) -> None:
        """Take a class over for checking; what a crash left half done waits again.

        Raises HistoryError where another process is at work on it.
        """
        with self._history.transaction() as database:
            rows = self._rows("SELECT runner FROM assignments WHERE id = :id", assignment_id)
            me = _process_mark(os.getpid())
            runner = rows[0]["runner"] if rows else ""
            if runner not in ("", me) and _process_mark(int(runner.split(":")[0])) == runner:
                raise HistoryError(
                    "This class is being checked in another window.",
                    hint="Wait for it, or stop it there first.",
                )
            database.execute("UPDATE assignments SET runner = ? WHERE id = ?", [me, assignment_id])
            database.execute(
                "UPDATE submissions SET state = 'waiting'"
                " WHERE assignment_id = ? AND state = 'checking'",
                [assignment_id],
            )

    def let_go(self, assignment_id: int) -> None:
        """End what `claim` began."""
        with self._history.transaction() as database:
            database.execute("UPDATE assignments SET runner = '' WHERE id = ?", [assignment_id])

    def begin(self, submission: Submission) -> Submission:
        """Record that a submission is being checked."""
        return self._to_state(submission, State.CHECKING)

    def put_back(self, submission: Submission) -> Submission:
        """Record that a check was stopped: the submission waits as before."""
        return self._to_state(submission, State.WAITING)

    def retry(self, assignment_id: int) -> Assignment:
        """Let all submissions that failed wait again, unless there is no file to read."""
        with self._history.transaction() as database:
            database.execute(
                "UPDATE submissions SET state = 'waiting', error = NULL"
                " WHERE assignment_id = ? AND state = 'failed' AND files != '[]'",
                [assignment_id],
            )
        return self.load(assignment_id)

    def finish(
        self, submission: Submission, essay: Essay, analysis: Analysis, settings: AssignmentSettings
    ) -> Submission:
        """Store the essay and its analysis as a run, and that the submission is checked.

        All of it or nothing: a crash in between leaves the submission to be checked again, and
        no second run of it.
        """
        with self._history.transaction() as database:
            if submission.run_id is not None:
                self._history.delete_run(submission.run_id)
            run_id = self._history.begin_run(
                submission.shown_name(anonymous=settings.anonymous),
                None,
                essay.content_hash,
                essay.text,
                settings.topic,
                {
                    "strictness": settings.strictness,
                    "rewrites": settings.rewrites,
                    "correct_grammar": settings.correct_grammar,
                    **layout_of(essay),
                },
            )
            self._history.finish_run(run_id, analysis)
            notices = [*essay.notices, *self._same_text(database, submission, essay)]
            database.execute(
                "UPDATE submissions SET state = 'checked', run_id = ?, error = NULL,"
                " essay_notices = ? WHERE id = ?",
                [run_id, notices_json(notices), submission.id],
            )
        return self.submission(submission.id)

    def fail(self, submission: Submission, error: Mapping[str, str]) -> Submission:
        """Record why a submission could not be checked."""
        with self._history.transaction() as database:
            database.execute(
                "UPDATE submissions SET state = 'failed', error = ? WHERE id = ?",
                [to_json(dict(error)), submission.id],
            )
        return self.submission(submission.id)

    def delete(self, assignment_id: int) -> None:
        """Forget a class with its essays, analyses and reviews."""
        with self._history.transaction() as database:
            database.execute(
                "DELETE FROM runs WHERE id IN"
                " (SELECT run_id FROM submissions WHERE assignment_id = ?)",
                [assignment_id],
            )
            database.execute("DELETE FROM assignments WHERE id = ?", [assignment_id])

    def _same_text(self, database: Database, submission: Submission, essay: Essay) -> list[Notice]:
        """What to say where another student's file, of whatever format, holds the same text.

        The other students' rows get a notice as well.
        """
        rows = self._history.query(
            "SELECT submissions.* FROM submissions JOIN runs ON runs.id = run_id"
            " WHERE runs.content_hash = :hash AND submissions.id != :id AND digest != :digest"
            " AND assignment_id = (SELECT assignment_id FROM submissions WHERE id = :id)",
            {"hash": essay.content_hash, "id": submission.id, "digest": submission.digest},
        )
        back = _same_text_notice([submission.student.name])
        for row in rows:
            notices = read_notices(row["essay_notices"])
            if back not in notices:
                database.execute(
                    "UPDATE submissions SET essay_notices = ? WHERE id = ?",
                    [notices_json([*notices, back]), row["id"]],
                )
        names = [Student.from_dict(json.loads(row["student"])).name for row in rows]
        return [_same_text_notice(names)] if names else []

    def _to_state(self, submission: Submission, state: State) -> Submission:
        with self._history.transaction() as database:
            cursor = database.execute(
                "UPDATE submissions SET state = ? WHERE id = ?", [state.value, submission.id]
            )
            if cursor.rowcount == 0:
                raise _missing(submission.id)
        return replace(submission, state=state)

    def _rows(self, query: str, id: int) -> list[dict[str, Any]]:
        return self._history.query(query, {"id": id})


def _same_text_notice(names: Sequence[str]) -> Notice:
    return Notice("same-text", f"The same text was handed in by {', '.join(names)}.")


def _paired(
    new: Sequence[Submission], old: Mapping[str, Submission]
) -> list[tuple[Submission, Submission | None]]:
    """Each new submission with the old one that it continues: the same student, or same content."""
    keys = {one.student.key for one in new}
    orphans: defaultdict[str, list[Submission]] = defaultdict(list)
    for one in old.values():
        if one.student.key not in keys and one.files:
            orphans[one.digest].append(one)
    pairs = []
    for one in new:
        known = old.get(one.student.key)
        if known is None and one.files and orphans.get(one.digest):
            known = orphans[one.digest].pop(0)
        pairs.append((one, known))
    return pairs


def _describe(database: Database, assignment_id: int, gathered: Gathered) -> None:
    """Write down what is known of the source as a whole."""
    database.execute(
        "UPDATE assignments SET worksheet = ?, skipped = ?, missing = ?, notices = ? WHERE id = ?",
        [
            storable(gathered.worksheet),
            to_json([one.as_dict() for one in gathered.skipped]),
            to_json([one.as_dict() for one in gathered.missing]),
            to_json([one.as_dict() for one in gathered.notices]),
            assignment_id,
        ],
    )


def _insert(
    database: Database, assignment_id: int, position: int, one: Submission, folder: str
) -> None:
    database.execute(
        "INSERT INTO submissions (assignment_id, position, student_key, student, alias, folder,"
        " files, digest, state, error, notices) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [assignment_id, position, storable(one.student.key), to_json(one.student.as_dict()),
         one.alias, storable(folder), files_json(one), one.digest,
         (State.FAILED if one.error else State.WAITING).value, error_json(one), notices_json(one.notices)],
    )  # fmt: skip


def _update(
    database: Database, position: int, new: Submission, known: Submission, folder: str
) -> None:
    state, error = known.state, known.error
    if new.digest != known.digest:
        state, error = (State.FAILED if new.error else State.WAITING), new.error
    database.execute(
        "UPDATE submissions SET position = ?, student_key = ?, student = ?, folder = ?, files = ?,"
        " digest = ?, state = ?, error = ?, notices = ? WHERE id = ?",
        [position, storable(new.student.key), to_json(new.student.as_dict()), storable(folder),
         files_json(new), new.digest, state.value, error_json(replace(new, error=error)),
         notices_json(new.notices), known.id],
    )  # fmt: skip


def _keep_or_forget(database: Database, one: Submission, position: int) -> None:
    """What is gone from the source stays where it was checked."""
    if not one.state.is_done:
        database.execute("DELETE FROM submissions WHERE id = ?", [one.id])
        return
    database.execute(
        "UPDATE submissions SET position = ?, student_key = ?, notices = ? WHERE id = ?",
        [position, storable(one.student.key), notices_json([_GONE]), one.id],
    )


def _process_mark(pid: int) -> str:
    """A process by number and start time, since numbers are used again; empty if it is gone."""
    try:
        return f"{pid}:{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return ""


def _missing(submission_id: int) -> HistoryError:
    return HistoryError(
        f"The history has no submission {submission_id}.",
        hint="It may have been deleted in another window.",
    )


def _writer_json(writer: WriterChoice) -> str:
    """Who writes, as stored: whatever was named, no secret of a server's address is kept."""
    return to_json(writer.without_secrets().as_dict())


def _now() -> str:
    return datetime.now(UTC).isoformat()
