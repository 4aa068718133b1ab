"""Accepting, editing, rejecting and ignoring: each decision once, undone and redone with the text."""

from __future__ import annotations

import pytest

from desktop.services.finding_item import State
from engine.analysis import Verdict
from tests.desktop.services.desk import ESSAY, Desk


@pytest.fixture
def checked(desk: Desk) -> Desk:
    desk.session.new(ESSAY)
    desk.check()
    return desk


def test_an_accepted_rewrite_stands_in_the_sentences_place(checked: Desk) -> None:
    item = checked.of("But")
    checked.apply(checked.session.accept(item.key, 0))
    assert "They plan well. However, it costs sleep. A volcano" in checked.text
    accepted = checked.of("But")
    assert accepted.state is State.ACCEPTED
    assert accepted.span is not None
    assert accepted.span.of(checked.text) == "However, it costs sleep." == accepted.decision


def test_an_accept_makes_every_later_finding_stale_and_no_earlier_one(checked: Desk) -> None:
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    assert checked.states() == [State.OPEN, State.ACCEPTED, State.STALE]


def test_only_findings_that_changed_are_announced(checked: Desk) -> None:
    checked.updated.clear()
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    assert checked.updated == [checked.of("But").key, checked.of("volcano").key]


def test_a_deletion_leaves_no_double_space(checked: Desk) -> None:
    checked.apply(checked.session.accept(checked.of("volcano").key, 0))
    assert checked.text.endswith("But it costs sleep. Plans help.")
    assert checked.of("volcano").state is State.ACCEPTED
    assert checked.of("volcano").span is None


def test_the_same_card_cannot_be_accepted_twice(checked: Desk) -> None:
    key = checked.of("But").key
    checked.apply(checked.session.accept(key, 0))
    text = checked.text
    assert checked.session.accept(key, 1) is None
    assert checked.session.accept_edited(key, "Else.") is None
    assert [kind for kind, _, _ in checked.messages] == ["warning", "warning"]
    assert checked.text == text


def test_an_accept_that_the_editor_has_not_applied_yet_cannot_be_given_twice(checked: Desk) -> None:
    key = checked.of("But").key
    assert checked.session.accept(key, 0) is not None
    assert checked.session.accept(key, 0) is None


def test_an_accept_that_the_editor_never_applied_counts_for_nothing(checked: Desk) -> None:
    key = checked.of("But").key
    checked.session.accept(key, 0)
    checked.edit(len(checked.text), 0, " More.")
    assert checked.of("But").state is State.OPEN
    checked.apply(checked.session.accept(key, 0))
    assert checked.of("But").state is State.ACCEPTED


def test_a_sentence_changed_by_hand_refuses_its_rewrite(checked: Desk) -> None:
    checked.replace("costs sleep", "costs much sleep")
    item = checked.of("But")
    assert item.span is None
    assert item.state is State.STALE
    assert checked.session.accept(item.key, 0) is None
    assert "changed this sentence" in checked.messages[-1][1]


def test_a_rewrite_fits_again_when_the_manual_change_is_undone(checked: Desk) -> None:
    checked.replace("costs sleep", "costs much sleep")
    checked.undo()
    assert checked.states() == [State.OPEN, State.OPEN, State.OPEN]
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    assert "However, it costs sleep." in checked.text


def test_an_unknown_key_or_rewrite_is_refused(checked: Desk) -> None:
    assert checked.session.accept("gone", 0) is None
    assert checked.session.accept(checked.of("But").key, 9) is None
    assert len(checked.messages) == 2


def test_undo_opens_the_finding_again_and_redo_accepts_it_again(checked: Desk) -> None:
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    step = checked.undo()
    assert checked.text == ESSAY
    assert checked.states() == [State.OPEN, State.OPEN, State.OPEN]
    checked.redo(step)
    assert checked.states() == [State.OPEN, State.ACCEPTED, State.STALE]
    checked.edit(0, 0, "So ")
    checked.undo()
    assert checked.of("But").state is State.ACCEPTED
    checked.undo()
    assert checked.of("But").state is State.OPEN


def test_undo_of_a_deletion_at_a_paragraphs_end_opens_it_again(desk: Desk) -> None:
    desk.session.new("Cats sleep. A volcano is hot.\nDogs run. A volcano is hot.")
    desk.check()
    last = desk.session.findings()[-1]
    desk.apply(desk.session.accept(last.key, 0))
    assert desk.text.endswith("\nDogs run.")
    desk.undo()
    item = desk.session.item(last.key)
    assert item is not None
    assert item.state is State.OPEN
    assert item.span == last.span


def test_undo_after_a_recheck_still_finds_its_way_back(checked: Desk) -> None:
    key = checked.of("But").key
    checked.apply(checked.session.accept(key, 0))
    checked.check()
    assert checked.states() == [State.OPEN, State.ACCEPTED, State.OPEN]
    step = checked.undo()
    assert checked.of("But").state is State.OPEN
    checked.check()
    assert checked.states() == [State.OPEN, State.OPEN, State.OPEN]
    checked.redo(step)
    assert checked.of("But").state is State.ACCEPTED


def test_own_words_are_put_in_as_one_line(checked: Desk) -> None:
    checked.apply(checked.session.accept_edited(checked.of("But").key, " Yet it\ncosts sleep. "))
    item = checked.of("But")
    assert item.state is State.EDITED
    assert item.decision == "Yet it costs sleep."
    assert "well. Yet it costs sleep. A" in checked.text


def test_no_words_at_all_delete_the_sentence(checked: Desk) -> None:
    checked.apply(checked.session.accept_edited(checked.of("But").key, "  "))
    assert "They plan well. A volcano" in checked.text


def test_unchanged_words_are_no_decision(checked: Desk) -> None:
    item = checked.of("But")
    assert checked.session.accept_edited(item.key, item.sentence) is None
    assert checked.messages[-1][0] == "info"
    assert checked.of("But").state is State.OPEN


def test_rejected_and_ignored_findings_can_be_reopened(checked: Desk) -> None:
    they, but = checked.of("They"), checked.of("But")
    checked.session.reject(they.key, 0)
    checked.session.ignore(but.key)
    assert checked.states() == [State.REJECTED, State.IGNORED, State.OPEN]
    checked.session.reopen(they.key)
    checked.session.reopen(but.key)
    assert checked.states() == [State.OPEN, State.OPEN, State.OPEN]


def test_an_accepted_finding_cannot_be_rejected_behind_the_editors_back(checked: Desk) -> None:
    key = checked.of("But").key
    checked.apply(checked.session.accept(key, 0))
    checked.session.reject(key, 0)
    checked.session.reopen(key)
    assert checked.of("But").state is State.ACCEPTED


def test_a_rejected_finding_can_still_be_accepted(checked: Desk) -> None:
    key = checked.of("But").key
    checked.session.reject(key, 0)
    checked.apply(checked.session.accept(key, 0))
    assert checked.of("But").state is State.ACCEPTED


def test_decisions_survive_edits_elsewhere_and_the_next_check(checked: Desk) -> None:
    checked.session.ignore(checked.of("volcano").key)
    checked.edit(0, 0, "Good day. ")
    checked.check()
    assert checked.of("volcano").state is State.IGNORED


def test_a_dismissal_survives_an_accept_right_before_it(checked: Desk) -> None:
    checked.session.ignore(checked.of("volcano").key)
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    old_key = checked.of("volcano").key
    checked.check()
    assert checked.of("volcano").key != old_key
    assert checked.of("volcano").state is State.IGNORED
    assert checked.of("volcano").key in checked.last_run().decisions


def test_two_accepts_in_a_row_are_both_undone_in_turn(checked: Desk) -> None:
    checked.apply(checked.session.accept(checked.of("They").key, 0))
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    assert "These students plan well. However, it costs sleep." in checked.text
    checked.undo()
    assert checked.states() == [State.ACCEPTED, State.STALE, State.STALE]
    checked.undo()
    assert checked.states() == [State.OPEN, State.OPEN, State.OPEN]


def test_every_decision_goes_to_the_history(checked: Desk) -> None:
    they, but, volcano = (checked.of(word) for word in ("They", "But", "volcano"))
    checked.apply(checked.session.accept(but.key, 0))
    checked.session.reject(they.key, 1)
    checked.session.ignore(volcano.key)
    record = checked.last_run()
    assert record.text == ESSAY
    assert record.analysis is not None
    assert len(record.analysis.findings) == 3
    verdicts = {key: decision.verdict for key, decision in record.decisions.items()}
    assert verdicts == {
        they.key: Verdict.REJECTED,
        but.key: Verdict.ACCEPTED,
        volcano.key: Verdict.IGNORED,
    }
    assert record.decisions[but.key].text == "However, it costs sleep."
    assert record.chosen == {but.key: 0, they.key: 1}


def test_an_undone_accept_leaves_the_history_too(checked: Desk) -> None:
    checked.apply(checked.session.accept(checked.of("But").key, 0))
    checked.undo()
    assert checked.last_run().decisions == {}


def test_findings_on_the_same_words_have_keys_of_their_own(desk: Desk) -> None:
    verse = "Cats sleep a lot in here. But dogs run a lot in here. "
    desk.session.new((verse * 4).strip())
    desk.check()
    keys = [item.key for item in desk.session.findings()]
    assert len(set(keys)) == 4
    desk.apply(desk.session.accept(keys[2], 0))
    assert desk.text.count("However,") == 1
    assert [item.state for item in desk.session.findings()] == [
        State.OPEN, State.OPEN, State.ACCEPTED, State.STALE,
    ]  # fmt: skip
