"""How reports put things: counts, lists, dates, and text made fit to be shown anywhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import date

_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def shown(text: str) -> str:
    """The text with each character that no file format may hold made visible.

    Control characters and halves of surrogate pairs become U+FFFD. Marks that force a writing
    direction become a word joiner, which shows nothing, so that a name cannot turn a page
    around. Every character stays one character: offsets still hold.
    """
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in _OVERRIDES:
        return "\u2060"
    if character in "\n\t":
        return character
    # U+FFFE and U+FFFF are no characters, and XML may not hold them.
    if unicodedata.category(character) in ("Cc", "Cs") or ord(character) & 0xFFFE == 0xFFFE:
        return "\N{REPLACEMENT CHARACTER}"
    return character


def one_line(text: str) -> str:
    """The text on one line; newlines and tabs become spaces, one for one."""
    return shown(text).translate({0x0A: " ", 0x09: " ", 0x2028: " ", 0x2029: " "})


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction belongs to a right-to-left script."""
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def counted(number: int, noun: str) -> str:
    """The number with its noun: "1 sentence", "2 sentences"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """The items as English lists them: "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def long_date(day: date | None) -> str:
    """The day as "7 March 2026", which reads the same everywhere; empty for none."""
    return "" if day is None else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def shortened(text: str, most: int) -> str:
    """The text cut at a word to at most `most` characters, with an ellipsis where it was cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    head = cut.rpartition(" ")[0]
    return (head if len(head) > most // 2 else cut).rstrip(" ,;:") + "…"
