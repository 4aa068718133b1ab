"""School, logo and teacher: from the settings, or from the command line in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.classroom.letterhead import (
    SCHOOL_LOGO,
    SCHOOL_NAME,
    TEACHER_NAME,
    Letterhead,
    read_letterhead,
)
from engine.errors import UnreadableFile, UsageError

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    logo = tmp_path / "logo.png"
    logo.write_bytes(PNG)
    file = tmp_path / "settings.json"
    values = {SCHOOL_NAME: "Lycée 学校", SCHOOL_LOGO: str(logo), TEACHER_NAME: "Ms Okafor"}
    file.write_text(json.dumps(values), encoding="utf-8")
    return file


def test_the_settings_give_all_three(settings: Path) -> None:
    found = read_letterhead(file=settings)
    assert (found.school.name, found.school.logo, found.teacher) == ("Lycée 学校", PNG, "Ms Okafor")


def test_what_is_given_stands_in_place_of_the_settings(settings: Path) -> None:
    found = read_letterhead(school="Night School", teacher="", file=settings)
    assert (found.school.name, found.teacher) == ("Night School", "")
    assert found.school.logo == PNG


@pytest.mark.parametrize("content", ["", "[]", "{", '{"school_name": 5}'])
def test_settings_that_are_missing_or_damaged_count_as_empty(tmp_path: Path, content: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content, encoding="utf-8")
    assert read_letterhead(file=file) == Letterhead()
    assert read_letterhead(file=tmp_path / "nowhere.json") == Letterhead()


def test_a_logo_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"gone\.png"):
        read_letterhead(logo=tmp_path / "gone.png", file=tmp_path / "none.json")


def test_a_logo_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(b"GIF89a")
    with pytest.raises(UsageError):
        read_letterhead(logo=tmp_path / "logo.png", file=tmp_path / "none.json")
