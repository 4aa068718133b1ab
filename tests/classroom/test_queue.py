"""The queue: everything is stored at once, so a stop costs one essay and a failure none."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.analysis import Analysis
from engine.classroom.controls import Controls
from engine.classroom.model import AssignmentSettings, State
from engine.classroom.queue import ClassQueue, QueueEvent, QueueProgress, SubmissionChanged
from engine.classroom.sources import gather
from engine.errors import Cancelled, HistoryError, ModelError, UnreadableFile
from engine.essay import Essay
from engine.history import History
from engine.history.assignments import Assignments
from engine.pipeline import Engine
from tests.classroom.class_files import codes, essay_text, fake_engine, write_class, write_files
from tests.classroom.class_runs import Heard, begun, checked
from tests.fakes import FakeTagger


def states(history: History, assignment_id: int) -> Counter[State]:
    return Counter(one.state for one in Assignments(history).load(assignment_id).submissions)


def test_every_essay_is_checked_and_kept(history: History, tmp_path: Path) -> None:
    assignment = checked(history, write_class(tmp_path / "class", 3))
    assert [one.state for one in assignment.submissions] == [State.CHECKED] * 3
    record = Assignments(history).record(assignment.submissions[1])
    assert record.essay is not None
    assert record.analysis is not None
    assert record.essay.text == essay_text("Student 02")
    assert len(record.essay.paragraphs) == 2
    assert record.analysis.content_hash == record.essay.content_hash
    assert [finding.code for finding in record.analysis.findings] == ["R3", "R6"]


def test_the_row_counts_words_and_flags_by_reason(history: History, tmp_path: Path) -> None:
    (one,) = checked(history, write_class(tmp_path / "class", 1)).submissions
    assert one.words == len(essay_text("Student 01").split())
    assert one.findings == 2
    assert one.reasons == {"R3": 1, "R6": 1}


def test_one_broken_file_never_stops_the_run(history: History, tmp_path: Path) -> None:
    source = write_class(tmp_path / "class", 2)
    write_files(source, {"A broken.docx": b"PK\x03\x04 cut", "Empty.txt": b""})
    assignment = checked(history, source)
    assert states(history, assignment.id) == {State.CHECKED: 2, State.FAILED: 2}
    causes = {one.student.name: one.error for one in assignment.in_state(State.FAILED)}
    assert causes["Empty"] is not None
    assert causes["Empty"]["code"] == "empty-essay"
    assert causes["A broken"] is not None
    assert causes["A broken"]["code"] == "damaged-file"


def test_a_bug_in_one_essay_is_named_as_ours_and_the_next_is_taken(
    history: History, tmp_path: Path
) -> None:
    class Odd(Engine):
        def check(self, essay: Essay, **options: Any) -> Analysis:
            if "Student 01" in essay.text:
                raise ZeroDivisionError
            return super().check(essay, **options)

    assignment = begun(history, write_class(tmp_path / "class", 2))
    ClassQueue(Odd(tagger=FakeTagger()), Assignments(history)).run(assignment.id)
    first, second = Assignments(history).load(assignment.id).submissions
    assert first.error is not None
    assert first.error["code"] == "bug"
    assert second.state is State.CHECKED


def test_only_failures_are_tried_again(history: History, tmp_path: Path) -> None:
    source = write_files(write_class(tmp_path / "class", 2), {"Empty.txt": b""})
    assignment = checked(history, source)
    runs = {one.run_id for one in assignment.in_state(State.CHECKED)}
    write_files(source, {"Empty.txt": "It is here now. But it was late."})
    outcome = ClassQueue(fake_engine(), Assignments(history)).retry(assignment.id)
    assert (outcome.checked, outcome.failed) == (1, 0)
    after = Assignments(history).load(assignment.id)
    assert runs < {one.run_id for one in after.submissions}
    assert len(history.runs()) == 3


def test_a_stop_between_essays_keeps_what_is_done(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 5))
    controls = Controls()

    def stop_after_two(event: QueueEvent) -> None:
        if isinstance(event, QueueProgress) and event.done == 2:
            controls.stop()

    queue = ClassQueue(
        fake_engine(), Assignments(history), controls=controls, on_event=stop_after_two
    )
    with pytest.raises(Cancelled):
        queue.run(assignment.id)
    assert states(history, assignment.id) == {State.CHECKED: 2, State.WAITING: 3}


def test_a_stop_within_an_essay_puts_it_back(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 1))
    controls = Controls()
    queue = ClassQueue(fake_engine(delay=5.0), Assignments(history), controls=controls)
    threading.Timer(0.2, controls.stop).start()
    with pytest.raises(Cancelled):
        queue.run(assignment.id)
    assert states(history, assignment.id) == {State.WAITING: 1}
    assert history.runs() == []


def test_resuming_does_nothing_twice(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 5))
    first_two = {one.id for one in assignment.submissions[:2]}
    engine = fake_engine()
    queue = ClassQueue(engine, Assignments(history))
    assert queue.run(assignment.id, only=first_two).checked == 2
    assert queue.run(assignment.id).checked == 3
    assert queue.run(assignment.id).checked == 0
    assert len(history.runs()) == 5


def test_what_a_crash_left_half_done_is_begun_again(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 2))
    Assignments(history).begin(assignment.submissions[0])
    assert ClassQueue(fake_engine(), Assignments(history)).run(assignment.id).checked == 2


def test_a_pause_waits_and_loses_nothing(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 2))
    controls = Controls()
    controls.pause()
    threading.Timer(0.3, controls.resume).start()
    began = time.monotonic()
    outcome = ClassQueue(fake_engine(), Assignments(history), controls=controls).run(assignment.id)
    assert time.monotonic() - began >= 0.25
    assert outcome.checked == 2
    assert controls.paused_seconds >= 0.25


def test_a_paused_queue_can_be_stopped(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 2))
    controls = Controls()
    controls.pause()
    threading.Timer(0.2, controls.stop).start()
    with pytest.raises(Cancelled):
        ClassQueue(fake_engine(), Assignments(history), controls=controls).run(assignment.id)
    assert states(history, assignment.id) == {State.WAITING: 2}


def test_progress_counts_up_and_estimates_the_time_left(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 4))
    heard = Heard()
    ClassQueue(fake_engine(delay=0.1), Assignments(history), on_event=heard).run(assignment.id)
    told = [event for event in heard if isinstance(event, QueueProgress)]
    assert [event.done for event in told] == sorted(event.done for event in told)
    assert (told[0].seconds_left, told[0].total) == (None, 4)
    after_two = next(event for event in told if event.done == 2)
    assert after_two.seconds_left is not None
    assert 0.1 < after_two.seconds_left < 5.0
    assert (told[-1].done, told[-1].seconds_left) == (4, 0.0)
    assert "Student 01" in {event.name for event in told}


def test_every_change_is_told_once_it_is_stored(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 1))
    seen: list[tuple[State, State]] = []

    def compare(event: QueueEvent) -> None:
        if isinstance(event, SubmissionChanged):
            stored = Assignments(history).submission(event.submission.id)
            seen.append((event.submission.state, stored.state))

    ClassQueue(fake_engine(), Assignments(history), on_event=compare).run(assignment.id)
    assert seen == [(State.CHECKING, State.CHECKING), (State.CHECKED, State.CHECKED)]


def test_events_are_plain_data(history: History, tmp_path: Path) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 1))
    heard = Heard()
    ClassQueue(fake_engine(), Assignments(history), on_event=heard).run(assignment.id)
    assert {event.as_dict()["event"] for event in heard} == {"class-progress", "submission-changed"}


def test_without_a_model_nothing_counts_as_failed(history: History, tmp_path: Path) -> None:
    class NoModel(Engine):
        def warm(self) -> None:
            raise ModelError("There is no model.")

    assignment = begun(history, write_class(tmp_path / "class", 2))
    with pytest.raises(ModelError):
        ClassQueue(NoModel(), Assignments(history)).run(assignment.id)
    assert states(history, assignment.id) == {State.WAITING: 2}


def test_a_source_that_moved_away_is_named(history: History, tmp_path: Path) -> None:
    source = write_class(tmp_path / "class", 2)
    assignment = begun(history, source)
    source.rename(tmp_path / "elsewhere")
    with pytest.raises(UnreadableFile):
        ClassQueue(fake_engine(), Assignments(history)).run(assignment.id)
    assert states(history, assignment.id) == {State.WAITING: 2}


def test_a_class_in_the_hands_of_a_living_process_is_left_alone(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = begun(history, write_class(tmp_path / "class", 1))
    Assignments(history).claim(assignment.id)
    monkeypatch.setattr("os.getpid", lambda: 1)
    with pytest.raises(HistoryError, match="another window"):
        ClassQueue(fake_engine(), Assignments(history)).run(assignment.id)


def test_the_same_text_in_another_format_is_noticed(history: History, tmp_path: Path) -> None:
    text = "One text. But two students."
    files = {"Anna.txt": text, "Ben.html": f"<!DOCTYPE html><p>{text}</p>", "Cleo.txt": "C b."}
    source = write_files(tmp_path / "class", files)
    rows = {one.student.name: one for one in checked(history, source).submissions}
    assert codes(rows["Anna"]) == ["same-text"]
    assert rows["Ben"].notices[-1].message == "The same text was handed in by Anna."
    assert codes(rows["Cleo"]) == []


def test_an_anonymous_essay_that_is_signed_is_noticed(history: History, tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna Nowak.txt": "By Anna Nowak. But it is short."})
    assignment = checked(history, source, AssignmentSettings(anonymous=True))
    assert codes(assignment.submissions[0]) == ["name-in-text"]


class TestRefreshing:
    """A source that is read again after a stop."""

    def test_what_did_not_change_stays(self, history: History, tmp_path: Path) -> None:
        source = write_class(tmp_path / "class", 3)
        before = checked(history, source)
        after = Assignments(history).refresh(before.id, gather(source))
        assert after.submissions == before.submissions

    def test_new_and_changed_essays_wait(self, history: History, tmp_path: Path) -> None:
        source = write_class(tmp_path / "class", 2)
        before = checked(history, source)
        write_files(source, {"Student 01.txt": "Another text. But new.", "Zoe.txt": "A b. C d."})
        after = Assignments(history).refresh(before.id, gather(source))
        waiting = [one.student.name for one in after.in_state(State.WAITING)]
        assert waiting == ["Student 01", "Zoe"]
        assert len({one.alias for one in after.submissions}) == 3

    def test_an_essay_under_another_file_name_is_the_same(
        self, history: History, tmp_path: Path
    ) -> None:
        source = write_class(tmp_path / "class", 2)
        before = checked(history, source)
        (source / "Student 01.txt").rename(source / "Zoe.txt")
        after = Assignments(history).refresh(before.id, gather(source))
        assert states(history, before.id) == {State.CHECKED: 2}
        assert {one.student.name for one in after.submissions} == {"Student 02", "Zoe"}

    def test_what_is_gone_is_kept_if_it_was_checked(self, history: History, tmp_path: Path) -> None:
        source = write_files(write_class(tmp_path / "class", 2), {"Empty.txt": b""})
        before = checked(history, source)
        (source / "Student 01.txt").unlink()
        (source / "Empty.txt").unlink()
        after = Assignments(history).refresh(before.id, gather(source))
        rows = {one.student.name: one for one in after.submissions}
        assert set(rows) == {"Student 01", "Student 02"}
        assert codes(rows["Student 01"]) == ["gone-from-source"]

    def test_two_students_who_swapped_files_are_checked_again(
        self, history: History, tmp_path: Path
    ) -> None:
        source = write_class(tmp_path / "class", 2)
        before = checked(history, source)
        (source / "Student 01.txt").rename(source / "x.txt")
        (source / "Student 02.txt").rename(source / "Student 01.txt")
        (source / "x.txt").rename(source / "Student 02.txt")
        Assignments(history).refresh(before.id, gather(source))
        assert states(history, before.id) == {State.WAITING: 2}
