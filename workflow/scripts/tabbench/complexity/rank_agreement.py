"""Rank agreement of two measures of complexity and the gain of examples, over datasets."""

from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.scoring.select import select_main
from tabbench.statistics.rank_correlation import rank_correlation

DIFFICULTY, DIMENSION = "difficulty", "dimension"
ORDERS = ["first", "second", "n", "rho", "p_rho", "tau", "p_tau", "exact", "without"]
"""Columns of `compare_orders`."""


def gains_at(
    tests: pd.DataFrame | None, models: Mapping[str, str], mode: str, k: int
) -> pd.DataFrame:
    """Return each model's gain of ``k`` examples over none, by dataset.

    Parameters
    ----------
    tests : DataFrame with the columns of ``schemas.TESTS``, or None where no gain was asked
    models : display name by id
    mode : generation or forward

    Returns
    -------
    DataFrame
        Rows datasets, columns the models that have a gain; NaN where a ROC-AUC is undefined.
        Without a row where no model has ``k`` examples.
    """
    if tests is None or not (tests["k"] == k).any():
        return pd.DataFrame(index=pd.Index([], name="dataset"))
    used = select_main(tests, models=models, suites=GROUPS["All"], modes=[mode], shots=[k])
    # pivot_table would drop a dataset whose gain is undefined, and so hide it.
    gains = used.pivot(index="dataset", columns="model", values="difference")  # noqa: PD010
    return gains[[model for model in models if model in gains]]


def compare_orders(placement: pd.DataFrame, gains: pd.DataFrame) -> pd.DataFrame:
    """Correlate the ranks of both complexities, and of each with each model's gain.

    Difficulty is the placing baseline's ROC-AUC, negated. Both complexities enter as measured,
    not as levels, so that datasets beyond the scale keep their order.

    Parameters
    ----------
    placement : DataFrame with the columns of ``schemas.PLACEMENT``
    gains : DataFrame from `gains_at`

    Returns
    -------
    DataFrame
        `ORDERS`: ``first`` and ``second`` are `DIFFICULTY`, `DIMENSION` or a model's id;
        ``without`` the datasets that lack one of the two, ", " between them.
    """
    measures = placement.set_index("dataset")
    columns = {DIFFICULTY: -measures["roc_auc"], DIMENSION: measures["dimension"]}
    values = pd.DataFrame(columns).join(gains)
    pairs = [(DIFFICULTY, DIMENSION)]
    pairs += [(first, str(model)) for model in gains for first in (DIFFICULTY, DIMENSION)]
    rows = []
    for first, second in pairs:
        found = rank_correlation(values[first], values[second])
        lacking = values.index[values[[first, second]].isna().any(axis=1)]
        rows.append(
            {"first": first, "second": second} | asdict(found) | {"without": ", ".join(lacking)}
        )
    return pd.DataFrame(rows, columns=ORDERS)
