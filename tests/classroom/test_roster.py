"""A roster: the students' real names, and who handed in nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.classroom.sources import gather
from engine.errors import InputError, UnreadableFile
from tests.classroom.class_files import by_name, names, write_files


def roster(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "list.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_files_are_matched_by_the_words_of_the_name_in_any_order(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"kowalska_anna_hw3.txt": "A b."})
    gathered = gather(source, roster=roster(tmp_path, "name,email\nAnna Kowalska,a@x.org\n"))
    assert names(gathered) == ["Anna Kowalska"]
    assert gathered.submissions[0].student.email == "a@x.org"


def test_files_are_matched_by_number_and_by_the_named_file(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"s4711.txt": "A b.", "mine.txt": "C d."})
    lines = "Name;ID number;File\nAnna;S4711;\nBen;12;mine\n"
    assert names(gather(source, roster=roster(tmp_path, lines))) == ["Ben", "Anna"]


def test_a_name_that_runs_into_the_next_word_is_found_in_chinese(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"王小明作文.txt": "A b."})
    path = roster(tmp_path, "姓名,学号\n王小明,1\n陈美玲,2\n", "gb18030")
    gathered = gather(source, roster=path)
    assert names(gathered) == ["王小明"]
    assert [one.name for one in gathered.missing] == ["陈美玲"]


def test_first_and_last_names_in_two_columns(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Ruiz.txt": "A b.", "Lan Nguyen.txt": "C d."})
    text = "sep=;\nFirst name;Surname\nLan;Nguyen\nCarlos;Ruiz\n"
    found = by_name(gather(source, roster=roster(tmp_path, text)))
    assert "Lan Nguyen" in found


def test_whoever_handed_in_nothing_is_counted_and_kept(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna.txt": "A b."})
    gathered = gather(source, roster=roster(tmp_path, "name\nAnna\nBen\nCleo\n"))
    assert [one.name for one in gathered.missing] == ["Ben", "Cleo"]
    assert gathered.notices[0].message == "2 students of the roster handed in nothing."


def test_a_student_of_the_roster_whose_only_file_is_no_essay_is_a_row(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna.txt": "A b.", "Ben.jpg": "x"})
    gathered = gather(source, roster=roster(tmp_path, "name\nAnna\nBen\n"))
    ben = by_name(gathered)["Ben"]
    assert ben.error is not None
    assert ben.error["code"] == "no-essay"


def test_a_roster_inside_the_folder_is_used_and_is_no_essay(tmp_path: Path) -> None:
    write_files(tmp_path, {"anna.txt": "A b.", "roster.csv": "name,group\nAnna,7B\n"})
    gathered = gather(tmp_path)
    assert gathered.submissions[0].student.group == "7B"
    assert gathered.skipped == ()


def test_of_two_students_who_fit_none_is_guessed(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"li na and wang wei.txt": "A b."})
    gathered = gather(source, roster=roster(tmp_path, "name\nLi Na\nWang Wei\n"))
    assert names(gathered) == ["li na and wang wei"]


def test_a_table_without_names_is_refused(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna.txt": "A b."})
    with pytest.raises(InputError, match="no column with the students' names"):
        gather(source, roster=roster(tmp_path, "grade\n5\n"))


def test_a_roster_that_is_not_there_is_named(tmp_path: Path) -> None:
    source = write_files(tmp_path / "class", {"Anna.txt": "A b."})
    with pytest.raises(UnreadableFile, match=r"roster none\.csv"):
        gather(source, roster=tmp_path / "none.csv")
