"""File names that every system takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.classroom.file_names import plain_file_name


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("王小明.txt", "王小明.txt"),
        ("a/b:c?.txt", "a_b_c_.txt"),
        ("CON.txt", "_CON.txt"),
        ("  .. ", "file"),
        ("Ann\u202etxt.exe", "Ann_txt.exe"),
        ("dot at the end .", "dot at the end"),
    ],
)
def test_what_a_system_refuses_is_replaced(name: str, plain: str) -> None:
    assert plain_file_name(name) == plain


@given(st.text(max_size=400))
def test_any_text_becomes_a_short_name_without_folders(name: str) -> None:
    plain = plain_file_name(name)
    assert plain.strip(" .")
    assert not set(plain) & set('<>:"/\\|?*\0\n')
    assert len(plain.encode("utf-8", "replace")) <= 255
