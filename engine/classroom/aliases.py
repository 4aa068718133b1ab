"""Codes in place of students' names."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import secrets
from collections.abc import Collection, Iterable
from dataclasses import replace

from engine.classroom.model import Submission

_SIGNS = "23456789BCDFGHJKLMNPQRSTVWXZ"
"""No vowels and nothing that reads like another sign: no words, no mix-ups."""
_LENGTH = 5


def new_salt() -> str:
    """A secret for `with_aliases`, one for each assignment."""
    return secrets.token_hex(16)


def with_aliases(
    submissions: Iterable[Submission], salt: str, *, taken: Collection[str] = ()
) -> tuple[Submission, ...]:
    """The submissions with a code each, different from those `taken`.

    The same student gets the same code under the same salt; without the salt, which never leaves
    the history, nobody can find out a code from a name.
    """
    used = set(taken)
    coded = []
    for submission in submissions:
        alias = next(
            code
            for attempt in itertools.count()
            if (code := _code(submission.student.key, salt, attempt)) not in used
        )
        used.add(alias)
        coded.append(replace(submission, alias=alias))
    return tuple(coded)


def _code(key: str, salt: str, attempt: int) -> str:
    message = f"{key}\n{attempt}".encode("utf-8", "surrogatepass")
    digest = hmac.new(salt.encode(), message, hashlib.sha256).digest()
    return "Student " + "".join(_SIGNS[byte % len(_SIGNS)] for byte in digest[:_LENGTH])
