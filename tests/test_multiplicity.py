"""Holm's correction: R's values, its definition, tests that could not be made."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.statistics.multiplicity import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_is_rs() -> None:
    """R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.2, 0.03), "holm")."""
    adjusted = holm([0.01, 0.04, 0.03, 0.005, 0.2, 0.03])
    np.testing.assert_allclose(adjusted, [0.05, 0.12, 0.12, 0.03, 0.2, 0.12], rtol=1e-12)


@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.3]))
def test_claims_are_those_of_stepping_down(p: list[float], level: float) -> None:
    claims = set()
    for step, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[index] * (len(p) - step) > level:
            break
        claims.add(index)
    assert {int(i) for i in np.flatnonzero(holm(p) <= level)} == claims


@given(P_VALUES, st.randoms())
def test_order_does_not_matter_and_bonferroni_bounds_it(p: list[float], random) -> None:  # type: ignore[no-untyped-def]
    order = random.sample(range(len(p)), len(p))
    adjusted = holm(p)
    np.testing.assert_array_equal(holm(np.array(p)[order]), adjusted[order])
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, len(p) * np.array(p))).all()


def test_nan_makes_no_claim_and_does_not_count() -> None:
    table = np.array([[0.01, math.nan], [0.04, 0.03]])
    np.testing.assert_allclose(holm(table), [[0.03, math.nan], [0.06, 0.06]])
    assert np.isnan(table[0, 1])
    assert np.isnan(holm([math.nan])).all()
    assert holm([]).size == 0


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(TabBenchError, match=r"1\.5 is no p-value"):
        holm([0.5, 1.5])
