"""Windows: every sentence judged once, nothing cut, cost linear."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.tagger.inputs import (
    CONTEXT_TOKENS,
    MAX_TOKENS,
    OPEN_ID,
    PIECE_TOKENS,
    SEPARATOR_ID,
    TOPIC_TOKENS,
    plan_windows,
)

lengths = st.lists(st.integers(1, 700), min_size=1, max_size=25)
topics = st.integers(0, 300)


def essay_of(sizes: list[int]) -> list[tuple[int, ...]]:
    return [
        tuple(range(1000 + 10_000 * n, 1000 + 10_000 * n + size)) for n, size in enumerate(sizes)
    ]


@given(lengths, topics)
def test_every_token_is_judged_exactly_once(sizes: list[int], topic: int) -> None:
    sentences = essay_of(sizes)
    judged = [
        token
        for window in plan_windows((7,) * topic, sentences)
        for place in window.places
        if place.judged
        for token in window.tokens[place.start : place.end]
    ]
    assert judged == [token for sentence in sentences for token in sentence]


@given(lengths, topics)
def test_no_window_is_longer_than_the_encoder_reads(sizes: list[int], topic: int) -> None:
    for window in plan_windows((7,) * topic, essay_of(sizes)):
        assert len(window.tokens) <= MAX_TOKENS


@given(lengths)
def test_places_hold_their_own_sentence_between_separators(sizes: list[int]) -> None:
    sentences = essay_of(sizes)
    for window in plan_windows((), sentences):
        assert window.tokens[0] == OPEN_ID
        for place in window.places:
            piece = window.tokens[place.start : place.end]
            assert set(piece) <= set(sentences[place.sentence])
            assert window.tokens[place.end] == SEPARATOR_ID


@given(st.lists(st.integers(1, 40), min_size=30, max_size=60))
def test_later_windows_begin_with_context(sizes: list[int]) -> None:
    for window in plan_windows((), essay_of(sizes))[1:]:
        context = [place for place in window.places if not place.judged]
        assert context
        assert sum(place.end - place.start + 1 for place in context) <= CONTEXT_TOKENS


def test_the_work_grows_with_the_essay_and_no_faster() -> None:
    def work(count: int) -> int:
        return sum(len(window.tokens) for window in plan_windows((9,) * 20, essay_of([20] * count)))

    assert work(1600) / work(160) < 10.5


def test_a_short_essay_is_one_window() -> None:
    windows = plan_windows((5, 6), [(11, 12), (13,)])
    assert [window.tokens for window in windows] == [
        (OPEN_ID, 5, 6, SEPARATOR_ID, 11, 12, SEPARATOR_ID, 13, SEPARATOR_ID)
    ]


def test_a_sentence_longer_than_a_window_is_read_in_pieces() -> None:
    windows = plan_windows((), [tuple(range(500, 500 + 2 * PIECE_TOKENS + 5))])
    assert sum(len(window.places) for window in windows) == 3


def test_an_endless_topic_leaves_room_for_the_essay() -> None:
    (window,) = plan_windows((5,) * 2000, [(11,)])
    assert window.tokens.count(5) == TOPIC_TOKENS
