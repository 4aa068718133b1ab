"""The history on its own thread: in order, without the window waiting, and never fatal."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.history_service import HistoryService
from engine.analysis import Decision, Verdict
from engine.essay import Essay
from engine.history import RunStatus
from tests.desktop.services.desk import ESSAY, analyse

PATIENCE = 30_000


def listed(qtbot: QtBot, service: HistoryService, search: str = "") -> list[Any]:
    with qtbot.waitSignal(service.runs_listed, timeout=PATIENCE) as signal:
        service.list_runs(search)
    rows: list[Any] = signal.args[0]
    return rows


def loaded(qtbot: QtBot, service: HistoryService, run_id: int) -> Any:
    with qtbot.waitSignal(service.run_loaded, timeout=PATIENCE) as signal:
        service.load_run(run_id)
    return signal.args[0]


def test_a_run_is_recorded_from_beginning_to_decision(
    qtbot: QtBot, history: HistoryService
) -> None:
    essay = Essay.from_text(ESSAY, topic="Work", path=Path("work.txt"))
    analysis = analyse(essay)
    finding = analysis.findings[0]
    with qtbot.waitSignal(history.run_begun, timeout=PATIENCE) as begun:
        history.begin_run("job", essay, {"strictness": "few"})
    assert begun.args[0] == "job"
    history.finish_run("job", analysis)
    history.record_decision("job", finding, Decision(finding.key, Verdict.REJECTED), 1)
    (row,) = listed(qtbot, history)
    assert (row.id, row.essay_name, row.topic) == (begun.args[1], "work.txt", "Work")
    assert row.status is RunStatus.FINISHED
    record = loaded(qtbot, history, row.id)
    assert record.text == ESSAY
    assert record.settings == {"strictness": "few"}
    assert [found.key for found in record.analysis.findings] == [f.key for f in analysis.findings]
    assert record.decisions[finding.key].verdict is Verdict.REJECTED
    assert record.chosen == {finding.key: 1}


def test_a_decision_that_is_taken_back_is_gone(qtbot: QtBot, history: HistoryService) -> None:
    essay = Essay.from_text(ESSAY)
    finding = analyse(essay).findings[0]
    history.begin_run("job", essay, {})
    history.finish_run("job", analyse(essay))
    history.record_decision("job", finding, Decision(finding.key, Verdict.IGNORED))
    history.record_decision("job", finding, None)
    (row,) = listed(qtbot, history)
    assert loaded(qtbot, history, row.id).decisions == {}


def test_records_of_an_unknown_run_are_passed_over(qtbot: QtBot, history: HistoryService) -> None:
    failures: list[Any] = []
    history.failed.connect(failures.append)
    history.fail_run("unknown", "crashed")
    assert listed(qtbot, history) == []
    assert failures == []


def test_runs_are_searched_and_forgotten(qtbot: QtBot, history: HistoryService) -> None:
    history.begin_run("one", Essay.from_text("Cats sleep. Dogs run."), {})
    history.begin_run("two", Essay.from_text("A volcano is hot. It burns."), {})
    (row,) = listed(qtbot, history, "volcano")
    with qtbot.waitSignal(history.run_deleted, timeout=PATIENCE) as deleted:
        history.delete_run(row.id)
    assert deleted.args == [row.id]
    assert len(listed(qtbot, history)) == 1
    history.delete_all()
    assert listed(qtbot, history) == []


def test_a_run_that_is_not_there_is_a_plain_error(qtbot: QtBot, history: HistoryService) -> None:
    with qtbot.waitSignal(history.failed, timeout=PATIENCE) as failed:
        history.load_run(99)
    assert failed.args[0]["code"] == "history"
    assert "99" in failed.args[0]["message"]


def test_a_damaged_database_is_set_aside_and_said_so(qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    file.write_bytes(b"SQLite format 3\x00" + b"broken" * 500)
    service = HistoryService(file)
    with qtbot.waitSignal(service.opened, timeout=PATIENCE) as opened:
        service.open()
    assert len(opened.args[0]) == 1
    assert list(tmp_path.glob("history.db.damaged-*"))
    assert listed(qtbot, service) == []
    service.close()


def test_two_windows_share_one_history(qtbot: QtBot, history: HistoryService) -> None:
    other = HistoryService(history.file)
    history.begin_run("mine", Essay.from_text(ESSAY), {})
    assert len(listed(qtbot, history)) == 1
    other.begin_run("theirs", Essay.from_text(ESSAY), {})
    assert len(listed(qtbot, other)) == 2
    assert len(listed(qtbot, history)) == 2
    other.close()


def test_what_was_submitted_is_written_before_closing(qtbot: QtBot, tmp_path: Path) -> None:
    service = HistoryService(tmp_path / "history.db")
    for number in range(20):
        service.begin_run(str(number), Essay.from_text(ESSAY), {})
    service.close(30_000)
    again = HistoryService(tmp_path / "history.db")
    assert len(listed(qtbot, again)) == 20
    again.close()


@pytest.mark.parametrize("error", [RuntimeError("a bug"), MemoryError()])
def test_an_unexpected_error_becomes_a_plain_message_on_the_windows_thread(
    qtbot: QtBot,
    history: HistoryService,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("engine.history.History.runs", fail)
    threads: list[threading.Thread] = []
    history.failed.connect(lambda _: threads.append(threading.current_thread()))
    with qtbot.waitSignal(history.failed, timeout=PATIENCE) as failed:
        history.list_runs()
    assert failed.args[0]["message"] == "The history could not be read or written."
    assert threads == [threading.main_thread()]
