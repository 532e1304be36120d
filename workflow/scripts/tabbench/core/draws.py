"""Draws of labelled examples."""

from collections.abc import Collection

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
