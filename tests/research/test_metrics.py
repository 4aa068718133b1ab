"""Our scores against scikit-learn's, which the papers use."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from engine.research.metrics import (
    Booleans,
    Counts,
    Floats,
    auc,
    average_precision,
    bootstrap,
    calibration_bins,
    calibration_error,
    precision_recall,
)

sklearn_metrics = pytest.importorskip("sklearn.metrics")

LENGTHS = st.integers(1, 60)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Booleans, Booleans, Floats]:
    """Gold labels, predicted labels and scores (with ties) of one length."""
    length = draw(LENGTHS)
    gold = draw(arrays.arrays(np.bool_, length))
    predicted = draw(arrays.arrays(np.bool_, length))
    tenths = draw(arrays.arrays(np.int64, length, elements=st.integers(0, 10)))
    return gold, predicted, tenths / 10


@given(labelled())
def test_f1_precision_and_recall_agree_with_scikit_learn(
    data: tuple[Booleans, Booleans, Floats],
) -> None:
    gold, predicted, _ = data
    counts = Counts.of(gold, predicted)
    expected = sklearn_metrics.precision_recall_fscore_support(
        gold, predicted, average="binary", zero_division=0
    )
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(expected[:3])
    for average, own in (("weighted", counts.weighted_f1), ("macro", counts.macro_f1)):
        theirs = sklearn_metrics.f1_score(gold, predicted, average=average, zero_division=0)
        assert own == pytest.approx(theirs)


@given(labelled())
def test_kappa_agrees_with_scikit_learn(data: tuple[Booleans, Booleans, Floats]) -> None:
    gold, predicted, _ = data
    own = Counts.of(gold, predicted).kappa
    if gold.all() == predicted.all() and gold.any() == predicted.any() and gold.all() == gold.any():
        assert own is None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn_metrics.cohen_kappa_score(gold, predicted, labels=[False, True])
    assert own == pytest.approx(theirs)


@given(labelled())
def test_auc_agrees_with_scikit_learn_ties_included(
    data: tuple[Booleans, Booleans, Floats],
) -> None:
    gold, _, scores = data
    if gold.all() or not gold.any():
        assert auc(gold, scores) is None
    else:
        assert auc(gold, scores) == pytest.approx(sklearn_metrics.roc_auc_score(gold, scores))


@given(labelled())
def test_average_precision_agrees_with_scikit_learn(
    data: tuple[Booleans, Booleans, Floats],
) -> None:
    gold, _, scores = data
    if not gold.any():
        assert average_precision(gold, scores) is None
        return
    expected = sklearn_metrics.average_precision_score(gold, scores)
    assert average_precision(gold, scores) == pytest.approx(expected)


def test_precision_and_recall_step_once_a_distinct_score() -> None:
    gold = np.array([True, False, True, False])
    precision, recall = precision_recall(gold, np.array([0.9, 0.5, 0.5, 0.1]))
    assert precision.tolist() == pytest.approx([1.0, 2 / 3, 0.5])
    assert recall.tolist() == [0.5, 1.0, 1.0]


@given(labelled(), labelled())
def test_counts_of_batches_add_up(
    first: tuple[Booleans, Booleans, Floats], second: tuple[Booleans, Booleans, Floats]
) -> None:
    together = Counts.of(
        np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
    )
    assert Counts.of(first[0], first[1]) + Counts.of(second[0], second[1]) == together


@given(labelled())
def test_the_majority_row_is_a_model_that_always_says_the_same(
    data: tuple[Booleans, Booleans, Floats],
) -> None:
    gold, predicted, _ = data
    answer = np.full(gold.size, np.count_nonzero(gold) * 2 > gold.size)
    assert Counts.of(gold, predicted).majority() == Counts.of(gold, answer)


def test_nothing_to_score_is_undefined_and_not_zero() -> None:
    nothing = np.array([], dtype=bool)
    counts = Counts.of(nothing, nothing)
    assert (counts.weighted_f1, counts.macro_f1, counts.kappa) == (None, None, None)
    assert calibration_error(nothing, np.array([])) is None


def test_arrays_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in number"):
        Counts.of(np.array([True]), np.array([True, False]))


def test_a_perfectly_calibrated_score_has_no_error() -> None:
    gold = np.array([True, False] * 50)
    assert calibration_error(gold, np.full(100, 0.5)) == pytest.approx(0.0)
    assert calibration_error(gold, np.full(100, 0.9)) == pytest.approx(0.4)


@given(labelled())
def test_calibration_bins_hold_every_score_once(data: tuple[Booleans, Booleans, Floats]) -> None:
    gold, _, scores = data
    bins = calibration_bins(gold, scores)
    assert sum(n for _, _, n in bins) == gold.size
    assert [mean for mean, _, _ in bins] == pytest.approx(sorted(mean for mean, _, _ in bins))


def share(values: Booleans) -> list[NDArray[np.intp]]:
    """Twenty essays of five sentences each."""
    return np.array_split(np.arange(values.size), 20)


def test_bootstrap_intervals_hold_the_score_and_repeat_with_the_seed() -> None:
    values = np.random.default_rng(1).random(100) < 0.3
    first, second = (
        bootstrap(share(values), lambda chosen: [float(values[chosen].mean())], samples=400, seed=s)
        for s in (7, 7)
    )
    (interval,) = first
    assert first == second
    assert interval is not None
    assert interval.low < values.mean() < interval.high


def test_bootstrap_draws_whole_essays() -> None:
    values = np.repeat(np.arange(20) % 2 == 0, 5)
    means = [values[np.concatenate([part])].mean() for part in share(values)]
    assert set(means) == {0.0, 1.0}
    (interval,) = bootstrap(share(values), lambda chosen: [float(values[chosen].mean())])
    by_pair = bootstrap(
        np.array_split(np.arange(100), 100), lambda chosen: [float(values[chosen].mean())]
    )
    assert interval is not None
    assert by_pair[0] is not None
    assert interval.high - interval.low > 1.5 * (by_pair[0].high - by_pair[0].low)


def test_a_score_undefined_in_every_resample_has_no_interval() -> None:
    assert bootstrap([np.array([0])], lambda _: [None, 0.5], samples=5)[0] is None
