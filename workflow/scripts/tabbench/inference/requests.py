"""The requests of a dataset's prompts file; infer and predict share this."""

from dataclasses import dataclass
from itertools import product

import pandas as pd

from tabbench.core.cells import Cell
from tabbench.inference.engines.base import Prompt, Request

_CELL = tuple(name for name in Cell._fields if name != "model")


@dataclass(frozen=True)
class CellRequest:
    """One row of one cell, its true label, and its request."""

    cell: Cell
    row_id: int
    y_true: int
    request: Request


def read_requests(prompts: pd.DataFrame, model: str, repeats: int = 1) -> list[CellRequest]:
    """All requests of a frame with the columns of ``schemas.PROMPTS``, in its order.

    Requests of a cell share one text object as their prefix, which may be long.

    Parameters
    ----------
    repeats : how often the prompts are sent; of several, the cell's seed is the number of the
        repeat, from 0
    """
    prefixes = prompts["prefix"].astype("category")
    texts = prefixes.cat.categories.tolist()
    rows = prompts.drop(columns="prefix").to_dict("records")
    asks = []
    for repeat, (row, code) in product(range(repeats), zip(rows, prefixes.cat.codes, strict=True)):
        cell = Cell(model=model, **{name: row[name] for name in _CELL})
        if repeats > 1:
            cell = cell._replace(seed=repeat)
        prompt = Prompt(row["system"], texts[code], row["query"])
        request = Request(row["mode"], prompt, f"{cell.prompt}, {cell.serialization}", repeat)
        asks.append(CellRequest(cell, row["row_id"], row["y_true"], request))
    return asks
