"""Against chance: the null's law, both p-values, the far tails, combination over datasets."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, ttest_1samp

from tabbench.core.errors import TabBenchError
from tabbench.statistics.chance import chance_test, combine_chance, null_aucs
from tabbench.statistics.combine import fisher, fisher_log10
from tabbench.statistics.roc_auc import roc_auc

Y = np.repeat([0, 1], [70, 30])


def test_null_has_the_law_of_dirichlet_draws() -> None:
    null = null_aucs(Y, draws=20_000, seed=1)
    share = np.random.default_rng(2).dirichlet([1, 1], size=(4000, 100))[:, :, 1]
    drawn = np.array([roc_auc(Y, row) for row in share])
    # Mann-Whitney without ties: variance (P + N + 1) / (12 P N).
    sd = math.sqrt(101 / (12 * 70 * 30))
    for sample in (null, drawn):
        assert abs(sample.mean() - 0.5) < 4 * sd / math.sqrt(len(sample))
        assert sample.std() == pytest.approx(sd, rel=4 / math.sqrt(2 * len(sample)))
    levels = [0.01, 0.1, 0.5, 0.9, 0.99]
    np.testing.assert_allclose(np.quantile(null, levels), np.quantile(drawn, levels), atol=0.01)


def test_null_of_two_rows_per_class_takes_each_value_as_often_as_its_orders() -> None:
    """Of the 6 orders of two positives among four, one has U = 0, 1, 3 and 4, and two have 2."""
    values, counts = np.unique(null_aucs([0, 1, 1, 0], draws=12_000), return_counts=True)
    np.testing.assert_array_equal(values, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(counts / 2000, [1, 1, 2, 1, 1], atol=0.1)


def test_null_depends_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    null = null_aucs(Y, draws=50, seed=3)
    monkeypatch.setattr("tabbench.statistics.chance._BLOCK", 700)
    np.testing.assert_array_equal(null_aucs(Y, draws=50, seed=3), null)
    assert (null_aucs(Y, draws=50, seed=4) != null).any()


@given(st.floats(0, 1))
def test_t_test_is_scipys(auc: float) -> None:
    null = null_aucs(Y, draws=50, seed=5)
    ours = chance_test(auc, null)
    # scipy tests the sample against the number; the sample below the number is "better".
    theirs = ttest_1samp(null, auc, alternative="less")
    assert ours.t == pytest.approx(-theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.p_t == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-300)
    assert ours.log10_p_t == pytest.approx(math.log10(theirs.pvalue), rel=1e-6, abs=1e-9)
    if abs(ours.t) < 30:
        assert norm.sf(ours.z_t) == pytest.approx(ours.p_t, rel=1e-6)


@pytest.mark.parametrize("auc", [0.51, 0.6, 0.8, 1.0])
def test_log_p_of_the_t_test_is_exact_where_p_underflows(auc: float) -> None:
    null = null_aucs(Y, draws=1000, seed=6)
    test = chance_test(auc, null)
    with mpmath.workdps(50):
        share = 999 / (mpmath.mpf(999) + mpmath.mpf(test.t) ** 2)
        tail = mpmath.betainc(mpmath.mpf(999) / 2, 0.5, 0, share, regularized=True) / 2
        assert test.log10_p_t == pytest.approx(float(mpmath.log10(tail)), rel=1e-9)
    if auc >= 0.8:
        assert test.p_t == 0
        assert test.log10_p_t < -320


def test_monte_carlo_counts_the_draws_that_reach_the_auc() -> None:
    null = np.array([0.3, 0.5, 0.5, 0.7])
    expected = {0.8: 1 / 5, 0.7: 2 / 5, 0.5: 4 / 5, 0.2: 1.0}
    for auc, p in expected.items():
        assert chance_test(auc, null).p_monte_carlo == p


def test_an_auc_that_equals_a_draw_ties_with_it_exactly() -> None:
    random = np.random.default_rng(7)
    for seed in range(50):
        y = random.integers(0, 2, 37)
        score = random.random(37)
        null = np.append(null_aucs(y, draws=200, seed=seed), 0.0)
        reached = roc_auc(y, score) * y.sum() * (37 - y.sum())
        counted = (np.rint(null * y.sum() * (37 - y.sum())) >= round(reached)).sum()
        assert chance_test(roc_auc(y, score), null).p_monte_carlo == (1 + counted) / 202


def test_random_rankings_pass_the_t_test_half_the_time_and_monte_carlo_at_its_level() -> None:
    null = null_aucs(Y, draws=1000, seed=8)
    tests = [chance_test(auc, null) for auc in null_aucs(Y, draws=2000, seed=9)]
    assert np.mean([test.p_t < 0.05 for test in tests]) > 0.4
    assert 0.03 < np.mean([test.p_monte_carlo < 0.05 for test in tests]) < 0.07


def test_undefined() -> None:
    one_class = null_aucs([1, 1, 1], draws=5)
    assert np.isnan(one_class).all()
    for test in (chance_test(0.5, one_class), chance_test(math.nan, [0.4, 0.6])):
        assert all(math.isnan(value) for value in (test.t, test.p_t, test.p_monte_carlo))
    flat = chance_test(0.6, [0.5, 0.5, 0.5])
    assert math.isnan(flat.p_t)
    assert flat.p_monte_carlo == 0.25
    with pytest.raises(TabBenchError, match="1 random AUCs; draw at least 2"):
        chance_test(0.5, [0.5])


def test_combined_over_datasets() -> None:
    null = null_aucs(Y, draws=1000, seed=10)
    tests = [chance_test(auc, null) for auc in (0.55, 0.52, 0.1, math.nan)]
    result = combine_chance(tests)
    made = tests[:3]
    assert result.fisher_monte_carlo == fisher([test.p_monte_carlo for test in tests])
    assert result.fisher_t.statistic == pytest.approx(
        -2 * math.log(10) * sum(test.log10_p_t for test in made)
    )
    assert result.stouffer_t.statistic == pytest.approx(
        sum(test.z_t for test in made) / math.sqrt(3)
    )
    # The third dataset is below every draw; its p of 1 must not be minus infinity.
    assert made[2].p_monte_carlo == 1
    z = norm.isf([made[0].p_monte_carlo, made[1].p_monte_carlo, 1000 / 1001])
    assert result.stouffer_monte_carlo.statistic == pytest.approx(z.sum() / math.sqrt(3))
    for combined in (result.fisher_t, result.stouffer_t, result.stouffer_monte_carlo):
        assert (combined.n, combined.n_left_out) == (3, 1)


def test_fisher_of_logarithms_does_not_underflow() -> None:
    null = null_aucs(Y, draws=1000, seed=11)
    result = combine_chance([chance_test(0.9, null)] * 24)
    assert result.fisher_t.p == 0
    assert -math.inf < result.fisher_t.log10_p < -10_000
    assert math.isfinite(result.stouffer_t.log10_p)


@given(st.lists(st.floats(1e-12, 1), min_size=1, max_size=9))
def test_fisher_of_logarithms_is_fisher(p: list[float]) -> None:
    there, back = fisher(p), fisher_log10(np.log10([*p, math.nan]))
    assert back.log10_p == pytest.approx(there.log10_p, rel=1e-9, abs=1e-12)
    assert (back.n, back.n_left_out) == (len(p), 1)


def test_no_logarithm_of_a_p_value_is_positive() -> None:
    with pytest.raises(TabBenchError, match=r"0\.5 is no log10"):
        fisher_log10([-1, 0.5, math.nan])
