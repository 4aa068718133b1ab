"""Plain data back to a dataclass: by the fields' types, and nothing that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from engine.plain_data import read_back


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Thing:
    name: str
    count: int
    share: float
    is_big: bool
    colour: Colour = Colour.RED
    parts: Mapping[str, str] = field(default_factory=dict)


GOOD = {"name": "a", "count": 2, "share": 0.5, "is_big": True}


def test_every_field_is_read_by_its_name_and_type() -> None:
    data = {**GOOD, "colour": "red", "something": "else"}
    assert read_back(Thing, data) == Thing("a", 2, 0.5, True, Colour.RED)


def test_what_is_no_plain_value_is_given() -> None:
    parts = {"x": "y"}
    assert read_back(Thing, {**GOOD, "parts": 1}, parts=parts).parts is parts
    with pytest.raises(TypeError, match="parts"):
        read_back(Thing, {**GOOD, "parts": {}})


def test_a_whole_number_is_a_number() -> None:
    share = read_back(Thing, {**GOOD, "share": 1}).share
    assert (share, type(share)) == (1.0, float)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", None), ("name", 3), ("count", "2"), ("count", 2.5), ("count", True),
        ("share", "0.5"), ("share", True), ("is_big", 1), ("is_big", "yes"), ("colour", "blue"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name if name != "colour" else "blue"):
        read_back(Thing, {**GOOD, name: value})


def test_a_missing_field_is_named() -> None:
    with pytest.raises(KeyError, match="count"):
        read_back(Thing, {"name": "a", "share": 0.5, "is_big": True})


def test_no_text_gets_into_the_error() -> None:
    with pytest.raises(ValueError, match="count") as caught:
        read_back(Thing, {**GOOD, "count": "My summer holidays"})
    assert "holidays" not in str(caught.value)
