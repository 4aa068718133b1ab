"""From the files of a source to one submission a student."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from engine.classroom.model import (
    Gathered,
    Several,
    Skipped,
    SourceKind,
    Student,
    Submission,
    SubmittedFile,
)
from engine.classroom.sources.entries import Entry, Source, open_source, read_whole, sha256_of
from engine.classroom.sources.moodle import MoodleFile, moodle_file
from engine.classroom.sources.naming import (
    are_versions,
    looks_like_one_student,
    natural_order,
    student_name,
    version_rank,
)
from engine.classroom.sources.roster import (
    Roster,
    RosterRow,
    is_worksheet,
    name_words,
    read_roster,
    shown_name,
)
from engine.classroom.sources.tables import read_table
from engine.documents import FORMATS
from engine.documents.formats import format_of
from engine.errors import EmptyEssay, InputError, UnreadableFile, UnsupportedFormat
from engine.essay import Notice

_ROSTER_NAME = re.compile(r"roster|students|participants|class.?list", re.IGNORECASE)
_FORMATS_HINT = "Essays are files that end in " + ", ".join(FORMATS) + "."
_MOST_TOLD = 3
_NO_ESSAY = {
    "code": "no-essay",
    "message": "There is no file that Segue can read as an essay.",
    "hint": "Ask the student for a .docx, .odt, .txt, .md, .html, .rtf or a PDF with text.",
}


@dataclass
class _Pile:
    """The files of one student while they are being sorted."""

    student: Student
    files: list[Entry] = field(default_factory=list)
    refused: list[Skipped] = field(default_factory=list)
    is_known: bool = False
    folder: str = ""


def nothing() -> None:
    """A cancel check that never stops anything."""


def gather(
    path: Path,
    *,
    roster: Path | None = None,
    several: Several = Several.AUTO,
    check_cancelled: Callable[[], None] = nothing,
) -> Gathered:
    """Find out who handed in what in a folder, a zip file or a Moodle download.

    Every file is read once for its hash, none is opened as a document. Raises InputError where
    the source or the roster cannot be read, EmptyEssay where the source holds no essay at all,
    and what `check_cancelled` raises.
    """
    given = _given_roster(roster)
    with open_source(path) as source:
        found = _lists(source)
        roster_rows = given.rows or found.roster.rows
        students = Roster((*given.rows, *found.roster.rows))
        is_moodle = any(moodle_file(entry.path) for entry in source.entries)
        others = [
            entry
            for entry in source.entries
            if entry.name not in found.used and not _is_same_file(path, entry, roster)
        ]
        piles, skipped = _sort(others, students, is_moodle=is_moodle)
        submissions = tuple(
            _submission(source, pile, several, skipped, check_cancelled) for pile in piles
        )
        skipped = [*source.skipped, *skipped]
    if not submissions:
        raise EmptyEssay(f"{path.name} holds no essays{_why_not(skipped)}.", hint=_FORMATS_HINT)
    kind = SourceKind.FOLDER if path.is_dir() else SourceKind.ZIP
    missing = _missing(roster_rows, submissions)
    return Gathered(
        source=path.absolute(),
        kind=SourceKind.MOODLE if is_moodle else kind,
        submissions=_with_duplicates(submissions),
        skipped=tuple(skipped),
        missing=missing,
        notices=_notices(missing),
        worksheet=found.worksheet,
        folders={pile.student.key: pile.folder for pile in piles if pile.folder},
    )


def _why_not(skipped: Sequence[Skipped]) -> str:
    """What became of the files that are there; empty where there are none."""
    told = [f"{one.name}: {one.message.rstrip('.')}" for one in skipped[:_MOST_TOLD]]
    if len(skipped) > _MOST_TOLD:
        told.append(f"and {len(skipped) - _MOST_TOLD} more")
    return f" that can be checked ({'; '.join(told)})" if told else ""


def _given_roster(path: Path | None) -> Roster:
    if path is None:
        return Roster()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"The roster {path.name} cannot be read.") from error
    return read_roster(data, path.name)


@dataclass(frozen=True)
class _Lists:
    """The tables of students that lie in the source itself, and the students they name."""

    roster: Roster = field(default_factory=Roster)
    worksheet: str = ""
    used: frozenset[str] = frozenset()


def _lists(source: Source) -> _Lists:
    """Moodle's grading worksheet if there is one, else a table called a roster."""
    found = _Lists()
    for entry in source.entries:
        is_candidate = entry.path.suffix.lower() == ".csv" and len(entry.path.parts) <= 2
        if not is_candidate or moodle_file(entry.path):
            continue
        try:
            data = read_whole(source, entry.name)
            if is_worksheet(read_table(data, entry.path.name)):
                used = found.used | {entry.name}
                return _Lists(read_roster(data, entry.path.name), entry.name, used)
            if _ROSTER_NAME.search(entry.path.stem) and not found.used:
                found = _Lists(read_roster(data, entry.path.name), "", frozenset({entry.name}))
        except InputError:
            continue
    return found


def _is_same_file(folder: Path, entry: Entry, roster: Path | None) -> bool:
    """Whether an entry of a folder is the roster that was named."""
    if roster is None or not folder.is_dir():
        return False
    return (folder / entry.name).absolute() == roster.absolute()


def _sort(
    entries: Sequence[Entry], roster: Roster, *, is_moodle: bool
) -> tuple[list[_Pile], list[Skipped]]:
    """Files by student, in the order in which the students turn up, and what is nobody's."""
    piles: dict[str, _Pile] = {}
    skipped: list[Skipped] = []
    owners = _folder_owners(entries)
    for entry in entries:
        mark = moodle_file(entry.path)
        if is_moodle and mark is None:
            skipped.append(
                Skipped(entry.name, "no-student", "Moodle's naming does not say whose file it is.")
            )
            continue
        student, is_known = _owner(entry, mark, roster, owners)
        pile = piles.setdefault(student.key, _Pile(student))
        pile.is_known = pile.is_known or is_known
        pile.folder = pile.folder or ("" if mark is None else mark.folder)
        refusal = _refusal(entry)
        if refusal is None:
            pile.files.append(entry)
        else:
            pile.refused.append(refusal)
            skipped.append(refusal)
    kept = [pile for pile in piles.values() if pile.files or pile.is_known]
    return kept, skipped


def _refusal(entry: Entry) -> Skipped | None:
    """Why a file is no essay, by its name; None where it may be one."""
    try:
        format_of(Path(entry.path.name))
    except UnsupportedFormat as error:
        hint = error.hint if entry.path.suffix.lower() == ".doc" else ""
        message = (
            "A zip inside the source; unpack it first."
            if (entry.path.suffix.lower() == ".zip")
            else f"{error.message} {hint}".strip()
        )
        return Skipped(entry.name, error.code, message)
    return None


def _owner(
    entry: Entry, mark: MoodleFile | None, roster: Roster, owners: Mapping[str, str]
) -> tuple[Student, bool]:
    """Whose file it is, and whether that is certain even if it is no essay."""
    if mark is not None:
        known = roster.for_participant(mark.participant)
        if known is not None:
            return known, True
        name = shown_name(mark.name.replace("_", " ")) or f"Participant {mark.participant}"
        key = f"moodle:{mark.participant}"
        return Student(key, name, participant=mark.participant), True
    folder = str(entry.path.parent)
    for name in (entry.path.stem, *reversed(entry.path.parent.parts)):
        known = roster.for_name(name)
        if known is not None:
            return known, True
    if folder in owners:
        name = shown_name(owners[folder].replace("_", " "))
        group = " / ".join(PurePosixPath(folder).parent.parts)
        return Student(f"folder:{folder.casefold()}", name, group=group), False
    name = student_name(entry.path.stem)
    group = "" if folder == "." else " / ".join(entry.path.parent.parts)
    key = f"file:{folder.casefold()}/{' '.join(name_words(name)) or name}"
    return Student(key, name, group=group), False


def _folder_owners(entries: Sequence[Entry]) -> dict[str, str]:
    """Folders that are one student's, with the student's name; the others are groups."""
    inside: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if entry.path.suffix.lower() in FORMATS and entry.path.parent != PurePosixPath("."):
            inside[str(entry.path.parent)].append(entry.path.name)
    # A wrapper around the whole class: the only folder, with several essays in it.
    loose = any(entry.path.parent == PurePosixPath(".") for entry in entries)
    if len(inside) == 1 and not loose:
        ((only, names),) = inside.items()
        if len(names) > 1 and not looks_like_one_student(names, most=1):
            return {}
        return {only: PurePosixPath(only).name}
    return {
        folder: PurePosixPath(folder).name
        for folder, names in inside.items()
        if looks_like_one_student(names)
    }


def _submission(
    source: Source,
    pile: _Pile,
    several: Several,
    skipped: list[Skipped],
    check_cancelled: Callable[[], None],
) -> Submission:
    """One student's submission, with the files hashed and chosen."""
    notices: list[Notice] = []
    hashed: list[tuple[Entry, SubmittedFile]] = []
    for entry in pile.files:
        check_cancelled()
        file = SubmittedFile(entry.name, entry.size, _hash_or_nothing(source, entry))
        twin = next(
            (other for _, other in hashed if file.sha256 and other.sha256 == file.sha256), None
        )
        if twin is None:
            hashed.append((entry, file))
            continue
        skipped.append(Skipped(entry.name, "duplicate", f"The same content as {twin.name}."))
        notices.append(Notice("same-file-twice", "The same file was handed in twice."))
    chosen, about = _chosen(hashed, several)
    for entry, _file in hashed:
        if all(entry.name != file.name for file in chosen):
            skipped.append(Skipped(entry.name, "older-version", "A later file was taken instead."))
    return Submission(
        student=pile.student,
        files=chosen,
        digest=_digest(chosen),
        notices=(*notices, *about),
        error=None if chosen else dict(_NO_ESSAY),
    )


def _hash_or_nothing(source: Source, entry: Entry) -> str:
    """The file's hash; empty where it cannot be read, which checking it will name."""
    try:
        return sha256_of(source, entry.name)
    except InputError:
        return ""


def _chosen(
    hashed: Sequence[tuple[Entry, SubmittedFile]], several: Several
) -> tuple[tuple[SubmittedFile, ...], tuple[Notice, ...]]:
    """The files that make the essay, in order, and what to say about them."""
    if len(hashed) < 2:
        return tuple(file for _, file in hashed), ()
    names = [entry.name for entry, _ in hashed]
    if several is Several.LATEST or (several is Several.AUTO and are_versions(names)):
        entry, file = max(
            hashed, key=lambda one: (version_rank(one[0].name), one[0].changed, one[0].name)
        )
        message = f"{len(hashed)} files were handed in; the latest, {entry.path.name}, was taken."
        return (file,), (Notice("latest-taken", message),)
    ordered = sorted(hashed, key=lambda one: natural_order(one[0].name))
    joined = ", ".join(entry.path.name for entry, _ in ordered)
    message = f"{len(hashed)} files were joined in this order: {joined}."
    return tuple(file for _, file in ordered), (Notice("files-joined", message),)


def _digest(files: Sequence[SubmittedFile]) -> str:
    """One hash for all of a submission's content, whatever the files are called."""
    joined = "\n".join(file.sha256 or f"unread:{file.size}" for file in files)
    return hashlib.sha256(joined.encode()).hexdigest()


def _with_duplicates(submissions: Sequence[Submission]) -> tuple[Submission, ...]:
    """The submissions, with a notice on those whose content another student handed in too."""
    counted = Counter(one.digest for one in submissions if one.files)
    by_digest: defaultdict[str, list[str]] = defaultdict(list)
    for one in submissions:
        if counted[one.digest] > 1 and all(file.sha256 for file in one.files):
            by_digest[one.digest].append(one.student.name)
    noticed = []
    for one in submissions:
        names = by_digest.get(one.digest, []) if one.files else []
        others = list(names)
        if one.student.name in others:
            others.remove(one.student.name)
        if others:
            message = f"The same file was handed in by {', '.join(others)}."
            one = one.with_notices([Notice("same-as-other", message)])  # noqa: PLW2901
        noticed.append(one)
    return tuple(noticed)


def _missing(rows: Sequence[RosterRow], submissions: Sequence[Submission]) -> tuple[Student, ...]:
    """The roster's students without a submission; two lists may know them by different numbers."""
    keys = {one.student.key for one in submissions}
    names = {tuple(sorted(name_words(one.student.name))) for one in submissions}
    return tuple(
        row.student
        for row in rows
        if row.student.key not in keys and tuple(sorted(name_words(row.student.name))) not in names
    )


def _notices(missing: Sequence[Student]) -> tuple[Notice, ...]:
    if not missing:
        return ()
    students = "1 student" if len(missing) == 1 else f"{len(missing)} students"
    return (Notice("nothing-handed-in", f"{students} of the roster handed in nothing."),)
