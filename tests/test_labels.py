"""A label's probability."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.labels import label_probability

logps = st.floats(-700, 0)


@given(logps, logps)
def test_label_probability_is_the_share_of_the_mass(logp_0, logp_1):
    p_1, mass = label_probability(logp_0, logp_1)
    assert 0 <= p_1 <= 1
    assert p_1 + label_probability(logp_1, logp_0)[0] == pytest.approx(1)
    assert mass == pytest.approx(math.exp(logp_0) + math.exp(logp_1))


def test_label_probability_at_the_ends_of_float():
    assert label_probability(-1e4, 0.0) == (1.0, 1.0)
    assert label_probability(0.0, -1e4) == (0.0, 1.0)
