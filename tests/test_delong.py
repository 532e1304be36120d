"""DeLong's test: against the O(n^2) definition, scikit-learn, and its edge cases."""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm
from score_frames import predictions
from sklearn.metrics import roc_auc_score

from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.gains import TESTS
from tabbench.statistics.delong import (
    contrast_test,
    delong_covariance,
    gain_test,
    two_curve_test,
)
from tabbench.statistics.gains import JOINED_LATER, combine_gains, gains_over_zero_shot

Floats = npt.NDArray[np.float64]


def brute_force(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Compute AUCs and covariance pair by pair, as DeLong et al. define them."""
    positives, negatives = scores[:, y == 1], scores[:, y == 0]
    psi = (positives[:, :, None] > negatives[:, None, :]) + 0.5 * (
        positives[:, :, None] == negatives[:, None, :]
    )
    v10, v01 = psi.mean(axis=2), psi.mean(axis=1)
    covariance = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    return psi.mean(axis=(1, 2)), np.atleast_2d(covariance)


@st.composite
def curves(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Return labels with two rows or more per class, and 2 to 4 curves with ties."""
    n = draw(st.integers(4, 25))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    assume(2 <= y.sum() <= n - 2)
    m = draw(st.integers(2, 4))
    values = draw(st.lists(st.integers(0, 5), min_size=m * n, max_size=m * n))
    return y, np.array(values, dtype=float).reshape(m, n) / 7


@given(curves())
def test_covariance_is_the_definition_and_aucs_are_scikit_learns(
    case: tuple[Floats, Floats],
) -> None:
    y, scores = case
    aucs, covariance = delong_covariance(y, scores)
    expected_aucs, expected = brute_force(y, scores)
    np.testing.assert_allclose(aucs, expected_aucs, atol=1e-12)
    np.testing.assert_allclose(covariance, expected, atol=1e-12)
    np.testing.assert_allclose(aucs, [roc_auc_score(y, row) for row in scores], atol=1e-12)


@given(curves())
def test_contrast_variance_is_l_s_l(case: tuple[Floats, Floats]) -> None:
    y, scores = case
    weights = np.r_[-1.0, np.full(len(scores) - 1, 1 / (len(scores) - 1))]
    test = contrast_test(y, scores, weights)
    aucs, covariance = brute_force(y, scores)
    assert test.difference == pytest.approx(weights @ aucs, abs=1e-12)
    assert test.se**2 == pytest.approx(weights @ covariance @ weights, abs=1e-12)
    same = gain_test(y, scores[0], scores[1:])
    assert same.difference == pytest.approx(test.difference, abs=1e-12)
    assert same.se == pytest.approx(test.se, abs=1e-12)
    if test.se > 0:
        assert test.z == pytest.approx(test.difference / test.se)
        assert test.p_greater == pytest.approx(norm.sf(test.z))
        assert test.p_two_sided == pytest.approx(2 * norm.sf(abs(test.z)))


@given(curves())
def test_swapping_the_curves_is_symmetric(case: tuple[Floats, Floats]) -> None:
    y, scores = case
    there, back = two_curve_test(y, scores[0], scores[1]), two_curve_test(y, scores[1], scores[0])
    assert there.difference == -back.difference
    assert there.se == back.se
    if math.isnan(there.p_two_sided):
        assert math.isnan(back.p_two_sided)
    else:
        assert there.p_two_sided == back.p_two_sided
        assert there.p_greater + back.p_greater == pytest.approx(1)


@given(curves(), st.permutations(range(25)))
def test_order_of_rows_and_monotone_rescaling_change_nothing(
    case: tuple[Floats, Floats], permutation: list[int]
) -> None:
    y, scores = case
    order = [index for index in permutation if index < len(y)]
    test = two_curve_test(y, *scores[:2])
    moved = two_curve_test(y[order], *(np.exp(3 * scores[:2, order]) - 5))
    assert moved.difference == pytest.approx(test.difference, abs=1e-12)
    assert moved.se == pytest.approx(test.se, abs=1e-9)


def test_direction_small_p_greater_means_the_second_curve_is_better() -> None:
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    poor, good = random.normal(size=200), y + random.normal(size=200)
    test = two_curve_test(y, poor, good)
    assert test.difference > 0
    assert test.p_greater < 0.001
    assert two_curve_test(y, good, poor).p_greater > 0.999


def test_false_positive_rate_under_the_null_is_the_level() -> None:
    random = np.random.default_rng(1)
    y = np.repeat([0, 1], 60)
    p = [
        gain_test(y, 0.8 * y + random.normal(size=120), 0.8 * y + random.normal(size=(3, 120)))
        for _ in range(800)
    ]
    rate = np.mean([test.p_greater < 0.05 for test in p])
    assert 0.03 < rate < 0.075


@pytest.mark.parametrize("repeats", [1, 3, 7])
def test_identical_curves_are_no_evidence(repeats: int) -> None:
    random = np.random.default_rng(2)
    y, curve = random.integers(0, 2, 51), random.random(51)
    test = gain_test(y, curve, np.tile(2 * curve + 1, (repeats, 1)))
    assert (test.difference, test.se, test.p_greater, test.p_two_sided) == (0.0, 0.0, 0.5, 1.0)
    assert math.isnan(test.z)


def test_no_variance_but_a_difference_is_undefined() -> None:
    test = two_curve_test([0, 0, 1, 1], [0.5] * 4, [0.1, 0.2, 0.8, 0.9])
    assert (test.difference, test.se) == (0.5, 0.0)
    assert all(math.isnan(value) for value in (test.z, test.p_greater, test.p_two_sided))


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0], []])
def test_missing_class_is_undefined(y: list[int]) -> None:
    aucs, covariance = delong_covariance(y, np.zeros((2, len(y))))
    test = two_curve_test(y, np.zeros(len(y)), np.ones(len(y)))
    assert np.isnan(aucs).all()
    assert np.isnan(covariance).all()
    assert math.isnan(test.difference)
    assert math.isnan(test.p_two_sided)


def test_one_row_in_a_class_has_an_auc_but_no_variance() -> None:
    test = two_curve_test([0, 0, 1], [1, 2, 3], [3, 2, 1])
    assert test.difference == -1
    assert math.isnan(test.se)
    assert math.isnan(test.p_greater)


def test_wrong_shapes_and_nan_are_errors() -> None:
    with pytest.raises(TabBenchError, match="same rows"):
        delong_covariance([0, 1], np.zeros((2, 3)))
    with pytest.raises(TabBenchError, match="invalid answers"):
        delong_covariance([0, 1], [[0.1, float("nan")]])


def gain_predictions() -> pd.DataFrame:
    """Return zero-shot noise and two better draws at k = 4; one answer of a draw is invalid."""
    random = np.random.default_rng(3)
    y = [0, 1] * 20
    frames = [predictions(y_true=y, p_1=list(random.random(40)))]
    for seed in (864, 460):
        p_1 = np.clip(0.3 * np.array(y) + 0.7 * random.random(40), 0, 1)
        frames.append(predictions(k=4, seed=seed, y_true=y, p_1=list(p_1)))
    frames[1].loc[5, "status"] = "invalid"  # its probability must not be used
    return pd.concat(frames, ignore_index=True)


def test_gains_use_the_rows_valid_under_every_curve() -> None:
    frame = gain_predictions()
    gains = gains_over_zero_shot(frame)
    assert list(gains.columns) == [n for n in TESTS.names if n not in JOINED_LATER]
    (row,) = gains.to_dict("records")
    assert (row["k"], row["n"], row["n_dropped"], row["n_seeds"]) == (4, 39, 1, 2)
    kept = frame[frame["row_id"] != 5]
    auc = {
        key: roc_auc_score(cell["y_true"], cell["p_1"]) for key, cell in kept.groupby(["k", "seed"])
    }
    assert row["auc_zero_shot"] == pytest.approx(auc[0, 0])
    assert row["auc_k_shot"] == pytest.approx((auc[4, 864] + auc[4, 460]) / 2)
    assert row["difference"] == pytest.approx(row["auc_k_shot"] - row["auc_zero_shot"])
    assert row["p_greater"] == pytest.approx(norm.sf(row["difference"] / row["se"]))


def test_gains_skip_what_has_no_zero_shot_and_refuse_two_labels_for_a_row() -> None:
    frame = gain_predictions()
    assert gains_over_zero_shot(frame[frame["k"] > 0]).empty
    assert gains_over_zero_shot(frame[frame["k"] == 0]).empty
    frame.loc[0, "y_true"] = 1
    with pytest.raises(TabBenchError, match=r"diabetes / small.*label"):
        gains_over_zero_shot(frame)


def test_gain_without_a_valid_answer_is_undefined_not_missing() -> None:
    frame = gain_predictions()
    frame.loc[frame["seed"] == 460, "status"] = "error"
    (row,) = gains_over_zero_shot(frame).to_dict("records")
    assert (row["n"], row["n_dropped"]) == (0, 40)
    assert math.isnan(row["p_greater"])


def test_combined_gains_count_equal_curves_as_no_evidence_and_leave_out_undefined_ones() -> None:
    nan = float("nan")
    tests = pd.DataFrame(
        {
            "model": "small",
            "k": 4,
            "difference": [0.2, 0.0, nan],
            "z": [3.0, nan, nan],
            "p_greater": [norm.sf(3.0), 0.5, nan],
        }
    )
    (row,) = combine_gains(tests, ["model", "k"]).to_dict("records")
    assert (row["n_datasets"], row["n_left_out"]) == (2, 1)
    assert row["z"] == pytest.approx(3 / math.sqrt(2))
    assert row["gain"] == pytest.approx(0.1)


@given(curves())
def test_several_zero_shot_curves_are_averaged_as_the_draws_are(
    case: tuple[Floats, Floats],
) -> None:
    y, scores = case
    zero, shot = scores[:2], np.vstack([scores[1:], scores[:1]])
    test = gain_test(y, zero, shot)
    zero_aucs, shot_aucs = (brute_force(y, part)[0] for part in (zero, shot))
    assert test.difference == pytest.approx(shot_aucs.mean() - zero_aucs.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("column", "other"),
    [
        ("dataset", "tae"),
        ("model", "large"),
        ("mode", "generation"),
        ("prompt", "context_free"),
        ("serialization", "html"),
    ],
)
def test_every_condition_has_a_gain_of_its_own(column: str, other: str) -> None:
    first = gain_predictions()
    second = first.assign(p_1=1 - first["p_1"], **{column: other})
    both = gains_over_zero_shot(pd.concat([second, first])).set_index(column)
    for frame in (first, second):
        (alone,) = gains_over_zero_shot(frame).to_dict("records")
        found = both.loc[alone.pop(column)]
        assert found.to_dict() == pytest.approx(alone)


def test_a_dataset_whose_test_is_undefined_does_not_move_the_combined_gain() -> None:
    tests = pd.DataFrame(
        {
            "model": "small",
            "k": 4,
            "difference": [0.2, 0.0, 0.9],  # the last has one row of a class: no test
            "z": [3.0, math.nan, math.nan],
            "p_greater": [norm.sf(3.0), 0.5, math.nan],
        }
    )
    assert combine_gains(tests, ["model", "k"])["gain"].item() == pytest.approx(0.1)
