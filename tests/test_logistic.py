"""Clustered logistic regression and trend tests, against statsmodels and made effects."""

import importlib.util

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.logistic import COLUMNS, cases, read, run_statsmodels
from scipy.stats import binom, pearsonr
from sklearn.linear_model import LinearRegression

from tabbench.statistics.logistic import FEWEST, NotFitted, inflation, logistic_fit, trend_p

REFERENCE = read()
CASES = {case.number: case for case in cases()}

Answers = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], list[int], list[int]]


def drawn(
    random: np.random.Generator,
    slopes: list[float],
    questions: int = 150,
    systems: int = 4,
    luck: float = 1.0,
) -> Answers:
    """Correlated metrics; ``luck`` is what the answers to a question have in common."""
    k = len(slopes)
    x = random.normal(size=(questions, k)) + 0.8 * random.normal(size=(questions, 1))
    of = np.repeat(np.arange(questions), systems)
    system = np.tile(np.arange(systems), questions)
    log_odds = (x @ np.array(slopes) + luck * random.normal(size=questions))[of] + 0.4 * system - 1
    y = (random.random(len(of)) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return x[of], y, system.tolist(), of.tolist()


def test_the_reference_belongs_to_these_cases() -> None:
    digests = {number: case.digest() for number, case in CASES.items()}
    assert {int(row["case"]): row["rows_sha256"] for row in REFERENCE} == digests
    assert len(REFERENCE) == sum(case.metrics for case in CASES.values())


def test_equals_statsmodels() -> None:
    fits = {number: logistic_fit(*case.rows()) for number, case in CASES.items()}
    for row in REFERENCE:
        fit, metric = fits[int(row["case"])], int(row["metric"])
        ours = [fit.slopes[metric], fit.low[metric], fit.high[metric], fit.p[metric]]
        expected = [float(row[name]) for name in COLUMNS]
        assert ours == pytest.approx(expected, rel=1e-6, abs=1e-9), row


@pytest.mark.oracle
@pytest.mark.skipif(importlib.util.find_spec("statsmodels") is None, reason="needs statsmodels")
def test_statsmodels_gives_the_reference_values_again() -> None:
    again = run_statsmodels()
    for row in REFERENCE:
        found = again[int(row["case"]), int(row["metric"])]
        assert found == pytest.approx({name: float(row[name]) for name in COLUMNS}, rel=1e-6)


def test_without_an_effect_as_many_are_found_as_the_level_says() -> None:
    random = np.random.default_rng(3)
    fits = [logistic_fit(*drawn(random, [0.0, 0.0])) for _ in range(300)]
    found = sum(int((fit.p < 0.05).sum()) for fit in fits)
    assert 0.03 * 600 <= found <= 0.08 * 600
    covered = sum(int(((fit.low < 0) & (fit.high > 0)).sum()) for fit in fits)
    assert covered == 600 - found


def test_answers_to_a_question_are_not_independent_evidence() -> None:
    """Each as a cluster of its own, four answers to a lucky question count as four."""
    random = np.random.default_rng(4)
    naive = robust = 0
    for _ in range(100):
        x, y, systems, of = drawn(random, [0.0], luck=3.0, systems=8)
        naive += int(logistic_fit(x, y, systems, list(range(len(y)))).p[0] < 0.05)
        robust += int(logistic_fit(x, y, systems, of).p[0] < 0.05)
    assert naive > 20
    assert robust < 13


def test_a_planted_effect_is_found_next_to_a_correlated_one_without() -> None:
    random = np.random.default_rng(5)
    fits = [logistic_fit(*drawn(random, [-0.8, 0.0], 300, luck=0.0)) for _ in range(60)]
    slopes = np.array([fit.slopes for fit in fits])
    assert slopes.mean(axis=0) == pytest.approx([-0.8, 0.0], abs=0.04)
    covered = sum(fit.low[0] < -0.8 < fit.high[0] for fit in fits)
    assert covered >= 51
    assert all(fit.p[0] < 0.001 for fit in fits)
    assert sum(fit.p[1] < 0.05 for fit in fits) <= 9
    x, *rest = drawn(random, [-0.8, 0.0], 300)
    assert logistic_fit(x[:, 1:], *rest).p[0] < 0.05  # its companion's effect


def test_a_system_twice_adds_nothing() -> None:
    x, y, _, of = drawn(np.random.default_rng(6), [-0.5], 200, systems=1)
    once = logistic_fit(x, y, [0] * 200, of)
    twice = logistic_fit(np.vstack([x, x]), np.tile(y, 2), [0] * 200 + [1] * 200, of + of)
    assert twice.slopes == pytest.approx(once.slopes)
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.01)
    values = x[:, 0]
    assert trend_p(np.tile(values, 2), np.tile(y, 2), [0] * 200 + [1] * 200, of + of) == (
        pytest.approx(trend_p(values, y, [0] * 200, of), abs=1e-12)
    )


def test_what_cannot_be_fitted_says_why() -> None:
    x, y, systems, of = drawn(np.random.default_rng(7), [0.0, 0.0], 200)
    with pytest.raises(NotFitted, match="a metric follows from the others"):
        logistic_fit(np.column_stack([x, x[:, 0] - 2 * x[:, 1]]), y, systems, of)
    with pytest.raises(NotFitted, match="separates right answers from wrong ones"):
        logistic_fit(np.column_stack([x, y + 0.01 * x[:, 0]]), y, systems, of)
    quasi = (x[:, 0] > 1) & (y == 1)  # right wherever it is 1, both where it is 0
    with pytest.raises(NotFitted, match="separates"):
        logistic_fit(quasi[:, None].astype(float), y, systems, of)
    rare = np.zeros(800, dtype=int)
    rare[: 2 * FEWEST - 1] = 1
    with pytest.raises(NotFitted, match=f"200 questions with {2 * FEWEST - 1} right answers; 30"):
        logistic_fit(x, rare, [0] * 800, of)
    with pytest.raises(NotFitted, match="29 questions with"):
        logistic_fit(x[: 29 * 4], y[: 29 * 4], systems[: 29 * 4], of[: 29 * 4])


def test_the_trend_of_one_system_is_a_permuted_correlation() -> None:
    random = np.random.default_rng(8)
    values, y = random.normal(size=60), random.integers(0, 2, 60)
    p = trend_p(values, y, [0] * 60, list(range(60)))
    # Its distribution is close to normal at 60 questions.
    assert p == pytest.approx(float(pearsonr(values, y).pvalue), abs=0.02)


def test_trends_are_found_at_their_rate_and_where_planted() -> None:
    random = np.random.default_rng(9)
    none, some = 0, 0
    for _ in range(200):
        x, y, systems, of = drawn(random, [0.0], 40, systems=3)
        none += trend_p(x[:, 0], y, systems, of, permutations=399) < 0.05
        x, y, systems, of = drawn(random, [-1.5], 40, systems=3)
        some += trend_p(x[:, 0], y, systems, of, permutations=399) < 0.05
    assert binom.cdf(none, 200, 0.05) < 0.999
    assert none > 2
    assert some > 190


def test_a_better_system_that_answers_other_questions_is_no_trend() -> None:
    """One is right in 4 of 5 questions with large values, the other in 1 of 5 of the rest."""
    random = np.random.default_rng(10)
    system = np.repeat([0, 1], 100)
    rates = []
    for _ in range(40):
        values = np.sort(random.normal(size=200))
        y = (random.random(200) < np.where(system == 1, 0.8, 0.2)).astype(int)
        assert pearsonr(values, y).pvalue < 0.001
        rates.append(trend_p(values, y, system, np.arange(200), permutations=399))
    assert binom.cdf(sum(p < 0.05 for p in rates), 40, 0.05) < 0.999


def test_a_trend_without_variation_has_no_number() -> None:
    of = list(range(6))
    assert np.isnan(trend_p([1, 2, 3, 4, 5, 6], [0] * 6, [0] * 6, of))
    assert np.isnan(trend_p([1] * 6, [0, 1, 0, 1, 0, 1], [0] * 6, of))
    assert np.isnan(trend_p([1, 2], [0, 1], [0] * 2, [0, 1]))


@given(st.integers(1, 5), st.integers(0, 10_000))
def test_inflation_is_one_over_what_the_others_leave(k: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=(40, k)) + random.normal(size=(40, 1))
    for at, factor in enumerate(inflation(x)):
        others = np.delete(x, at, axis=1)
        explained = (
            LinearRegression().fit(others, x[:, at]).score(others, x[:, at]) if k > 1 else 0.0
        )
        assert factor == pytest.approx(1 / (1 - explained))


def test_inflation_is_not_defined_where_a_column_follows_from_the_others() -> None:
    x = np.random.default_rng(1).normal(size=(30, 2))
    assert np.isnan(inflation(np.column_stack([x, x.sum(axis=1)]))).all()
    assert np.isnan(inflation(np.column_stack([x, np.ones(30)]))).all()
