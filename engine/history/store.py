"""The history as the program uses it: begin and finish runs, record decisions, look back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlite_utils.db import Database

from engine.analysis import Analysis, Decision, Verdict
from engine.errors import HistoryError
from engine.history.opening import Opened, as_history_error, open_database
from engine.history.records import (
    RunKind,
    RunRecord,
    RunRow,
    RunStatus,
    analysis_frame,
    analysis_from,
    finding_row,
    rewrite_row,
    storable,
    to_json,
)

_CLASS = """
       coalesce((SELECT name FROM assignments JOIN submissions ON assignment_id = assignments.id
                 WHERE run_id = runs.id), '') AS class_name"""
_LISTED = f"""
SELECT id, essay_name, path, content_hash, topic, status, error_code, started_at, finished_at,
       word_count, sentence_count, finding_count,
       (SELECT count(*) FROM decisions WHERE run_id = runs.id) AS decision_count,{_CLASS}
FROM runs
"""  # noqa: S608 - made of constants
_WHOLE = f"""
SELECT *, (SELECT count(*) FROM decisions WHERE run_id = runs.id) AS decision_count,{_CLASS}
FROM runs WHERE id = :id
"""  # noqa: S608 - made of constants
_HOLDS_WORDS = """
(instr(fold(essay_name), :words) OR instr(fold(topic), :words) OR instr(fold(text), :words)
 OR instr(fold(class_name), :words))
"""
_OF_A_CLASS = "id IN (SELECT run_id FROM submissions WHERE run_id IS NOT NULL)"
_OF_KIND = {RunKind.OWN: f"NOT {_OF_A_CLASS}", RunKind.CLASS: _OF_A_CLASS}


class History:
    """One open history. Use it on the thread that opened it, and close it.

    `notices` says in plain sentences what happened at opening, such as that a damaged file was
    set aside; `is_temporary` whether it is kept in memory only. Every method raises HistoryError
    where the database cannot be used.
    """

    def __init__(self, opened: Opened) -> None:
        self._database: Database = opened.database
        self.notices = opened.notices
        self.is_temporary = opened.is_temporary

    @classmethod
    def open(cls, path: Path) -> History:
        """Open or create the history at `path`, and close runs that were never finished.

        Raises HistoryError on a database that a newer Segue or another program has written.
        """
        try:
            return cls(open_database(path))
        except sqlite3.Error as error:
            raise as_history_error(error) from error

    def close(self) -> None:
        """Close the database; closing twice is harmless."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def begin_run(
        self,
        essay_name: str,
        path: Path | str | None,
        content_hash: str,
        text: str,
        topic: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> int:
        """Record that a check has begun, with the essay as it is, and return the run's id."""
        with self._writing() as database:
            cursor = database.execute(
                "INSERT INTO runs (essay_name, path, content_hash, text, topic, settings,"
                " word_count, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?)",
                [
                    storable(essay_name),
                    storable(str(path or "")),
                    content_hash,
                    storable(text),
                    storable(topic),
                    to_json(dict(settings or {})),
                    len(text.split()),
                    _now(),
                ],
            )
            return _new_id(cursor)

    def finish_run(self, run_id: int, analysis: Analysis) -> None:
        """Record the result of a run; a second result takes the place of the first."""
        with self._writing() as database:
            cursor = database.execute(
                "UPDATE runs SET status = 'finished', error_code = '', finished_at = ?,"
                " analysis = ?, sentence_count = ?, finding_count = ? WHERE id = ?",
                [
                    _now(),
                    analysis_frame(analysis),
                    len(analysis.sentences),
                    len(analysis.findings),
                    run_id,
                ],
            )
            _must_exist(cursor, run_id)
            database.execute("DELETE FROM findings WHERE run_id = ?", [run_id])
            for position, finding in enumerate(analysis.findings):
                finding_id = _insert(database, "findings", finding_row(run_id, position, finding))
                for place, rewrite in enumerate(finding.rewrites):
                    _insert(database, "rewrites", rewrite_row(finding_id, place, rewrite))

    def fail_run(self, run_id: int, error_code: str) -> None:
        """Record that a run ended without a result, and why ("cancelled" is a reason too)."""
        with self._writing() as database:
            cursor = database.execute(
                "UPDATE runs SET status = 'failed', error_code = ?, finished_at = ? WHERE id = ?",
                [error_code, _now(), run_id],
            )
            _must_exist(cursor, run_id)

    def record_decision(
        self,
        run_id: int,
        finding_key: str,
        decision: Decision | None,
        rewrite: int | None = None,
    ) -> None:
        """Record the writer's answer to a finding; the last one counts, None takes it back.

        `rewrite` is the index of the rewrite that was answered, where it was one.
        """
        with self._writing() as database:
            database.execute(
                "DELETE FROM decisions WHERE run_id = ? AND finding_key = ?", [run_id, finding_key]
            )
            if decision is None:
                return
            _must_exist(database.execute("UPDATE runs SET id = id WHERE id = ?", [run_id]), run_id)
            row = {
                "run_id": run_id,
                "finding_key": finding_key,
                "verdict": decision.verdict.value,
                "text": storable(decision.text),
                "rewrite": rewrite,
                "decided_at": _now(),
            }
            _insert(database, "decisions", row)

    def runs(
        self,
        limit: int = 100,
        offset: int = 0,
        search: str = "",
        *,
        kind: RunKind = RunKind.ALL,
    ) -> list[RunRow]:
        """Past runs, newest first, whose name, topic, text or class holds `search` in any case."""
        words = storable(search).strip().casefold()
        wanted = [_HOLDS_WORDS] if words else []
        if kind in _OF_KIND:
            wanted.append(_OF_KIND[kind])
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        query = f"{_LISTED}{where} ORDER BY id DESC LIMIT :limit OFFSET :offset"
        values = {"words": words, "limit": limit, "offset": offset}
        return [_run_row(row) for row in self._rows(query, values)]

    def run(self, run_id: int) -> RunRecord:
        """A whole run. Raises HistoryError where there is none with this id."""
        rows = self._rows(_WHOLE, {"id": run_id})
        if not rows:
            raise _missing(run_id)
        row = rows[0]
        decided = self._rows("SELECT * FROM decisions WHERE run_id = :id", {"id": run_id})
        return RunRecord(
            row=_run_row(row),
            text=row["text"],
            settings=json.loads(row["settings"]),
            analysis=self._analysis(run_id, row["analysis"]),
            decisions={d["finding_key"]: _decision(d) for d in decided},
            chosen={d["finding_key"]: d["rewrite"] for d in decided if d["rewrite"] is not None},
        )

    def delete_run(self, run_id: int) -> None:
        """Forget a run and all that belongs to it; one that is not there is no error."""
        with self._writing() as database:
            database.execute("DELETE FROM runs WHERE id = ?", [run_id])

    def delete_all(self) -> None:
        """Forget every run and class, and give the space back: no essay text stays in the file."""
        with self._writing() as database:
            database.execute("DELETE FROM runs")
            database.execute("DELETE FROM assignments")
        try:
            self._database.conn.execute("VACUUM")
            self._database.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise as_history_error(error) from error

    def decisions_for(
        self, *, content_hash: str | None = None, keys: Collection[str] | None = None
    ) -> dict[str, Decision]:
        """The newest decision on each finding key, in all runs.

        Narrowed to the runs of one text, to these keys, or to both, where given.
        """
        rows = self._rows(
            "SELECT decisions.* FROM decisions JOIN runs ON runs.id = decisions.run_id"
            " WHERE (:hash IS NULL OR runs.content_hash = :hash)"
            " AND (:keys IS NULL OR finding_key IN (SELECT value FROM json_each(:keys)))"
            " ORDER BY decisions.decided_at, decisions.id",
            {"hash": content_hash, "keys": None if keys is None else to_json(list(keys))},
        )
        return {row["finding_key"]: _decision(row) for row in rows}

    def _analysis(self, run_id: int, frame: str | None) -> Analysis | None:
        if frame is None:
            return None
        findings = self._rows(
            "SELECT * FROM findings WHERE run_id = :id ORDER BY position", {"id": run_id}
        )
        rewrites = self._rows(
            "SELECT rewrites.* FROM rewrites JOIN findings ON findings.id = finding_id"
            " WHERE run_id = :id ORDER BY rewrites.position",
            {"id": run_id},
        )
        return analysis_from(frame, findings, rewrites)

    def _rows(self, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        try:
            return list(self._database.query(query, dict(values)))
        except sqlite3.Error as error:
            raise as_history_error(error) from error

    def query(self, query: str, values: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The rows of a query, for the other modules of this package."""
        return self._rows(query, values or {})

    def transaction(self) -> AbstractContextManager[Database]:
        """Several changes at once or not at all; the methods used inside take part in it."""
        return self._writing()

    @contextmanager
    def _writing(self) -> Generator[Database, None, None]:
        """A transaction that waits for its turn at the start, when waiting is still possible."""
        if self._database.conn.in_transaction:
            yield self._database
            return
        connection = self._database.conn
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise as_history_error(error) from error


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _insert(database: Database, table: str, row: Mapping[str, Any]) -> int:
    """Insert a row whose keys are the columns, and return its id."""
    columns = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    query = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - our own names
    return _new_id(database.execute(query, list(row.values())))


def _new_id(cursor: sqlite3.Cursor) -> int:
    if cursor.lastrowid is None:
        raise HistoryError("The history did not take the new entry.")
    return cursor.lastrowid


def _must_exist(cursor: sqlite3.Cursor, run_id: int) -> None:
    if cursor.rowcount == 0:
        raise _missing(run_id)


def _missing(run_id: int) -> HistoryError:
    return HistoryError(
        f"The history has no run {run_id}.", hint="It may have been deleted in another window."
    )


def _decision(row: Mapping[str, Any]) -> Decision:
    return Decision(row["finding_key"], Verdict(row["verdict"]), row["text"])


def _run_row(row: Mapping[str, Any]) -> RunRow:
    finished = row["finished_at"]
    return RunRow(
        id=row["id"],
        essay_name=row["essay_name"],
        path=Path(row["path"]) if row["path"] else None,
        content_hash=row["content_hash"],
        topic=row["topic"],
        status=RunStatus(row["status"]),
        error_code=row["error_code"],
        started_at=datetime.fromisoformat(row["started_at"]),
        finished_at=None if finished is None else datetime.fromisoformat(finished),
        word_count=row["word_count"],
        sentence_count=row["sentence_count"],
        finding_count=row["finding_count"],
        decision_count=row["decision_count"],
        class_name=row["class_name"],
    )
