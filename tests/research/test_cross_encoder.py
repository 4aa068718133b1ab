"""The baseline that the tagger's speed is measured against."""

import pytest

from engine.research.cross_encoder import MAX_TOKENS, CrossEncoder, Shape, pair_tokens
from tests.benchmarks.bench_tagger import MOST_PASSES, Measured, Timing, spread_over, table_lines
from tests.benchmarks.made_up_essay import made_up_sentences

TINY = Shape(layers=1, width=16, heads=2, feed_forward=32, vocabulary=100)
SENTENCES = [(10, 11), (20,), (30, 31)]


def test_a_pair_is_the_whole_context_and_then_the_sentence() -> None:
    assert pair_tokens(SENTENCES, 2) == (0, 10, 11, 20, 2, 2, 30, 31, 2)


def test_context_that_does_not_fit_is_cut_at_its_beginning() -> None:
    assert pair_tokens(SENTENCES, 2, limit=8) == (0, 11, 20, 2, 2, 30, 31, 2)
    assert pair_tokens(SENTENCES, 2, limit=6) == (0, 2, 2, 30, 31, 2)


def test_a_pair_never_exceeds_the_encoder() -> None:
    long = [tuple(range(10, 60))] * 20 + [tuple(range(10, 99)) * 10]
    assert {len(pair_tokens(long, index)) for index in range(12, 21)} == {MAX_TOKENS}


def test_every_sentence_after_the_first_is_judged_in_a_pass_of_its_own() -> None:
    pytest.importorskip("transformers")
    encoder = CrossEncoder(TINY)
    judged = encoder.judge(SENTENCES)
    assert list(judged) == [1, 2]
    assert all(0 < probability < 1 for probability in judged.values())
    assert encoder.judge(SENTENCES, only=[0, 2]) == {2: judged[2]}


def test_the_same_seed_gives_the_same_weights() -> None:
    pytest.importorskip("transformers")
    first, second = CrossEncoder(TINY, seed=3), CrossEncoder(TINY, seed=3)
    assert first.judge(SENTENCES) == second.judge(SENTENCES)
    assert first.parameters == second.parameters


@pytest.mark.parametrize("words", [300, 3_000])
def test_essays_for_timing_have_the_length_asked_for(words: int) -> None:
    sentences = made_up_sentences(words)
    assert words <= sum(len(sentence.split()) for sentence in sentences) < words + 30
    assert made_up_sentences(words) == sentences


def test_long_essays_are_timed_on_an_even_spread() -> None:
    assert spread_over(4) == [1, 2, 3]
    spread = spread_over(1000)
    assert len(set(spread)) == MOST_PASSES
    assert (spread[0], spread[-1]) == (1, 958)


def test_the_table_compares_the_two_systems() -> None:
    timing = Timing(300, 18, 17, 5, 0.5, 0.4, 0.6)
    slow = Timing(300, 18, 9, 5, 6.0, 5.0, 7.0)
    lines = table_lines(
        [Measured("tagger", "t", (timing,), 300.0), Measured("baseline", "b", (slow,), 900.0)]
    )
    assert "300 words: the tagger takes 1/12.0 of the baseline" in lines
    assert any("from 9 passes" in line for line in lines)
