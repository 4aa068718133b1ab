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


_CLASSES = """
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    out TEXT NOT NULL,
    roster TEXT NOT NULL,
    worksheet TEXT NOT NULL,
    several TEXT NOT NULL,
    settings TEXT NOT NULL,
    salt TEXT NOT NULL,
    skipped TEXT NOT NULL,
    missing TEXT NOT NULL,
    notices TEXT NOT NULL,
    runner TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
);
CREATE INDEX assignments_by_source ON assignments (source);

CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    assignment_id INTEGER NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    student_key TEXT NOT NULL,
    student TEXT NOT NULL,
    alias TEXT NOT NULL,
    folder TEXT NOT NULL,
    files TEXT NOT NULL,
    digest TEXT NOT NULL,
    state TEXT NOT NULL CHECK (
        state IN ('waiting', 'checking', 'failed', 'checked', 'reviewed', 'released')
    ),
    run_id INTEGER REFERENCES runs (id) ON DELETE SET NULL,
    error TEXT,
    notices TEXT NOT NULL,
    essay_notices TEXT NOT NULL DEFAULT '[]',
    UNIQUE (assignment_id, student_key)
);
CREATE INDEX submissions_by_run ON submissions (run_id);

CREATE TABLE reviews (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
    review TEXT NOT NULL,
    counts TEXT NOT NULL,
    changed_at TEXT NOT NULL
);

CREATE TABLE bank_comments (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE,
    shortcut TEXT NOT NULL,
    reason TEXT NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    used_at TEXT NOT NULL
);
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
    _run(database, _FIRST)


@MIGRATIONS(name="0002_assignments_submissions_reviews_comments")
def _second(database: Database) -> None:
    _run(database, _CLASSES)


@MIGRATIONS(name="0003_rewrites_that_leave_a_mark")
def _third(database: Database) -> None:
    _run(database, "ALTER TABLE rewrites ADD COLUMN clears INTEGER NOT NULL DEFAULT 1")


@MIGRATIONS(name="0004_rewrites_by_a_language_model")
def _fourth(database: Database) -> None:
    _run(database, "ALTER TABLE rewrites ADD COLUMN writer TEXT NOT NULL DEFAULT ''")


@MIGRATIONS(name="0005_who_writes_for_a_class")
def _fifth(database: Database) -> None:
    _run(database, "ALTER TABLE assignments ADD COLUMN writer TEXT NOT NULL DEFAULT '{}'")


def _run(database: Database, statements: str) -> None:
    """One after the other: `executescript` would end the transaction that this is part of."""
    for statement in statements.split(";\n"):
        if statement.strip():
            database.execute(statement)
