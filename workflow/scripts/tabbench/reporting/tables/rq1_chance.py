"""RQ1's tests of zero-shot against chance: over datasets, and dataset by dataset."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.writer import DASH, Table, interval, p_value, plus_minus
from tabbench.scoring.select import select_main
from tabbench.statistics.against_chance import combine_cells
from tabbench.statistics.multiplicity import LEVEL, holm

T_TEST_NOTE = (
    "the paper's t-test takes the random ROC-AUCs as a sample and compares its mean with the "
    "model's ROC-AUC, so that more draws are enough to make it significant: nearly half of all "
    "random rankings pass it. Rely on the Monte Carlo columns; the t-test is for comparison with "
    "the paper"
)
LEFT_OUT_NOTE = "datasets without both classes among the valid rows have no test and are left out"


def chance_summary(
    scores: pd.DataFrame, chance: pd.DataFrame, models: Mapping[str, str], mode: str = "generation"
) -> Table:
    """Make the table of tests against chance: a row per mode, model and group of datasets.

    Every mode whose zero-shot cells were asked has its rows, the main mode first.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    chance : DataFrame with the columns of ``schemas.CHANCE``
    models : display name by id, in the order of the rows
    mode : generation or forward, the main mode
    """
    modes = [mode, *_other_modes(chance, models, mode)]
    tests = pd.concat([main_cells(chance, models, one) for one in modes])
    parts = [
        combine_cells(tests[tests["suite"].isin(suites)], ["mode", "model"]).assign(group=group)
        for group, suites in GROUPS.items()
    ]
    cells = pd.concat(parts, ignore_index=True).assign(main=lambda made: made["mode"] == mode)
    rows = []
    for one, (model, name) in product(modes, models.items()):
        of_model = cells[(cells["mode"] == one) & (cells["model"] == model)]
        rows += [
            (f"{name}, {cell.group}", one, *_against_chance(cell)) for cell in of_model.itertuples()
        ]
        if of_model.empty:
            rows.append((name, one, *[DASH] * 7))
    draws = int(tests["draws"].max())
    return Table(
        caption="Zero-shot ROC-AUC against chance by mode, model and dataset group",
        header=(
            "Model and datasets",
            "Mode",
            "n",
            "ROC-AUC",
            "Above chance",
            "Fisher, log10 p",
            "Stouffer",
            "t-test: above chance",
            "t-test: Fisher, log10 p",
        ),
        rows=tuple(rows),
        numbers=cells[["group", *(name for name in cells.columns if name != "group")]],
        notes=(
            f"above chance: datasets with one-sided p < {LEVEL}, not corrected for several "
            f"datasets; p is the share of {draws:,} random rankings of the same rows (class "
            "probabilities from Dirichlet(1, 1)) that reach the ROC-AUC, at least "
            f"1 / {draws + 1:,}",
            "n datasets combined, one-sided, not corrected for several models: by Fisher's method "
            "(what the paper calls FEM; significant when any dataset is) and by unweighted "
            "Stouffer",
            T_TEST_NOTE,
            *_left_out(int(tests["p_monte_carlo"].isna().sum())),
            *foundation_notes(
                pd.concat([main_cells(scores, models, one) for one in modes]), models, spread=None
            ),
        ),
    )


def datasets(
    scores: pd.DataFrame,
    chance: pd.DataFrame,
    intervals: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make the table of single datasets: ROC-AUC, its interval, and p against chance.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    chance : DataFrame with the columns of ``schemas.CHANCE``
    intervals : DataFrame with the columns of ``schemas.INTERVALS``
    models : display name by id, in the order of the columns
    mode : generation or forward
    """
    asked = main_cells(scores, models, mode)
    key = ["suite", "domain", "dataset", "model"]
    tests = main_cells(chance, models, mode)[[*key, "roc_auc", "p_monte_carlo", "draws"]]
    alone = intervals[intervals["reference"] == ""]
    bounds = alone[[*key, "low", "high", "level", "resamples"]]
    counts = asked.groupby(key, observed=True, as_index=False).agg(
        n=("n", "max"), n_positive=("n_positive", "max"), n_scored=("n_scored", "min")
    )
    cells = counts.merge(tests, on=key, validate="one_to_one")
    cells = cells.merge(bounds, on=key, validate="one_to_one")
    cells["p_holm"] = cells.groupby("model")["p_monte_carlo"].transform(holm)
    cells["suite"] = pd.Categorical(cells["suite"], GROUPS["All"])
    cells = cells.sort_values(["suite", "dataset", "model"], ignore_index=True)
    rows, bold = [], set()
    for number, (dataset, part) in enumerate(cells.groupby("dataset", sort=False)):
        first = part.iloc[0]
        texts = grid_row(part, "model", models, _with_interval)
        rows.append((str(dataset), f"{first['n']} ({first['n_positive']})", *texts))
        above = set(part.loc[part["p_holm"] < LEVEL, "model"])
        bold |= {(number, 2 + place) for place, model in enumerate(models) if model in above}
    level, resamples = cells["level"].iloc[0], cells["resamples"].iloc[0]
    return Table(
        caption=f"Zero-shot ROC-AUC of each dataset with {level:.0%} interval, {mode} mode",
        header=("Dataset", "Test rows (positive)", *models.values()),
        rows=tuple(rows),
        numbers=cells,
        notes=(
            f"[ ]: {level:.0%} percentile interval of {resamples:,} resamples of the test rows, "
            f"drawn within each class; {DASH} where a class has fewer than two rows",
            f"p: one-sided Monte-Carlo test against {cells['draws'].iloc[0]:,} random rankings, "
            "corrected over the model's datasets by Holm's method; bold: above chance, corrected "
            f"p < {LEVEL}",
            *_left_out(int(cells["p_monte_carlo"].isna().sum())),
            *foundation_notes(asked, models, spread=None),
        ),
        bold=frozenset(bold),
    )


def main_cells(frame: pd.DataFrame, models: Mapping[str, str], mode: str) -> pd.DataFrame:
    """Return the rows of SCORES or CHANCE that Table II shows of the models."""
    return select_main(
        frame,
        models=models,
        suites=GROUPS["All"],
        modes=[mode],
        shots=[0],
    )


def _other_modes(chance: pd.DataFrame, models: Mapping[str, str], mode: str) -> list[str]:
    """Return the modes other than the main one that have zero-shot cells, sorted."""
    asked = select_main(
        chance, models=models, suites=GROUPS["All"], modes=set(chance["mode"]), shots=[0]
    )
    return sorted(set(asked["mode"]) - {mode})


def chance_note(chance: pd.DataFrame, models: Mapping[str, str], mode: str) -> str:
    """State on how many datasets each model is above chance."""
    cells = combine_cells(main_cells(chance, models, mode), ["model"]).set_index("model")
    counts = [
        f"{name} {cells.above_monte_carlo[model]} of {cells.n_datasets[model]}"
        for model, name in models.items()
        if model in cells.index
    ]
    return (
        f"datasets above chance (Monte Carlo, one-sided p < {LEVEL}, not corrected): "
        f"{', '.join(counts)}; combined tests are in the table 'chance'"
    )


def _against_chance(cell: Any) -> tuple[str, ...]:
    stouffer = p_value(cell.p_stouffer_monte_carlo, cell.log10_p_stouffer_monte_carlo)
    return (
        str(cell.n_datasets),
        plus_minus(cell.roc_auc),
        f"{cell.above_monte_carlo} of {cell.n_datasets}",
        plus_minus(cell.log10_p_fisher_monte_carlo, digits=1),
        stouffer,
        f"{cell.above_t} of {cell.n_datasets_t}",
        plus_minus(cell.log10_p_fisher_t, digits=1),
    )


def _with_interval(cell: Any) -> str:
    if np.isnan(cell.roc_auc):
        return DASH
    p = p_value(cell.p_holm, float("nan"))
    return f"{plus_minus(cell.roc_auc)} {interval(cell.low, cell.high)}, {p}"


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{LEFT_OUT_NOTE}: {count}",) if count else ()
