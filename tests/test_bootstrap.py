"""Bootstrap intervals: resamples against scikit-learn, DeLong's error, coverage, edge cases."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from tabbench.core.errors import TabBenchError
from tabbench.statistics.bootstrap import (
    _counts,
    _weighted_aucs,
    auc_interval,
    contrast_interval,
    difference_interval,
    resampled_aucs,
)
from tabbench.statistics.delong import two_curve_test
from tabbench.statistics.roc_auc import roc_auc

Floats = npt.NDArray[np.float64]


def curves(n: int, seed: int, signal: float = 0.5) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return labels and two correlated curves with ties, the second with more signal."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3 // 2
    common = random.normal(size=n)
    noise = random.normal(size=(2, n))
    return y, np.round(common + noise + np.outer([signal, 2 * signal], y), 1)


@given(st.integers(0, 10_000), st.integers(5, 40))
def test_a_resample_is_the_auc_of_its_repeated_rows(seed: int, n: int) -> None:
    y, scores = curves(n, seed)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=3).astype(float)
    counts[:, [0, 2]] += 1  # both classes
    aucs = _weighted_aucs(y, scores, counts)
    for row, times in enumerate(counts.astype(int)):
        for curve in range(2):
            repeated = np.repeat(y, times), np.repeat(scores[curve], times)
            assert aucs[row, curve] == pytest.approx(roc_auc_score(*repeated), abs=1e-12)


def test_counts_are_those_of_drawing_with_replacement() -> None:
    counts = _counts(np.random.default_rng(0), 4000, 5)
    assert (counts.sum(axis=1) == 5).all()
    # Multinomial: mean 1, variance 4/5, covariance -1/5.
    expected = np.eye(5) - 1 / 5
    np.testing.assert_allclose(np.cov(counts.T), expected, atol=0.08)


def test_every_resample_has_the_classes_sizes() -> None:
    """Of unstratified resamples of these rows, one in seven would lack a class."""
    aucs = resampled_aucs([1, 1] + [0] * 20, [np.arange(22.0)], resamples=500)
    assert (aucs == 0).all()


def test_spread_is_delongs_standard_error() -> None:
    y, scores = curves(900, 1)
    drawn = resampled_aucs(y, scores, resamples=4000, seed=2)
    difference = drawn[:, 1] - drawn[:, 0]
    test = two_curve_test(y, *scores)
    assert difference.std() == pytest.approx(test.se, rel=0.05)
    # Unpaired resamples would be wider: the curves are correlated.
    assert difference.std() < 0.8 * math.hypot(*drawn.std(axis=0))
    found = difference_interval(y, *scores)
    assert found.estimate == pytest.approx(test.difference)
    assert found.low == pytest.approx(test.difference - 1.96 * test.se, abs=0.2 * test.se)
    assert found.high == pytest.approx(test.difference + 1.96 * test.se, abs=0.2 * test.se)


def test_coverage_of_equal_curves() -> None:
    covered = []
    for seed in range(200):
        y, scores = curves(120, seed, signal=0.0)
        found = difference_interval(y, *scores, resamples=400, seed=seed, level=0.9)
        covered.append(found.low <= 0 <= found.high)
    assert 0.84 < np.mean(covered) < 0.96


def test_directions_counts_and_estimates() -> None:
    y, (poor, good) = curves(300, 3, signal=1.0)
    one = auc_interval(y, good)
    assert one.estimate == pytest.approx(roc_auc(y, good))
    assert one.low < one.estimate < one.high
    assert (one.n_positive, one.n_negative, one.level, one.resamples) == (100, 200, 0.95, 2000)
    there, back = difference_interval(y, poor, good), difference_interval(y, good, poor)
    assert 0 < there.low < there.high
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    wide, narrow = auc_interval(y, good, level=0.99), auc_interval(y, good, level=0.5)
    assert wide.low < one.low < narrow.low < narrow.high < one.high < wide.high
    mean = contrast_interval(y, [poor, good, good], [-1, 0.5, 0.5])
    assert (mean.low, mean.high) == pytest.approx((there.low, there.high))


def test_the_seed_decides_and_the_block_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    y, scores = curves(60, 4)
    first = auc_interval(y, scores[0], seed=5)
    assert auc_interval(y, scores[0], seed=5) == first
    assert auc_interval(y, scores[0], seed=6).low != first.low
    # A block larger than all and one of a single resample have the same law, not the same draws.
    monkeypatch.setattr("tabbench.statistics.bootstrap._BLOCK", 1)
    drawn = resampled_aucs(y, scores, resamples=500, seed=5)
    assert drawn.shape == (500, 2)
    assert drawn[:, 0].mean() == pytest.approx(first.estimate, abs=0.02)


@pytest.mark.parametrize("y", [[], [1, 1, 1], [0]])
def test_missing_class_is_undefined(y: list[int]) -> None:
    found = auc_interval(y, np.zeros(len(y)))
    assert all(math.isnan(value) for value in (found.estimate, found.low, found.high))
    with pytest.raises(TabBenchError, match="class is missing"):
        resampled_aucs(y, np.zeros((1, len(y))))


def test_one_row_in_a_class_has_an_estimate_but_no_bounds() -> None:
    found = auc_interval([0, 0, 1], [1, 3, 2])
    assert found.estimate == 0.5
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_identical_and_perfect_curves_have_no_width() -> None:
    y, scores = curves(50, 7)
    same = difference_interval(y, scores[0], scores[0])
    assert (same.estimate, same.low, same.high) == (0, 0, 0)
    perfect = auc_interval(y, y)
    assert (perfect.low, perfect.high) == (1, 1)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(TabBenchError, match="same rows"):
        auc_interval([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(TabBenchError, match="invalid answers"):
        auc_interval([0, 1], [0.1, math.nan])
    with pytest.raises(TabBenchError, match="level 95"):
        auc_interval([0, 1], [0.1, 0.2], level=95)


@pytest.mark.parametrize("rare", [0, 1])
def test_rows_of_a_class_of_three_are_drawn_too(rare: int) -> None:
    y = np.r_[np.full(3, rare), np.full(20, 1 - rare)]
    scores = np.r_[0.0, 1.0, 2.0, np.full(20, 0.5)]
    aucs = resampled_aucs(y, [scores])[:, 0]
    # So many of the three stand on the right side: 0 to 3, binomially.
    share = (aucs * 3).round().astype(int)
    right = 2 / 3 if rare else 1 / 3
    expected = [math.comb(3, hits) * right**hits * (1 - right) ** (3 - hits) for hits in range(4)]
    np.testing.assert_allclose(np.bincount(share, minlength=4) / 2000, expected, atol=0.04)
