"""A class of submissions as data: assignment, students, files, and how far each one is.

Nothing here holds an essay's text or its analysis: those lie in the history, under `run_id`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from engine.classroom.file_names import plain_file_name
from engine.errors import UsageError
from engine.essay import Notice
from engine.plain_data import read_back
from engine.scheme import CODES, ReasonCode
from engine.writing import RULES_ALONE, WriterChoice

STRICTNESS = ("few", "balanced", "thorough")


class State(StrEnum):
    """How far a submission is. Each but FAILED follows from the one before."""

    WAITING = "waiting"
    CHECKING = "checking"
    FAILED = "failed"
    CHECKED = "checked"
    REVIEWED = "reviewed"
    RELEASED = "released"

    @property
    def is_done(self) -> bool:
        """Whether an analysis is there."""
        return self in (State.CHECKED, State.REVIEWED, State.RELEASED)


class SourceKind(StrEnum):
    """Where a class's files came from."""

    FOLDER = "folder"
    ZIP = "zip"
    MOODLE = "moodle"


@dataclass(frozen=True, slots=True)
class Student:
    """One student. `key` is the same for the same student in every reading of the source.

    `number` is the school's id number, `participant` Moodle's; both are empty where unknown.
    """

    key: str
    name: str
    email: str = ""
    number: str = ""
    participant: str = ""
    group: str = ""

    def as_dict(self) -> dict[str, str]:
        """Plain data, for the history."""
        return {
            "key": self.key,
            "name": self.name,
            "email": self.email,
            "number": self.number,
            "participant": self.participant,
            "group": self.group,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> Student:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        return read_back(cls, data)


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """One file of a submission: its path inside the source, size in bytes, SHA-256 as hex."""

    name: str
    size: int
    sha256: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the history."""
        return {"name": self.name, "size": self.size, "sha256": self.sha256}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SubmittedFile:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        return read_back(cls, data)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file of the source that is not checked: its path there, a stable code, and why."""

    name: str
    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        """Plain data, for the history and reports."""
        return {"name": self.name, "code": self.code, "message": self.message}

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> Skipped:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        return read_back(cls, data)


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student handed in, and how far it is. One row of the class table.

    `files` are joined in this order. `digest` tells whether the content is still the same.
    `alias` stands for the name in anonymous reports. `run_id` leads to text and analysis in the
    history once it is checked; `error` (code, message, hint) says why it could not be. `words`
    and `findings` are counts, `reasons` how many findings have which first reason, after the
    review where there is one. `folder` is the student's in a Moodle download.
    """

    student: Student
    files: tuple[SubmittedFile, ...]
    digest: str
    alias: str = ""
    state: State = State.WAITING
    notices: tuple[Notice, ...] = ()
    id: int = 0
    run_id: int | None = None
    error: Mapping[str, str] | None = None
    words: int = 0
    findings: int = 0
    reasons: Mapping[ReasonCode, int] = field(default_factory=dict)
    folder: str = ""

    def shown_name(self, *, anonymous: bool) -> str:
        """The name that a report may show."""
        return self.alias if anonymous else self.student.name

    def with_notices(self, notices: Iterable[Notice]) -> Submission:
        """The same submission with more to say about it."""
        return replace(self, notices=(*self.notices, *notices))


class Several(StrEnum):
    """What to do with several files by one student."""

    AUTO = "auto"
    JOIN = "join"
    LATEST = "latest"


@dataclass(frozen=True)
class Gathered:
    """A source as it was found: one submission a student, and everything that is none.

    `missing` are students of the roster who handed in nothing. `worksheet` is the path inside
    the source of Moodle's grading worksheet, empty where there is none; `folders` says by
    student key which folder of a Moodle download was whose.
    """

    source: Path
    kind: SourceKind
    submissions: tuple[Submission, ...]
    skipped: tuple[Skipped, ...] = ()
    missing: tuple[Student, ...] = ()
    notices: tuple[Notice, ...] = ()
    worksheet: str = ""
    folders: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AssignmentSettings:
    """How a class is checked and shown.

    `reasons` holds the codes that are switched on: a finding whose most likely reason is off is
    not shown. `topic` is the essay prompt of the whole class. With `correct_grammar` the essays
    are judged as if their sure mistakes were corrected.
    """

    topic: str = ""
    strictness: str = "balanced"
    rewrites: bool = True
    anonymous: bool = False
    reasons: frozenset[ReasonCode] = frozenset(CODES)
    correct_grammar: bool = False

    def __post_init__(self) -> None:
        if self.strictness not in STRICTNESS:
            raise UsageError(
                f"There is no strictness called {self.strictness!r}: use few, balanced or thorough."
            )

    def needs_new_check(self, other: AssignmentSettings) -> bool:
        """Whether going over to `other` makes analyses out of date; showing less does not."""
        return (self.topic, self.strictness, self.rewrites, self.correct_grammar) != (
            other.topic,
            other.strictness,
            other.rewrites,
            other.correct_grammar,
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the history."""
        return {
            "topic": self.topic,
            "strictness": self.strictness,
            "rewrites": self.rewrites,
            "anonymous": self.anonymous,
            "reasons": sorted(code.value for code in self.reasons),
            "correct_grammar": self.correct_grammar,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AssignmentSettings:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        return cls(
            topic=data["topic"],
            strictness=data["strictness"],
            rewrites=data["rewrites"],
            anonymous=data["anonymous"],
            reasons=frozenset(ReasonCode(code) for code in data["reasons"]),
            correct_grammar=data.get("correct_grammar", False),  # classes begun before know none
        )


@dataclass(frozen=True)
class Assignment:
    """One class's essays on one task. `source` is the absolute path that they were read from.

    `submissions` are in the order of the source; `missing` are students of the roster who handed
    in nothing; `notices` are about the source as a whole. `out`, `roster`, `several` and `writer`
    are as the command line was given them, `worksheet` is the path of Moodle's inside the source.
    """

    id: int
    name: str
    source: str
    kind: SourceKind
    settings: AssignmentSettings
    created_at: datetime
    submissions: tuple[Submission, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    missing: tuple[Student, ...] = ()
    notices: tuple[Notice, ...] = ()
    out: str = ""
    roster: str = ""
    worksheet: str = ""
    several: Several = Several.AUTO
    writer: WriterChoice = RULES_ALONE

    def in_state(self, *states: State) -> tuple[Submission, ...]:
        """The submissions that are in one of these states."""
        return tuple(one for one in self.submissions if one.state in states)

    def shown_name(self, submission: Submission) -> str:
        """The student's name, or the alias where the assignment is anonymous."""
        return submission.shown_name(anonymous=self.settings.anonymous)

    def shown(self, submission: Submission) -> Submission:
        """What a report may see of a submission: in an anonymous assignment nothing by name.

        Names of students and of their files are replaced by aliases in notices and errors too.
        """
        if not self.settings.anonymous:
            return submission
        aliases = {one.student.name: one.alias for one in self.submissions}
        for file in submission.files:
            path = PurePosixPath(file.name)
            for name in (path.name, plain_file_name(path.name)):
                aliases[name] = f"{submission.alias}{path.suffix}"
        error = submission.error
        return replace(
            submission,
            student=Student(submission.alias, submission.alias),
            files=(),
            folder="",
            notices=tuple(
                Notice(one.code, _replaced(one.message, aliases)) for one in submission.notices
            ),
            error=None
            if error is None
            else {**error, "message": _replaced(error["message"], aliases)},
        )


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One line of the list of assignments: how many essays there are, checked and failed."""

    id: int
    name: str
    source: str
    created_at: datetime
    submissions: int
    done: int
    failed: int
    released: int


def _replaced(text: str, names: Mapping[str, str]) -> str:
    """The text with whole names replaced, the longest first."""
    for name in sorted(names, key=len, reverse=True):
        if name in text:
            whole = rf"(?<!\w){re.escape(name)}(?!\w)"
            text = re.sub(whole, names[name].replace("\\", r"\\"), text)
    return text
