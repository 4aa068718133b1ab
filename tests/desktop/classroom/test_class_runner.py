"""The child that checks a class: it finishes, pauses, stops, is killed, and nothing is done twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop.services.class_runner import ClassProgress, ClassRunner, Ending
from engine.classroom.model import Assignment, State
from engine.history import History
from engine.writing import WriterChoice
from tests.desktop.classroom.conftest import PATIENCE, ClassOf, RunnerWith

Stored = Callable[[int], Assignment]


def states(assignment: Assignment) -> Counter[State]:
    return Counter(one.state for one in assignment.submissions)


def run_to_the_end(qtbot: QtBot, runner: ClassRunner, assignment: int) -> str:
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE) as ended:
        runner.start(assignment)
    assert ended.args is not None
    assert ended.args[0] == assignment
    return str(ended.args[1])


def wait_for_one_done(qtbot: QtBot, runner: ClassRunner) -> None:
    """Until the first essay is finished and the second is at work."""
    rows: list[int] = []
    runner.row_changed.connect(lambda _assignment, row: rows.append(row))
    qtbot.waitUntil(lambda: len(set(rows)) >= 2, timeout=PATIENCE)


def test_a_class_is_checked_to_the_end(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored
) -> None:
    assignment = class_of(3, broken=True)
    runner = runner_with()
    heard: list[ClassProgress] = []
    runner.progressed.connect(heard.append)
    assert run_to_the_end(qtbot, runner, assignment.id) == Ending.FINISHED
    assert states(stored(assignment.id)) == {State.CHECKED: 3, State.FAILED: 1}
    assert (heard[-1].done, heard[-1].total, heard[-1].failed) == (4, 4, 1)
    assert not runner.is_running


def test_pause_holds_the_class_and_resume_lets_it_go_on(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored
) -> None:
    assignment = class_of(3)
    runner = runner_with(delay=1.0)
    runner.start(assignment.id)
    with qtbot.waitSignal(runner.progressed, timeout=PATIENCE):
        pass
    runner.pause()
    assert runner.is_paused
    assert runner.is_running
    qtbot.wait(1500)
    assert states(stored(assignment.id))[State.CHECKED] < 3
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE) as ended:
        runner.resume()
    assert ended.args == [assignment.id, Ending.FINISHED]
    assert states(stored(assignment.id)) == {State.CHECKED: 3}


def test_a_stopped_class_goes_on_where_it_was(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored
) -> None:
    assignment = class_of(3)
    runner = runner_with(delay=2.0, grace_ms=PATIENCE)
    runner.start(assignment.id)
    wait_for_one_done(qtbot, runner)
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE) as ended:
        runner.stop()
    assert ended.args == [assignment.id, Ending.STOPPED]
    before = {one.id: one.run_id for one in stored(assignment.id).in_state(State.CHECKED)}
    assert before
    assert run_to_the_end(qtbot, runner_with(), assignment.id) == Ending.FINISHED
    after = {one.id: one.run_id for one in stored(assignment.id).submissions}
    assert before.items() <= after.items()
    assert states(stored(assignment.id)) == {State.CHECKED: 3}


def test_a_child_that_does_not_heed_stop_is_ended(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored
) -> None:
    assignment = class_of(1)
    runner = runner_with(delay=600, stubborn=True, grace_ms=100)
    runner.start(assignment.id)
    with qtbot.waitSignal(runner.row_changed, timeout=PATIENCE):
        pass
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE) as ended:
        runner.stop()
    assert ended.args == [assignment.id, Ending.STOPPED]
    assert run_to_the_end(qtbot, runner_with(), assignment.id) == Ending.FINISHED


def test_a_killed_child_is_told_of_and_what_it_finished_is_kept(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored
) -> None:
    assignment = class_of(3)
    runner = runner_with(delay=2.0)
    told: list[tuple[str, str, str]] = []
    runner.message.connect(lambda *words: told.append(words))
    runner.start(assignment.id)
    wait_for_one_done(qtbot, runner)
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE) as ended:
        os.kill(runner.process_id, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    assert ended.args == [assignment.id, Ending.FAILED]
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told[0][0] == "error"
    assert "kept" in told[0][2]
    before = {one.id: one.run_id for one in stored(assignment.id).in_state(State.CHECKED)}
    assert before
    assert run_to_the_end(qtbot, runner_with(), assignment.id) == Ending.FINISHED
    assert (
        before.items() <= {one.id: one.run_id for one in stored(assignment.id).submissions}.items()
    )


def test_a_second_class_is_refused_while_one_runs(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf
) -> None:
    runner = runner_with(delay=600)
    told: list[tuple[str, str, str]] = []
    runner.message.connect(lambda *words: told.append(words))
    runner.start(class_of(1).id)
    runner.start(99)
    assert told[0][0] == "warning"
    assert runner.assignment != 99


def test_a_class_that_is_gone_is_told_of(qtbot: QtBot, runner_with: RunnerWith) -> None:
    runner = runner_with()
    told: list[tuple[str, str, str]] = []
    runner.message.connect(lambda *words: told.append(words))
    assert run_to_the_end(qtbot, runner, 7) == Ending.FAILED
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told[0][0] == "error"


def test_a_class_is_checked_with_the_writer_that_is_switched_on(
    qtbot: QtBot, runner_with: RunnerWith, class_of: ClassOf, stored: Stored, database: Path
) -> None:
    assignment = class_of(1)
    runner = runner_with()
    runner.writer = WriterChoice("stored", "small")
    assert run_to_the_end(qtbot, runner, assignment.id) == Ending.FINISHED
    (one,) = stored(assignment.id).submissions
    assert one.run_id is not None
    with History.open(database) as history:
        analysis = history.run(one.run_id).analysis
    assert analysis is not None
    assert analysis.writer is not None
    assert analysis.writer["id"] == "small"
