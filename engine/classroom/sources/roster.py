"""The list of a class's students, and which of them a file's or folder's name means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from engine.classroom.model import Student
from engine.classroom.sources.tables import Table, cell, plain_words, read_table
from engine.errors import InputError

_HEADINGS: dict[str, tuple[str, ...]] = {
    "name": ("full name", "fullname", "name", "student", "student name", "display name", "姓名"),
    "first": ("first name", "firstname", "given name", "vorname", "prénom", "nombre"),
    "last": ("last name", "lastname", "surname", "family name", "nachname", "nom", "apellidos"),
    "email": ("email address", "email", "e mail", "mail"),
    "number": ("id number", "idnumber", "student id", "student number", "id", "matriculation",
               "学号"),
    "participant": ("identifier", "participant", "participant id"),
    "group": ("group", "class", "groups", "section"),
    "file": ("file", "file name", "filename", "folder"),
}  # fmt: skip
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_PARTICIPANT = re.compile(r"\D*[^\W\d]\D*\d+")
_WORKSHEET_COLUMNS = 4
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A student of the list, and the file or folder that the list says is his."""

    student: Student
    file: str = ""


@dataclass(frozen=True)
class Roster:
    """All students of a class, in the list's order."""

    rows: tuple[RosterRow, ...] = ()

    def for_participant(self, participant: str) -> Student | None:
        """The student whom Moodle calls by this number."""
        for row in self.rows:
            if participant and row.student.participant == participant:
                return row.student
        return None

    def for_name(self, name: str) -> Student | None:
        """The one student whom a file's or folder's name means; None where it is nobody's.

        It may be the file that the list names, or hold the student's number, e-mail address
        or all words of the name, in any order. Of several the longest name is meant.
        """
        wanted = name_words(name)
        for row in self.rows:
            if row.file and name_words(row.file) == wanted:
                return row.student
        for row in self.rows:
            if _is_numbered(row.student, wanted, name):
                return row.student
        fitting = [
            (len(words), row.student)
            for row in self.rows
            if (words := name_words(row.student.name)) and _means(words, wanted)
        ]
        if not fitting:
            return None
        longest = max(length for length, _ in fitting)
        meant = [student for length, student in fitting if length == longest]
        return meant[0] if len(meant) == 1 else None


def name_words(text: str) -> list[str]:
    """The words of a name, folded, for comparing; accents stay, since they tell people apart."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("_", " ")
    return re.findall(r"[^\W_]+(?:['’\-][^\W_]+)*", folded)


def read_roster(data: bytes, name: str) -> Roster:
    """The roster in a CSV file. Raises InputError where it names no students."""
    table = read_table(data, name)
    columns = {key: table.column(names) for key, names in _HEADINGS.items()}
    if columns["name"] is None and is_worksheet(table):
        columns |= {"participant": 0, "name": 1, "email": _column_with(table, "@")}
    if columns["name"] is None and columns["first"] is None and columns["last"] is None:
        raise InputError(
            f"{name} has no column with the students' names.",
            hint="Its first line needs a heading such as “name”, or “first name” and “last name”.",
        )
    rows = []
    for row in table.rows:
        full = cell(row, columns, "name")
        parts = (cell(row, columns, "first"), cell(row, columns, "last"))
        student_name = shown_name(full or " ".join(part for part in parts if part))
        if student_name:
            rows.append(RosterRow(_student(student_name, row, columns), cell(row, columns, "file")))
    if not rows:
        raise InputError(f"{name} names no students.")
    return Roster(tuple(rows))


def is_worksheet(table: Table) -> bool:
    """Whether a table is Moodle's offline grading worksheet, in whatever language.

    Its first column then says `Participant 12345`, only in that language.
    """
    plain = {plain_words(heading) for heading in table.headings}
    if "identifier" in plain and plain & {"grade", "status", "feedback comments"}:
        return True
    is_numbered = all(_PARTICIPANT.fullmatch(row[0]) for row in table.rows)
    return bool(table.rows) and len(table.headings) >= _WORKSHEET_COLUMNS and is_numbered


def shown_name(text: str) -> str:
    """A name fit for a table: one line, single spaces, nothing that steers the terminal."""
    kept = (
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace()
        or unicodedata.category(character) not in ("Cc", "Cs", "Cf")
        or character in "\u200c\u200d"
    )
    return " ".join("".join(kept).split())


def _means(words: Sequence[str], wanted: Sequence[str]) -> bool:
    if set(words) <= set(wanted):
        return True
    # Scripts without spaces: the name runs on into the word for "essay".
    joined = "".join(words)
    return bool(_UNSPACED.fullmatch(joined)) and joined in "".join(wanted)


def _student(name: str, row: Sequence[str], columns: dict[str, int | None]) -> Student:
    email = cell(row, columns, "email")
    number = cell(row, columns, "number")
    digits = _DIGITS.findall(cell(row, columns, "participant"))
    participant = digits[-1] if digits else ""
    # The most lasting thing that is known of a student makes the key.
    if participant:
        key = f"moodle:{participant}"
    elif number:
        key = f"number:{number.casefold()}"
    else:
        key = f"mail:{email.casefold()}" if email else f"name:{' '.join(name_words(name))}"
    return Student(
        key=key,
        name=name,
        email=email,
        number=number,
        participant=participant,
        group=cell(row, columns, "group"),
    )


def _column_with(table: Table, sign: str) -> int | None:
    """The first column in which every row that says something holds the sign."""
    for place in range(len(table.headings)):
        cells = [row[place] for row in table.rows if row[place]]
        if cells and all(sign in one for one in cells):
            return place
    return None


def _is_numbered(student: Student, wanted: Sequence[str], name: str) -> bool:
    if student.number and student.number.casefold() in wanted:
        return True
    return bool(student.email) and student.email.casefold() in name.casefold()
