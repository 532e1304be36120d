"""The queries of a dataset: their draws of examples, and the order of columns and examples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS

MOST_EXAMPLES = 16
"""Largest number of examples in one query; of more, each query draws as many of either class."""


class Draw(NamedTuple):
    """Labelled examples, by row id in the order of the prompt; none at k = 0."""

    k: int
    seed: int
    rows: tuple[int, ...]


class Query(NamedTuple):
    """One request for logic: a member of an ensemble, or a tree that is scored alone.

    Attributes
    ----------
    method : a key of `methods.METHODS`
    number : from 1
    """

    method: str
    draw: Draw
    number: int

    @property
    def path(self) -> str:
        """Its part of a request's name: the number of the query, then the draw."""
        return f"query{self.number}/k{self.draw.k}/seed{self.draw.seed}"

    def columns(self, columns: Sequence[str]) -> list[str]:
        """Its columns, in the query's random order: all, or those that it draws of a wide table."""
        method = METHODS[self.method]
        most = len(columns) if len(columns) < method.whole_below else method.columns
        return [str(name) for name in self._random(0).permutation(list(columns))[:most]]

    def examples(self, labels: Mapping[int, int]) -> list[int]:
        """Row ids of its examples, in the query's random order; see `MOST_EXAMPLES`.

        Parameters
        ----------
        labels : of the draw's rows, by row id
        """
        rows = [int(row) for row in self._random(1).permutation(list(self.draw.rows))]
        if len(rows) <= MOST_EXAMPLES:
            return rows
        each = MOST_EXAMPLES // 2
        shown = {row for label in (0, 1) for row in [r for r in rows if labels[r] == label][:each]}
        return [row for row in rows if row in shown]

    def _random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([purpose, self.draw.k, self.draw.seed, self.number])


def read_draws(zero_shot: Iterable[int], shots: Iterable[pd.DataFrame]) -> list[Draw]:
    """Return every draw: those without examples, then those of the frames (``schemas.SHOTS``).

    Parameters
    ----------
    zero_shot : seeds at k = 0, which decide the orders of columns; none where that is not asked
    """
    draws = [Draw(0, seed, ()) for seed in zero_shot]
    for frame in shots:
        ordered = frame.sort_values("position")
        for k, seed in frame[["k", "seed"]].drop_duplicates().itertuples(index=False, name=None):
            rows = ordered.loc[(ordered["k"] == k) & (ordered["seed"] == seed), "row_id"]
            draws.append(Draw(int(k), int(seed), tuple(map(int, rows))))
    return draws


NO_EXAMPLES = Draw(0, 0, ())
"""Draw of methods that take no examples: what differs is the query's number."""


def queries(
    methods: Iterable[str], draws: Sequence[Draw], members: int, trees: int
) -> Iterator[Query]:
    """Give the queries of each method: of each draw, or once at k = 0 for those without examples.

    Parameters
    ----------
    members : queries of an ensemble
    trees : queries of a method whose queries are scored alone
    """
    for method in methods:
        known = METHODS[method]
        without = [NO_EXAMPLES] if any(draw.k == 0 for draw in draws) else []
        for draw in draws if known.few_shot else without:
            number = trees if known.single else members
            yield from (Query(method, draw, one) for one in range(1, number + 1))
