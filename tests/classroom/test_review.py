"""The teacher's review: changes kept apart, and each part with its author."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.analysis import Action, Analysis, Finding
from engine.classroom.review import (
    Author,
    Change,
    ChangeKind,
    Review,
    effective_findings,
    lost_changes,
    teacher_rewrite,
)
from engine.errors import UsageError
from engine.scheme import CODES, SCHEME, ReasonCode
from tests.history.sample_analysis import REPLACEMENT, sample_analysis

R1, R3, R4, R6 = ReasonCode.R1, ReasonCode.R3, ReasonCode.R4, ReasonCode.R6


@pytest.fixture
def analysis() -> Analysis:
    """Five sentences; the third (R3, with R1) and the fourth (R6) are flagged."""
    return sample_analysis()


def test_without_a_review_everything_is_the_machines(analysis: Analysis) -> None:
    found = effective_findings(analysis)
    assert [one.machine for one in found] == list(analysis.findings)
    assert {one.flag_by for one in found} == {Author.MACHINE}
    assert not any(one.is_touched for one in found)
    assert Review().is_empty


def test_a_removed_flag_is_gone_and_the_machine_still_has_it(analysis: Analysis) -> None:
    review = Review().removed(analysis, "key-of-two")
    assert [one.key for one in effective_findings(analysis, review)] == ["key-of-three"]
    assert len(analysis.findings) == 2


def test_a_removal_can_be_undone(analysis: Analysis) -> None:
    review = Review().removed(analysis, "key-of-two").undone("key-of-two")
    assert review == Review()


def test_an_added_flag_is_the_teachers_and_stands_in_text_order(analysis: Analysis) -> None:
    review = Review().added(analysis, 1, [R4], rewrites=["Work costs time."], comment="See 1.")
    first = effective_findings(analysis, review)[0]
    assert (first.sentence, first.code, first.flag_by) == (1, R4, Author.TEACHER)
    assert first.explanation == SCHEME[R4].meaning
    assert first.explanation_by is Author.MACHINE
    assert [one.author for one in first.rewrites] == [Author.TEACHER]
    assert first.comment == "See 1."
    assert first.probability is None


def test_an_added_flag_that_is_removed_is_forgotten(analysis: Analysis) -> None:
    review = Review().added(analysis, 1, [R4])
    (key,) = review.changes
    assert review.removed(analysis, key) == Review()


def test_a_sentence_has_one_flag(analysis: Analysis) -> None:
    with pytest.raises(UsageError, match="Sentence 3 has a flag already"):
        Review().added(analysis, 2, [R4])


def test_a_flag_can_be_added_where_the_machines_was_removed(analysis: Analysis) -> None:
    review = Review().removed(analysis, "key-of-two").added(analysis, 2, [R4])
    assert effective_findings(analysis, review)[0].flag_by is Author.TEACHER


def test_a_flag_needs_a_sentence_and_a_reason(analysis: Analysis) -> None:
    with pytest.raises(UsageError, match="no sentence 99"):
        Review().added(analysis, 98, [R4])
    with pytest.raises(UsageError, match="needs a reason"):
        Review().added(analysis, 1, [])
    with pytest.raises(UsageError, match="needs a reason"):
        Review().edited(analysis, "key-of-two", reasons=[])


def test_an_edit_changes_only_what_it_names(analysis: Analysis) -> None:
    review = Review().edited(analysis, "key-of-two", explanation="Say why.")
    found = effective_findings(analysis, review)[0]
    assert (found.explanation, found.explanation_by) == ("Say why.", Author.TEACHER)
    assert (found.flag_by, found.reasons_by) == (Author.MACHINE, Author.MACHINE)
    assert [one.rewrite for one in found.rewrites] == list(analysis.findings[0].rewrites)
    assert found.is_touched


def test_another_reason_takes_the_machines_words_away(analysis: Analysis) -> None:
    review = Review().edited(analysis, "key-of-two", reasons=[R4])
    found = effective_findings(analysis, review)[0]
    assert (found.reasons, found.reasons_by) == ((R4,), Author.TEACHER)
    assert found.explanation == SCHEME[R4].meaning


def test_of_the_rewrites_each_has_its_author(analysis: Analysis) -> None:
    own = teacher_rewrite("But it costs them hours of sleep.", "Yet it costs them sleep.")
    review = Review().edited(analysis, "key-of-two", rewrites=[own, REPLACEMENT])
    found = effective_findings(analysis, review)[0]
    assert [one.author for one in found.rewrites] == [Author.TEACHER, Author.MACHINE]
    assert own.edits[0].old == "But"


def test_an_empty_rewrite_is_to_delete(analysis: Analysis) -> None:
    assert teacher_rewrite("A sentence.", "  ").action is Action.DELETE


def test_edits_add_up(analysis: Analysis) -> None:
    review = Review().edited(analysis, "key-of-two", comment="One.")
    review = review.edited(analysis, "key-of-two", reasons=[R1])
    found = effective_findings(analysis, review)[0]
    assert (found.comment, found.code) == ("One.", R1)


def test_a_reason_that_is_off_hides_the_machines_flags(analysis: Analysis) -> None:
    found = effective_findings(analysis, reasons=set(CODES) - {R3})
    assert [one.code for one in found] == [R6]
    found = effective_findings(analysis, reasons=set(CODES) - {R1})
    assert found[0].reasons == (R3,)


def test_what_the_teacher_touched_is_shown_whatever_is_off(analysis: Analysis) -> None:
    review = Review().edited(analysis, "key-of-two", comment="Look.").added(analysis, 1, [R3])
    found = effective_findings(analysis, review, reasons={R6})
    assert [one.sentence for one in found] == [1, 2, 3]


def test_a_review_survives_being_stored(analysis: Analysis) -> None:
    own = teacher_rewrite("But it costs them hours of sleep.", "Yet it costs them sleep.")
    review = (
        Review()
        .added(analysis, 1, [R4, R1], explanation="Because.", rewrites=["New.", ""])
        .edited(analysis, "key-of-two", rewrites=[own], comment="Mine.")
        .removed(analysis, "key-of-three")
        .with_comment("Well done.")
        .with_remark(4, "A good ending.")
    )
    assert Review.from_dict(json.loads(json.dumps(review.as_dict()))) == review
    assert not review.is_empty


def test_a_remark_is_taken_back_by_an_empty_one() -> None:
    assert Review().with_remark(0, "Nice.").with_remark(0, " ") == Review()


def test_an_added_flag_follows_its_sentence(analysis: Analysis) -> None:
    review = Review().added(analysis, 1, [R4])
    moved = replace(analysis, sentences=(analysis.sentences[4], *analysis.sentences), findings=())
    assert [one.sentence for one in effective_findings(moved, review)] == [2]


def test_changes_that_belong_nowhere_are_named(analysis: Analysis) -> None:
    review = Review().added(analysis, 1, [R4]).edited(analysis, "key-of-two", comment="Look.")
    emptied = replace(analysis, sentences=analysis.sentences[2:], findings=())
    assert [change.kind for change in lost_changes(emptied, review)] == [
        ChangeKind.ADDED,
        ChangeKind.EDITED,
    ]
    assert lost_changes(analysis, review) == ()
    assert effective_findings(emptied, review) == ()


def test_a_key_without_a_flag_is_refused(analysis: Analysis) -> None:
    with pytest.raises(UsageError, match="no such flag"):
        Review().edited(analysis, "nothing", comment="x")


def test_a_change_keeps_none_apart_from_empty() -> None:
    change = Change("k", ChangeKind.EDITED, 1, rewrites=())
    assert Change.from_dict(change.as_dict()).rewrites == ()
    assert Change.from_dict(change.as_dict()).reasons is None


def test_a_machine_finding_is_not_changed_by_a_review(analysis: Analysis) -> None:
    before: tuple[Finding, ...] = analysis.findings
    Review().edited(analysis, "key-of-two", reasons=[R4]).removed(analysis, "key-of-three")
    assert analysis.findings == before
