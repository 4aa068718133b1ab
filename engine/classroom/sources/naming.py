"""What a file's name tells: whose essay it is, which version, which part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from engine.classroom.sources.roster import name_words, shown_name

# fmt: off
_ABOUT_THE_FILE = frozenset({
    "essay", "essays", "draft", "drafts", "final", "finished", "revised", "revision",
    "version", "copy", "homework", "assignment", "task", "text", "document", "doc", "paper",
    "writing", "composition", "submission", "student", "first", "second", "third", "new",
    "old", "corrected", "eng", "english", "my", "the", "of", "for", "作文", "作业", "мое",
    "эссе", "сочинение",
})
# fmt: on
_VERSION = re.compile(
    r"\b(?:v|ver|version)[\s._-]*(\d+)\b|\((\d+)\)|\b(draft|final|revised|corrected|copy|old|new)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"\b(?:part|page|p|teil|parte)[\s._-]*\d+\b|\b(?:part|page)\b", re.IGNORECASE)
_RANKS = {"old": 0, "draft": 1, "copy": 2, "new": 3, "revised": 4, "corrected": 4, "final": 5}
_VERSION_WORD = re.compile(r"v\d+|ver\d+|\(\d+\)")
_NUMBERS = re.compile(r"(\d+)")


def student_name(stem: str) -> str:
    """The student's name in a file's name without extension: what is not about the file.

    A name that is nothing but words about the file, such as `essay 3`, stays as it is.
    """
    plain = re.sub(r"\(\d+\)", " ", stem).replace("_", " ")
    plain = re.sub(r"(?<=\w)\s*-\s+|\s+-\s*(?=\w)|[.,;+=]+", " ", plain)
    words = plain.split()
    kept = [
        word
        for word in words
        if word.casefold() not in _ABOUT_THE_FILE and not _VERSION_WORD.fullmatch(word.casefold())
    ]
    part = _PART.sub(" ", " ".join(kept))
    name = shown_name(part)
    has_letters = any(character.isalpha() for character in name)
    return name if has_letters else shown_name(stem.replace("_", " ")) or "unnamed"


def is_about_the_file(stem: str) -> bool:
    """Whether a file's name tells nothing of its writer, such as `final draft 2`."""
    words = name_words(_VERSION.sub(" ", stem))
    return all(word in _ABOUT_THE_FILE or word.isdigit() or _PART.fullmatch(word) for word in words)


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sorting key with `page 2` before `page 10`."""
    return tuple(
        (0, int(piece), "") if piece.isdecimal() else (1, 0, piece.casefold())
        for piece in _NUMBERS.split(name)
        if piece
    )


def are_versions(names: Iterable[str]) -> bool:
    """Whether files by one student are versions of one essay rather than its parts.

    They are where their names differ only in words such as `draft` or `v2`, or in the extension.
    """
    stems = [PurePosixPath(name).stem for name in names]
    bare = {" ".join(_VERSION.sub(" ", _spaced(stem)).casefold().split()) for stem in stems}
    if any(_PART.search(_spaced(stem)) for stem in stems):
        return False
    if len(bare) == 1:
        return True
    return all(_VERSION.search(_spaced(stem)) or is_about_the_file(stem) for stem in stems) and any(
        _VERSION.search(_spaced(stem)) for stem in stems
    )


def version_rank(name: str) -> tuple[int, int]:
    """How late a version is by its name: `final` after `draft`, `v3` after `v2`."""
    word = number = 0
    for found in _VERSION.finditer(_spaced(PurePosixPath(name).stem)):
        digits = found[1] or found[2]
        if digits:
            number = max(number, int(digits))
        else:
            word = max(word, _RANKS[found[3].casefold()])
    return (word, number)


def looks_like_one_student(names: Sequence[str], *, most: int = 3) -> bool:
    """Whether a folder's files are one student's: few, or named for the work and not for people."""
    return len(names) <= most or all(is_about_the_file(PurePosixPath(n).stem) for n in names)


def _spaced(stem: str) -> str:
    """Underscores as spaces, which `\\b` needs."""
    return stem.replace("_", " ")
