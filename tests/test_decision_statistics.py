"""Learning curves, differences, their crossing and their power, against simulated truth."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from decision_frames import answers, labels, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score

from tabbench.core.schemas.decision import (
    BEFORE_FIRST,
    CONSTANT,
    MORE_DRAWS,
    NO_ANSWERS,
    NO_TEST,
    NOT_WITHIN,
    OK,
    ONE_CLASS,
    ONE_ROW,
    PERFECT,
    SAME_LABELS,
    SAME_RANKS,
    UNDEFINED,
    WITHIN,
)
from tabbench.decision import crossing as crossing_module
from tabbench.decision import learning_curves as curves_module
from tabbench.decision.crossing import crossing, crossings
from tabbench.decision.differences import DELTA, POWER_WANTED, paired_differences
from tabbench.decision.learning_curves import learning_curves
from tabbench.statistics.bootstrap import average_precision, resampled_precisions
from tabbench.statistics.delong import two_curve_test
from tabbench.statistics.draws import Spread, degrees_of_freedom, drawn_difference

BASELINE_AT = {4: 0.6, 16: 0.7, 64: 0.8, 256: 0.9}
"""ROC-AUC by number of labels; it is 0.75 at 32."""
MODEL = ("model", "model", 0, False)


def baseline(k, full=False):
    return ("base", "baseline", k, full)


tied = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.4, 0.5, 0.9])), min_size=2)


@given(tied.filter(lambda rows: any(label for label, _ in rows)))
def test_average_precision_is_that_of_scikit_learn(rows):
    y, p = map(np.array, zip(*rows, strict=True))
    assert average_precision(y, p[None])[0] == pytest.approx(average_precision_score(y, p))


def test_a_resampled_precision_is_that_of_its_repeated_rows(monkeypatch):
    y, p = labels(30), np.round(np.random.default_rng(0).random((2, 30)), 1)
    counts = []
    drawn = resampled_precisions.__globals__["_counts"]
    monkeypatch.setitem(
        resampled_precisions.__globals__,
        "_counts",
        lambda *given: counts.append(drawn(*given)) or counts[-1],
    )
    found = resampled_precisions(y, p, resamples=20)
    by_row = np.empty((20, 30))
    by_row[:, y == 0], by_row[:, y == 1] = counts
    for at, weights in enumerate(by_row):
        expected = [average_precision_score(y, one, sample_weight=weights) for one in p]
        assert found[at] == pytest.approx(expected)


def test_a_single_draw_is_delongs_test():
    random = np.random.default_rng(0)
    y = labels(80)
    first, second = (scores(random, y, auc, 1) for auc in (0.8, 0.6))
    test, known = (
        drawn_difference(y, first, second, paired=False),
        two_curve_test(y, second[0], first[0]),
    )
    assert (test.difference, test.se, test.p) == pytest.approx(
        (known.difference, known.se, known.p_two_sided)
    )
    assert test.interval() == pytest.approx(
        (known.difference - 1.96 * known.se, known.difference + 1.96 * known.se), abs=1e-3
    )
    assert (test.first, test.second) == pytest.approx(
        (roc_auc_score(y, first[0]), roc_auc_score(y, second[0]))
    )


@pytest.mark.parametrize("paired", [True, False])
def test_draws_without_an_effect_are_rejected_at_the_stated_rate(paired):
    """By the rows alone it would be four times as often."""
    random = np.random.default_rng(3)
    y = labels(120)
    rejected = by_rows = 0
    for _ in range(300):
        pair = [scores(random, y, 0.75, 5, between=0.4) for _ in range(2)]
        test = drawn_difference(y, *pair, paired=paired)
        rejected += test.p < 0.05
        by_rows += abs(test.difference) > 1.96 * test.se_rows
        low, high = test.interval()
        assert (test.p < 0.05) == (low > 0 or high < 0)
    assert 0.02 <= rejected / 300 <= 0.09
    assert by_rows / 300 > 0.15


def test_draws_that_vary_together_are_compared_in_pairs():
    random = np.random.default_rng(0)
    y = labels(200)
    first = scores(random, y, 0.75, 4, between=1.5)
    second = first + 0.1 * random.normal(size=first.shape)
    paired, apart = (drawn_difference(y, first, second, paired=one) for one in (True, False))
    assert paired.difference == apart.difference
    assert apart.variance_draws > 20 * paired.variance_draws
    assert apart.se > 1.5 * apart.se_rows
    low, high = apart.interval()
    assert (high - low) / 2 > 1.96 * apart.se


def test_a_few_draws_have_never_fewer_degrees_of_freedom_than_they_alone():
    """Where rows explain how draws differ, Satterthwaite's formula alone gives less than 1."""
    explained = Spread(observed=0.05, added=0.0, draws=3)
    assert degrees_of_freedom(0.01, [explained]) == 2
    assert degrees_of_freedom(0.1, [explained]) == pytest.approx(8)
    assert degrees_of_freedom(0.1, [Spread(0.0, 0.0, 3)]) == np.inf


@pytest.mark.parametrize(
    ("labels_", "gaps", "expected"),
    [
        ([4, 16, 64], [-0.2, -0.1, 0.1], 32),
        ([4, 16, 64], [0.1, 0.2, 0.3], -np.inf),
        ([4, 16, 64], [-0.3, -0.2, -0.1], np.inf),
        ([4, 16, 64, 256], [-0.1, 0.1, -0.1, 0.1], 32),  # what rises is fitted: -0.1, 0, 0, 0.1
    ],
)
def test_a_crossing_is_where_the_gap_is_0(labels_, gaps, expected):
    assert crossing(labels_, gaps) == pytest.approx(expected)


def made(random, auc, y, between=0.2, draws=3):
    curves = {MODEL: scores(random, y, auc, 1)}
    for k, at in BASELINE_AT.items():
        curves[baseline(k)] = scores(random, y, at, draws, between)
    return answers(y, curves)


def test_the_interval_of_a_crossing_covers_the_known_one_at_its_rate(monkeypatch):
    monkeypatch.setattr(crossing_module, "RESAMPLES", 200)
    random = np.random.default_rng(0)
    y = labels(150)
    weights = norm.pdf(np.linspace(-4, 4, 999))
    spread = 0.2 * np.linspace(-4, 4, 999)
    means = [
        np.average(norm.cdf(norm.ppf(auc) + spread / np.sqrt(2)), weights=weights)
        for auc in BASELINE_AT.values()
    ]
    truth = np.exp(np.interp(0.75, means, np.log(list(BASELINE_AT))))
    found = pd.concat([crossings(made(random, 0.75, y)) for _ in range(80)])
    covered = (found["low"] <= truth) & (truth <= found["high"])
    assert 0.88 <= covered.mean() <= 1
    assert found["high"].median() < 256  # and does so without spanning everything
    assert (found["status"] == WITHIN).mean() > 0.9
    assert found["labels"].median() == pytest.approx(truth, rel=0.25)


@pytest.mark.parametrize(("auc", "status"), [(0.97, NOT_WITHIN), (0.45, BEFORE_FIRST)])
def test_curves_that_do_not_cross_are_said_not_to(auc, status):
    random = np.random.default_rng(0)
    row = crossings(made(random, auc, labels(300), between=0.0)).iloc[0]
    assert row["status"] == status
    assert np.isnan(row["labels"])
    if status == NOT_WITHIN:
        assert (row["high"], row["share_beyond"] > 0.9) == (np.inf, True)
    else:
        assert (row["low"], row["share_before"] > 0.9) == (0, True)
    assert (row["first"], row["last"], row["draws"]) == (4, 256, 3)


def test_the_same_labels_are_a_comparison_of_their_own():
    """With the labels that the baseline gets the model stays ahead, without any it does not."""
    random = np.random.default_rng(0)
    y = labels(3000)
    curves = {
        MODEL: scores(random, y, 0.7, 1),
        ("model", "model", 16, False): scores(random, y, 0.95, 3),
    }
    curves |= {baseline(k): scores(random, y, auc, 3) for k, auc in BASELINE_AT.items()}
    found = crossings(answers(y, curves)).set_index(["comparison", "model_k"])
    assert found.loc[("fixed", 0), "labels"] == pytest.approx(16, rel=0.6)
    assert found.loc[("fixed", 16), "status"] == NOT_WITHIN
    assert found.loc[(SAME_LABELS, 16), "status"] == NOT_WITHIN


def test_one_number_of_labels_has_no_crossing():
    y = labels(40)
    curves = {MODEL: np.random.default_rng(0).random((1, 40))}
    curves[baseline(4)] = np.random.default_rng(1).random((3, 40))
    assert crossings(answers(y, curves))["status"].tolist() == [UNDEFINED]


def test_intervals_of_a_curve_cover_its_truth_at_about_their_rate(monkeypatch):
    monkeypatch.setattr(curves_module, "RESAMPLES", 200)
    random = np.random.default_rng(5)
    y = labels(150)
    truth = np.mean(
        [
            norm.cdf(norm.ppf(0.75) + 0.3 / np.sqrt(2) * z)
            for z in norm.ppf(np.linspace(0.005, 0.995, 100))
        ]
    )
    precision = np.mean(
        [
            average_precision(np.tile(y, 40), scores(random, np.tile(y, 40), 0.75, 1, 0.3))
            for _ in range(200)
        ]
    )
    side = baseline(16)
    found = pd.concat(
        [learning_curves(answers(y, {side: scores(random, y, 0.75, 3, 0.3)})) for _ in range(120)]
    )
    for name, value in (("roc_auc", truth), ("pr_auc", precision)):
        covered = (found[f"{name}_low"] <= value) & (value <= found[f"{name}_high"])
        assert 0.87 <= covered.mean() <= 1, name


def test_rows_needed_reach_the_power_that_they_promise():
    """The number is told from one large sample; then DeLong's test rejects as often as wanted."""
    random = np.random.default_rng(0)

    def pair(n):
        y = labels(n)
        shared = random.normal(size=n)
        both = [
            np.sqrt(2) * norm.ppf(auc) * y
            + np.sqrt(0.7) * shared
            + np.sqrt(0.3) * random.normal(size=n)
            for auc in (0.75 + DELTA, 0.75)
        ]
        return y, both

    y, (better, worse) = pair(4000)
    curves = {MODEL: better[None], ("base", "baseline", 600, True): worse[None]}
    needed = paired_differences(answers(y, curves))[1].iloc[0]
    assert 50 < needed["rows_needed"] < 1000
    rejected = []
    for _ in range(400):
        y, (better, worse) = pair(int(needed["rows_needed"]))
        rejected.append(two_curve_test(y, worse, better).p_two_sided < 0.05)
    assert np.mean(rejected) == pytest.approx(POWER_WANTED, abs=0.06)
    y, (better, worse) = pair(int(needed["rows_needed"]))
    curves = {MODEL: better[None], ("base", "baseline", 600, True): worse[None]}
    now = paired_differences(answers(y, curves))[1].iloc[0]
    assert now["power_now"] == pytest.approx(POWER_WANTED, abs=0.1)
    assert now["detectable"] == pytest.approx(DELTA, rel=0.2)


def test_rows_needed_hold_for_the_page_with_all_its_tests():
    """Where nothing else differs, Holm's method asks 0.05 / 4 of the one difference."""
    random = np.random.default_rng(0)

    def given_(n):
        y = labels(n)
        shared = random.normal(size=n)
        aucs = {MODEL: 0.75 + DELTA, ("worse", "baseline", 600, True): 0.75}
        aucs |= {(name, "baseline", 600, True): 0.75 + DELTA for name in "abc"}
        return answers(
            y,
            {
                side: (
                    np.sqrt(2) * norm.ppf(auc) * y
                    + np.sqrt(0.7) * shared
                    + np.sqrt(0.3) * random.normal(size=n)
                )[None]
                for side, auc in aucs.items()
            },
        )

    needed = paired_differences(given_(4000))[1].set_index("reference").loc["worse"]
    assert needed["alpha"] == 0.05 / 4
    found = [
        paired_differences(given_(int(needed["rows_needed"])))[0].set_index("reference")["p_holm"]
        for _ in range(300)
    ]
    told = pd.DataFrame(found) < 0.05
    assert told["worse"].mean() == pytest.approx(POWER_WANTED, abs=0.07)
    assert told[["a", "b", "c"]].any(axis=1).mean() <= 0.08


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(10, 80), st.integers(1, 8))
def test_an_interval_leaves_out_0_exactly_where_the_difference_is_told(seed, n, many):
    random = np.random.default_rng(seed)
    y = labels(n)
    curves = {("model", "model", k, False): scores(random, y, 0.7, 2 if k else 1) for k in (0, 4)}
    for at in range(many):
        curves[f"b{at}", "baseline", n, True] = scores(random, y, random.uniform(0.4, 0.95), 1)
    found = paired_differences(answers(y, curves))[0]
    judged = found[found["status"] == OK]
    away = (judged["low"] > 0) | (judged["high"] < 0)
    assert (away == (judged["p_holm"] < 0.05)).all()
    assert judged["level"].between(0.95 - 1e-12, 1 - 0.05 / len(found) + 1e-12).all()


def test_more_rows_do_not_help_where_draws_vary_too_much():
    random = np.random.default_rng(0)
    y = labels(200)
    curves = {
        ("model", "model", 4, False): scores(random, y, 0.7, 3, between=0.8),
        baseline(4): scores(random, y, 0.7, 3, between=0.8),
    }
    power = paired_differences(answers(y, curves))[1].iloc[0]
    assert (power["status"], power["rows_needed"]) == (MORE_DRAWS, 0)


def test_holm_counts_the_tests_of_one_comparison():
    random = np.random.default_rng(0)
    y = labels(200)
    curves = {
        MODEL: scores(random, y, 0.8, 1),
        ("other", "model", 0, False): scores(random, y, 0.7, 1),
    }
    for name in ("a", "b"):
        curves[name, "baseline", 600, True] = scores(random, y, 0.7, 1)
    found = paired_differences(answers(y, curves))[0].set_index("comparison")
    assert found.index.value_counts().to_dict() == {"all_labels": 4, "models": 1}
    assert found.loc["models", "p_holm"] == found.loc["models", "p"]
    least = found.loc["all_labels"].sort_values("p").iloc[0]
    assert least["p_holm"] == pytest.approx(min(1, 4 * least["p"]))


flat = np.full(20, 0.5)
apart = np.r_[np.ones(10), np.zeros(10)]
mixed = np.linspace(0, 1, 20) % 0.31
half = (np.arange(20) < 10).astype(int)


@pytest.mark.parametrize(
    ("y", "p", "status", "auc"),
    [
        (half, mixed, OK, None),
        (half, flat, CONSTANT, 0.5),
        (half, apart, PERFECT, 1),
        (half, 1 - apart, PERFECT, 0),
        (np.ones(20, int), mixed, ONE_CLASS, np.nan),
        ((np.arange(20) < 1).astype(int), mixed, ONE_ROW, None),
        (half, np.full(20, np.nan), NO_ANSWERS, np.nan),
    ],
)
def test_what_is_not_defined_says_so(y, p, status, auc):
    row = learning_curves(answers(y, {MODEL: p[None]})).iloc[0]
    assert row["status"] == status
    numbers = row[["roc_auc_low", "roc_auc_high", "pr_auc_low", "pr_auc_high"]].astype(float)
    assert numbers.isna().all() == (status != OK)
    if auc is not None:
        assert row["roc_auc"] == pytest.approx(auc, nan_ok=True)
    assert np.isnan(row["p_chance"]) == (status in (NO_ANSWERS, ONE_CLASS))


@pytest.mark.parametrize(
    ("y", "p", "other", "status"),
    [
        (half, mixed, mixed**2, SAME_RANKS),
        (half, flat, apart, NO_TEST),
        (half, np.full(20, np.nan), mixed, NO_ANSWERS),
        (np.ones(20, int), flat, mixed, ONE_CLASS),
        ((np.arange(20) < 1).astype(int), flat, mixed, ONE_ROW),
        (half, mixed, apart, OK),
    ],
)
def test_a_difference_without_a_test_says_so(y, p, other, status):
    curves = {MODEL: p[None], ("base", "baseline", 600, True): other[None]}
    difference, power = (one.iloc[0] for one in paired_differences(answers(y, curves)))
    assert (difference["status"], power["status"]) == (status, status)
    assert np.isnan(difference["p"]) == (status not in (OK, SAME_RANKS))
    assert (power["rows_needed"] > 0) == (status == OK)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(6, 40), st.integers(1, 3), st.booleans())
def test_no_table_has_a_silent_gap(seed, n, draws, ties):
    """Whatever the answers: numbers, or a status that is not ok."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    curves = {}
    for side, many in (
        (MODEL, 1),
        (("model", "model", 4, False), draws),
        (baseline(4), draws),
        (baseline(n, True), 1),
    ):
        p = random.random((many, n))
        p = np.round(p, 1) if ties else p
        curves[side] = np.where(random.random((many, n)) < random.choice([0, 0.4, 1]), np.nan, p)
    given_ = answers(y, curves)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves_module, "RESAMPLES", 20)
        patch.setattr(crossing_module, "RESAMPLES", 20)
        patch.setattr(curves_module, "_null", partial(curves_module._null.__wrapped__))
        patch.setattr(curves_module, "RANDOM_RANKINGS", 20)
        found, (differences, power) = learning_curves(given_), paired_differences(given_)
        crossed = crossings(given_)
    for table, names in (
        (found, ["roc_auc", "roc_auc_low", "pr_auc_high", "p_chance", "p_chance_holm"]),
        (differences, ["difference", "low", "high", "p", "p_holm", "se"]),
        (power, ["power_now", "detectable"]),
    ):
        defined = table[table["status"] == OK]
        assert np.isfinite(defined[names].astype(float)).all(axis=None)
        assert table["status"].notna().all()
    inside = crossed[crossed["status"] == WITHIN]
    assert inside["labels"].between(inside["first"], inside["last"]).all()
    assert not crossed.loc[crossed["status"] != UNDEFINED, ["low", "high"]].isna().any(axis=None)
