"""Values that an entry lists must occur in the file: else nothing would match, without a word."""

from collections.abc import Sequence

import pandas as pd

from tabbench.core.errors import TabBenchError, closest


def require_values(place: str, cells: pd.Series, listed: Sequence[str]) -> None:
    """Raise a TabBenchError where a listed value is in no cell.

    Parameters
    ----------
    place : who lists the values, such as ``dataset 'loans': keep of filter 1``
    cells : a column of text without outer spaces
    """
    found = set(map(str, cells.unique()))
    for value in listed:
        if value not in found:
            raise TabBenchError(
                f"{place}: '{value}' does not occur in column '{cells.name}': "
                f"{closest(value, found)}. Write it as the file does, in quotes if need be"
            )
