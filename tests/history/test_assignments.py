"""Classes in the history: what they keep, what deleting forgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.classroom.model import AssignmentSettings, State
from engine.classroom.review import Review, effective_findings
from engine.errors import HistoryError, UsageError
from engine.essay import Essay
from engine.history import History, RunKind
from engine.history.assignments import Assignments
from engine.history.comparison import compare
from engine.history.reviews import Reviews
from engine.scheme import CODES, ReasonCode
from tests.classroom.class_files import fake_engine, write_class, write_files
from tests.classroom.class_runs import begun, checked

R3, R4, R6 = ReasonCode.R3, ReasonCode.R4, ReasonCode.R6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def test_a_class_is_the_same_after_closing_the_window(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        settings = AssignmentSettings(topic="Parks", strictness="few", reasons=frozenset({R3}))
        before = checked(history, write_class(tmp_path / "class", 2), settings)
    with History.open(path) as history:
        assert Assignments(history).load(before.id) == before


def test_the_list_counts_what_is_done(path: Path, tmp_path: Path) -> None:
    source = write_files(write_class(tmp_path / "class", 2), {"Empty.txt": b""})
    with History.open(path) as history:
        assignment = checked(history, source)
        begun(history, write_class(tmp_path / "next", 1))
        Reviews(history).mark(assignment.in_state(State.CHECKED)[0], State.RELEASED)
        newest, first = Assignments(history).listed()
    assert (newest.submissions, newest.done) == (1, 0)
    assert (first.name, first.submissions, first.done) == ("class", 3, 2)
    assert (first.failed, first.released) == (1, 1)


def test_an_essay_and_its_state_are_stored_together_or_not_at_all(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    essay = Essay.from_text("One is here. But two is not.")
    analysis = fake_engine().check(essay)
    with History.open(path) as history:
        assignment = begun(history, write_class(tmp_path / "class", 1))
        (one,) = assignment.submissions

        def crash(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Assignments, "_same_text", crash)
        with pytest.raises(KeyboardInterrupt):
            Assignments(history).finish(one, essay, analysis, assignment.settings)
        assert history.runs() == []
        assert Assignments(history).submission(one.id).state is State.WAITING


def test_checking_again_leaves_one_run(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        assignment = checked(history, write_class(tmp_path / "class", 1))
        (one,) = assignment.submissions
        record = Assignments(history).record(one)
        assert record.essay is not None
        assert record.analysis is not None
        Assignments(history).finish(one, record.essay, record.analysis, assignment.settings)
        assert len(history.runs()) == 1


def test_the_list_of_checks_tells_a_class_from_ones_own_essays(path: Path, tmp_path: Path) -> None:
    essay = Essay.from_text("One is here. But two is not.")
    with History.open(path) as history:
        checked(history, write_class(tmp_path / "Group B", 1))
        own = history.begin_run("mine.txt", None, essay.content_hash, essay.text, "", {})
        rows = history.runs()
        assert [row.class_name for row in rows] == ["", "Group B"]
        assert history.run(rows[1].id).row.class_name == "Group B"
        assert [row.id for row in history.runs(search="group b")] == [rows[1].id]
        assert rows[0].id == own


def test_ones_own_essays_and_those_of_classes_can_be_listed_alone(
    path: Path, tmp_path: Path
) -> None:
    essay = Essay.from_text("One is here. But two is not.")
    with History.open(path) as history:
        checked(history, write_class(tmp_path / "Group B", 2))
        own = history.begin_run("mine.txt", None, essay.content_hash, essay.text, "", {})
        assert [row.id for row in history.runs(kind=RunKind.OWN)] == [own]
        in_class = history.runs(kind=RunKind.CLASS)
        assert [row.class_name for row in in_class] == ["Group B", "Group B"]
        assert [row.id for row in history.runs(1, 1, kind=RunKind.CLASS)] == [in_class[1].id]
        assert len(history.runs(kind=RunKind.ALL)) == 3
        assert history.runs(search="mine", kind=RunKind.CLASS) == []
        assert [row.id for row in history.runs(search="mine", kind=RunKind.OWN)] == [own]


def test_a_run_deleted_from_the_history_has_to_be_made_again(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        assignment = checked(history, write_class(tmp_path / "class", 1))
        run = assignment.submissions[0].run_id
        assert run is not None
        history.delete_run(run)
        assert Assignments(history).load(assignment.id).submissions[0].state is State.WAITING


def test_deleting_a_class_deletes_its_essays(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        first = checked(history, write_class(tmp_path / "a", 2))
        second = checked(history, write_class(tmp_path / "b", 1))
        Assignments(history).delete(first.id)
        assert [row.id for row in Assignments(history).listed()] == [second.id]
        assert len(history.runs()) == 1


def test_deleting_all_checks_deletes_classes_and_names(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        checked(history, write_files(tmp_path / "a", {"Zebulon.txt": "Parks help. But they cost."}))
        history.delete_all()
        assert Assignments(history).listed() == []
    assert b"Zebulon" not in path.read_bytes()


def test_a_class_that_is_not_there_is_an_error(path: Path) -> None:
    with History.open(path) as history, pytest.raises(HistoryError, match="no class 7"):
        Assignments(history).load(7)


def test_other_settings_make_a_class_wait_and_keep_its_reviews(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        assignment = checked(history, write_class(tmp_path / "class", 2))
        Reviews(history).save(assignment.submissions[0], Review(comment="Good."))
        after = Assignments(history).change_settings(
            assignment.id, AssignmentSettings(strictness="thorough")
        )
        assert len(after.in_state(State.WAITING)) == 2
        assert Assignments(history).record(after.submissions[0]).review.comment == "Good."


def test_switching_a_reason_off_needs_no_new_check(path: Path, tmp_path: Path) -> None:
    with History.open(path) as history:
        assignment = checked(history, write_class(tmp_path / "class", 1))
        after = Assignments(history).change_settings(
            assignment.id, AssignmentSettings(reasons=frozenset(CODES) - {R6})
        )
        assert after.submissions[0].state is State.CHECKED
        assert after.submissions[0].reasons == {R3: 1}


class TestReviews:
    """What the teacher adds."""

    def test_a_review_is_kept_and_counted(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            (one,) = checked(history, write_class(tmp_path / "class", 1)).submissions
            analysis = Assignments(history).record(one).analysis
            assert analysis is not None
            review = Review().removed(analysis, analysis.findings[0].key).added(analysis, 1, [R4])
            row = Reviews(history).save(one, review)
            assert row.reasons == {R4: 1, R6: 1}
            assert Assignments(history).record(one).review == review
            assert len(effective_findings(analysis, review)) == row.findings

    def test_states_go_from_checked_to_released_and_back(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            (one,) = checked(history, write_class(tmp_path / "class", 1)).submissions
            for state in (State.REVIEWED, State.RELEASED, State.CHECKED):
                assert Reviews(history).mark(one, state).state is state

    def test_what_is_not_checked_cannot_be_released(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            (one,) = begun(history, write_class(tmp_path / "class", 1)).submissions
            with pytest.raises(UsageError, match="Only an essay that was checked"):
                Reviews(history).mark(one, State.RELEASED)
            with pytest.raises(UsageError, match="cannot make a submission failed"):
                Reviews(history).mark(one, State.FAILED)


class TestCommentBank:
    """Comments kept for use again."""

    def test_a_shortcut_comes_first_then_what_is_used_most(self, path: Path) -> None:
        with History.open(path) as history:
            bank = Reviews(history)
            bank.keep_comment("Link this to the sentence before.", shortcut="lk", reason=R3)
            bank.keep_comment("Good link!")
            bank.keep_comment("Who is they?")
            bank.used_comment(bank.comments("good")[0])
            assert [one.text for one in bank.comments("lk")] == [
                "Link this to the sentence before."
            ]
            assert bank.comments("link")[0].text == "Good link!"
            assert bank.comments("", reason=R3)[0].shortcut == "lk"

    def test_any_script_is_found_in_any_case(self, path: Path) -> None:
        with History.open(path) as history:
            Reviews(history).keep_comment("ОТЛИЧНО сделано")
            assert Reviews(history).comments("отлично")

    def test_the_same_text_is_kept_once(self, path: Path) -> None:
        with History.open(path) as history:
            bank = Reviews(history)
            bank.keep_comment("Good.")
            bank.keep_comment(" Good. ", shortcut="g")
            assert [(one.text, one.shortcut) for one in bank.comments()] == [("Good.", "g")]

    def test_two_comments_cannot_share_a_shortcut(self, path: Path) -> None:
        with History.open(path) as history:
            Reviews(history).keep_comment("Good.", shortcut="g")
            with pytest.raises(UsageError, match="shortcut"):
                Reviews(history).keep_comment("Great.", shortcut="G")
            with pytest.raises(UsageError, match="needs some text"):
                Reviews(history).keep_comment("  ")

    def test_a_comment_can_be_forgotten(self, path: Path) -> None:
        with History.open(path) as history:
            Reviews(history).keep_comment("Good.")
            Reviews(history).forget_comment(Reviews(history).comments()[0])
            assert Reviews(history).comments() == []


class TestComparison:
    """This assignment and the one before it."""

    def test_with_the_same_students_before(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            checked(
                history,
                write_files(
                    tmp_path / "one",
                    {"Anna.txt": "Parks help. But they cost. But we pay. We rest."},
                ),
            )
            now = checked(
                history,
                write_files(
                    tmp_path / "two", {"Anna.txt": "Parks help. But they cost. We pay. We rest."}
                ),
            )
            compared = compare(history, now)
            assert compared.before_name == "one"
            assert compared.now.per_hundred(R3) == 25.0
            assert compared.change(R3) == -25.0

    def test_another_class_is_no_comparison(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            checked(
                history, write_files(tmp_path / "one", {"Ben.txt": "Parks help. But they cost."})
            )
            now = checked(
                history, write_files(tmp_path / "two", {"Anna.txt": "Parks help. But they cost."})
            )
            assert compare(history, now).before is None
            assert compare(history, now).change(R3) is None

    def test_another_strictness_is_said(self, path: Path, tmp_path: Path) -> None:
        with History.open(path) as history:
            source = write_files(tmp_path / "one", {"Anna.txt": "Parks help. But they cost."})
            checked(history, source, AssignmentSettings(strictness="few"))
            now = checked(
                history, write_files(tmp_path / "two", {"Anna.txt": "Parks help. But they cost."})
            )
            assert compare(history, now).strictness_differs
