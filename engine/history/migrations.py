"""The history's schema, as numbered steps that are never changed once released.

Each step runs in a transaction together with the record that it was applied.
"""

from __future__ import annotations

from sqlite_utils.db import Database
from sqlite_utils.migrations import Migrations

MIGRATIONS = Migrations("segue.history")

_FIRST = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    essay_name TEXT NOT NULL,
    path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    text TEXT NOT NULL,
    topic TEXT NOT NULL,
    settings TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'interrupted')),
    error_code TEXT NOT NULL DEFAULT '',
    started_at TEXT NOT NULL,
    finished_at TEXT,
    analysis TEXT,
    word_count INTEGER NOT NULL,
    sentence_count INTEGER NOT NULL DEFAULT 0,
    finding_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_start ON runs (started_at);
CREATE INDEX runs_by_content ON runs (content_hash);

CREATE TABLE findings (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    sentence INTEGER NOT NULL,
    probability REAL NOT NULL,
    reasons TEXT NOT NULL,
    anchor INTEGER,
    explanation TEXT NOT NULL,
    confidence TEXT NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (run_id, position)
);

CREATE TABLE rewrites (
    id INTEGER PRIMARY KEY,
    finding_id INTEGER NOT NULL REFERENCES findings (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    action TEXT NOT NULL,
    text TEXT NOT NULL,
    edits TEXT NOT NULL,
    probability_after REAL NOT NULL,
    operator TEXT NOT NULL,
    reason TEXT,
    UNIQUE (finding_id, position)
);

CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    finding_key TEXT NOT NULL,
    verdict TEXT NOT NULL,
    text TEXT NOT NULL,
    rewrite INTEGER,
    decided_at TEXT NOT NULL,
    UNIQUE (run_id, finding_key)
);
CREATE INDEX decisions_by_key ON decisions (finding_key);
"""


def known_names() -> frozenset[str]:
    """The names of all steps that this version of Segue knows."""
    empty = Database(memory=True, execute_plugins=False)
    try:
        return frozenset(step.name for step in MIGRATIONS.pending(empty))
    finally:
        empty.close()


@MIGRATIONS(name="0001_runs_findings_rewrites_decisions")
def _first(database: Database) -> None:
    for statement in _FIRST.split(";\n"):
        if statement.strip():
            database.execute(statement)
