"""Recalibration and thresholds: learned on labelled rows alone, against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from decision_frames import answers, labels
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.calibration import _SigmoidCalibration
from sklearn.metrics import brier_score_loss, f1_score, precision_score, recall_score

from tabbench.core.schemas.decision import (
    AS_ANSWERED,
    ISOTONIC,
    NO_ANSWERS,
    NO_LABELLED_ROWS,
    NONE_FLAGGED,
    OK,
    ONE_CLASS,
    PLATT,
    TOO_FEW_ROWS,
)
from tabbench.decision import thresholds as thresholds_module
from tabbench.decision.labelled import Labelled
from tabbench.decision.recalibration import ISOTONIC_ROWS, calibrations, fit_platt
from tabbench.decision.sides import Side
from tabbench.decision.thresholds import best_f1, threshold_table

MODEL = ("model", "model", 0, False)
SIDE = Side(*MODEL)


def rows(random, n, slope=1.0, shift=0.0, share=0.3):
    """Labels, right probabilities, and what a model says that distorts them."""
    y = (random.random(n) < share).astype(int)
    right = expit(random.normal(size=n) * 1.5 + 1.5 * y - 0.9 + logit(share) + 0.6)
    y = (random.random(n) < right).astype(int)
    return y, right, expit(slope * logit(right) + shift)


def learn(y, p, weights=None):
    return Labelled(y, p, np.ones(len(y)) if weights is None else weights, len(y))


def by_method(y, p, labelled, base_rate=0.3):
    found, bins = calibrations(answers(y, {MODEL: p[None]}), {SIDE: [labelled]}, base_rate)
    return found.set_index("method"), bins


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(0.01, 0.99), st.floats(0.2, 3)),
        min_size=6, max_size=40,
    ).filter(lambda rows: len({label for label, _, _ in rows}) == 2)
)  # fmt: skip
def test_platts_method_is_that_of_scikit_learn(given_rows):
    y, p, weights = (np.array(column, dtype=float) for column in zip(*given_rows, strict=True))
    known = _SigmoidCalibration().fit(logit(p), y, sample_weight=weights)
    found = fit_platt(Labelled(y.astype(int), p, weights, len(y)))(p)
    assert found == pytest.approx(known.predict(logit(p)), abs=2e-3)


def test_platts_method_learns_no_slope_from_equal_probabilities():
    y = labels(20, 0.25)
    found = fit_platt(learn(y, np.full(20, 0.9)))(np.array([0.01, 0.5, 0.99]))
    assert found == pytest.approx((5 * 6 / 7 + 15 / 17) / 20, abs=1e-4)


def test_platts_method_undoes_a_distortion_and_leaves_right_probabilities():
    random = np.random.default_rng(0)
    y, _, said = rows(random, 600, slope=2.5, shift=1.0)
    to_learn = learn(*rows(random, 2000, slope=2.5, shift=1.0)[::2])
    found, _ = by_method(y, said, to_learn)
    assert found.loc[PLATT, "brier_change_high"] < 0
    assert found.loc[PLATT, "calibration_error"] < found.loc[AS_ANSWERED, "calibration_error"] / 2
    y, right, _ = rows(random, 600)
    found, _ = by_method(y, right, learn(*rows(random, 2000)[:2]))
    assert found.loc[PLATT, "brier_change_low"] <= 0 <= found.loc[PLATT, "brier_change_high"]
    assert abs(found.loc[PLATT, "brier_change"]) < 0.002


def test_scores_are_those_of_scikit_learn_against_the_base_rate_of_the_training_part():
    y, _, said = rows(np.random.default_rng(0), 300)
    found, bins = by_method(y, said, learn(y[:0], said[:0]), base_rate=0.25)
    row = found.loc[AS_ANSWERED]
    assert row["brier"] == pytest.approx(brier_score_loss(y, said))
    assert row["brier_base_rate"] == pytest.approx(brier_score_loss(y, np.full(300, 0.25)))
    assert (found.loc[[PLATT, ISOTONIC], "status"] == NO_LABELLED_ROWS).all()
    assert bins["n"].sum() == 300
    assert (bins["observed_low"] <= bins["observed"]).all()
    assert bins.eval("low <= mean_predicted <= high").all()


def test_the_interval_of_what_recalibration_brings_covers_the_truth():
    random = np.random.default_rng(0)
    to_learn = learn(*rows(random, 300, slope=2, shift=0.8)[::2])
    y, _, said = rows(random, 100_000, slope=2, shift=0.8)
    after = fit_platt(to_learn)(said)
    truth = brier_score_loss(y, after) - brier_score_loss(y, said)
    covered = []
    for _ in range(60):
        y, _, said = rows(random, 150, slope=2, shift=0.8)
        row = by_method(y, said, to_learn)[0].loc[PLATT]
        covered.append(row["brier_change_low"] <= truth <= row["brier_change_high"])
    assert 0.85 <= np.mean(covered) <= 1


def test_isotonic_regression_waits_for_enough_rows():
    random = np.random.default_rng(0)
    y, _, said = rows(random, 200)
    for n, status in ((ISOTONIC_ROWS - 1, TOO_FEW_ROWS), (ISOTONIC_ROWS, OK)):
        to_learn = learn(*rows(random, n)[::2])
        found, bins = by_method(y, said, to_learn)
        assert found.loc[ISOTONIC, "status"] == status
        assert (ISOTONIC in bins["method"].tolist()) == (status == OK)
        assert found.loc[PLATT, "labels"] == n


def test_balanced_examples_do_not_move_the_base_rate():
    """Half of the labelled rows are of class 1 and a fifth of the table: weights undo it."""
    random = np.random.default_rng(0)
    y, p, _ = rows(random, 4000, share=0.2)
    base = y.mean()
    chosen = np.r_[np.flatnonzero(y == 1)[:400], np.flatnonzero(y == 0)[:400]]
    weights = np.where(y[chosen] == 1, base / 0.5, (1 - base) / 0.5)
    weighted, plain = (
        fit_platt(Labelled(y[chosen], p[chosen], used, 800))(p).mean()
        for used in (weights, np.ones(800))
    )
    assert weighted == pytest.approx(base, abs=0.02)
    assert plain > base + 0.1


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.25, 0.5, 0.8]), st.integers(1, 3)),
        min_size=2,
    ).filter(lambda rows: len({label for label, _, _ in rows}) == 2)
)
def test_the_best_f1_is_found(given_rows):
    y, p, weights = map(np.array, zip(*given_rows, strict=True))
    found = best_f1(Labelled(y, p, weights.astype(float), len(y)))
    f1 = [f1_score(y, p >= at, sample_weight=weights) for at in np.unique(p)]
    assert f1_score(y, p >= found, sample_weight=weights) == pytest.approx(max(f1))
    assert found in p


def test_thresholds_are_scored_as_scikit_learn_scores_them():
    random = np.random.default_rng(0)
    y, _, said = rows(random, 200)
    to_learn = learn(*rows(random, 60)[::2])
    table = threshold_table(answers(y, {MODEL: said[None]}), {SIDE: [to_learn]})
    assert table["chosen"].sum() == 1
    for _, row in table[table["status"] == OK].iterrows():
        called = said >= row["threshold"]
        for name, score in (
            ("precision", precision_score), ("recall", recall_score), ("f1", f1_score)
        ):  # fmt: skip
            assert row[name] == pytest.approx(score(y, called))
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    chosen = table[table["chosen"]].iloc[0]
    assert chosen["threshold"] == best_f1(to_learn)
    assert chosen["labelled_rows"] == 60


def test_test_labels_choose_no_threshold():
    random = np.random.default_rng(0)
    y, _, said = rows(random, 200)
    to_learn = {SIDE: [learn(*rows(random, 60)[::2])]}
    chosen = [
        threshold_table(answers(one, {MODEL: said[None]}), to_learn).query("chosen")["threshold"]
        for one in (y, 1 - y)
    ]
    assert chosen[0].tolist() == chosen[1].tolist()


def test_intervals_of_a_threshold_cover_the_truth(monkeypatch):
    monkeypatch.setattr(thresholds_module, "RESAMPLES", 200)
    monkeypatch.setattr(thresholds_module, "GRID", (0.5,))
    random = np.random.default_rng(0)
    y, _, said = rows(random, 200_000)
    truth = {"precision": precision_score(y, said >= 0.5), "recall": recall_score(y, said >= 0.5)}
    truth["f1"] = f1_score(y, said >= 0.5)
    nothing = {SIDE: [learn(y[:0], said[:0])]}
    found = pd.concat(
        [
            threshold_table(answers(y_, {MODEL: p[None]}), nothing).iloc[:1]
            for y_, _, p in (rows(random, 120) for _ in range(150))
        ]
    )
    for name, value in truth.items():
        covered = (found[f"{name}_low"] <= value) & (value <= found[f"{name}_high"])
        assert 0.9 <= covered.mean() <= 0.99, name


def test_a_share_of_all_or_none_has_an_interval_of_some_width():
    y = labels(40, 0.5)
    nothing = {SIDE: [learn(y[:0], np.empty(0))]}
    table = threshold_table(answers(y, {MODEL: y[None] * 0.5 + 0.2}), nothing).set_index(
        "threshold"
    )
    row = table.loc[0.5]
    assert (row["precision"], row["recall"], row["f1"]) == (1, 1, 1)
    assert 0.7 < row["f1_low"] < row["f1_high"] == 1
    assert 0.7 < row["precision_low"] < 0.9
    none = table.loc[0.8]
    assert (none["status"], none["recall"], none["f1"]) == (NONE_FLAGGED, 0, 0)
    assert np.isnan([none["precision"], none["f1_low"]]).all()


@pytest.mark.parametrize(
    ("y", "p", "labelled", "status"),
    [
        (labels(20), np.full(20, np.nan), learn(labels(20), np.full(20, 0.5)), NO_ANSWERS),
        (np.ones(20, int), np.full(20, 0.4), learn(labels(20), np.full(20, 0.5)), ONE_CLASS),
        (labels(20), np.full(20, 0.4), learn(np.ones(20, int), np.full(20, 0.5)), ONE_CLASS),
        (labels(20), np.full(20, 0.4), learn(labels(4), np.full(4, 0.5)), TOO_FEW_ROWS),
        (labels(20), 0.4 + 0.2 * labels(20), learn(labels(20), np.full(20, 0.5)), OK),
    ],
)
def test_what_cannot_be_learned_or_scored_says_so(y, p, labelled, status):
    given_ = answers(y, {MODEL: p[None]})
    chosen = threshold_table(given_, {SIDE: [labelled]}).query("chosen").iloc[0]
    assert chosen["status"] == status
    assert np.isnan(chosen["f1"]) == (status != OK)
    found = calibrations(given_, {SIDE: [labelled]}, 0.3)[0].set_index("method")
    scored = found["status"] == OK
    assert scored[AS_ANSWERED] == (status != NO_ANSWERS)
    assert found.loc[scored, ["brier", "log_loss", "brier_change"]].notna().all(axis=None)
    assert found.loc[~scored, "brier"].isna().all()
