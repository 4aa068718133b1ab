"""Opening markers are told from words that only look like them."""

from __future__ import annotations

import pytest

from engine.rewriter.inventory import MARKERS, STANDARD, Register, opening_marker


@pytest.mark.parametrize(
    ("sentence", "marker", "body"),
    [
        ("But the ad lies.", "but", "the ad lies."),
        ("“However, he left.”", "however", "he left.”"),
        ("That’s why I work.", "that's why", "I work."),
        ("And also, we rest.", "and also", "we rest."),
        (", so you rest.", "so", "you rest."),
        ("First I went home.", "first", "I went home."),
        ("For example you rest.", "for example", "you rest."),
        ("On the other hand, we rest.", "on the other hand", "we rest."),
    ],
)
def test_finds_the_marker_and_where_the_rest_begins(sentence: str, marker: str, body: str) -> None:
    found = opening_marker(sentence)
    assert found is not None
    assert found.marker.text == marker
    assert sentence[found.body :] == body


@pytest.mark.parametrize(
    "sentence",
    [
        "So many people came.",
        "First impressions matter.",
        "Besides my work I rest.",
        "Last year I rested.",
        "However hard you try, it fails.",
        "Butter is cheap.",
        "Well-known people rest.",
        "Like I said, we rest.",
        "But",
        "",
    ],
)
def test_other_words_are_no_markers(sentence: str) -> None:
    assert opening_marker(sentence) is None


def test_the_inventory_is_large_and_has_no_doubles() -> None:
    assert len(MARKERS) >= 80
    assert len({marker.text for marker in MARKERS}) == len(MARKERS)


def test_what_is_written_is_formal_and_recognised_again() -> None:
    for relation, options in STANDARD.items():
        for option in options:
            found = opening_marker(f"{option}, the students rest.")
            assert found is not None
            assert found.marker.register is Register.FORMAL
            assert found.marker.relation is relation
