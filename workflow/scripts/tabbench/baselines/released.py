"""The released logistic regression on the released draws, so that its numbers can be checked.

Found by comparing numbers, since the code that made them was not released: with these steps the
released means and standard deviations come out to the last digit where the rows are known to be the
same (docs/replication.md).
"""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from tabbench.core.arrays import Floats
from tabbench.core.schemas.replication import REPLICATED

SEEDS = (864, 460, 142, 629, 761)

CODES: Mapping[str, bool] = {
    "datasets/lr_res__2_.csv": True,
    "datasets/agr_all_prompt1.csv": False,
}
"""Released file to whether codes of categories follow the sorted values, else the first rows."""


def replicate(table: pd.DataFrame, split: pd.DataFrame, released: pd.DataFrame) -> pd.DataFrame:
    """Fit logistic regression for each released cell of a dataset, once per released draw.

    Rows with a missing value leave both parts of the split. Categories are codes over the whole
    table, nothing is scaled, and the settings are scikit-learn's defaults, so the solver may stop
    before it converges. A draw takes k/2 rows of each class with `pandas.Series.sample`, from the
    training part in the order of the file.

    Parameters
    ----------
    table : frame with ``row_id``, ``y`` and features
    split : DataFrame with the columns of ``schemas.SPLIT``, of all rows
    released : rows of ``schemas.RELEASED``, of this dataset and `REPLICATED`

    Returns
    -------
    DataFrame
        The columns of ``schemas.REPLICATION`` from ``model`` to ``roc_auc``, a row per draw. Cells
        with more examples than complete training rows of a class have none.
    """
    rows = table.set_index("row_id")
    part = split.set_index("row_id")["part"].reindex(rows.index[rows.notna().all(axis=1)])
    train, test = (rows.loc[part.index[part == name], "y"] for name in ("train", "test"))
    by_class = [train[train == label] for label in (0, 1)]
    most = 2 * min(map(len, by_class))
    fits = []
    for k, source in zip(released["k"], released["source"], strict=True):
        if k > most:
            continue
        x = _codes(rows.drop(columns="y"), CODES[source.partition("@")[0]])
        for seed in SEEDS:
            drawn = pd.concat([one.sample(k // 2, random_state=seed) for one in by_class])
            score = _decisions(x.loc[drawn.index], drawn, x.loc[test.index])
            fits.append((k, seed, float(roc_auc_score(test, score))))
    found = pd.DataFrame(fits, columns=["k", "seed", "roc_auc"])
    asked = {"model": REPLICATED, "mode": "fit", "prompt": "none", "serialization": "none"}
    return found.assign(**asked, n=len(test), n_positive=int(test.sum()), test_rows=len(test))


def _decisions(train_x: pd.DataFrame, train_y: pd.Series, test_x: pd.DataFrame) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as released
        fitted = LogisticRegression().fit(train_x.to_numpy(), train_y)
    return np.asarray(fitted.decision_function(test_x.to_numpy()))


def _codes(features: pd.DataFrame, by_value: bool) -> pd.DataFrame:
    """Replace categories by codes; numeric columns stay."""
    coded = features.copy()
    for name in features.select_dtypes(exclude="number"):
        coded[name] = pd.factorize(features[name], sort=by_value)[0]
    return coded.astype("float64")
