"""Pieces become text: characters whole, stop strings never shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.llm.streaming import TextStream


def test_a_character_in_several_pieces_waits_for_its_last_byte() -> None:
    heard: list[str] = []
    stream = TextStream(on_text=heard.append)
    for byte in "naïve 🙂".encode():
        stream.add_bytes(bytes([byte]))
    assert stream.finish() == "naïve 🙂"
    assert "".join(heard) == "naïve 🙂"
    assert "\N{REPLACEMENT CHARACTER}" not in "".join(heard)


def test_half_a_character_at_the_end_is_shown_as_broken_not_lost() -> None:
    stream = TextStream()
    stream.add_bytes("é".encode()[:1])
    assert stream.finish() == "\N{REPLACEMENT CHARACTER}"


def test_a_stop_string_over_two_pieces_ends_the_text_and_is_not_part_of_it() -> None:
    heard: list[str] = []
    stream = TextStream(("<end>",), on_text=heard.append)
    for piece in ("Good <e", "nd> bad", " worse"):
        stream.add(piece)
    assert stream.is_stopped
    assert stream.finish() == "Good "
    assert "".join(heard) == "Good "


def test_what_only_looked_like_a_stop_string_is_passed_on() -> None:
    stream = TextStream(("<end>",))
    stream.add("a <en")
    assert stream.text == "a "
    stream.add("try> b")
    assert stream.finish() == "a <entry> b"


def test_the_earliest_of_several_stop_strings_counts() -> None:
    stream = TextStream(("zz", "b"))
    stream.add("abczz")
    assert stream.finish() == "a"


@given(
    st.text(alphabet="ab<>\n", max_size=40),
    st.lists(st.text(alphabet="ab<>\n", min_size=1, max_size=4), max_size=3),
    st.lists(st.integers(1, 5), max_size=40),
)
def test_the_text_does_not_depend_on_how_it_comes_in_pieces(
    text: str, stop: list[str], sizes: list[int]
) -> None:
    places = [text.find(mark) for mark in stop if mark in text]
    expected = text[: min(places)] if places else text
    stream = TextStream(stop)
    at = 0
    for size in sizes:
        stream.add(text[at : at + size])
        at += size
    stream.add(text[at:])
    assert stream.finish() == expected
    assert stream.is_stopped == bool(places)
