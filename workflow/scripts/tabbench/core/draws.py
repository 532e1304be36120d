"""Draws of labelled examples."""

from collections.abc import Collection, Mapping

import pandas as pd


def held_out(larger: pd.DataFrame, seed: int, shown: Collection[int]) -> list[int]:
    """Row ids of a larger draw that are not among the examples ``shown``, in its order.

    Parameters
    ----------
    larger : frame with the columns of ``schemas.SHOTS``
    seed : of the draw; the examples of a smaller one with that seed are among its rows
    """
    draw = larger[larger["seed"] == seed].sort_values("position")["row_id"]
    return draw[~draw.isin(list(shown))].tolist()


def of_test_rows(predictions: pd.DataFrame, splits: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Leave out the answers about labelled rows, which user datasets' predictions hold too.

    Parameters
    ----------
    predictions : frame with the columns of ``schemas.PREDICTIONS``
    splits : dataset id to its frame with the columns of ``schemas.SPLIT``
    """
    labelled = pd.Series(False, index=predictions.index)
    for dataset, split in splits.items():
        train = split.loc[split["part"] == "train", "row_id"]
        labelled |= (predictions["dataset"] == dataset) & predictions["row_id"].isin(train)
    return predictions[~labelled]
