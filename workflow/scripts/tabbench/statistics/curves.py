"""The curves of one condition on shared test rows, as DeLong's test takes them."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.core.errors import TabBenchError


def curves_by(
    part: pd.DataFrame, by: list[str], title: str
) -> tuple[npt.NDArray[np.int64], pd.DataFrame]:
    """Align the predictions of several cells of one dataset by test row.

    Parameters
    ----------
    part : DataFrame with the columns of ``schemas.PREDICTIONS``, one dataset
    by : columns that tell the curves apart, such as ``["k", "seed"]``
    title : name of the condition in errors

    Returns
    -------
    y : (n,) array of 0 and 1
    curves : DataFrame, n rows (test rows), one column per curve
        ``p_1``; NaN where a row has no valid answer under a curve.

    Raises
    ------
    TabBenchError
        When a test row has two labels or occurs twice in a curve.
    """
    labels = part.groupby("row_id")["y_true"].agg(["min", "max"])
    if (labels["min"] != labels["max"]).any():
        raise TabBenchError(f"{title}: test rows change their label between cells; predict again")
    if part.duplicated(["row_id", *by]).any():
        raise TabBenchError(f"{title}: test rows occur twice in a cell; predict again")
    valid = part.assign(p_1=part["p_1"].where(part["status"] == "ok"))
    # pivot_table would drop a curve without any valid answer, and so hide it.
    curves = valid.pivot(index="row_id", columns=by, values="p_1")  # noqa: PD010
    curves = curves.sort_index(axis="columns")
    return labels["min"].reindex(curves.index).to_numpy(np.int64), curves
