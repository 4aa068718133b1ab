"""Opening words, length and place, as columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tagger.surface import FEATURES, surface_features


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
