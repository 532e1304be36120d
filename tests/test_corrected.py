"""Shares corrected for a judge's errors, against the published formula and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.statistics.corrected import LEAST, corrected_share


def drawn(random, n, n_labelled, truth, sensitivity, specificity):
    """Verdicts of a judge on n answers, the truth, and labels of a random part of them."""
    right = random.random(n) < truth
    verdicts = np.where(right, random.random(n) < sensitivity, random.random(n) >= specificity)
    labels = np.full(n, np.nan)
    chosen = random.permutation(n)[:n_labelled]
    labels[chosen] = right[chosen]
    return verdicts.astype(float), labels


def ppi_plus_plus(verdicts, labels):
    """Mean by PPI++ (Angelopoulos et al., 2023, section 6), written out.

    The labelled answers have verdicts f and labels y, the others verdicts F alone; the weight is
    cov(y, f) / ((1 + n / N) var(f)), the estimate mean(y) + weight * (mean(F) - mean(f)).
    """
    given_ = ~np.isnan(labels)
    y, f, others = labels[given_], verdicts[given_], verdicts[~given_]
    weight = np.cov(y, f)[0, 1] / f.var(ddof=1) / (1 + len(y) / len(others))
    return y.mean() + weight * (others.mean() - f.mean())


@given(st.integers(0, 10_000), st.integers(60, 150), st.floats(0.2, 0.8))
def test_the_estimate_is_that_of_prediction_powered_inference(seed, n_labelled, truth):
    random = np.random.default_rng(seed)
    verdicts, labels = drawn(random, 300, n_labelled, truth, 0.85, 0.8)
    found = corrected_share(verdicts, labels)
    if found.enough and found.n_accepted and found.n_refused:
        assert found.estimate == pytest.approx(ppi_plus_plus(verdicts, labels))


CASES = [
    (0.4, 0.95, 0.80, 100),  # takes wrong answers for right: plain accuracy is 12 points too high
    (0.4, 0.75, 0.99, 100),  # refuses right ones
    (0.3, 0.98, 0.98, 60),  # few errors and few labels
    (0.8, 0.9, 0.7, 80),
]


@pytest.mark.parametrize(("truth", "sensitivity", "specificity", "n_labelled"), CASES)
def test_intervals_cover_the_truth_where_plain_accuracy_does_not(
    truth, sensitivity, specificity, n_labelled
):
    random = np.random.default_rng(n_labelled)
    hits, estimates, plain = [], [], []
    for trial in range(500):
        given_ = drawn(random, 371, n_labelled, truth, sensitivity, specificity)
        found = corrected_share(*given_, seed=trial)
        if found.enough:
            hits.append(found.low <= truth <= found.high)
            estimates.append(found.estimate)
        plain.append(given_[0].mean())
    assert len(hits) > 450
    assert 0.93 <= np.mean(hits) <= 0.985  # 500 draws of 0.95 vary by 0.01
    assert np.mean(estimates) == pytest.approx(truth, abs=0.01)
    bias = truth * sensitivity + (1 - truth) * (1 - specificity) - truth
    assert np.mean(plain) - truth == pytest.approx(bias, abs=0.01)


def test_labels_narrow_the_interval_less_than_as_many_verdicts_would():
    random = np.random.default_rng(0)
    widths = []
    for n_labelled in (40, 150, 371):
        found = corrected_share(*drawn(random, 371, n_labelled, 0.5, 0.9, 0.9))
        widths.append(found.high - found.low)
    assert widths[0] > widths[1] > widths[2] > 0.09
    alone = corrected_share(*drawn(random, 40, 40, 0.5, 0.9, 0.9))
    assert widths[0] < alone.high - alone.low  # the verdicts help


def test_a_judge_without_errors_among_the_labels_still_has_an_interval_of_its_own():
    verdicts = np.tile([1.0, 0.0], 100)
    labels = np.where(np.arange(200) < 40, verdicts, np.nan)
    found = corrected_share(verdicts, labels)
    assert found.estimate == 0.5
    assert found.low < 0.44
    assert (found.accepted_wrongly, found.refused_wrongly) == (0, 0)


def test_too_few_labels_give_no_number():
    verdicts = np.tile([1.0, 0.0], 50)
    for n_labelled in (0, 2 * LEAST - 1):
        labels = np.where(np.arange(100) < n_labelled, verdicts, np.nan)
        found = corrected_share(verdicts, labels)
        assert not found.enough
        assert np.isnan([found.estimate, found.low, found.high]).all()
    assert not corrected_share([], []).enough
    few = corrected_share([1, 1, *[0] * 30], [1, 0, *[0] * 20, *[np.nan] * 10])
    assert few.enough  # all that the judge accepted are labelled
    assert few.estimate == pytest.approx(1 / 32)
    with pytest.raises(TabBenchError, match="must be 0 or 1"):
        corrected_share([1, 0.5], [1, 0])


def test_counts_of_errors():
    verdicts = np.array([1.0] * 20 + [0.0] * 20)
    labels = np.array([1.0] * 17 + [0.0] * 3 + [0.0] * 19 + [1.0])
    found = corrected_share(verdicts, labels)
    assert (found.n, found.n_accepted, found.n_refused) == (40, 20, 20)
    assert (found.accepted_wrongly, found.refused_wrongly) == (3, 1)
    assert found.estimate == pytest.approx(18 / 40)
