"""Lifts over chance and over a control: against enumeration and scipy's permutation test."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from tabbench.core.errors import TabBenchError
from tabbench.probes.verdicts import (
    LEAKED,
    LIKELY_LEAKED,
    NO_EVIDENCE,
    NO_SIGNAL,
    SUSPICIOUS,
    LiftThresholds,
    lift_verdict,
)
from tabbench.statistics.lifts import hits_at_least, lift_over_chance, lift_over_control

bits = st.lists(st.booleans(), min_size=1, max_size=7)


@given(st.lists(st.floats(0, 1), max_size=6), st.integers(0, 7))
def test_the_null_of_chance_is_that_of_every_outcome(chance: list[float], hits: int) -> None:
    expected = sum(
        np.prod([p if hit else 1 - p for p, hit in zip(chance, outcome, strict=True)])
        for outcome in product((0, 1), repeat=len(chance))
        if sum(outcome) >= hits
    )
    assert hits_at_least(hits, chance) == pytest.approx(expected, abs=1e-12)


def test_the_null_of_chance_is_that_of_permuted_columns() -> None:
    """Each answer replaced by every value of its column, all combinations counted."""
    columns = [("a", "a", "b"), (1, 2, 3), ("x", "y", "y")]
    truths, answers = ("a", 1, "y"), ("a", 1, "x")
    hits = sum(answer == truth for answer, truth in zip(answers, truths, strict=True))
    chance = [np.mean([v == truth for v in c]) for c, truth in zip(columns, truths, strict=True)]
    reached = [
        sum(value == truth for value, truth in zip(values, truths, strict=True)) >= hits
        for values in product(*columns)
    ]
    assert hits_at_least(hits, chance) == pytest.approx(np.mean(reached))


@given(bits, st.randoms(use_true_random=False))
def test_the_null_of_the_control_is_scipys(correct: list[bool], random) -> None:
    control = [random.random() < 0.5 for _ in correct]
    lift = lift_over_control(correct, control)
    expected = permutation_test(
        (np.array(correct, float), np.array(control, float)),
        lambda first, second: np.mean(first - second),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=False,
    ) if len(correct) > 1 else None  # fmt: skip
    assert lift.estimate == pytest.approx(np.mean(np.subtract(correct, control, dtype=float)))
    if expected is not None:
        assert lift.p == pytest.approx(expected.pvalue)


def test_intervals_are_those_of_paired_resamples() -> None:
    random = np.random.default_rng(0)
    correct, control = random.random((2, 200)) < [[0.6], [0.4]]
    lift = lift_over_control(correct, control)
    differences = correct.astype(float) - control
    se = differences.std() / np.sqrt(200)
    assert lift.low == pytest.approx(lift.estimate - 1.96 * se, abs=0.01)
    assert lift.high == pytest.approx(lift.estimate + 1.96 * se, abs=0.01)
    over = lift_over_chance(correct, np.full(200, 0.25))
    assert over.estimate == pytest.approx(correct.mean() - 0.25)
    assert over.low < over.estimate < over.high
    assert over.p < 1e-6


def test_chance_is_rejected_as_often_as_the_level_says() -> None:
    random = np.random.default_rng(0)
    chance = random.random(50)
    p = [lift_over_chance(random.random(50) < chance, chance).p for _ in range(400)]
    assert np.mean(np.array(p) < 0.05) < 0.075


def test_edges() -> None:
    assert np.isnan(lift_over_chance([], []).estimate)
    assert lift_over_control([1, 0], [1, 0]).p == 1
    assert hits_at_least(0, []) == 1
    with pytest.raises(TabBenchError, match="0 and 1"):
        lift_over_control([2], [0])


@pytest.mark.parametrize(
    ("lift", "low", "high", "verdict"),
    [
        (0.30, 0.10, 0.50, LEAKED),
        (0.20, 0.10, 0.30, LIKELY_LEAKED),
        (0.10, 0.01, 0.20, SUSPICIOUS),
        (0.05, 0.01, 0.09, NO_SIGNAL),
        (-0.30, -0.40, -0.20, NO_SIGNAL),
        (0.30, -0.01, 0.50, NO_EVIDENCE),
        (0.30, 0.0, 0.50, NO_EVIDENCE),
        (0.0, 0.0, 0.0, NO_EVIDENCE),
        (float("nan"), float("nan"), float("nan"), NO_EVIDENCE),
    ],
)
def test_verdicts(lift: float, low: float, high: float, verdict: str) -> None:
    assert lift_verdict(lift, low, high, LiftThresholds()) == verdict
