"""What the teacher changes: kept apart from what the machine says, and kept at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.classroom_service import ClassroomService
from desktop.services.finding_item import State as ItemState
from desktop.services.review_desk import FlagDraft, Origin, ReviewDesk
from engine.classroom.model import Assignment, AssignmentSettings, State, Submission
from engine.classroom.review import Review, teacher_rewrite
from engine.history import History
from engine.history.assignment_rows import SubmissionRecord
from engine.history.assignments import Assignments
from engine.scheme import CODES, ReasonCode
from tests.desktop.classroom.conftest import PATIENCE, ClassOf

Laid = Callable[..., Submission]
Stored = Callable[[int], Assignment]


@pytest.fixture
def laid(qtbot: QtBot, desk: ReviewDesk, service: ClassroomService, class_of: ClassOf) -> Laid:
    """Lay the first essay of a class on the desk: flags on its third (R3) and fourth (R6)."""

    def lay(settings: AssignmentSettings | None = None) -> Submission:
        assignment = class_of(1, done=True, settings=settings)
        (one,) = assignment.submissions
        with qtbot.waitSignal(service.record_loaded, timeout=PATIENCE) as loaded:
            service.load_record(one)
        assert loaded.args is not None
        desk.open(assignment.id, loaded.args[0], assignment.settings.reasons)
        return one

    return lay


def kept(database: Path, submission: Submission) -> SubmissionRecord:
    with History.open(database) as history:
        return Assignments(history).record(submission)


def test_the_flags_are_those_of_the_machine_at_first(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    link, aside = desk.items()
    assert [item.finding.code for item in (link, aside)] == ["R3", "R6"]
    assert desk.essay is not None
    assert link.span is not None
    assert link.span.of(desk.essay.text) == "But they cost money."
    assert desk.origin(link.key) == Origin.MACHINE
    assert not desk.is_touched(link.key)


def test_reasons_that_are_off_are_not_shown(desk: ReviewDesk, laid: Laid) -> None:
    laid(AssignmentSettings(reasons=frozenset(CODES) - {ReasonCode.R6}))
    assert [item.finding.code for item in desk.items()] == ["R3"]


def test_an_added_flag_is_the_teachers(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    last = desk.sentence_at(10_000)
    assert last is not None
    key = desk.add(last, FlagDraft((ReasonCode.R1,), "Say which people."))
    added = desk.items()[-1]
    assert added.key == key
    assert added.finding.explanation == "Say which people."
    assert added.finding.confidence == "your flag"
    assert desk.origin(key) == Origin.TEACHER
    desk.remove(key)
    assert len(desk.items()) == 2


def test_a_second_flag_on_a_sentence_is_refused(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    told: list[str] = []
    desk.message.connect(lambda _kind, text, _hint: told.append(text))
    assert desk.add(desk.items()[0].finding.sentence, FlagDraft((ReasonCode.R1,))) == ""
    assert "already" in told[0]


def test_a_removed_flag_stays_in_the_list_and_can_come_back(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    key = desk.items()[0].key
    desk.remove(key)
    assert [item.state for item in desk.items()] == [ItemState.REMOVED, ItemState.OPEN]
    assert desk.origin(key) == Origin.REMOVED
    desk.restore(key)
    assert [item.state for item in desk.items()] == [ItemState.OPEN, ItemState.OPEN]


def test_an_edited_flag_says_what_is_the_teachers(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    key = desk.items()[0].key
    flag = desk.flag(key)
    assert flag is not None
    own = teacher_rewrite(desk.sentence(flag.sentence), "However, they cost money.")
    rewrites = (*(one.rewrite for one in flag.rewrites), own)
    desk.edit(key, FlagDraft((ReasonCode.R1,), flag.explanation, rewrites))
    item = desk.items()[0]
    assert item.finding.code is ReasonCode.R1
    assert item.finding.rewrites[-1].text == "However, they cost money."
    assert "changed by you" in item.finding.confidence
    assert desk.origin(key) == f"{Origin.CHANGED}the reason, the suggestions."
    desk.restore(key)
    assert desk.origin(key) == Origin.MACHINE


def test_an_edit_that_changes_nothing_leaves_everything_to_the_machine(
    desk: ReviewDesk, laid: Laid
) -> None:
    laid()
    key = desk.items()[0].key
    flag = desk.flag(key)
    assert flag is not None
    rewrites = tuple(one.rewrite for one in flag.rewrites)
    desk.edit(key, FlagDraft(flag.reasons, flag.explanation, rewrites))
    assert desk.origin(key) == Origin.MACHINE


def test_everything_is_kept_without_being_asked(
    qtbot: QtBot, desk: ReviewDesk, laid: Laid, database: Path
) -> None:
    one = laid()
    key = desk.items()[0].key
    desk.set_comment("Well planned.")
    desk.set_flag_comment(key, "See page 4.")
    desk.set_remark(0, "A good start.")

    def is_kept() -> bool:
        review = kept(database, one).review
        return bool(review.comment and review.remarks and review.changes)

    qtbot.waitUntil(is_kept, timeout=PATIENCE)
    review = kept(database, one).review
    assert review.comment == "Well planned."
    assert review.changes[key].comment == "See page 4."
    assert review.remarks == {0: "A good start."}


def test_a_note_on_a_sentence_goes_along_when_it_is_flagged(desk: ReviewDesk, laid: Laid) -> None:
    laid()
    last = desk.sentence_at(10_000)
    assert last is not None
    desk.set_remark(last, "Who rests?")
    flag = desk.flag(desk.add(last, FlagDraft((ReasonCode.R2,))))
    assert flag is not None
    assert flag.comment == "Who rests?"
    assert desk.review.remarks == {}


def test_reviewed_and_released_are_kept(
    qtbot: QtBot, desk: ReviewDesk, laid: Laid, service: ClassroomService, stored: Stored
) -> None:
    laid()
    for state in (State.REVIEWED, State.RELEASED, State.CHECKED):
        with qtbot.waitSignal(service.row_loaded, timeout=PATIENCE) as loaded:
            desk.mark(state)
        assert loaded.args is not None
        assert loaded.args[1].state is state


def test_closing_keeps_what_was_typed_last(
    qtbot: QtBot, desk: ReviewDesk, laid: Laid, service: ClassroomService, database: Path
) -> None:
    one = laid()
    with qtbot.waitSignal(service.row_loaded, timeout=PATIENCE):
        desk.set_comment("Last words.")
        desk.close()
    assert kept(database, one).review == Review(comment="Last words.")
    assert desk.items() == []
