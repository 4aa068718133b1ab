from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis import Decision, Verdict
from engine.errors import HistoryError
from engine.history import History, RunStatus
from tests.history.sample_analysis import ESSAY, sample_analysis


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History.open(tmp_path / "history.db") as opened:
        yield opened


def begin(history: History, name: str = "essay.docx", text: str = ESSAY.text) -> int:
    return history.begin_run(
        name, Path("/home/me") / name, ESSAY.content_hash, text, ESSAY.topic, {"strictness": "few"}
    )


def test_a_new_history_is_empty_and_has_nothing_to_say(history: History) -> None:
    assert history.runs() == []
    assert history.notices == ()
    assert history.is_temporary is False


def test_a_run_that_was_begun_is_listed_as_running(history: History) -> None:
    run_id = begin(history)
    (row,) = history.runs()
    assert (row.id, row.essay_name, row.status) == (run_id, "essay.docx", RunStatus.RUNNING)
    assert row.path == Path("/home/me/essay.docx")
    assert row.word_count == ESSAY.word_count
    assert timedelta(0) <= datetime.now(UTC) - row.started_at < timedelta(minutes=1)
    assert row.finished_at is None


def test_a_finished_run_is_read_back_whole(history: History) -> None:
    run_id = begin(history)
    history.finish_run(run_id, sample_analysis())
    record = history.run(run_id)
    assert record.analysis == sample_analysis()
    assert record.text == ESSAY.text
    assert record.settings == {"strictness": "few"}
    assert record.row.status is RunStatus.FINISHED
    assert (record.row.sentence_count, record.row.finding_count) == (5, 2)


def test_a_second_result_takes_the_place_of_the_first(history: History) -> None:
    run_id = begin(history)
    history.finish_run(run_id, sample_analysis())
    history.finish_run(run_id, sample_analysis())
    assert history.run(run_id).analysis == sample_analysis()


def test_a_failed_run_keeps_the_essay_and_the_reason(history: History) -> None:
    run_id = begin(history)
    history.fail_run(run_id, "backend")
    record = history.run(run_id)
    assert (record.row.status, record.row.error_code) == (RunStatus.FAILED, "backend")
    assert record.text == ESSAY.text
    assert record.analysis is None


def test_an_essay_without_a_file_has_no_path(history: History) -> None:
    history.begin_run("Untitled", None, "hash", "Hello.")
    assert history.runs()[0].path is None


def test_decisions_are_read_back_with_the_run(history: History) -> None:
    run_id = begin(history)
    accepted = Decision("key-of-two", Verdict.ACCEPTED, "However, it costs them sleep.")
    ignored = Decision("key-of-three", Verdict.IGNORED)
    history.record_decision(run_id, "key-of-two", accepted, 0)
    history.record_decision(run_id, "key-of-three", ignored)
    record = history.run(run_id)
    assert record.decisions == {"key-of-two": accepted, "key-of-three": ignored}
    assert record.chosen == {"key-of-two": 0}
    assert record.row.decision_count == 2


def test_the_last_decision_on_a_finding_counts(history: History) -> None:
    run_id = begin(history)
    history.record_decision(run_id, "k", Decision("k", Verdict.ACCEPTED, "a"), 1)
    history.record_decision(run_id, "k", Decision("k", Verdict.REJECTED))
    record = history.run(run_id)
    assert record.decisions == {"k": Decision("k", Verdict.REJECTED)}
    assert record.chosen == {}


def test_a_decision_can_be_taken_back(history: History) -> None:
    run_id = begin(history)
    history.record_decision(run_id, "k", Decision("k", Verdict.ACCEPTED, "a"))
    history.record_decision(run_id, "k", None)
    assert history.run(run_id).decisions == {}


def test_the_newest_decision_on_each_key_is_found_across_runs(history: History) -> None:
    first, second = begin(history), begin(history)
    history.record_decision(second, "a", Decision("a", Verdict.REJECTED))
    history.record_decision(first, "a", Decision("a", Verdict.ACCEPTED, "x"))
    history.record_decision(first, "b", Decision("b", Verdict.IGNORED))
    assert history.decisions_for(keys=["a", "c"]) == {"a": Decision("a", Verdict.ACCEPTED, "x")}
    assert set(history.decisions_for(content_hash=ESSAY.content_hash)) == {"a", "b"}
    assert history.decisions_for(content_hash="another") == {}
    assert history.decisions_for(keys=[]) == {}


def test_more_keys_may_be_asked_for_than_sqlite_takes_variables(history: History) -> None:
    run_id = begin(history)
    history.record_decision(run_id, "k7", Decision("k7", Verdict.IGNORED))
    assert set(history.decisions_for(keys=[f"k{n}" for n in range(100_000)])) == {"k7"}


def test_runs_come_newest_first_in_pages(history: History) -> None:
    ids = [begin(history, f"{n}.txt") for n in range(5)]
    assert [row.id for row in history.runs()] == ids[::-1]
    assert [row.id for row in history.runs(2, 1)] == [ids[3], ids[2]]


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("volcano", ["a.txt"]),
        ("ESSAY", ["Essay Éa.txt"]),
        ("éA", ["Essay Éa.txt"]),
        ("ДОМ", ["дом.txt"]),
        ("  дом ", ["дом.txt"]),
        ("work and STUDY", ["дом.txt", "Essay Éa.txt", "a.txt"]),
        ("%", []),
        ("_", []),
        ("'; DROP TABLE runs; --", []),
    ],
)
def test_search_looks_in_name_topic_and_text(
    history: History, search: str, names: list[str]
) -> None:
    begin(history, "a.txt", "A volcano is hot.")
    begin(history, "Essay Éa.txt", "Hello.")
    begin(history, "дом.txt", "Hello.")
    assert [row.essay_name for row in history.runs(search=search)] == names


def test_a_deleted_run_takes_everything_of_its_own_along(history: History, tmp_path: Path) -> None:
    run_id, kept = begin(history), begin(history)
    history.finish_run(run_id, sample_analysis())
    history.record_decision(run_id, "k", Decision("k", Verdict.IGNORED))
    history.delete_run(run_id)
    assert [row.id for row in history.runs()] == [kept]
    history.close()
    with sqlite3.connect(tmp_path / "history.db") as database:
        for table in ("findings", "rewrites", "decisions"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    database.close()


def test_deleting_everything_leaves_no_essay_text_in_the_files(
    history: History, tmp_path: Path
) -> None:
    history.finish_run(begin(history), sample_analysis())
    history.delete_all()
    assert history.runs() == []
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"volcano" not in left


@pytest.mark.parametrize("deed", ["finish", "fail", "decide", "read"])
def test_a_run_that_is_not_there_is_named(history: History, deed: str) -> None:
    deeds: dict[str, Callable[[], object]] = {
        "finish": lambda: history.finish_run(99, sample_analysis()),
        "fail": lambda: history.fail_run(99, "x"),
        "decide": lambda: history.record_decision(99, "k", Decision("k", Verdict.IGNORED)),
        "read": lambda: history.run(99),
    }
    with pytest.raises(HistoryError, match="no run 99"):
        deeds[deed]()


def test_a_refused_result_changes_nothing(history: History) -> None:
    run_id = begin(history)
    with pytest.raises(HistoryError):
        history.finish_run(99, sample_analysis())
    history.finish_run(run_id, sample_analysis())
    assert history.run(run_id).analysis == sample_analysis()


def test_a_closed_history_says_so_politely(history: History) -> None:
    history.close()
    history.close()
    with pytest.raises(HistoryError):
        history.runs()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_text_can_be_stored(history: History, text: str) -> None:
    record = history.run(history.begin_run(text, None, "hash", text, text))
    assert len(record.text) == len(text)
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        assert record.text == text
