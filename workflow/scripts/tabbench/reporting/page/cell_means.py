"""Every cell averaged over its seeds: the per-domain results of Appendix F."""

import pandas as pd

from tabbench.core.schemas.cell_means import CELLS
from tabbench.scoring.aggregate import CONDITION, DATASET, over_seeds


def domain_cells(scores: pd.DataFrame) -> pd.DataFrame:
    """Average over the seeds of each dataset and condition, baselines included.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``

    Returns
    -------
    DataFrame with the columns of ``schemas.CELLS``, by suite, domain, dataset and condition
    """
    key = [*DATASET, *CONDITION]
    metadata = scores.groupby(key, observed=True, as_index=False)[
        ["n", "n_too_long", "test_rows", "capped"]
    ].max()
    cells = (
        over_seeds(scores).drop(columns="n_too_long").merge(metadata, on=key, validate="one_to_one")
    )
    cells["invalid_rate"] = cells["invalid"] / cells["asked"]
    named = cells.rename(
        columns={"mean": "roc_auc", "std": "roc_auc_std", "all_rows": "roc_auc_all_rows"}
    )
    return named[CELLS.names].sort_values(key, ignore_index=True)
