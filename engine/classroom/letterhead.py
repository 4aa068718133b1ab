"""Whose reports these are: school, logo and teacher, as set once in the window's settings."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import UnreadableFile
from engine.folders import config_folder
from engine.reports.logo import logo_kind
from engine.reports.report_model import School

SCHOOL_NAME, SCHOOL_LOGO, TEACHER_NAME = "school_name", "school_logo", "teacher_name"
"""The names of the settings; `desktop.services.settings` declares them."""


@dataclass(frozen=True)
class Letterhead:
    """The head of every report of a class."""

    school: School = field(default_factory=School)
    teacher: str = ""


def make_letterhead(*, school: str = "", logo: Path | None = None, teacher: str = "") -> Letterhead:
    """A letterhead from its parts.

    Raises UnreadableFile where the logo cannot be read, UsageError where it is not a picture that
    reports can show.
    """
    return Letterhead(School(school.strip(), _picture(logo)), teacher.strip())


def read_letterhead(
    *,
    school: str | None = None,
    logo: Path | None = None,
    teacher: str | None = None,
    file: Path | None = None,
) -> Letterhead:
    """The letterhead of the settings in `file`, with what is given here in its place.

    `file` is by default the window's `settings.json`. Settings that are missing or damaged count
    as empty, as they do in the window. Raises what `make_letterhead` raises.
    """
    stored = _stored(file or config_folder() / "settings.json")
    stored_logo = _text(stored, SCHOOL_LOGO)
    return make_letterhead(
        school=_text(stored, SCHOOL_NAME) if school is None else school,
        logo=Path(stored_logo) if logo is None and stored_logo else logo,
        teacher=_text(stored, TEACHER_NAME) if teacher is None else teacher,
    )


def _picture(path: Path | None) -> bytes:
    if path is None:
        return b""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(
            f"The logo {path} cannot be read: {error.strerror or error}.",
            hint="Choose the picture again in the settings, or give another --logo.",
        ) from error
    logo_kind(data)
    return data


def _stored(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _text(stored: dict[str, Any], name: str) -> str:
    value = stored.get(name, "")
    return value if isinstance(value, str) else ""
