"""Codes in place of names."""

from __future__ import annotations

from pathlib import Path

from engine.classroom.aliases import new_salt, with_aliases
from engine.classroom.model import AssignmentSettings, Student, Submission
from engine.history import History
from tests.classroom.class_files import FLAWED, write_files
from tests.classroom.class_runs import checked


def students(count: int) -> list[Submission]:
    return [Submission(Student(f"k{n}", f"Name {n}"), (), "") for n in range(count)]


def test_a_code_is_the_same_each_time_and_another_in_the_next_assignment() -> None:
    first, second = new_salt(), new_salt()
    codes = [one.alias for one in with_aliases(students(20), first)]
    assert codes == [one.alias for one in with_aliases(students(20), first)]
    assert not set(codes) & {one.alias for one in with_aliases(students(20), second)}


def test_no_two_students_share_a_code() -> None:
    coded = with_aliases(students(5000), "salt")
    assert len({one.alias for one in coded}) == 5000
    more = with_aliases(students(50), "salt", taken={one.alias for one in coded})
    assert not {one.alias for one in more} & {one.alias for one in coded}


def test_a_code_holds_nothing_of_the_name() -> None:
    (one,) = with_aliases([Submission(Student("name:anna", "Anna"), (), "")], new_salt())
    assert "anna" not in one.alias.casefold()


def test_what_a_report_may_see_names_nobody(history: History, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Anna Nowak.txt": FLAWED,
        "Ben Ray.txt": FLAWED,
        "Cleo Fox.docx": b"PK\x03\x04 cut",
    }
    source = write_files(tmp_path / "class", files)
    assignment = checked(history, source, AssignmentSettings(anonymous=True))
    for submission in assignment.submissions:
        shown = str(assignment.shown(submission))
        assert not [word for word in ("Anna", "Nowak", "Ben", "Cleo") if word in shown]
        assert submission.alias in shown
        assert assignment.shown_name(submission) == submission.alias


def test_an_assignment_with_names_shows_them(history: History, tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna Nowak.txt": FLAWED})
    assignment = checked(history, source)
    assert assignment.shown(assignment.submissions[0]) == assignment.submissions[0]


def test_a_short_name_is_replaced_only_as_a_whole(history: History, tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Li.txt": FLAWED, "Lin.txt": FLAWED, "An.txt": b""})
    assignment = checked(history, source, AssignmentSettings(anonymous=True))
    aliases = {one.student.name: one.alias for one in assignment.submissions}
    shown = {one.student.name: assignment.shown(one) for one in assignment.submissions}
    assert shown["Li"].notices[0].message == f"The same file was handed in by {aliases['Lin']}."
    assert shown["An"].error is not None
    assert shown["An"].error["message"] == f"{aliases['An']}.txt is empty."
