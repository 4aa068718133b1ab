"""Both palettes can be read, and sizes follow the font."""

from __future__ import annotations

import re

import pytest

from desktop.theme import (
    PALETTES,
    SHAPE_PAIRS,
    TEXT_PAIRS,
    UNDERLINES,
    contrast,
    resolve,
    style_sheet,
)
from engine.scheme import Group


def test_contrast_agrees_with_the_published_ends_of_the_scale() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1.0


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize(("ink", "ground"), TEXT_PAIRS)
def test_text_has_contrast_aa(name: str, ink: str, ground: str) -> None:
    palette = PALETTES[name]
    assert contrast(getattr(palette, ink), getattr(palette, ground)) >= 4.5


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize(("line", "ground"), SHAPE_PAIRS)
def test_borders_and_focus_rings_have_contrast(name: str, line: str, ground: str) -> None:
    palette = PALETTES[name]
    assert contrast(getattr(palette, line), getattr(palette, ground)) >= 3.0


def test_groups_differ_by_line_and_not_only_by_colour() -> None:
    assert set(UNDERLINES) == set(Group)
    assert len(set(UNDERLINES.values())) == len(Group)


def test_the_system_theme_follows_the_system() -> None:
    assert resolve("system", system_is_dark=True).name == "dark"
    assert resolve("system", system_is_dark=False).name == "light"
    assert resolve("dark", system_is_dark=False).name == "dark"


def test_lengths_grow_with_the_font() -> None:
    palette = PALETTES["light"]
    heights = [
        int(re.findall(r"min-height: (\d+)px", style_sheet(palette, size))[0])
        for size in (9, 16, 32)
    ]
    assert heights == sorted(heights)
    assert heights[2] > 3 * heights[0]


@pytest.mark.parametrize("name", PALETTES)
def test_the_style_sheet_is_filled_in_whole(name: str) -> None:
    assert "$" not in style_sheet(PALETTES[name], 12)
