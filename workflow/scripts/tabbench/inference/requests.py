"""The requests of a dataset's prompts file; infer and predict share this."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd

from tabbench.core.cells import Cell
from tabbench.core.frames import read_batches
from tabbench.core.schemas.prompts import PROMPTS
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
    made = (_requests(prompts, model, repeat, repeats > 1) for repeat in range(repeats))
    return list(chain.from_iterable(made))


def request_batches(path: str | Path, model: str, repeats: int = 1) -> Iterator[list[CellRequest]]:
    """The requests of a file of prompts as `read_requests` gives them, some at a time."""
    for repeat in range(repeats):
        for prompts in read_batches(path, PROMPTS):
            yield _requests(prompts, model, repeat, repeats > 1)


def _requests(prompts: pd.DataFrame, model: str, repeat: int, repeated: bool) -> list[CellRequest]:
    prefixes = prompts["prefix"].astype("category")
    texts = prefixes.cat.categories.tolist()
    rows = prompts.drop(columns="prefix").to_dict("records")
    asks = []
    for row, code in zip(rows, prefixes.cat.codes, strict=True):
        cell = Cell(model=model, **{name: row[name] for name in _CELL})
        if repeated:
            cell = cell._replace(seed=repeat)
        prompt = Prompt(row["system"], texts[code], row["query"])
        request = Request(row["mode"], prompt, f"{cell.prompt}, {cell.serialization}", repeat)
        asks.append(CellRequest(cell, row["row_id"], row["y_true"], request))
    return asks
