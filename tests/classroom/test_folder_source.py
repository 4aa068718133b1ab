"""A folder of essays: whose each file is, what is skipped, what is joined."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.classroom.model import Several, SourceKind
from engine.classroom.sources import SubmissionReader, gather
from engine.errors import EmptyEssay, UnreadableFile
from tests.classroom.class_files import (
    FLAWED,
    by_name,
    codes,
    names,
    skips,
    write_files,
)


def test_each_file_in_a_folder_is_one_students(tmp_path: Path) -> None:
    gathered = gather(write_files(tmp_path, {"Anna Nowak.txt": "A b.", "Ben_Lee.md": "C d."}))
    assert names(gathered) == ["Anna Nowak", "Ben Lee"]
    assert gathered.kind is SourceKind.FOLDER


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("Anna_Kowalska_essay_final", "Anna Kowalska"),
        ("王小明_作文", "王小明"),
        ("эссе Дмитрий Волков", "Дмитрий Волков"),
        ("فاطمة الزهراء", "فاطمة الزهراء"),
        ("Jean-Luc O'Neill (2)", "Jean-Luc O'Neill"),
        ("essay 3", "essay 3"),
        ("Kim 2", "Kim 2"),
        ("12345", "12345"),
    ],
)
def test_the_name_is_what_is_not_about_the_file(tmp_path: Path, stem: str, name: str) -> None:
    assert names(gather(write_files(tmp_path, {f"{stem}.txt": "A b."}))) == [name]


def test_accents_typed_on_a_mac_are_the_same_name(tmp_path: Path) -> None:
    write_files(tmp_path, {"Jose\u0301 Ruiz.txt": "A b."})
    assert names(gather(tmp_path)) == ["Jos\u00e9 Ruiz"]


def test_a_name_cannot_turn_the_line_around(tmp_path: Path) -> None:
    write_files(tmp_path, {"An\u202ena.txt": "A b."})
    assert names(gather(tmp_path)) == ["Anna"]


def test_files_of_the_system_are_ignored_quietly(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "Anna.txt": "A b.",
            ".DS_Store": "x",
            "__MACOSX/._Anna.txt": "x",
            "~$Anna.docx": "x",
            "Thumbs.db": "x",
            ".hidden/Ben.txt": "x",
            "desktop.ini": "x",
        },
    )
    gathered = gather(tmp_path)
    assert names(gathered) == ["Anna"]
    assert gathered.skipped == ()


def test_a_file_that_is_no_essay_is_skipped_with_the_reason(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna.txt": "A b.", "photo.jpg": "x", "Ben.doc": "x", "all.zip": "x"})
    gathered = gather(tmp_path)
    assert skips(gathered) == {
        "photo.jpg": "unsupported-format",
        "Ben.doc": "unsupported-format",
        "all.zip": "unsupported-format",
    }
    reasons = {one.name: one.message for one in gathered.skipped}
    assert "save it as .docx" in reasons["Ben.doc"]
    assert "unpack it first" in reasons["all.zip"]


def test_a_folder_without_essays_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"photo.jpg": "x"})
    with pytest.raises(EmptyEssay, match="holds no essays"):
        gather(tmp_path)


def test_where_no_file_can_be_checked_it_says_why_of_the_first(tmp_path: Path) -> None:
    write_files(tmp_path, {f"photo{number}.jpg": "x" for number in range(5)})
    with pytest.raises(EmptyEssay, match=r"can be checked \(photo0\.jpg: .*; and 2 more\)"):
        gather(tmp_path)


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no folder or file class7"):
        gather(tmp_path / "class7")


def test_a_folder_of_everything_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.classroom.sources.entries.MOST_ENTRIES", 3)
    write_files(tmp_path, {f"{number}.txt": "A b." for number in range(4)})
    with pytest.raises(UnreadableFile, match="more than 3 files"):
        gather(tmp_path)


def test_a_single_essay_is_no_class(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna.txt": "A b."})
    with pytest.raises(UnreadableFile, match="neither a folder nor a zip"):
        gather(tmp_path / "Anna.txt")


def test_a_folder_for_each_student(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna/essay.txt": "A b.", "Ben/essay.txt": "C d."})
    assert names(gather(tmp_path)) == ["Anna", "Ben"]


def test_a_folder_for_each_group_of_many_students(tmp_path: Path) -> None:
    files = {f"{group}/{name}.txt": f"{name} b." for group in ("7A", "7B") for name in "PQRS"}
    gathered = gather(write_files(tmp_path, files))
    assert len(gathered.submissions) == 8
    assert {one.student.group for one in gathered.submissions} == {"7A", "7B"}


def test_students_of_the_same_name_in_two_groups_are_two_students(tmp_path: Path) -> None:
    files = {f"{group}/{name}.txt": f"{name} {group}." for group in "XY" for name in "PQRS"}
    gathered = gather(write_files(tmp_path, files))
    assert len({one.student.key for one in gathered.submissions}) == 8


def test_a_wrapper_around_the_class_is_no_student(tmp_path: Path) -> None:
    write_files(tmp_path, {"Task 3/Anna.txt": "A b.", "Task 3/Ben.txt": "C d."})
    assert names(gather(tmp_path)) == ["Anna", "Ben"]


def test_of_several_versions_the_latest_is_taken(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna_draft.txt": "Old.", "Anna_final.txt": "New."})
    (anna,) = gather(tmp_path).submissions
    assert [file.name for file in anna.files] == ["Anna_final.txt"]
    assert codes(anna) == ["latest-taken"]
    assert skips(gather(tmp_path)) == {"Anna_draft.txt": "older-version"}


def test_the_same_essay_in_two_formats_is_two_versions(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna.txt": "Old.", "Anna.md": "New."})
    os.utime(tmp_path / "Anna.txt", (1_000_000_000, 1_000_000_000))
    (anna,) = gather(tmp_path).submissions
    assert [file.name for file in anna.files] == ["Anna.md"]


def test_parts_are_joined_in_natural_order(tmp_path: Path) -> None:
    parts = {f"Anna part {n}.txt": f"Part {n} is here." for n in (10, 2, 1)}
    (anna,) = gather(write_files(tmp_path, parts)).submissions
    assert codes(anna) == ["files-joined"]
    with SubmissionReader(tmp_path) as reader:
        essay = reader.essay(anna)
    assert essay.text.split("\n\n") == ["Part 1 is here.", "Part 2 is here.", "Part 10 is here."]
    assert [s.text for s in essay.sentences] == essay.text.split("\n\n")


def test_whoever_asks_can_have_files_joined_or_the_latest_taken(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna/draft.txt": "Old.", "Anna/final.txt": "New.", "Ben/b.txt": "B."})
    joined = by_name(gather(tmp_path, several=Several.JOIN))["Anna"]
    assert len(joined.files) == 2
    latest = by_name(gather(tmp_path, several=Several.LATEST))["Anna"]
    assert [file.name for file in latest.files] == ["Anna/final.txt"]


def test_the_same_content_by_two_students_is_noticed_on_both(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna.txt": FLAWED, "Ben.txt": FLAWED, "Cleo.txt": "Her own."})
    found = by_name(gather(tmp_path))
    assert found["Anna"].notices[0].message == "The same file was handed in by Ben."
    assert found["Ben"].notices[0].message == "The same file was handed in by Anna."
    assert codes(found["Cleo"]) == []


def test_the_same_content_twice_by_one_student_counts_once(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"Anna/essay.txt": FLAWED, "Anna/essay (1).txt": FLAWED, "Ben/b.txt": "B"}
    )
    gathered = gather(tmp_path)
    anna = by_name(gathered)["Anna"]
    assert len(anna.files) == 1
    assert codes(anna) == ["same-file-twice"]
    assert "duplicate" in skips(gathered).values()


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"secret.txt": "Not for this class."})
    inside = write_files(tmp_path / "class", {"Anna.txt": "A b."})
    (inside / "Ben.txt").symlink_to(outside / "secret.txt")
    (inside / "more").symlink_to(outside)
    gathered = gather(inside)
    assert names(gathered) == ["Anna"]
    assert skips(gathered) == {"Ben.txt": "link", "more": "link"}


def test_the_same_students_have_the_same_keys_in_every_reading(tmp_path: Path) -> None:
    write_files(tmp_path, {"Anna.txt": "A b.", "Ben/essay.txt": "C d."})
    first = [one.student.key for one in gather(tmp_path).submissions]
    assert [one.student.key for one in gather(tmp_path).submissions] == first
