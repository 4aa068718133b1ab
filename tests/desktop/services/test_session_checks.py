"""Checking while the writer goes on: late results, stops, crashes and checks by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.services.finding_item import State
from engine.analysis import Action, Analysis, Rewrite
from engine.essay import Notice
from engine.history import RunStatus
from engine.writing import RULES_ALONE
from tests.desktop.services.desk import ESSAY, Desk, analyse, words_of


@pytest.fixture
def writing(desk: Desk) -> Desk:
    desk.session.new(ESSAY)
    return desk


def test_findings_arrive_one_by_one_and_get_their_rewrites_later(writing: Desk) -> None:
    writing.session.check()
    first, *_ = writing.client.stream(upto=2)
    items = writing.session.findings()
    assert words_of(items) == ["They", "But"]
    assert all(item.rewrites_pending and item.span for item in items)
    whole = analyse(writing.client.essays[writing.client.last]).findings[0]
    writing.client.found.emit(writing.client.last, whole)
    assert whole.key == first.key
    item = writing.session.item(first.key)
    assert item is not None
    assert item.finding.rewrites
    assert not item.rewrites_pending


def test_a_check_says_when_it_runs_and_how_far_it_is(writing: Desk) -> None:
    busy: list[bool] = []
    steps: list[tuple[str, int, int]] = []
    writing.session.busy_changed.connect(busy.append)
    writing.session.progress.connect(lambda *step: steps.append(step))
    writing.session.check()
    assert writing.is_busy()
    writing.client.progress.emit(writing.client.last, "judging", 2, 5)
    writing.client.progress.emit("another job", "judging", 3, 5)
    writing.client.finish()
    assert not writing.is_busy()
    assert (busy, steps) == ([True, False], [("judging", 2, 5)])


def test_what_a_language_model_writes_is_heard_of_the_running_check_alone(writing: Desk) -> None:
    heard: list[tuple[int, str]] = []
    writing.session.writing.connect(lambda *told: heard.append(told))
    writing.session.check()
    writing.client.writing.emit(writing.client.last, 2, "However, it")
    writing.client.writing.emit("another job", 3, "A volcano")
    writing.client.finish()
    writing.client.writing.emit(writing.client.last, 2, "However, it costs")
    assert heard == [(2, "However, it")]


def test_an_empty_essay_is_not_sent(desk: Desk) -> None:
    desk.session.new(" \n ")
    desk.session.check()
    assert desk.client.essays == {}
    assert desk.messages[0][0] == "info"


def test_a_late_result_is_carried_over_to_the_text_as_it_is_now(writing: Desk) -> None:
    writing.session.check()
    writing.edit(0, 0, "😀 Good day. ")
    writing.replace("it costs sleep", "it costs a lot")
    writing.client.finish()
    they, but, volcano = writing.session.findings()
    assert they.span is not None
    assert they.span.of(writing.text) == "They plan well."
    assert but.span is None
    assert volcano.span is not None
    assert volcano.span.of(writing.text) == "A volcano is hot."
    assert writing.states() == [State.STALE] * 3
    assert writing.session.accept(but.key, 0) is None


def test_typing_after_the_last_finding_leaves_a_late_result_fresh(writing: Desk) -> None:
    writing.session.check()
    writing.edit(len(writing.text), 0, " The end.")
    writing.client.finish()
    assert writing.states() == [State.OPEN] * 3


def test_a_sentence_deleted_during_the_check_is_not_looked_for_elsewhere(desk: Desk) -> None:
    desk.session.new("Cats sleep. But dogs run. Birds sing. But dogs run.")
    desk.session.check()
    desk.edit(len("Cats sleep. "), len("But dogs run. "), "")
    desk.client.finish()
    first, second = desk.session.findings()
    assert first.span is None
    assert second.span is not None
    assert second.span.start == desk.text.index("But")


def test_a_result_of_another_text_is_dropped(writing: Desk) -> None:
    writing.session.check()
    analysis = analyse(writing.client.essays[writing.client.last])
    writing.client.finished.emit(writing.client.last, replace(analysis, content_hash="other"))
    assert writing.session.findings() == []
    assert not writing.is_busy()


def test_results_of_an_essay_that_was_left_are_not_heard(writing: Desk) -> None:
    writing.session.check()
    left = writing.client.last
    writing.session.new("Another essay. It is short.")
    assert writing.client.stopped == [left]
    writing.client.stream(left)
    writing.client.finish(left)
    writing.client.cancelled.emit(left)
    assert writing.session.findings() == []
    assert not writing.is_busy()


def test_stop_keeps_what_has_been_found(writing: Desk) -> None:
    writing.session.check()
    writing.client.stream(upto=1)
    writing.session.stop()
    assert writing.is_busy()
    writing.client.cancelled.emit(writing.client.last)
    assert not writing.is_busy()
    assert words_of(writing.session.findings()) == ["They"]
    assert not writing.session.findings()[0].rewrites_pending
    assert writing.last_run().row.error_code == "cancelled"


def test_a_check_asked_for_while_stopping_follows(writing: Desk) -> None:
    writing.session.check()
    writing.session.stop()
    writing.session.check()
    assert len(writing.client.essays) == 1
    writing.client.cancelled.emit(writing.client.last)
    assert len(writing.client.essays) == 2
    assert writing.is_busy()


def test_a_crash_loses_nothing_and_the_next_check_works(writing: Desk) -> None:
    writing.check()
    writing.session.ignore(writing.of("volcano").key)
    writing.apply(writing.session.accept(writing.of("But").key, 0))
    text, states = writing.text, writing.states()
    writing.session.check()
    writing.client.crashed.emit(writing.client.last, "The checking engine stopped unexpectedly.")
    assert writing.messages[-1][0] == "error"
    assert "safe" in writing.messages[-1][2]
    assert not writing.is_busy()
    assert (writing.session.text, writing.states()) == (text, states)
    writing.check()
    assert writing.states() == [State.OPEN, State.ACCEPTED, State.IGNORED]
    assert {row.error_code for row in writing.recorded_runs()} == {"", "crashed"}


def test_a_crash_while_nothing_runs_is_not_worth_a_message(writing: Desk) -> None:
    writing.client.crashed.emit("", "The checking engine stopped unexpectedly.")
    assert writing.messages == []


def test_an_error_of_the_engine_is_shown_with_its_hint(writing: Desk) -> None:
    writing.session.check()
    error = {"code": "model", "message": "A file is cut short.", "hint": "Run the doctor."}
    writing.client.failed.emit(writing.client.last, error)
    assert writing.messages == [("error", "A file is cut short.", "Run the doctor.")]
    assert writing.last_run().row.status is RunStatus.FAILED


def test_what_the_check_wants_known_is_passed_on(desk: Desk) -> None:
    desk.session.new("One sentence only.")
    desk.session.check()
    essay = desk.client.essays[desk.client.last]
    notice = Notice("one-sentence", "There is nothing to compare.")
    desk.client.finished.emit(desk.client.last, analyse(essay, notices=(notice,)))
    assert desk.messages == [("info", "There is nothing to compare.", "")]


def wait_for_checks(desk: Desk, number: int) -> None:
    desk.qtbot.waitUntil(lambda: len(desk.client.essays) == number, timeout=20_000)


def test_stale_findings_are_checked_again_by_themselves(writing: Desk) -> None:
    writing.check()
    writing.apply(writing.session.accept(writing.of("They").key, 0))
    wait_for_checks(writing, 2)
    assert writing.client.essays["job-2"].text == writing.text
    writing.client.finish()
    assert writing.states() == [State.ACCEPTED, State.OPEN, State.OPEN]
    assert writing.last_run().settings["background"] is True


def test_nothing_is_checked_by_itself_before_the_first_check(writing: Desk) -> None:
    writing.edit(0, 0, "So. ")
    writing.qtbot.wait(120)
    assert writing.client.essays == {}


def test_nothing_is_checked_by_itself_when_that_is_switched_off(writing: Desk) -> None:
    writing.settings.recheck = False
    writing.check()
    writing.edit(0, 0, "So. ")
    writing.qtbot.wait(120)
    assert len(writing.client.essays) == 1


def test_text_typed_during_a_background_check_is_checked_when_it_is_over(writing: Desk) -> None:
    writing.check()
    writing.edit(0, 0, "So. ")
    wait_for_checks(writing, 2)
    writing.edit(0, 0, "Well. ")
    writing.qtbot.wait(120)
    assert len(writing.client.essays) == 2
    writing.client.finish()
    assert writing.client.essays["job-3"].text == writing.text


def test_text_typed_during_the_first_check_is_checked_when_it_rests(writing: Desk) -> None:
    writing.session.check()
    writing.edit(0, 0, "Well. ")
    writing.client.finish()
    assert writing.states() == [State.STALE] * 3
    wait_for_checks(writing, 2)
    assert writing.client.essays["job-2"].text == writing.text
    writing.client.finish()
    assert writing.states() == [State.OPEN] * 3


def test_a_recheck_does_not_take_the_rewrites_away_while_it_runs(writing: Desk) -> None:
    writing.check()
    writing.edit(0, 0, "So. ")
    wait_for_checks(writing, 2)
    writing.client.stream()
    item = writing.of("volcano")
    assert item.rewrites_pending
    assert item.finding.rewrites
    assert item.state is State.OPEN


def test_a_finding_that_the_next_check_does_not_confirm_goes(writing: Desk) -> None:
    writing.check()
    writing.replace("A volcano is hot.", "Sleep matters.")
    writing.check()
    assert words_of(writing.session.findings()) == ["They", "But"]


def test_another_topic_makes_all_findings_stale(writing: Desk) -> None:
    topics: list[str] = []
    writing.session.topic_changed.connect(topics.append)
    writing.check()
    writing.session.set_topic("  Volcanoes ")
    assert topics == ["Volcanoes"]
    assert writing.states() == [State.STALE] * 3
    writing.check()
    assert writing.states() == [State.OPEN] * 3
    assert writing.client.essays["job-2"].topic == "Volcanoes"


def test_the_settings_reach_the_engine(writing: Desk) -> None:
    writing.settings.strictness = "few"
    writing.settings.show_rewrites = False
    writing.session.check()
    assert writing.client.requests == [
        {
            "strictness": "few",
            "rewrites": False,
            "correct_grammar": False,
            "writer": RULES_ALONE,
        }
    ]


def test_a_server_that_is_switched_on_reaches_the_engine_and_the_history(writing: Desk) -> None:
    writing.settings.server_address = "http://name:secret@example.org:8080/v1"
    writing.check()
    assert writing.client.requests[-1]["writer"] == RULES_ALONE
    assert writing.last_run().settings["writer"] == "off"
    writing.settings.writer = "server"
    writing.settings.server_model = "tiny"
    writing.check()
    choice = writing.client.requests[-1]["writer"]
    assert (choice.backend, choice.model) == ("server", "tiny")
    assert choice.server == writing.settings.server_address
    assert writing.last_run().settings["writer"] == "server tiny example.org"


def test_a_writer_that_failed_is_a_warning_on_a_finished_check(writing: Desk) -> None:
    writing.session.check()
    writing.client.finish(notices=(Notice("writer-failed", "No rewrites were generated."),))
    assert ("warning", "No rewrites were generated.", "") in writing.messages
    assert len(writing.session.findings()) == 3


def test_a_generated_rewrite_takes_its_place_when_it_comes(writing: Desk) -> None:
    writing.session.check()
    (finding, *_) = writing.client.stream()
    ruled = replace(finding, rewrites=(Rewrite(Action.DELETE, "", (), 0.1),))
    written = Rewrite(Action.REPLACE, "Students plan well.", (), 0.1, "generated", writer="small")
    writing.client.found.emit(writing.client.last, ruled)
    assert [one.writer for one in writing.of("They").finding.rewrites] == [""]
    writing.client.found.emit(
        writing.client.last, replace(ruled, rewrites=(written, *ruled.rewrites))
    )
    assert [one.writer for one in writing.of("They").finding.rewrites] == ["small", ""]
    assert not writing.of("They").rewrites_pending


def test_the_anchor_is_the_earlier_sentence(writing: Desk) -> None:
    writing.check()
    item = writing.of("volcano")
    assert item.anchor_span is not None
    assert item.anchor_span.of(writing.text) == item.anchor_sentence == "But it costs sleep."


def test_a_position_belongs_to_the_finding_that_covers_it(writing: Desk) -> None:
    writing.check()
    item = writing.session.item_at(ESSAY.index("volcano"))
    assert item is not None
    assert item.sentence == "A volcano is hot."
    assert writing.session.item_at(0) is None


def test_an_ignored_finding_stays_ignored_in_the_next_session(writing: Desk) -> None:
    writing.check()
    writing.session.ignore(writing.of("volcano").key)
    writing.session.new(ESSAY)
    with writing.qtbot.waitSignal(writing.history.decisions_found, timeout=20_000):
        writing.check()
    writing.qtbot.waitUntil(lambda: writing.of("volcano").state is State.IGNORED, timeout=20_000)


def test_a_past_check_is_shown_with_its_findings_and_rejections(writing: Desk) -> None:
    writing.check()
    writing.apply(writing.session.accept(writing.of("They").key, 0))
    writing.session.ignore(writing.of("volcano").key)
    record = writing.last_run()
    writing.session.new()
    results: list[Analysis] = []
    writing.session.analysis_finished.connect(results.append)
    writing.session.open_run(record)
    assert writing.text == ESSAY
    assert writing.session.dirty
    assert writing.states() == [State.OPEN, State.OPEN, State.IGNORED]
    assert results == [record.analysis]
    writing.session.reject(writing.of("But").key, 0)
    again = writing.recorded(record.row.id)
    assert writing.of("But").key in again.decisions


def test_a_past_check_without_a_result_gives_its_text(writing: Desk, tmp_path: Path) -> None:
    writing.session.check()
    writing.client.cancelled.emit(writing.client.last)
    record = writing.last_run()
    writing.session.new()
    writing.session.open_run(record)
    assert writing.text == ESSAY
    assert writing.session.findings() == []
