"""Which characters the shipped fonts can draw, so that none is ever lost without a word."""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from functools import cache
from pathlib import Path

from engine.resources import resources_folder

_INVISIBLE = frozenset("Cf Zs Zl Zp".split())


def fonts_folder() -> Path:
    """Where the shipped fonts lie."""
    return resources_folder() / "fonts"


class Coverage:
    """The characters of the shipped fonts, and their families in the order to try them."""

    def __init__(self, families: list[str], ranges: list[tuple[int, int]]) -> None:
        self.families = families
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def has(self, character: str) -> bool:
        """Whether some font draws the character, or it is one that shows nothing."""
        code = ord(character)
        place = bisect_right(self._starts, code) - 1
        if place >= 0 and code <= self._ends[place]:
            return True
        return character == "\n" or unicodedata.category(character) in _INVISIBLE

    def visible(self, text: str, unseen: set[str]) -> str:
        """The text with each character that no font draws named by its number, as [U+13000].

        Those characters are added to `unseen`.
        """
        lost = {character for character in set(text) if not self.has(character)}
        if not lost:
            return text
        unseen |= lost
        return "".join(f"[U+{ord(c):04X}]" if c in lost else c for c in text)


@cache
def shipped_coverage() -> Coverage:
    """What the fonts under resources/fonts cover, as written down when they were made."""
    record = json.loads((fonts_folder() / "coverage.json").read_text(encoding="utf-8"))
    return Coverage(record["families"], [(start, end) for start, end in record["ranges"]])
