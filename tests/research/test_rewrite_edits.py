import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.research.rewrites.edits import EditCounts, changed_word_ratio, token_edits, tokens


def test_tokens_are_words_and_punctuation_marks_without_case() -> None:
    assert tokens("I don't eat well-done  Steak, OK?") == (
        "i", "don't", "eat", "well-done", "steak", ",", "ok", "?",
    )  # fmt: skip


def test_curly_marks_count_as_straight_ones() -> None:
    assert tokens("“I don’t”") == tokens('"I don\'t"')


@pytest.mark.parametrize(
    ("new", "edits"),
    [
        ("However, it is cold.", {(0, 1, ("however", ","))}),
        ("It is cold.", {(0, 1, ())}),
        ("But it is very cold.", {(3, 3, ("very",))}),
        ("But it is cold today.", {(4, 4, ("today",))}),
        ("But the room is hot.", {(1, 2, ("the", "room")), (3, 4, ("hot",))}),
        ("", {(0, 5, ())}),
        ("But it is cold.", set()),
        ("but  it is COLD .", set()),
    ],
)
def test_an_edit_says_which_tokens_become_which(
    new: str, edits: set[tuple[int, int, tuple[str, ...]]]
) -> None:
    assert token_edits("But it is cold.", new) == edits


def test_changed_neighbours_are_one_edit() -> None:
    assert token_edits("We see two dogs.", "We see many cats.") == {(2, 4, ("many", "cats"))}


def test_a_dropped_marker_is_one_edit_whatever_happens_to_the_capital() -> None:
    assert token_edits("And they sleep.", "They sleep.") == {(0, 1, ())}


def test_only_the_very_same_edit_is_right() -> None:
    expert = token_edits("But it is cold.", "However, it is cold today.")
    assert EditCounts.of(expert, token_edits("But it is cold.", "However, it is cold.")) == (
        EditCounts(right=1, surplus=0, missing=1)
    )
    assert EditCounts.of(expert, token_edits("But it is cold.", "Yet it is cold today.")) == (
        EditCounts(right=1, surplus=1, missing=1)
    )


def test_deleting_the_sentence_is_one_surplus_edit_against_a_text() -> None:
    expert = token_edits("But it is cold.", "However, it is cold.")
    assert EditCounts.of(expert, token_edits("But it is cold.", "")) == EditCounts(0, 1, 1)


def test_f05_counts_precision_twice_as_much_as_recall() -> None:
    counts = EditCounts(right=2, surplus=1, missing=6)
    precision, recall = 2 / 3, 2 / 8
    assert counts.precision == pytest.approx(precision)
    assert counts.recall == pytest.approx(recall)
    expected = 1.25 * precision * recall / (0.25 * precision + recall)
    assert counts.f05 == pytest.approx(expected)
    assert EditCounts(2, 6, 1).f05 < counts.f05  # type: ignore[operator]


def test_counts_of_sentences_add_up() -> None:
    assert EditCounts(1, 2, 3) + EditCounts(4, 5, 6) == EditCounts(5, 7, 9)


def test_without_edits_a_score_is_left_open() -> None:
    assert EditCounts().f05 is None
    assert EditCounts(missing=3).precision is None
    assert EditCounts(missing=3).f05 == 0.0
    assert EditCounts(surplus=3).recall is None


@pytest.mark.parametrize(
    ("new", "ratio"),
    [
        ("But it is cold.", 0.0),
        ("However, it is cold.", 0.25),
        ("But it is cold, very cold.", 0.5),
        ("It is cold.", 0.25),
        ("But it is cold!", 0.0),
        ("We ran home at once today.", 1.5),
    ],
)
def test_the_changed_word_ratio_counts_the_longer_side_of_each_edit(new: str, ratio: float) -> None:
    assert changed_word_ratio("But it is cold.", new) == pytest.approx(ratio)


TEXT = st.text(alphabet="ab ,.’'-Bß\u0130", max_size=16)


@given(TEXT, TEXT)
def test_edits_put_in_give_the_new_tokens(old: str, new: str) -> None:
    result = list(tokens(old))
    for start, end, replacement in sorted(token_edits(old, new), reverse=True):
        result[start:end] = replacement
    assert tuple(result) == tokens(new)


@given(TEXT, TEXT)
def test_no_edits_means_the_same_tokens(old: str, new: str) -> None:
    assert (token_edits(old, new) == frozenset()) is (tokens(old) == tokens(new))
