"""Thresholds: where a sentence is flagged, and from which share a reason is named."""

from __future__ import annotations

import numpy as np
import pytest

from engine.research.training.operating import (
    EXPERT_SHARES,
    detection_threshold,
    group_threshold,
    strictness_thresholds,
)
from engine.scheme import Group

GENERATOR = np.random.default_rng(3)
GOLD = GENERATOR.random(2000) < 0.33
CORRECTED = np.clip(GENERATOR.normal(0.3 + 0.3 * GOLD, 0.1), 0, 1).astype(np.float32)
MISTYPED = np.clip(CORRECTED + 0.1, 0, 1).astype(np.float32)


@pytest.mark.parametrize("group", list(Group))
def test_a_group_is_named_as_often_as_experts_name_it(group: Group) -> None:
    threshold = group_threshold(group, [CORRECTED, MISTYPED])
    named = np.mean([(scores >= threshold).mean() for scores in (CORRECTED, MISTYPED)])
    assert named == pytest.approx(EXPERT_SHARES[group], abs=0.01)


def test_the_threshold_of_detection_parts_the_classes() -> None:
    assert detection_threshold(GOLD, [CORRECTED]) == pytest.approx(0.46, abs=0.04)


def test_corrected_and_mistyped_essays_share_a_threshold_between_their_own() -> None:
    alone = detection_threshold(GOLD, [CORRECTED])
    mistyped = detection_threshold(GOLD, [MISTYPED])
    assert alone < detection_threshold(GOLD, [CORRECTED, MISTYPED]) < mistyped


def test_the_outer_settings_lie_on_either_side_of_the_balanced_one() -> None:
    cuts = strictness_thresholds(GOLD, [CORRECTED, MISTYPED])
    assert cuts["thorough"] < cuts["balanced"] < cuts["few"]
