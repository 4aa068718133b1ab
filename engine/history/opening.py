"""Opening the history whatever state its file is in, without ever destroying one.

A file that is damaged or no database is set aside under another name; one that a newer Segue has
written is left as it is; where nothing can be written, the history is kept in memory.

While this process has the history open, only SQLite may open the file: whenever a process closes
a file, POSIX drops all locks that the process holds on it. SQLite in another process then takes
itself for the last one and clears the log away, and what is written here from then on is lost.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils.db import Database

from engine.errors import HistoryError
from engine.history.migrations import MIGRATIONS, known_names

logger = logging.getLogger(__name__)

BUSY_SECONDS = 5.0
_MAGIC = b"SQLite format 3\x00"
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_NOT_WRITABLE = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
}
# Between a connection's first lock and its index file, another thread must not look at the file.
_OPENING = threading.Lock()
_SIDE_FILES = ("-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Opened:
    """A database that is ready for use, and what the user should know about it."""

    database: Database
    notices: tuple[str, ...] = ()
    is_temporary: bool = False


def open_database(path: Path) -> Opened:
    """Open or create the history at `path`.

    Raises HistoryError on a database of a newer Segue or of another program, and on one that
    another program keeps locked; the file is then left as it was.
    """
    with _OPENING:
        return _open(path)


def _open(path: Path) -> Opened:
    notices: list[str] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if _is_foreign(path):
            notices.append(_set_aside(path))
    except OSError as error:
        return _in_memory(path, error)
    for _attempt in range(2):
        try:
            return Opened(_connect(path), tuple(notices))
        except sqlite3.DatabaseError as error:
            kind = error_kind(error)
            if kind in _NOT_WRITABLE:
                return _in_memory(path, error)
            if kind not in _DAMAGE:
                raise as_history_error(error) from error
        try:
            notices.append(_set_aside(path))
        except OSError as error:
            return _in_memory(path, error)
    raise HistoryError(f"The history {path} cannot be opened.")


def error_kind(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where the error did not come from SQLite itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def as_history_error(error: sqlite3.Error) -> HistoryError:
    """What went wrong, in words for the user."""
    kind = error_kind(error)
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return HistoryError(
            "The history is in use by another program.",
            hint="Close other windows of Segue, or try again in a moment.",
        )
    if kind == sqlite3.SQLITE_FULL:
        return HistoryError(
            "The history cannot be written: the disk is full.", hint="Make room on the disk."
        )
    if kind in _DAMAGE:
        return HistoryError(
            "The history is damaged.",
            hint="Start Segue again: it keeps the damaged file aside and begins a new history.",
        )
    return HistoryError(f"The history cannot be used (SQLite: {error}).")


def _is_foreign(path: Path) -> bool:
    """Whether there is a file, not empty, that does not begin as a SQLite database does.

    An open database has an index file (`-shm`) beside it; then SQLite is left to say so.
    """
    if path.with_name(f"{path.name}-shm").exists():
        return False
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_MAGIC))
    except FileNotFoundError:
        return False
    return bool(start) and start != _MAGIC


def _connect(path: Path) -> Database:
    """Raises sqlite3.DatabaseError, HistoryError."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _check_readable(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # WAL with NORMAL loses at most the last moments in a power cut, never the database.
        connection.execute("PRAGMA synchronous = NORMAL")
        return _prepare(connection)
    except BaseException:
        connection.close()
        raise


def _check_readable(connection: sqlite3.Connection, path: Path) -> None:
    """Look before the first write: at the database's soundness, origin and age."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        error = sqlite3.DatabaseError("quick_check found damage")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    database = Database(connection, execute_plugins=False)
    tables = set(database.table_names())
    if tables and MIGRATIONS.migrations_table not in tables:
        raise HistoryError(
            f"{path} is a database of another program.",
            hint="Move it away or choose another folder; Segue leaves it as it is.",
        )
    if {step.name for step in MIGRATIONS.applied(database)} - known_names():
        raise HistoryError(
            f"The history {path} was written by a newer version of Segue.",
            hint="Install the newest Segue to see it. The file is left as it is.",
        )


def _prepare(connection: sqlite3.Connection) -> Database:
    """Bring the schema up to date and close runs that never ended."""
    database = Database(connection, execute_plugins=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("fold", 1, _fold, deterministic=True)
    # Taken before looking at what is pending, so that two instances cannot both apply it.
    connection.execute("BEGIN IMMEDIATE")
    try:
        MIGRATIONS.apply(database)
        # Another instance's run that is still going on finds its way back: it ends as finished.
        connection.execute("UPDATE runs SET status = 'interrupted' WHERE status = 'running'")
        # A write in every case: opening must find out here that the folder is read-only.
        connection.execute("PRAGMA user_version = 1")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return database


def _fold(value: str | None) -> str:
    """Case folded in every script; SQLite's own LIKE only knows ASCII."""
    return (value or "").casefold()


def _set_aside(path: Path) -> str:
    """Rename the file and what belongs to it, and say so. Raises OSError."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    # Side files first: left beside a new database they would be taken for its own and deleted.
    for suffix in _SIDE_FILES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(kept.with_name(kept.name + suffix))
    try:
        path.rename(kept)
    except FileNotFoundError:
        # Another instance found the same damage at the same moment and was faster.
        logger.info("The damaged history was set aside by another instance")
    logger.warning("The history was damaged and is kept as %s", kept.name)
    return (
        f"The history was damaged. The old file is kept as {kept.name} in {kept.parent}, "
        "and a new history was begun."
    )


def _in_memory(path: Path, error: Exception) -> Opened:
    """A history that lasts until the program ends, with what can be read of the one on disk."""
    logger.warning("The history is kept in memory: %s", type(error).__name__)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _copy_into(connection, path)
    notice = (
        f"The history cannot be written to {path.parent}. "
        "New checks are kept only until you close Segue."
    )
    return Opened(_prepare(connection), (notice,), is_temporary=True)


def _copy_into(memory: sqlite3.Connection, path: Path) -> None:
    """Copy the database at `path`, if it can be read, so that past checks can be looked at."""
    if not path.is_file():
        return
    try:
        # "immutable" is needed where the folder cannot hold the files that readers share.
        source = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            _check_readable(source, path)
            source.backup(memory)
        finally:
            source.close()
    except sqlite3.Error:
        logger.warning("The history on disk cannot be read")
