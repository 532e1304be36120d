"""Intrinsic dimension: the paper's Table XVI, missing and repeated rows, failures by name."""

import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tabbench.complexity.intrinsic import intrinsic_dimension
from tabbench.core.frames import read_table
from tabbench.core.schemas.paper_tables import TABLE_16
from tabbench.core.suites import level_number
from tabbench.data.complexity_grid.levels import LEVELS
from tabbench.data.complexity_grid.tables import make_table

PAPER = Path(__file__).parents[1] / "resources/paper"

# scikit-dimension compiles for seconds when it is first loaded.
slow = pytest.mark.slow

TABLE_XVI = {
    level_number(line.level): line.value
    for line in read_table(PAPER / "table16.csv", TABLE_16).itertuples()
}
"""The paper's averages over seeds, by level."""


def test_all_seven_levels_are_compared() -> None:
    assert list(TABLE_XVI) == list(LEVELS)


@slow
@pytest.mark.parametrize("level", TABLE_XVI)
def test_table_xvi(level: int) -> None:
    tables = [make_table(level, seed, 1000).drop(columns="y") for seed in range(5)]
    found = [intrinsic_dimension(table) for table in tables]
    assert not any(one.failures for one in found)
    assert np.mean([one.mean for one in found]) == pytest.approx(TABLE_XVI[level], rel=0.04)


def plane(rows: int) -> np.ndarray:
    """Return points of a plane in five dimensions."""
    random = np.random.default_rng(0)
    return random.normal(size=(rows, 2)) @ random.normal(size=(2, 5))


@slow
def test_a_plane_has_two_dimensions() -> None:
    found = intrinsic_dimension(plane(500))
    assert list(found.estimates) == ["lPCA", "MLE", "TwoNN", "TLE"]
    assert found.estimates["lPCA"] == 2
    assert all(1.7 < value < 2.3 for value in found.estimates.values())
    assert found.mean == pytest.approx(sum(found.estimates.values()) / 4)
    assert (found.n_rows, found.n_incomplete, found.n_duplicates) == (500, 0, 0)


@slow
def test_repeated_rows_incomplete_rows_and_empty_columns_change_nothing() -> None:
    x = plane(300)
    broken = x[:4].copy()
    broken[:, 1] = math.nan
    longer = np.vstack([x, x[:50], broken])
    longer = np.column_stack([longer, np.full(len(longer), math.nan)])
    found, clean = intrinsic_dimension(longer), intrinsic_dimension(x)
    assert found.estimates == pytest.approx(clean.estimates)
    assert (found.n_rows, found.n_incomplete, found.n_duplicates) == (300, 4, 50)


@slow
def test_too_few_rows_fail_by_name() -> None:
    found = intrinsic_dimension(np.vstack([plane(20), plane(20)]))
    assert math.isnan(found.mean)
    assert set(found.failures) == {"lPCA", "MLE", "TwoNN", "TLE"}
    assert found.failures["MLE"] == "20 distinct complete rows; more than 20 needed"


@slow
def test_what_an_estimator_refuses_is_its_failure() -> None:
    x = plane(50)
    x[0, 0] = math.inf
    found = intrinsic_dimension(x)
    assert math.isnan(found.mean)
    assert "infinity" in found.failures["TwoNN"]


@slow
@pytest.mark.parametrize("shape", [(30, 1), (0, 3), (30, 0)])
def test_no_shape_crashes(shape: tuple[int, int]) -> None:
    found = intrinsic_dimension(np.random.default_rng(0).normal(size=shape))
    assert math.isnan(found.mean)
    assert found.failures


class Estimator:
    """One of scikit-dimension's, with a known estimate; None where it fails."""

    estimate: float | None = None

    def __init__(self, **_: str) -> None: ...

    def fit(self, _: np.ndarray) -> "Estimator":
        if self.estimate is None:
            raise ValueError("no neighbours")
        self.dimension_ = self.estimate
        return self


@pytest.mark.parametrize("failing", [None, "MLE", "TwoNN"])
def test_there_is_no_mean_of_fewer_than_four(
    monkeypatch: pytest.MonkeyPatch, failing: str | None
) -> None:
    found = {"lPCA": 2.0, "MLE": 3.0, "TwoNN": 5.0, "TLE": 7.0}
    kinds = {
        name: type(name, (Estimator,), {"estimate": None if name == failing else value})
        for name, value in found.items()
    }
    monkeypatch.setitem(sys.modules, "skdim", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "skdim.id", SimpleNamespace(**kinds))
    estimated = intrinsic_dimension(plane(30))
    assert (estimated.mean == 17 / 4) == (failing is None)
    assert math.isnan(estimated.mean) == (failing is not None)
    assert estimated.failures == ({failing: "no neighbours"} if failing else {})
    for name, value in found.items():
        assert estimated.estimates[name] == pytest.approx(
            math.nan if name == failing else value, nan_ok=True
        )
