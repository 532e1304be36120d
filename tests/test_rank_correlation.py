"""Rank correlations: scipy's estimates, exact p-values of few pairs, what is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from tabbench.core.errors import TabBenchError
from tabbench.statistics.rank_correlation import rank_correlation

NUMBERS = st.integers(-3, 3).map(float)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=5)


@given(PAIRS)
def test_estimates_are_scipys_ties_included(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    found = rank_correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert all(map(math.isnan, (found.rho, found.p_rho, found.tau, found.p_tau)))
        return
    assert found.rho == pytest.approx(spearmanr(x, y).statistic)
    assert found.tau == pytest.approx(kendalltau(x, y).statistic)
    assert 0 < found.p_rho <= 1
    assert 0 < found.p_tau <= 1


@given(PAIRS)
def test_order_of_sides_and_rising_transforms_change_nothing(
    pairs: list[tuple[float, float]],
) -> None:
    x, y = np.array(pairs).T
    found, turned = rank_correlation(x, y), rank_correlation(y, np.exp(x))
    assert (found.rho, found.tau) == pytest.approx((turned.rho, turned.tau), nan_ok=True)
    assert (found.p_rho, found.p_tau) == pytest.approx((turned.p_rho, turned.p_tau), nan_ok=True)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_few_pairs_have_exact_p_values(n: int) -> None:
    random = np.random.default_rng(n)
    x, y = random.normal(size=n), random.normal(size=n)
    found = rank_correlation(x, y)
    assert found.exact
    assert found.p_tau == pytest.approx(kendalltau(x, y, method="exact").pvalue)
    perfect = rank_correlation(x, 2 * x)
    assert perfect.p_rho == perfect.p_tau == pytest.approx(2 / math.factorial(n))


def test_many_pairs_have_random_pairings_always_the_same() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=25)
    y = x + random.normal(size=25, scale=2)
    found = rank_correlation(x, y)
    assert not found.exact
    assert found == rank_correlation(x, y)
    assert found.p_rho == pytest.approx(spearmanr(x, y).pvalue, abs=0.02)
    assert found.p_tau == pytest.approx(kendalltau(x, y).pvalue, abs=0.02)


def test_pairs_with_a_gap_are_left_out() -> None:
    found = rank_correlation([1.0, math.nan, 2.0, 3.0, 4.0], [1.0, 9.0, 2.0, math.nan, 0.0])
    assert found.n == 3
    assert found.rho == pytest.approx(-0.5)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_pairs_are_undefined(n: int) -> None:
    found = rank_correlation(range(n), range(n))
    assert found.n == n
    assert math.isnan(found.rho)
    assert math.isnan(found.p_tau)


def test_lengths_must_agree() -> None:
    with pytest.raises(TabBenchError, match="one pair per dataset"):
        rank_correlation([1.0, 2.0], [1.0])
