"""The next token: the likeliest, or one drawn from the top, the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.llm.sampling import Sampler, log_chances, mean_log_chance

SCORES = np.array([1.0, 3.0, 2.0, -50.0], dtype=np.float32)


def test_at_temperature_0_the_likeliest_is_taken() -> None:
    sampler = Sampler()
    assert [sampler.pick(SCORES) for _ in range(5)] == [1] * 5


def test_the_same_seed_gives_the_same_choices_and_another_seed_others() -> None:
    def choices(seed: int) -> list[int]:
        sampler = Sampler(temperature=1.0, seed=seed)
        return [sampler.pick(SCORES) for _ in range(30)]

    assert choices(1) == choices(1)
    assert choices(1) != choices(2)


def test_choices_come_as_often_as_their_probabilities_say() -> None:
    sampler = Sampler(temperature=1.0, seed=0)
    counts = np.bincount([sampler.pick(SCORES) for _ in range(4000)], minlength=4) / 4000
    assert counts == pytest.approx(np.exp(log_chances(SCORES.astype(np.float64))), abs=0.03)


def test_only_the_top_share_is_drawn_from() -> None:
    sampler = Sampler(temperature=1.0, top_p=0.6, seed=0)
    assert {sampler.pick(SCORES) for _ in range(200)} == {1}
    wider = Sampler(temperature=1.0, top_p=0.7, seed=0)
    assert {wider.pick(SCORES) for _ in range(200)} == {1, 2}


def test_a_choice_uses_one_random_number_whatever_the_scores() -> None:
    first, second = (Sampler(temperature=1.0, seed=5) for _ in range(2))
    first.pick(SCORES)
    second.pick(np.zeros(9, dtype=np.float32))
    assert first.pick(SCORES) == second.pick(SCORES)


def test_the_mean_log_chance_is_in_nats_a_token() -> None:
    rows = np.zeros((3, 4), dtype=np.float32)
    assert mean_log_chance(rows, [0, 1, 2]) == pytest.approx(-math.log(4))
