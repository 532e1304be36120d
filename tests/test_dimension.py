"""Real tables as points: equal weight of columns, missing and repeated rows, names of failures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.pandas import column, data_frames, range_indexes
from scipy.spatial.distance import pdist

from tabbench.complexity.dimension import dimension_row, points
from tabbench.core.schemas.dimension import DIMENSION
from tabbench.data.complexity_grid.tables import make_table

NUMBERS = st.integers(-9, 9).map(lambda number: number * 1e100) | st.none()
WORDS = st.sampled_from(["a", "b", "c", None])
TABLES = data_frames(
    [column("x", elements=NUMBERS, dtype=float), column("word", elements=WORDS, dtype=object)],
    index=range_indexes(max_size=12),
)


@given(TABLES)
def test_every_column_has_variance_one_and_nothing_is_lost_uncounted(table: pd.DataFrame) -> None:
    found = points(table, at_most=8)
    columns = 2 - len(found.constant) - len(found.mostly_missing)
    assert np.isfinite(found.values).all()
    if len(found.values):
        assert found.values.var(axis=0).sum() == pytest.approx(columns)
    assert len(found.values) + found.n_left_out + found.n_not_drawn == len(table)
    assert len(found.values) <= 8
    assert len(np.unique(found.values, axis=0)) == len(found.values)


def test_two_categories_lie_as_far_apart_as_two_numbers() -> None:
    random = np.random.default_rng(0)
    x, flag = random.normal(size=40), random.integers(0, 2, 40)
    words = pd.Series(flag).map({0: "no", 1: "yes"})
    as_words = points(pd.DataFrame({"x": x, "flag": words}), 100).values
    as_numbers = points(pd.DataFrame({"x": x, "flag": flag}), 100).values
    assert pdist(as_words) == pytest.approx(pdist(as_numbers))


def test_units_change_nothing() -> None:
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 3)))
    in_other_units = table * [1e-9, 1.0, 1e9] + [5.0, 0.0, -3.0]
    assert points(in_other_units, 100).values == pytest.approx(points(table, 100).values, abs=1e-6)


def test_what_does_not_enter_is_named_or_counted() -> None:
    table = pd.DataFrame(
        {
            "x": [1.0, 1.0, 2.0, np.nan, 4.0],
            "word": ["a", "a", None, "b", "b"],
            "same": ["z"] * 5,
            "rare": [np.nan, np.nan, np.nan, 1.0, 2.0],
        }
    )
    found = points(table, at_most=100)
    assert found.columns_left_out == "mostly missing: rare; constant: same"
    # The fourth row lacks its number, the second repeats the first; "missing" is a word.
    assert (found.values.shape, found.n_left_out) == ((3, 1 + 3), 2)


def test_longer_tables_are_drawn_from_always_alike() -> None:
    table = pd.DataFrame(np.random.default_rng(2).normal(size=(50, 2)))
    found = points(table, at_most=20)
    assert (len(found.values), found.n_not_drawn) == (20, 30)
    assert (found.values == points(table, at_most=20).values).all()


@pytest.mark.slow  # scikit-dimension compiles for seconds when it is first loaded
@pytest.mark.parametrize(("level", "features"), [(0, 5), (3, 20)])
def test_an_mlp_table_keeps_its_dimension(level: int, features: int) -> None:
    table = make_table(level, seed=77, rows=1000).drop(columns="y")
    row = dimension_row(table * 1000 + 3, at_most=1000)
    assert set(row) == set(DIMENSION.names) - {"dataset"}
    assert row["lPCA"] == features
    assert row["failures"] == ""
    assert (row["columns"], row["features"], row["n_rows"]) == (features, features, 1000)


@pytest.mark.slow
def test_rows_that_rounding_makes_equal_are_counted_as_repeated() -> None:
    numbers = [*np.random.default_rng(3).normal(size=30), 1e300, 2e300]
    row = dimension_row(pd.DataFrame({"x": numbers}), at_most=1000)
    assert (row["n_rows"], row["n_left_out"]) == (3, 29)


@pytest.mark.slow
def test_an_estimator_that_fails_is_named() -> None:
    row = dimension_row(pd.DataFrame({"word": ["a", "b"] * 50}), at_most=1000)
    assert "lPCA: 2 distinct complete rows" in row["failures"]
    assert np.isnan(row["MLE"])
    assert (row["n_rows"], row["n_left_out"]) == (2, 98)
