"""Each released cell next to ours, and whether they differ beyond noise."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tabbench.core.schemas.replication import REPLICATED
from tabbench.published.published import LANGUAGE_MODELS
from tabbench.statistics.auc_variance import auc_variance
from tabbench.statistics.rank_correlation import rank_correlation

BEYOND = 2.5
"""Standard errors above which a difference is beyond noise."""

ROUNDING = 0.0005
"""Half a unit of the third digit, the fewest that released numbers have."""

EQUAL, WITHIN, OVER, UNKNOWN = "equal", "within noise", "beyond noise", "noise unknown"
VERDICTS = (EQUAL, WITHIN, OVER, UNKNOWN)

BASELINES = {
    "logistic_regression": "logreg",
    "knn": "knn",
    "random_forest": "rf",
    "xgboost": "gboost",
    "tabpfn": "tabpfn",
}
"""Our id of a baseline to the released name of the same method, with other settings."""

REPLICATED_NAMES = {REPLICATED: REPLICATED}
REPLICATED_TITLES = {REPLICATED: "Logistic regression, as released"}
"""What is fitted again bears its released name; how it is shown."""

_DRAWS = 5
_CELL = ["model", "mode", "prompt", "serialization", "k"]
CELLS = [
    *("released_model", "dataset", *_CELL, "metric"),
    *("released", "released_std", "ours", "ours_std", "n_draws", "n_tables", "n", "test_rows"),
    *("difference", "error", "ours_error", "verdict", "rows", "source"),
]
GROUP = ["released_model", "model", "mode", "serialization"]
SUMMARY = [
    *(*GROUP, "k", "n_cells", "mean_difference", "mean_absolute_difference", "rho", "p_rho"),
    *VERDICTS,
]


def released_names(models: Mapping[str, str], baselines: Mapping[str, str]) -> dict[str, str]:
    """Return our id of each model that the paper has too, with its released name.

    Parameters
    ----------
    models, baselines : display name by id; a language model is the paper's by that name
    """
    language = {one: name.lower() for one, name in models.items() if name in LANGUAGE_MODELS}
    return language | {one: BASELINES[one] for one in baselines if one in BASELINES}


def compare_cells(
    scores: pd.DataFrame,
    released: pd.DataFrame,
    released_rows: pd.DataFrame,
    names: Mapping[str, str],
    *,
    complete: bool = False,
) -> pd.DataFrame:
    """Return a row per released cell that we have as well.

    The standard error of a difference has up to two parts. Draws of examples: the variance
    over draws, pooled from both sides, times (1/5 + 1/draws here). Test rows: their variance on
    both sides, at the released ROC-AUC, times the share of rows that they do not share, and that of
    the rows which a cap left out here. Of a level of the complexity grid it is the variance over
    our tables, times (1/5 + 1/tables here), since theirs are others; with one table it is not
    known.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``, or of ``schemas.REPLICATION``
    released : DataFrame with the columns of ``schemas.RELEASED``
    released_rows : DataFrame with the columns of ``schemas.RELEASED_ROWS``
    names : our id of a model to the released name
    complete : whether ours leave incomplete rows out, as the released runs do

    Returns
    -------
    DataFrame
        ``CELLS``, in the order of ``released``. ``ours`` is folded where the released one is;
        ``error`` is the standard error of the difference, ``ours_error`` the part of our side,
        ``rows`` says why test rows differ.
    """
    cells = released[released["not_compared"] == ""]
    cells = cells.assign(at=range(len(cells)))
    pairs = pd.DataFrame(
        {"model": list(names), "released_model": list(names.values())}, dtype="str"
    )
    cells = cells.rename(columns={"model": "released_model"}).merge(pairs, on="released_model")
    cells = cells.assign(place=cells["dataset"].where(cells["level"] == "", cells["level"]))
    both = cells.drop(columns="dataset").merge(_ours(scores), on=["place", *_CELL])
    folded = both["metric"] == "roc_auc_folded"
    for value in ("", "_std"):
        both[f"ours{value}"] = both[f"folded{value}"].where(folded, both[f"plain{value}"])
    both = both[both["ours"].notna()]
    both = both.rename(columns={"place": "dataset", "mean": "released", "std": "released_std"})
    both["difference"] = both["ours"] - both["released"]
    both = _errors(both, released_rows, complete).sort_values("at", kind="stable")
    both["verdict"] = _verdicts(both)
    return both[CELLS].reset_index(drop=True)


def summarize_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return counts, differences and rank correlation of each model and k, and over all k.

    Parameters
    ----------
    cells : DataFrame from `compare_cells`

    Returns
    -------
    DataFrame
        ``SUMMARY``; ``k`` is -1 in the row over all k. Spearman's rho over the cells, with the
        p-value of a permutation test; NaN with fewer than 3 cells.
    """
    rows = []
    for group, of_model in cells.groupby(GROUP, sort=False):
        for k, part in [(-1, of_model), *of_model.groupby("k")]:
            found = rank_correlation(part["released"], part["ours"])
            counts = part["verdict"].value_counts()
            rows.append(
                [
                    *(*group, k, len(part), part["difference"].mean()),
                    *(part["difference"].abs().mean(), found.rho, found.p_rho),
                    *(int(counts.get(verdict, 0)) for verdict in VERDICTS),
                ]
            )
    return pd.DataFrame(rows, columns=SUMMARY)


def _ours(scores: pd.DataFrame) -> pd.DataFrame:
    """Reduce draws, and tables of a level; ``place`` is the dataset, or the level."""
    at = ["suite", "dataset", "domain", *_CELL]
    draws = scores.groupby(at, as_index=False, observed=True).agg(
        plain=("roc_auc", "mean"),
        plain_std=("roc_auc", "std"),
        folded=("roc_auc_folded", "mean"),
        folded_std=("roc_auc_folded", "std"),
        n_draws=("roc_auc", "count"),
        n=("n", "mean"),
        n_positive=("n_positive", "mean"),
        test_rows=("test_rows", "mean"),
    )
    real = draws[draws["suite"].isin(["core", "new"])]
    real = real.assign(place=real["dataset"], n_tables=1)
    grid = draws[draws["suite"] == "mlp"].assign(place=lambda rows: rows["domain"])
    levels = grid.groupby(["place", *_CELL], as_index=False, observed=True).agg(
        plain=("plain", "mean"),
        plain_std=("plain", "std"),
        folded=("folded", "mean"),
        folded_std=("folded", "std"),
        n_draws=("n_draws", "min"),
        n_tables=("plain", "count"),
        n=("n", "mean"),
        n_positive=("n_positive", "mean"),
        test_rows=("test_rows", "mean"),
    )
    return pd.concat([real.drop(columns=["suite", "dataset", "domain"]), levels])


def _errors(both: pd.DataFrame, released_rows: pd.DataFrame, complete: bool) -> pd.DataFrame:
    joined = both.merge(released_rows.set_index("dataset"), left_on="dataset", right_index=True,
                        how="left")  # fmt: skip
    unshared = joined["unshared"].fillna(0)
    if not complete:
        unshared = (unshared + joined["incomplete"].fillna(0)).clip(upper=1)
    # That of the released value: on few rows ours may be 1, whose variance is estimated as 0.
    of_rows = auc_variance(
        joined["released"], joined["n_positive"], joined["n"] - joined["n_positive"]
    )
    left_out = 1 - joined["n"] / joined["test_rows"]
    there = of_rows * joined["n"] / joined["test_rows"]
    rows_here, rows_there = of_rows * np.maximum(unshared, left_out), there * unshared
    freedom = (joined["n_draws"] - 1).clip(lower=0)
    pooled = ((_DRAWS - 1) * joined["released_std"] ** 2
              + freedom * joined["ours_std"].fillna(0) ** 2) / (_DRAWS - 1 + freedom)  # fmt: skip
    here = pooled / joined["n_draws"] + rows_here
    there = pooled / _DRAWS + rows_there
    level = joined["level"] != ""
    tables = joined["ours_std"] ** 2
    here = here.mask(level, tables / joined["n_tables"])
    there = there.mask(level, tables / _DRAWS)
    return joined.assign(
        error=np.sqrt(here + there),
        ours_error=np.sqrt(here),
        rows=joined["reason"].where(unshared > 0, "").fillna(""),
    )


def _verdicts(both: pd.DataFrame) -> list[str]:
    difference, error = both["difference"].abs(), both["error"]
    return list(
        np.select(
            [difference <= ROUNDING, error.isna(), difference <= BEYOND * error],
            [EQUAL, UNKNOWN, WITHIN],
            OVER,
        )
    )
