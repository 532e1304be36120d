"""Ranks over datasets: a published example, ties, missing datasets, the bars of the diagram."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from tabbench.core.errors import TabBenchError
from tabbench.statistics.ranks import RankComparison, compare_ranks

# Demšar (2006), Table 6: AUCs of four variants of C4.5 on 14 data sets. In the last but one he
# ranks 0.975 before 0.975, by digits not printed: it is 0.976 here.
DEMSAR = pd.DataFrame(
    {
        "C4.5": [763, 599, 954, 628, 882, 936, 661, 583, 775, 1000, 940, 619, 972, 957],
        "C4.5+m": [768, 591, 971, 661, 888, 931, 668, 583, 838, 1000, 962, 666, 981, 978],
        "C4.5+cf": [771, 590, 968, 654, 886, 916, 609, 563, 866, 1000, 965, 614, 976, 946],
        "C4.5+m+cf": [798, 569, 967, 657, 898, 931, 685, 625, 875, 1000, 962, 669, 975, 970],
    }
)


def comparison(ranks: list[float], critical_difference: float) -> RankComparison:
    names = dict(zip("abcdefgh", ranks, strict=False))
    return RankComparison(names, critical_difference, 0.05, math.nan, math.nan, 10, 0)


def test_demsars_example() -> None:
    found = compare_ranks(DEMSAR)
    assert list(found.mean_ranks) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    expected = [1.964, 2.000, 2.893, 3.143]
    np.testing.assert_allclose(list(found.mean_ranks.values()), expected, atol=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert compare_ranks(DEMSAR, 0.1).critical_difference == pytest.approx(1.12, abs=0.005)
    assert found.cliques() == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    assert (found.n_datasets, found.n_left_out, found.level) == (14, 0, 0.05)
    # His chi-squared, 9.28, has no correction for ties; with it the value can only grow.
    assert 9.28 < found.statistic < 10.5
    assert found.p == pytest.approx(friedmanchisquare(*DEMSAR.to_numpy().T).pvalue)


@pytest.mark.parametrize(
    ("models", "level", "q"), [(3, 0.05, 2.343), (4, 0.1, 2.291), (10, 0.05, 3.164)]
)
def test_critical_difference_is_by_demsars_table_5(models: int, level: float, q: float) -> None:
    values = pd.DataFrame(np.random.default_rng(0).random((14, models)))
    expected = q * math.sqrt(models * (models + 1) / (6 * 14))
    found = compare_ranks(values, level)
    assert found.critical_difference == pytest.approx(expected, abs=2e-3)


def test_larger_is_better_and_only_order_counts() -> None:
    values = pd.DataFrame({"bad": [0.1, 0.2], "good": [0.9, 0.8], "fair": [0.5, 0.5]})
    found = compare_ranks(values)
    assert found.mean_ranks == {"good": 1, "fair": 2, "bad": 3}
    assert compare_ranks(np.exp(5 * values)) == found


def test_ties_share_their_mean_rank_and_all_ties_are_no_evidence() -> None:
    values = pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 0.5], "c": [0.2, 0.5]})
    assert compare_ranks(values).mean_ranks == {"a": 1.25, "b": 2.0, "c": 2.75}
    flat = compare_ranks(values * 0)
    assert set(flat.mean_ranks.values()) == {2.0}
    assert math.isnan(flat.p)


def test_datasets_with_a_missing_value_are_left_out_and_counted() -> None:
    gaps = DEMSAR.astype(float)
    gaps.loc[14] = [math.nan, 1, 2, 3]
    gaps.loc[15] = math.nan
    found, whole = compare_ranks(gaps), compare_ranks(DEMSAR)
    assert (found.n_datasets, found.n_left_out) == (14, 2)
    assert (found.mean_ranks, found.p) == (whole.mean_ranks, whole.p)


@pytest.mark.parametrize(
    ("ranks", "bars"),
    [
        ([1, 1.5, 2.2, 4], [("a", "b"), ("b", "c")]),
        ([1, 1.5, 2.0, 4], [("a", "b", "c")]),
        ([1, 2.5, 4], []),
        ([1, 2.5, 3, 3.4], [("b", "c", "d")]),
        ([2, 2, 2], [("a", "b", "c")]),
    ],
)
def test_bars(ranks: list[float], bars: list[tuple[str, ...]]) -> None:
    assert comparison(ranks, 1.0).cliques() == bars


@given(st.lists(st.integers(8, 48), min_size=1, max_size=8), st.integers(1, 30))
def test_bars_join_exactly_the_pairs_that_do_not_differ(ranks: list[int], reach: int) -> None:
    ranks = sorted(ranks)
    bars = comparison([rank / 8 for rank in ranks], reach / 8).cliques()
    joined = {(a, b) for bar in bars for a in bar for b in bar if a < b}
    names = "abcdefgh"[: len(ranks)]
    assert joined == {
        (a, b)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j and ranks[j] - ranks[i] <= reach
    }
    assert not any(set(one) < set(other) for one in bars for other in bars)


def test_too_few_models_or_datasets_is_an_error() -> None:
    with pytest.raises(TabBenchError, match="2 models on 14 datasets"):
        compare_ranks(DEMSAR.iloc[:, :2])
    with pytest.raises(TabBenchError, match="4 models on 1 datasets"):
        compare_ranks(DEMSAR.iloc[:1])


def test_a_dataset_that_is_left_out_counts_nowhere() -> None:
    lacking = pd.DataFrame([[0.9, math.nan, 0.1, 0.2]], columns=DEMSAR.columns)
    found, whole = compare_ranks(pd.concat([DEMSAR, lacking])), compare_ranks(DEMSAR)
    assert (found.n_datasets, found.n_left_out) == (14, 1)
    assert found.mean_ranks == whole.mean_ranks
    assert found.critical_difference == whole.critical_difference
