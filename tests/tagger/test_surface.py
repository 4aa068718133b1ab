"""Opening words, length and place, as columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tagger.surface import FEATURES, points_back, repeats, surface_features


def flags_of(sentence: str) -> set[str]:
    row = surface_features(["Opening.", sentence], "")[1]
    return {
        name.removeprefix("opens with ")
        for name, value in zip(FEATURES, row, strict=True)
        if name.startswith("opens with ") and value
    }


@pytest.mark.parametrize(
    ("sentence", "flags"),
    [
        ("But he left.", {"but"}),
        ("“So we stayed.”", {"so"}),
        ("So that we can stay, we pay.", set()),
        ("For example, dogs bark.", {"example"}),
        ("On the other hand, cats sleep.", {"contrast"}),
        ("Butter is yellow.", set()),
        ("They came.", {"they"}),
        ("(This helps.)", {"this"}),
        ("🙂 And then it rained.", set()),
    ],
)
def test_openings_are_recognised_as_whole_words(sentence: str, flags: set[str]) -> None:
    assert flags_of(sentence) == flags


def test_words_shared_with_the_sentence_before_are_counted_by_stem() -> None:
    rows = surface_features(["Students study.", "A student studies quietly."], "")
    column = FEATURES.index("shared words with the sentence before")
    assert rows[1, column] == pytest.approx(1 / 3)


@given(st.lists(st.text(max_size=60), max_size=12), st.text(max_size=30))
def test_any_text_gives_finite_rows(sentences: list[str], topic: str) -> None:
    rows = surface_features(sentences, topic)
    assert rows.shape == (len(sentences), len(FEATURES))
    assert np.isfinite(rows).all()


_CLAIM = "Cars will be fewer in twenty years."
_OTHERS = ("Trains are cheap.", "Buses are slow in my city.", "Petrol costs more each year.")


def test_a_sentence_that_says_word_for_word_what_an_earlier_one_says_repeats_it() -> None:
    essay = [_CLAIM, *_OTHERS, "cars will be fewer, in twenty years!", *_OTHERS]
    assert repeats(essay) == {4}, "the last two may restate, and three words are no repetition"


def test_another_word_is_no_repetition() -> None:
    assert repeats([_CLAIM, "Cars will be many in twenty years.", *_OTHERS]) == set()


def test_pronouns_and_additions_point_back_unless_the_sentence_has_what_they_stand_for() -> None:
    for text in (
        "It is also a good colour.",
        "My father knows the names of all of them.",
        "I also have a question about the test.",
        "He said that the food was good.",
        "Bread is cheap.",
    ):
        assert points_back(text), text
    assert not points_back("My cousin has a red car which he bought last summer.")
