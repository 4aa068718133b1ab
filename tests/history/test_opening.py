"""A history file in every state that a disk, another program or another version leaves it in."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlite_utils

from engine.errors import HistoryError
from engine.history import History, RunStatus
from engine.history import opening as opening_module
from tests.history.sample_analysis import ESSAY, sample_analysis

ROOT = Path(__file__).resolve().parents[2]


def fill(path: Path, runs: int = 1) -> None:
    with History.open(path) as history:
        for number in range(runs):
            run_id = history.begin_run(f"{number}.txt", None, "hash", ESSAY.text * 20)
            history.finish_run(run_id, sample_analysis())


def set_aside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if ".damaged-" in path.name)


def damage_by_cutting(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_by_cutting_to_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def damage_by_cutting_inside_the_name(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:7])


def damage_by_overwriting(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:12288] = b"\xa5" * 8192
    path.write_bytes(content)


def damage_by_replacing(path: Path) -> None:
    path.write_text("This was never a database.\n" * 50, encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [
        damage_by_cutting,
        damage_by_cutting_to_the_header,
        damage_by_cutting_inside_the_name,
        damage_by_overwriting,
        damage_by_replacing,
    ],
)
def test_a_damaged_file_is_kept_aside_and_a_new_history_begun(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "history.db"
    fill(path, runs=10)
    damage(path)
    damaged = path.read_bytes()
    with History.open(path) as history:
        assert history.runs() == []
        (kept,) = set_aside(tmp_path)
        assert kept.read_bytes() == damaged
        assert kept.name in history.notices[0]
        assert not history.is_temporary
        history.begin_run("new.txt", None, "hash", "Hello.")
    with History.open(path) as history:
        assert [row.essay_name for row in history.runs()] == ["new.txt"]
        assert history.notices == ()


def test_the_log_of_a_damaged_file_is_kept_with_it(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_text("not a database", encoding="utf-8")
    path.with_name("history.db-wal").write_bytes(b"old log")
    with History.open(path):
        names = [kept.name for kept in set_aside(tmp_path)]
    assert [name.endswith("-wal") for name in names] == [False, True]


def test_an_empty_file_is_a_new_history(tmp_path: Path) -> None:
    (tmp_path / "history.db").touch()
    with History.open(tmp_path / "history.db") as history:
        assert history.notices == ()
        history.begin_run("a", None, "hash", "Hello.")


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    with History.open(tmp_path / "deep" / "down" / "history.db") as history:
        assert not history.is_temporary


def test_a_newer_history_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    fill(path)
    database = sqlite_utils.Database(path)
    database.table("_sqlite_migrations").insert(
        {"migration_set": "segue.history", "name": "9999_from_the_future", "applied_at": "2099"}
    )
    database.execute("CREATE TABLE future (id INTEGER)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(HistoryError, match="newer version") as caught:
        History.open(path)
    assert "left as it is" in caught.value.hint
    assert path.read_bytes() == before
    assert set_aside(tmp_path) == []


def test_a_database_of_another_program_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE bookmarks (url TEXT)")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(HistoryError, match="another program"):
        History.open(path)
    assert path.read_bytes() == before


def test_a_folder_in_the_place_of_the_file_is_survived(tmp_path: Path) -> None:
    (tmp_path / "history.db").mkdir()
    with History.open(tmp_path / "history.db") as history:
        assert history.is_temporary
        assert history.notices


def test_a_folder_that_cannot_be_made_means_a_history_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with History.open(tmp_path / "file" / "history.db") as history:
        assert history.is_temporary
        assert "kept only until you close Segue" in history.notices[0]
        run_id = history.begin_run("a", None, "hash", "Hello.")
        assert history.run(run_id).text == "Hello."


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder with a history that this process may read and not write, even if it is root."""
    if sys.platform == "win32":
        pytest.skip("folders have no read-only bit on Windows")
    folder = Path(tempfile.mkdtemp())
    fill(folder / "history.db")
    (folder / "history.db").chmod(0o444)
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder_means_old_runs_can_be_read_and_new_ones_last_until_the_end(
    read_only_folder: Path,
) -> None:
    with History.open(read_only_folder / "history.db") as history:
        assert history.is_temporary
        assert str(read_only_folder) in history.notices[0]
        assert [row.essay_name for row in history.runs()] == ["0.txt"]
        assert history.run(1).analysis == sample_analysis()
        history.begin_run("new.txt", None, "hash", "Hello.")
        assert len(history.runs()) == 2


def test_a_read_only_folder_without_a_history_is_survived(read_only_folder: Path) -> None:
    with History.open(read_only_folder / "another.db") as history:
        assert history.is_temporary
        assert history.runs() == []


def test_two_instances_write_and_read_each_others_runs(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with History.open(path) as one, History.open(path) as other:
        first = one.begin_run("one.txt", None, "hash", "Hello.")
        second = other.begin_run("other.txt", None, "hash", "Hello.")
        one.finish_run(first, sample_analysis())
        other.finish_run(second, sample_analysis())
        assert [row.essay_name for row in one.runs()] == ["other.txt", "one.txt"]
        assert one.notices == other.notices == ()


def test_two_instances_that_write_at_once_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    start = threading.Barrier(4)

    def write(name: str) -> None:
        start.wait(30)
        with History.open(path) as history:
            for _ in range(10):
                run_id = history.begin_run(name, None, "hash", "Hello.")
                history.finish_run(run_id, sample_analysis())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))
    with History.open(path) as history:
        rows = history.runs()
    assert len(rows) == 40
    assert {row.status for row in rows} == {RunStatus.FINISHED}


def test_a_run_of_another_instance_still_ends_as_finished(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with History.open(path) as one:
        run_id = one.begin_run("one.txt", None, "hash", "Hello.")
        with History.open(path):
            pass
        one.finish_run(run_id, sample_analysis())
        assert one.run(run_id).row.status is RunStatus.FINISHED


def test_a_history_that_stays_locked_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening_module, "BUSY_SECONDS", 0.05)
    path = tmp_path / "history.db"
    fill(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(HistoryError, match="in use"):
        History.open(path)
    other.close()
    with History.open(path) as history:
        assert len(history.runs()) == 1


def test_a_full_disk_is_named_and_the_history_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with History.open(path) as history:
        run_id = history.begin_run("a", None, "hash", "Hello.")
        pages = history._database.conn.execute("PRAGMA page_count").fetchone()[0]
        history._database.conn.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(HistoryError, match="disk is full"):
            history.begin_run("b", None, "hash", "long " * 100_000)
        assert [row.id for row in history.runs()] == [run_id]


_KILLED = """
import os, sys
from pathlib import Path
from engine.history import History
history = History.open(Path(sys.argv[1]))
history.begin_run("killed.txt", None, "hash", "Hello there.")
history._database.conn.execute("BEGIN IMMEDIATE")
history._database.conn.execute("DELETE FROM runs")
print("begun", flush=True)
sys.stdin.read()
"""


def test_a_run_that_was_killed_in_the_middle_is_closed_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    fill(path)
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"begun"
        process.kill()
    with History.open(path) as history:
        assert history.notices == ()
        rows = history.runs()
        assert [(row.essay_name, row.status) for row in rows] == [
            ("killed.txt", RunStatus.INTERRUPTED),
            ("0.txt", RunStatus.FINISHED),
        ]
        assert history.run(rows[0].id).text == "Hello there."
