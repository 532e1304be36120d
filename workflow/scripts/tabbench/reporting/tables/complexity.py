"""RQ6, Tables XV and XVI: how the complexity grid is made, and its intrinsic dimension."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from tabbench.complexity.estimators import ESTIMATORS
from tabbench.core.suites import level_number
from tabbench.data.complexity_grid.levels import LEVELS, RECIPES
from tabbench.reporting.writer import DASH, Table, plus_minus

_COLUMNS = {**ESTIMATORS, "mean": "Mean"}


def table15(table15: pd.DataFrame, tables: Mapping[int, int], rows: int, recipe: str) -> Table:
    """Make Table XV: the definition that makes the tables, and the paper's.

    Parameters
    ----------
    table15 : the published table, with the columns of ``schemas.TABLE_15``
    tables : number of tables by level, as configured
    rows : rows of each table
    recipe : how the networks are made, a key of ``RECIPES``
    """
    numbers = pd.DataFrame(
        [
            {"level": f"MLP-{level}", **asdict(LEVELS[level]), "tables": count, "rows": rows}
            for level, count in tables.items()
        ]
    ).astype({"hidden": "float64"})
    numbers = numbers.merge(table15, on="level", how="left", suffixes=("", "_published"))
    return Table(
        caption="Levels of the MLP-prior complexity grid",
        header=(
            *("Level", "Layers", "Features", "Hidden size", "Tables", "Rows"),
            "Published (layers / features / hidden size)",
        ),
        rows=tuple(_level(line) for line in numbers.itertuples()),
        numbers=numbers,
        notes=(
            "layers: hidden layers; hidden size: units of each; features: columns of a table",
            "inputs are standard normal, the label is the sign of the network's output centred on "
            "its median; the paper does not state the number of rows",
            f"recipe {recipe}: {RECIPES[recipe]}. The paper does not state it, and no generator "
            "was released; the default recipe was fitted to released results of baselines",
        ),
    )


def table16(intrinsic: pd.DataFrame, table16: pd.DataFrame, rows: int) -> Table:
    """Make Table XVI: mean intrinsic dimension of each level's tables, and the paper's.

    Parameters
    ----------
    intrinsic : DataFrame with the columns of ``schemas.INTRINSIC``
    table16 : the published table, with the columns of ``schemas.TABLE_16``
    rows : rows of each table of the configuration
    """
    grouped = intrinsic.groupby("level", as_index=False)
    # A level has no mean of an estimator that failed on one of its tables.
    numbers = grouped[list(_COLUMNS)].mean(skipna=False)
    numbers["n_tables"] = grouped.size()["size"]
    numbers["std"] = grouped["mean"].std()["mean"]
    numbers = numbers.merge(table16.rename(columns={"value": "published"}), on="level", how="left")
    numbers["deviation"] = numbers["mean"] / numbers["published"] - 1
    numbers = numbers.sort_values("level", key=lambda levels: levels.map(level_number))
    failures = intrinsic[intrinsic["failures"] != ""]
    left_out = int(intrinsic["n_left_out"].sum())
    return Table(
        caption="Intrinsic dimension of the tables of the complexity grid",
        header=("Level", "n", *_COLUMNS.values(), "Published", "Mean against published"),
        rows=tuple(_row(line) for line in numbers.itertuples()),
        numbers=numbers,
        notes=(
            "n: tables of the level; every value is a mean over them; ± is the sample standard "
            "deviation over the tables",
            "mean: of four estimators of scikit-dimension, lPCA (Fukunaga and Olsen), MLE, TwoNN "
            "and TLE, with its default settings",
            f"each table has {rows:,} rows; estimates depend on that number, which the paper does "
            "not state",
            f"repeated or incomplete rows left out: {left_out:,}",
            *(f"{line.dataset}: no mean, {line.failures}" for line in failures.itertuples()),
            "published: Table XVI of the paper",
        ),
    )


def _level(line: Any) -> tuple[str, ...]:
    ours = map(_size, (line.layers, line.features, line.hidden))
    published = (line.layers_published, line.features_published, line.hidden_published)
    return (
        line.level,
        *ours,
        str(line.tables),
        f"{line.rows:,}",
        " / ".join(map(_size, published)),
    )


def _row(line: Any) -> tuple[str, ...]:
    return (
        line.level,
        str(line.n_tables),
        *(plus_minus(getattr(line, name), digits=2) for name in list(_COLUMNS)[:-1]),
        plus_minus(line.mean, line.std, digits=2),
        plus_minus(line.published, digits=4),
        DASH if math.isnan(line.deviation) else _percent(line.deviation),
    )


def _size(value: float) -> str:
    return plus_minus(value, digits=0)


def _percent(share: float) -> str:
    return f"{share:+.1%}".replace("-", "−")
