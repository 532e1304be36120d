"""Compare several models over several datasets by their ranks: Friedman and Nemenyi.

References
----------
Demšar (2006), Journal of Machine Learning Research 7, 1-30.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from tabbench.core.errors import TabBenchError
from tabbench.statistics.multiplicity import LEVEL


@dataclass(frozen=True)
class RankComparison:
    """Content of a critical-difference diagram. Rank 1 is the best; ties share their mean rank.

    ``mean_ranks`` is sorted, best first. Two models differ (Nemenyi, two-sided, all pairs at
    once at ``level``) when their mean ranks differ by more than ``critical_difference``.
    ``statistic`` and ``p`` are Friedman's, corrected for ties; NaN when all values tie.
    """

    mean_ranks: dict[str, float]
    critical_difference: float
    level: float
    statistic: float
    p: float
    n_datasets: int
    n_left_out: int

    def cliques(self) -> list[tuple[str, ...]]:
        """Return the largest groups of models that do not differ, best first: the bars.

        Groups of one have no bar. A group that lies within another is left out.
        """
        names, ranks = list(self.mean_ranks), np.array(list(self.mean_ranks.values()))
        ends = np.searchsorted(ranks, ranks + self.critical_difference, side="right").tolist()
        return [
            tuple(names[start:end])
            for start, end in enumerate(ends)
            if end - start > 1 and (start == 0 or end > ends[start - 1])
        ]


def compare_ranks(values: pd.DataFrame, level: float = LEVEL) -> RankComparison:
    """Rank models within each dataset and test whether their ranks differ.

    Parameters
    ----------
    values : DataFrame, datasets in rows and models in columns; larger is better
        Datasets with a missing value are left out and counted: ranks need every model.
    level : of the critical difference, over all pairs of models

    Raises
    ------
    TabBenchError
        With fewer than three models (compare two by a paired test) or fewer than two datasets.
    """
    complete = values.dropna()
    datasets, models = complete.shape
    if models < 3 or datasets < 2:
        raise TabBenchError(
            f"ranks over datasets: {models} models on {datasets} datasets where all have a value; "
            "at least 3 models and 2 datasets are needed"
        )
    matrix = complete.to_numpy(np.float64)
    mean_ranks = rankdata(-matrix, axis=1).mean(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 when every dataset ties throughout
        statistic, p = friedmanchisquare(*matrix.T)
    quantile = float(studentized_range.ppf(1 - level, models, math.inf)) / math.sqrt(2)
    order = np.argsort(mean_ranks, kind="stable")
    return RankComparison(
        mean_ranks={str(complete.columns[i]): float(mean_ranks[i]) for i in order},
        critical_difference=quantile * math.sqrt(models * (models + 1) / (6 * datasets)),
        level=level,
        statistic=float(statistic),
        p=float(p),
        n_datasets=datasets,
        n_left_out=len(values) - datasets,
    )
