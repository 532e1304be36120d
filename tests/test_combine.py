"""Stouffer and Fisher: against scipy, in the tails, and with tests left out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import combine_pvalues, norm

from tabbench.core.errors import TabBenchError
from tabbench.statistics.combine import fisher, stouffer, stouffer_z, two_sided

P_VALUES = st.lists(st.floats(1e-12, 1 - 1e-12), min_size=1, max_size=12)


@given(P_VALUES, st.data())
def test_stouffer_is_scipys(p: list[float], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.1, 10), min_size=len(p), max_size=len(p)))
    for ours, theirs in (
        (stouffer(p), combine_pvalues(p, "stouffer")),
        (stouffer(p, weights), combine_pvalues(p, "stouffer", weights=weights)),
    ):
        assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-6)
        assert ours.n == len(p)


@given(P_VALUES)
def test_fisher_is_scipys(p: list[float]) -> None:
    ours, theirs = fisher(p), combine_pvalues(p, "fisher")
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert 10**ours.log10_p == pytest.approx(theirs.pvalue, rel=1e-9)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=10))
def test_z_scores_and_their_negatives_are_mirror_images(z: list[float]) -> None:
    there, back = stouffer_z(z), stouffer_z([-one for one in z])
    assert there.statistic == pytest.approx(-back.statistic)
    assert there.p + back.p == pytest.approx(1)


def test_nan_is_left_out_and_counted() -> None:
    nan = float("nan")
    for combine in (stouffer, fisher):
        with_nan, without = combine([0.01, nan, 0.2]), combine([0.01, 0.2])
        assert with_nan.p == without.p
        assert (with_nan.n, with_nan.n_left_out) == (2, 1)
        nothing = combine([nan])
        assert math.isnan(nothing.p)
        assert (nothing.n, nothing.n_left_out) == (0, 1)
    assert stouffer([0.01, nan, 0.2], [1, 5, 2]).p == stouffer([0.01, 0.2], [1, 2]).p


def test_logarithm_survives_where_p_underflows() -> None:
    z = stouffer_z([40.0] * 4)
    assert z.p == 0
    assert z.log10_p == pytest.approx(norm.logsf(80) / math.log(10))
    chi = fisher([1e-200] * 4)
    assert chi.p == 0
    # The leading term of the closed form: (x/2)^3 / 3! exp(-x/2).
    half = chi.statistic / 2
    assert chi.log10_p == pytest.approx(-800 + math.log10(half**3 / 6), abs=0.01)
    assert stouffer_z([-40.0]).log10_p == pytest.approx(0)


def test_half_is_no_evidence_and_zero_against_one_is_undefined() -> None:
    assert stouffer([0.5, 0.5]).p == pytest.approx(0.5)
    assert math.isnan(stouffer([0.0, 1.0]).p)
    assert fisher([0.0, 0.9]).p == 0


@pytest.mark.parametrize("combine", [stouffer, fisher])
def test_what_is_no_p_value_is_refused(combine) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TabBenchError, match=r"-0\.1 is no p-value"):
        combine([0.5, -0.1])


def test_weights_must_fit() -> None:
    for weights in ([1.0], [1.0, 0.0], np.array([1.0, -1.0])):
        with pytest.raises(TabBenchError, match="weights"):
            stouffer([0.1, 0.2], weights)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_both_tails_are_twice_the_smaller_one(z: list[float]) -> None:
    both = two_sided(stouffer_z(z))
    upper, lower = stouffer_z(z), stouffer_z([-one for one in z])
    assert both.p == pytest.approx(2 * min(upper.p, lower.p))
    assert 10**both.log10_p == pytest.approx(both.p)
    assert both.statistic == upper.statistic
