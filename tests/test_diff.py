"""Word-level edits: exact, minimal, and never inside a word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import Edit, EditKind
from engine.diff import apply_edits, changed_words, word_edits

_WORDS = st.lists(
    st.sampled_from(["a", "the", "ad", "don't", "It’s", ",", "🙂", "well-known", "é"])
)
_TEXT = st.text(max_size=60)


@settings(max_examples=50, deadline=None)
@given(_TEXT, _TEXT)
def test_applying_the_edits_gives_the_new_text(old: str, new: str) -> None:
    assert apply_edits(old, word_edits(old, new)) == new


@settings(max_examples=50, deadline=None)
@given(_WORDS, _WORDS)
def test_edits_are_in_order_apart_and_quote_the_old_text(old: list[str], new: list[str]) -> None:
    before, after = " ".join(old), " ".join(new)
    edits = word_edits(before, after)
    assert apply_edits(before, edits) == after
    for edit in edits:
        assert before[edit.start : edit.end] == edit.old
        assert edit.old != edit.new
    for left, right in pairwise(edits):
        assert left.end < right.start


@settings(max_examples=30, deadline=None)
@given(_TEXT)
def test_equal_texts_have_no_edits(text: str) -> None:
    assert word_edits(text, text) == ()


@settings(max_examples=50, deadline=None)
@given(_WORDS, st.integers(0, 8))
def test_one_inserted_word_is_one_edit_of_one_word(old: list[str], place: int) -> None:
    new = [*old[:place], "however", *old[place:]]
    edits = word_edits(" ".join(old), " ".join(new))
    assert len(edits) == 1
    assert changed_words(edits) == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("But it is.", "However, it is.", Edit(EditKind.REPLACE, 0, 3, "But", "However,")),
        ("And I go.", "I go.", Edit(EditKind.DELETE, 0, 4, "And ", "")),
        ("It is so.", "It is not so.", Edit(EditKind.INSERT, 6, 6, "", "not ")),
        ("I can't go", "I couldn't go", Edit(EditKind.REPLACE, 2, 7, "can't", "couldn't")),
    ],
)
def test_names_the_smallest_change(old: str, new: str, expected: Edit) -> None:
    assert word_edits(old, new) == (expected,)


def test_offsets_count_code_points_behind_emoji_and_combining_marks() -> None:
    old = "👩‍👩‍👧 cafe\u0301 But yes"
    (edit,) = word_edits(old, old.replace("But", "However"))
    assert old[edit.start : edit.end] == "But"


def test_neighbouring_changes_are_one_edit() -> None:
    (edit,) = word_edits("we eat a lot of food", "we like much good food")
    assert (edit.old, edit.new) == ("eat a lot of", "like much good")
    assert changed_words((edit,)) == 4


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 9))
def test_a_very_long_line_is_still_exact(seed: int) -> None:
    old = " ".join(f"w{(n * seed) % 7}" for n in range(1500))
    new = " ".join(f"w{(n * (seed + 1)) % 5}" for n in range(1500))
    assert apply_edits(old, word_edits(old, new)) == new
