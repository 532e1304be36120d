"""Scales: known levels come back, nothing is extrapolated, pooled levels have no order."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.statistics.scale import fit_scale

LEVELS = [0, 1, 2, 3, 5, 7, 9]
SHARES = st.floats(0, 1, allow_nan=False, allow_subnormal=False)
AUCS = st.lists(SHARES, min_size=len(LEVELS), max_size=len(LEVELS))


@pytest.mark.parametrize("rising", [True, False])
def test_a_value_between_two_levels_lies_between_them(rising: bool) -> None:
    values = np.array([0.5, 0.55, 0.6, 0.7, 0.8, 0.85, 0.95])
    scale = fit_scale(LEVELS, values if rising else values[::-1], rising=rising)
    for level in (0, 0.25, 1.5, 4, 6.5, 9):
        value = np.interp(level, LEVELS, scale.values)
        assert scale.place(value) == pytest.approx(level)


def test_nothing_is_extrapolated() -> None:
    scale = fit_scale([0, 9], [0.9, 0.6], rising=False)
    assert scale.place(0.91) == -math.inf
    assert scale.place(0.59) == math.inf
    assert math.isnan(scale.place(math.nan))


def test_levels_out_of_order_are_pooled() -> None:
    scale = fit_scale([0, 1, 2, 3], [0.9, 0.7, 0.8, 0.6], rising=False)
    assert scale.values.tolist() == pytest.approx([0.9, 0.75, 0.75, 0.6])
    assert scale.place(scale.values[1]) == 1.5
    assert scale.place(0.76) < 1
    assert scale.place(0.74) > 2


def test_a_flat_scale_tells_only_above_from_below() -> None:
    scale = fit_scale([0, 1], [0.6, 0.7], rising=False)
    assert [scale.place(value) for value in (0.7, scale.values[0], 0.6)] == [
        -math.inf,
        0.5,
        math.inf,
    ]


def test_levels_without_a_value_are_left_out() -> None:
    scale = fit_scale([0, 1, 2], [0.8, math.nan, 0.6], rising=False)
    assert scale.place(0.7) == pytest.approx(1)


@given(AUCS, SHARES, SHARES)
def test_a_better_value_is_never_placed_harder(values: list[float], a: float, b: float) -> None:
    scale = fit_scale(LEVELS, values, rising=False)
    assert scale.place(max(a, b)) <= scale.place(min(a, b))
    assert (np.diff(scale.values) <= 0).all()


@given(AUCS, SHARES)
def test_a_rising_scale_mirrors_a_falling_one(values: list[float], value: float) -> None:
    rising = fit_scale(LEVELS, values, rising=True)
    falling = fit_scale(LEVELS, [-one for one in values], rising=False)
    assert rising.place(value) == pytest.approx(falling.place(-value))


@pytest.mark.parametrize(
    ("levels", "values"), [([1, 0], [0.5, 0.6]), ([0, 1], [math.nan] * 2), ([0, 1], [0.5])]
)
def test_no_scale_without_ascending_levels_and_a_value(
    levels: list[int], values: list[float]
) -> None:
    with pytest.raises(TabBenchError, match="levels must ascend"):
        fit_scale(levels, values, rising=True)
