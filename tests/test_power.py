"""Power of the combined DeLong test, against the test itself on simulated rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from tabbench.core.errors import TabBenchError
from tabbench.statistics.combine import stouffer_z, two_sided
from tabbench.statistics.delong import delong_covariance, gain_test
from tabbench.statistics.power import (
    Assumptions,
    Classes,
    Design,
    difference_sd,
    observed_correlation,
    power,
    smallest_gain,
)

LEVEL = 0.05
SIZES = ((60, 40), (35, 90), (150, 50), (40, 40), (80, 200))


def curves(random, classes, base, gain, draws):
    """Binormal scores: one curve of ROC-AUC ``base``, and others of ``base + gain``.

    A row's noise has a part of its own in each curve, one of the draws', and one of all.
    """
    n = sum(classes)
    y = np.repeat([1, 0], classes)
    whole, among = random.standard_normal(n), random.standard_normal(n)
    own = random.standard_normal((1 + draws, n))
    noise = (
        np.sqrt(0.5) * whole
        + np.r_[[np.sqrt(0.5) * own[0]], np.sqrt(0.25) * among + np.sqrt(0.25) * own[1:]]
    )
    aucs = np.r_[base, np.full(draws, base + gain)]
    return y, noise + np.sqrt(2) * norm.ppf(aucs)[:, None] * y


def assumed(base, draws=3):
    """The correlations of the simulation's ROC-AUCs, of one large sample."""
    y, scores = curves(np.random.default_rng(1), (20_000, 20_000), base, 0.0, draws)
    _, covariance = delong_covariance(y, scores)
    sd = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(sd, sd)
    return Assumptions(base, correlation[0, 1:].mean(), correlation[1, 2])


@pytest.mark.parametrize(("sides", "seed"), [(1, 2), (2, 3)])
def test_at_the_smallest_gain_the_real_test_rejects_as_often_as_said(sides, seed):
    told, draws, runs = assumed(0.65), 3, 600
    design = Design([Classes(*one) for one in SIZES], (draws, 1), sides)
    gain = smallest_gain(design, LEVEL, told)
    assert 0.02 < gain < 0.15
    random = np.random.default_rng(seed)

    def rejected(planted):
        found = 0
        for _ in range(runs):
            tests = []
            for classes in SIZES:
                y, scores = curves(random, classes, 0.65, planted, draws)
                tests.append(gain_test(y, scores[:1], scores[1:]).z)
            combined = stouffer_z(tests)
            found += (combined if sides == 1 else two_sided(combined)).p < LEVEL
        return found / runs

    # Three standard errors of 600 runs, and what Hanley and McNeil's formula may be off by.
    assert rejected(gain) == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / runs) + 0.03)
    assert rejected(0.0) == pytest.approx(LEVEL, abs=3 * np.sqrt(LEVEL * 0.95 / runs) + 0.005)


def test_against_chance_too():
    design = Design([Classes(*one) for one in SIZES], (1, 0), 1)
    gain = smallest_gain(design, LEVEL, Assumptions())
    random, runs = np.random.default_rng(4), 1500
    null = [np.sqrt((sum(one) + 1) / 12 / one[0] / one[1]) for one in SIZES]

    def rejected(planted):
        z = np.empty((runs, len(SIZES)))
        for place, (m, n) in enumerate(SIZES):
            positive = random.standard_normal((runs, m, 1)) + np.sqrt(2) * norm.ppf(0.5 + planted)
            aucs = (positive > random.standard_normal((runs, 1, n))).mean(axis=(1, 2))
            z[:, place] = (aucs - 0.5) / null[place]
        return np.mean([stouffer_z(row).p < LEVEL for row in z])

    assert rejected(gain) == pytest.approx(0.8, abs=0.04)
    assert rejected(0.0) == pytest.approx(LEVEL, abs=0.02)


@given(
    st.integers(1, 5),
    st.floats(0.5, 0.9),
    st.floats(-0.5, 0.95),
    st.floats(0, 0.99),
    st.integers(1, 2),
    st.integers(1, 20),
)
def test_more_of_anything_shows_less(draws, auc, correlation, among, sides, tests):
    told = Assumptions(auc, min(correlation, among), among)
    rows = [Classes(*one) for one in SIZES]

    def gain(datasets=rows, draws=draws, tests=tests):
        return smallest_gain(Design(datasets, (draws, 1), sides, tests), LEVEL, told)

    found = gain()
    if not np.isnan(found):
        assert power(Design(rows, (draws, 1), sides, tests), found, LEVEL, told) == pytest.approx(
            0.8, abs=1e-3
        )
        for more in (
            gain([Classes(2 * m, 2 * n) for m, n in SIZES]),
            gain(rows + rows),
            gain(draws=draws + 1),
        ):
            assert more <= found + 1e-5
        assert not gain(tests=tests + 1) < found - 1e-5


def test_draws_of_one_condition_are_no_less_alike_than_conditions():
    with pytest.raises(TabBenchError, match=r"correlation 0\.8 must not be larger"):
        Assumptions(0.7, 0.8, 0.7)
    with pytest.raises(TabBenchError, match="must be below 1"):
        Assumptions(0.7, 0.8, 1.0)


def test_bounds_and_nothing_to_show():
    told = Assumptions(0.7, 0.5, 0.7)
    assert np.isnan(smallest_gain(Design([], (1, 1), 1), LEVEL, told))
    assert np.isnan(smallest_gain(Design([Classes(1, 500)], (1, 1), 1), LEVEL, told))
    assert np.isnan(smallest_gain(Design([Classes(3, 3)], (1, 1), 1), LEVEL, told))
    assert Classes(30, 70).capped(50) == Classes(15, 35)
    assert Classes(30, 70).capped(500) == Classes(30, 70)


@given(st.floats(-0.9, 0.6))
def test_a_pilot_gives_its_correlation_back(correlation):
    told = Assumptions(0.7, correlation, 0.6)
    rows = Classes(50, 80)
    se = difference_sd(rows, (4, 1), 0.7, 0.1, told)
    found = observed_correlation(rows, (4, 1), (0.8, 0.7), se, told)
    assert found == pytest.approx(correlation, abs=1e-6)
