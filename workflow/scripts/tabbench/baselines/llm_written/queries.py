"""The queries of a dataset: their draws of examples, and the order of columns and examples."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS

MOST_FEATURES = 40
"""Largest number of features in one query; of wider tables each query draws some, as in FeatLLM."""


class Draw(NamedTuple):
    """Labelled examples, by row id in the order of the prompt; none at k = 0, whose seed is 0."""

    k: int
    seed: int
    rows: tuple[int, ...]


class Query(NamedTuple):
    """One member of an ensemble: the model is asked once for its logic.

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
        """Its columns, in the query's random order."""
        return [str(name) for name in self._random(0).permutation(list(columns))[:MOST_FEATURES]]

    def examples(self) -> list[int]:
        """Row ids of its examples, in the query's random order."""
        return [int(row) for row in self._random(1).permutation(list(self.draw.rows))]

    def _random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([purpose, self.draw.k, self.draw.seed, self.number])


def read_draws(zero_shot: bool, shots: Iterable[pd.DataFrame]) -> list[Draw]:
    """Return every draw: none of the examples, then those of the frames (``schemas.SHOTS``)."""
    draws = [Draw(0, 0, ())] if zero_shot else []
    for frame in shots:
        ordered = frame.sort_values("position")
        for k, seed in frame[["k", "seed"]].drop_duplicates().itertuples(index=False, name=None):
            rows = ordered.loc[(ordered["k"] == k) & (ordered["seed"] == seed), "row_id"]
            draws.append(Draw(int(k), int(seed), tuple(map(int, rows))))
    return draws


def queries(methods: Iterable[str], draws: Sequence[Draw], number: int) -> Iterator[Query]:
    """Give ``number`` queries of each method and draw; those without examples take k = 0 alone."""
    for method in methods:
        for draw in draws:
            if METHODS[method].few_shot or draw.k == 0:
                yield from (Query(method, draw, one) for one in range(1, number + 1))
