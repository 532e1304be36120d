"""Rows of one person are not independent: intervals and tests of the decision page rest on groups.

A row that is repeated within its group tells nothing new, which is an exact oracle for every table;
how often a difference is found where there is none is told by simulation.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from decision_frames import answers, asked, fits, labels, scores, table

from tabbench.core.schemas.decision import ONE_GROUP, ONE_ROW
from tabbench.core.schemas.own import FILE_ROWS
from tabbench.data.own_rows import groups_of_rows
from tabbench.decision import crossing as crossing_module
from tabbench.decision import learning_curves as curves_module
from tabbench.decision import recalibration, thresholds
from tabbench.decision.crossing import crossings
from tabbench.decision.differences import paired_differences
from tabbench.decision.evidence import evidence
from tabbench.decision.labelled import Labelled
from tabbench.decision.learning_curves import learning_curves
from tabbench.decision.recalibration import calibrations
from tabbench.decision.thresholds import threshold_table
from tabbench.statistics.bootstrap import resampled_aucs, row_counts
from tabbench.statistics.delong import contrast_test, delong_covariance
from tabbench.statistics.draws import drawn_difference
from tabbench.statistics.proportions import effective_rows

MODEL = ("model", "model", 0, False)
TIMES = 5


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    for module in (curves_module, crossing_module, recalibration, thresholds):
        monkeypatch.setattr(module, "RESAMPLES", 60)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_per_group_has_delongs_variance(seed):
    random = np.random.default_rng(seed)
    y = random.permutation(labels(60))
    p = np.round(random.random((3, 60)), 1)
    groups = random.permutation(60)
    expected, found = delong_covariance(y, p), delong_covariance(y, p, groups)
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-12)
    alone, grouped = (contrast_test(y, p, [1, -0.5, -0.5], one) for one in (None, groups))
    assert grouped.se == pytest.approx(alone.se, abs=1e-12)
    assert grouped.se**2 > 0


def test_groups_with_both_classes_vary_as_the_jackknife_of_groups_says():
    random = np.random.default_rng(3)
    groups = np.arange(60).repeat(6)
    y = (np.arange(360) % 6 < 2).astype(int)
    p = random.normal(size=(2, 60))[:, groups] + 0.5 * random.normal(size=(2, 360)) + 0.5 * y
    without = [delong_covariance(y[groups != g], p[:, groups != g])[0] for g in range(60)]
    expected = 59 * np.cov(np.transpose(without), ddof=0)
    np.testing.assert_allclose(delong_covariance(y, p, groups)[1], expected, rtol=0.1, atol=1e-5)


def test_resamples_of_a_row_per_group_are_those_of_rows():
    y, p = labels(40), np.random.default_rng(0).random((2, 40))
    alone, grouped = (resampled_aucs(y, p, resamples=50, groups=one) for one in (None, range(40)))
    assert (alone == grouped).all()


def test_whole_groups_are_resampled():
    groups = np.array([3, 3, 1, 1, 1, 7, 7, 8])
    counts = row_counts(8, resamples=200, groups=groups)
    for group in set(groups):
        assert (np.ptp(counts[:, groups == group], axis=1) == 0).all()
    assert 0.9 < counts.mean() < 1.1
    y = np.array([0, 0, 1, 0, 0, 1, 1, 0])  # a group of either class alone, and one of both
    aucs = resampled_aucs(y, np.arange(8.0)[None], resamples=500, groups=groups)
    assert np.isfinite(aucs).all() and len(set(aucs[:, 0])) > 2


def everything(given):
    """Every table that rests on test rows."""
    random = np.random.default_rng(9)
    learned = {
        side: [
            Labelled(labels(40), random.random(40), np.ones(40), 40) for _ in range(len(curves.p))
        ]
        for side, curves in given.curves.items()
    }
    differences, power = paired_differences(given)
    calibrated, bins = calibrations(given, learned, 0.35)
    return {
        "curves": learning_curves(given),
        "differences": differences,
        "power": power,
        "crossings": crossings(given),
        "calibrations": calibrated,
        "bins": bins,
        "thresholds": threshold_table(given, learned),
    }


def test_repeated_rows_of_a_group_tell_nothing_new():
    random = np.random.default_rng(0)
    y = labels(60)
    curves = {MODEL: scores(random, y, 0.8, 1)}
    for k in (4, 16):
        curves["base", "baseline", k, False] = scores(random, y, 0.6 + k / 100, 3, 0.3)
    curves["base", "baseline", 600, True] = scores(random, y, 0.7, 1)
    curves = {side: 1 / (1 + np.exp(-p)) for side, p in curves.items()}
    once = replace(answers(y, curves), groups=np.arange(60))
    again = answers(np.repeat(y, TIMES), {side: p.repeat(TIMES, 1) for side, p in curves.items()})
    grouped = replace(again, groups=np.arange(60).repeat(TIMES))
    expected, found, fooled = (everything(one) for one in (once, grouped, again))
    for name, frame in expected.items():
        counts = ["n", "n_positive", "n_rows", "rows_needed", "calibration_error_if_right"]
        same = [column for column in frame if column not in counts]
        pd.testing.assert_frame_equal(found[name][same], frame[same], obj=name)
    assert (found["power"]["rows_needed"] > 4 * expected["power"]["rows_needed"]).all()
    assert (fooled["differences"]["se_rows"] < 0.5 * expected["differences"]["se_rows"]).all()
    width = [one["thresholds"].eval("recall_high - recall_low").mean() for one in (fooled, found)]
    assert width[0] < 0.7 * width[1]


def of_people(random, people, size, draws=2):
    """Labels, scores without a difference and groups: a person's rows have one label, and scores
    that are much alike."""
    groups = np.arange(people).repeat(size)
    y = (random.permutation(people) < people // 2).astype(int)[groups]
    own = random.normal(size=(draws, people))[:, groups]
    return y, 0.9 * own + 0.4 * random.normal(size=own.shape), groups


def test_people_without_a_difference_are_told_apart_at_the_stated_rate():
    random = np.random.default_rng(1)
    grouped = alone = 0
    for _ in range(300):
        y, (first, second), groups = of_people(random, 30, 6)
        sides = first[None] + y, second[None] + y
        grouped += drawn_difference(y, *sides, paired=True, groups=groups).p < 0.05
        alone += drawn_difference(y, *sides, paired=True).p < 0.05
    assert grouped / 300 <= 0.08
    assert alone / 300 > 0.25


def test_people_who_are_guessed_are_better_than_guessing_at_the_stated_rate():
    random = np.random.default_rng(2)
    found = {True: [], False: []}
    for _ in range(120):
        y, p, groups = of_people(random, 30, 6, draws=1)
        given = answers(y, {MODEL: p})
        for known in found:
            one = learning_curves(replace(given, groups=groups) if known else given).iloc[0]
            found[known].append(
                (one["p_chance"] < 0.05, one["roc_auc_low"] <= 0.5 <= one["roc_auc_high"])
            )
    (p, covered), (p_alone, covered_alone) = (
        np.mean(found[known], axis=0) for known in (True, False)
    )
    assert p <= 0.1 and covered >= 0.88
    assert p_alone > 0.15 and covered_alone < 0.75


def test_effective_rows_lie_between_groups_and_rows():
    groups = np.arange(10).repeat(4)
    assert effective_rows(groups % 2, groups) == 10
    assert effective_rows(np.zeros(40), groups) == 10
    assert effective_rows(np.tile([0, 0, 1, 1], 10), groups) == 40
    assert effective_rows(np.arange(40) % 2, None) == 40
    random = np.random.default_rng(0)
    found = [effective_rows(random.integers(0, 2, 400), np.arange(100).repeat(4)) for _ in range(9)]
    assert 250 < np.mean(found) <= 400


def test_a_class_in_one_group_has_no_interval():
    y = np.repeat([1, 0, 0, 0], 5)
    p = {MODEL: np.random.default_rng(0).random((1, 20))}
    p["base", "baseline", 600, True] = np.random.default_rng(1).random((1, 20))
    given = replace(answers(y, p), groups=np.arange(4).repeat(5))
    assert set(learning_curves(given)["status"]) == {ONE_GROUP}
    difference = paired_differences(given)[0].iloc[0]
    assert difference["status"] == ONE_GROUP and np.isnan(difference["low"])
    lone = replace(answers(np.arange(20) < 1, p), groups=np.arange(20))
    assert paired_differences(lone)[0]["status"].tolist() == [ONE_ROW]


def test_groups_reach_every_table_by_row():
    rows, split = table(300)
    predicted = asked(rows, split)
    given = (predicted, fits(predicted), rows, split, {}, 32, 300)
    groups = pd.Series([f"p{row // 3}" for row in rows["row_id"]], index=rows["row_id"])
    grouped, alone = evidence(*given, groups), evidence(*given)
    for name in ("curves", "differences", "context_effects", "thresholds", "calibrations"):
        assert set(grouped[name]["n_groups"]) == {26}, name
        assert set(alone[name]["n_groups"]) == {0}, name
    p, p_alone = (one["context_effects"]["p"].dropna() for one in (grouped, alone))
    assert not p.equals(p_alone)


def test_groups_are_read_from_the_rows_of_the_file():
    rows = pd.DataFrame({"row_id": [1, None, 0], "group": ["b", "c", "a"], "part": ""})
    rows = rows.reindex(columns=FILE_ROWS.names)
    assert groups_of_rows(rows).to_dict() == {0: "a", 1: "b"}
    assert groups_of_rows(rows.assign(group="")) is None
