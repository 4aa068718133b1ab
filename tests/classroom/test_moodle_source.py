"""Moodle's download of all submissions, with and without its worksheet."""

from __future__ import annotations

from pathlib import Path

from engine.classroom.model import SourceKind
from engine.classroom.sources import gather
from tests.classroom.class_files import by_name, codes, names, skips, write_files, write_zip

FILE = "assignsubmission_file_"
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\r\n"
    'Participant 12345,"Kowalska, Anna",anna@x.org,Submitted,,100,\r\n'
    "Participant 12346,王小明,ming@x.org,Submitted,,100,\r\n"
    "Participant 12347,Ben Late,ben@x.org,No submission,,100,\r\n"
)


def moodle(tmp_path: Path, **more: str) -> Path:
    files = {
        f"Anna Kowalska_12345_{FILE}/essay.txt": "A b.",
        f"王小明_12346_{FILE}/作文.txt": "C d.",
        **more,
    }
    return write_zip(tmp_path / "course-task-99.zip", files)


def test_a_folder_for_each_participant(tmp_path: Path) -> None:
    gathered = gather(moodle(tmp_path))
    assert gathered.kind is SourceKind.MOODLE
    assert names(gathered) == ["Anna Kowalska", "王小明"]
    assert [one.student.participant for one in gathered.submissions] == ["12345", "12346"]
    assert gathered.folders["moodle:12345"] == f"Anna Kowalska_12345_{FILE}"


def test_the_worksheet_gives_names_addresses_and_who_is_missing(tmp_path: Path) -> None:
    gathered = gather(moodle(tmp_path, **{"Grades-task-99.csv": WORKSHEET}))
    assert names(gathered) == ["Kowalska, Anna", "王小明"]
    assert gathered.submissions[0].student.email == "anna@x.org"
    assert [one.name for one in gathered.missing] == ["Ben Late"]
    assert gathered.worksheet == "Grades-task-99.csv"
    assert gathered.skipped == ()


def test_a_download_without_folders(tmp_path: Path) -> None:
    write_files(
        tmp_path, {f"Anna Kowalska_12345_{FILE}my essay.txt": "A b.", f"Ben_9_{FILE}b.txt": "B b."}
    )
    assert names(gather(tmp_path)) == ["Anna Kowalska", "Ben"]


def test_text_typed_into_moodle(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><p>I typed it here. It is my essay.</p>"
    write_files(tmp_path, {"Ann Lee_7_assignsubmission_onlinetext_/onlinetext.html": page})
    assert names(gather(tmp_path)) == ["Ann Lee"]


def test_a_blind_download_has_participants_instead_of_names(tmp_path: Path) -> None:
    write_files(tmp_path, {f"Participant_12345_{FILE}/essay.txt": "A b."})
    assert gather(tmp_path).submissions[0].student.participant == "12345"


def test_the_same_name_twice_is_two_students(tmp_path: Path) -> None:
    write_files(tmp_path, {f"Ann Lee_1_{FILE}/a.txt": "A b.", f"Ann Lee_2_{FILE}/a.txt": "C d."})
    assert len(gather(tmp_path).submissions) == 2


def test_a_participant_without_a_readable_file_is_a_row_that_failed(tmp_path: Path) -> None:
    gathered = gather(moodle(tmp_path, **{f"Cleo_12350_{FILE}/scan.heic": "x"}))
    cleo = by_name(gathered)["Cleo"]
    assert cleo.files == ()
    assert cleo.error is not None
    assert skips(gathered) == {f"Cleo_12350_{FILE}/scan.heic": "unsupported-format"}


def test_several_files_of_one_participant(tmp_path: Path) -> None:
    gathered = gather(
        moodle(tmp_path, **{f"Anna Kowalska_12345_{FILE}/outline.txt": "An outline."})
    )
    assert codes(by_name(gathered)["Anna Kowalska"]) == ["files-joined"]


def test_a_file_that_is_nobodys_is_skipped(tmp_path: Path) -> None:
    gathered = gather(moodle(tmp_path, **{"readme.txt": "Hello."}))
    assert skips(gathered) == {"readme.txt": "no-student"}


def test_a_wrapping_folder_makes_no_difference(tmp_path: Path) -> None:
    write_files(tmp_path, {f"Course-Task 1/Ann_3_{FILE}/a.txt": "A b."})
    assert names(gather(tmp_path)) == ["Ann"]


def test_a_worksheet_in_another_language_is_known_by_its_first_column(tmp_path: Path) -> None:
    german = (
        "ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung\r\n"
        "Teilnehmer/in12345;Anna Kowalska;anna@x.org;Abgegeben;\r\n"
        "Teilnehmer/in12346;Wang Xiaoming;ming@x.org;Abgegeben;\r\n"
    )
    gathered = gather(moodle(tmp_path, **{"Bewertungen.csv": german}))
    assert names(gathered) == ["Anna Kowalska", "Wang Xiaoming"]
    assert gathered.submissions[1].student.email == "ming@x.org"
    assert gathered.worksheet == "Bewertungen.csv"
