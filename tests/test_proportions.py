"""Intervals of shares and McNemar's test, against sums written out and against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, bootstrap

from tabbench.core.errors import TabBenchError
from tabbench.statistics.proportions import (
    mcnemar,
    mean_share_change,
    share_difference_interval,
    share_interval,
)


def by_hand(gained, lost):
    """Twice the smaller tail of a fair coin, at most 1."""
    n = gained + lost
    tail = sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n
    return min(1.0, 2 * tail)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20))
def test_mcnemar_is_the_binomial_sum(gained, lost, same):
    before = [0] * gained + [1] * lost + [1] * same
    after = [1] * gained + [0] * lost + [1] * same
    found = mcnemar(before, after)
    assert (found.gained, found.lost, found.n) == (gained, lost, gained + lost + same)
    assert found.p == pytest.approx(by_hand(gained, lost))
    if gained + lost:
        cdf = binom.cdf(min(gained, lost), gained + lost, 0.5)
        assert found.p == pytest.approx(min(1.0, 2 * cdf))


def test_mcnemar_is_two_sided():
    assert mcnemar([0, 1, 1, 1], [1, 0, 0, 0]).p == mcnemar([1, 0, 0, 0], [0, 1, 1, 1]).p


def test_intervals_are_those_of_resampled_questions():
    """scipy resamples the answers themselves."""
    random = np.random.default_rng(5)
    before, after = random.random(120) < 0.4, random.random(120) < 0.55
    found = share_interval(after, resamples=20_000)
    reference = bootstrap(
        (after.astype(float),), np.mean, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(reference), abs=0.009)
    paired = share_difference_interval(before, after, resamples=20_000)
    reference = bootstrap(
        ((after.astype(float) - before),), np.mean, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert paired.estimate == pytest.approx(after.mean() - before.mean())
    assert (paired.low, paired.high) == pytest.approx(tuple(reference), abs=0.012)


def test_an_interval_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(8)
    hits = 0
    for trial in range(400):
        found = share_interval(random.random(200) < 0.3, seed=trial)
        hits += found.low <= 0.3 <= found.high
    assert 0.91 < hits / 400 < 0.98


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_an_interval_holds_its_estimate(answers):
    found = share_interval(answers)
    assert found.low <= found.estimate <= found.high
    assert found.n == len(answers)


def test_no_answers_have_no_share():
    assert math.isnan(share_interval([]).estimate)
    assert math.isnan(share_difference_interval([], []).low)
    assert mcnemar([], []).p == 1


@pytest.mark.parametrize("answers", [[0.5], [float("nan"), 1], [[1, 0]], [2]])
def test_answers_that_are_neither_right_nor_wrong(answers):
    with pytest.raises(TabBenchError, match="0 and 1"):
        share_interval(answers)


def test_pairs_must_be_pairs():
    with pytest.raises(TabBenchError, match="2 answers before and 1 after"):
        mcnemar([0, 1], [1])


def test_a_difference_is_over_all_pairs_and_not_over_those_that_changed() -> None:
    before, after = [0, 0, 1, 1, 1], [1, 1, 0, 1, 1]
    found = share_difference_interval(before, after)
    assert (found.n, found.estimate) == (5, pytest.approx(1 / 5))


def test_a_mean_change_is_that_of_resampled_questions():
    """scipy resamples the questions of both groups itself."""
    random = np.random.default_rng(11)
    easy, hard = random.random((80, 1)), random.random((60, 1))
    before = (random.random((80, 5)) < 0.3 + 0.5 * easy).astype(float)
    after = (random.random((60, 5)) < 0.1 + 0.5 * hard).astype(float)
    found = mean_share_change(before, after, resamples=20_000)
    reference = bootstrap(
        (after.mean(axis=1), before.mean(axis=1)),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        method="percentile",
        n_resamples=20_000,
        rng=1,
    ).confidence_interval
    assert found.estimate == pytest.approx(after.mean() - before.mean())
    assert (found.low, found.high) == pytest.approx(tuple(reference), abs=0.006)
    assert found.n == 140


def test_a_mean_change_weighs_systems_alike_whatever_was_judged():
    lost = np.nan
    before, after = [[1, 1], [1, lost], [1, lost], [1, lost]], [[0, 1], [0, 1]]
    found = mean_share_change(before, after)
    assert found.estimate == pytest.approx(-0.5)  # −1 and 0
    assert (found.low, found.high) == (-1.0, -0.5)  # −1 alone where the other's answer is not drawn
    assert math.isnan(mean_share_change(np.empty((3, 0)), np.empty((2, 0))).estimate)
    with pytest.raises(TabBenchError, match="0 and 1"):
        mean_share_change([[2]], [[1]])
