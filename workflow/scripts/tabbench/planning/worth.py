"""What the money buys: the smallest gain that each question can show, and the same for less."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from tabbench.inference.cost_estimate import ROWS, Terms
from tabbench.statistics.multiplicity import LEVEL
from tabbench.statistics.power import (
    Assumptions,
    Classes,
    Design,
    observed_correlation,
    smallest_gain,
)

CAPS = (2000, 1000, 500, 300, 200, 100, 50)
"""Test rows per dataset that are tried."""
SHARES = (1.0, 0.75, 0.5)
"""Shares of the datasets that are tried: those that show most for their price are kept."""
TOLERANCE = 0.05
TOKENS = "tokens"
"""Unit of prices where not every model has one."""


class Question(NamedTuple):
    """The combined test of a research question.

    Attributes
    ----------
    test : in words
    datasets : that it combines
    shots : all k that the question asks
    ends : those of them that the test needs
    drawn : whether either side is a mean over the draws; None for chance
    sides, tests : see `statistics.power.Design`
    """

    name: str
    test: str
    datasets: Sequence[str]
    shots: Sequence[int]
    ends: Sequence[int]
    drawn: tuple[bool, bool | None]
    sides: int
    tests: int


class Choice(NamedTuple):
    """Parts of a configuration; ``rows`` is the cap of test rows, infinite for none."""

    rows: float
    draws: int
    shots: tuple[int, ...]
    datasets: tuple[str, ...]


def class_sizes(paths: Iterable[Path]) -> dict[str, Classes]:
    """Test rows by class of each dataset, from its files of prompts, of which one is read."""
    found = {}
    for name, path in {path.parent.name: path for path in paths}.items():
        rows = pq.read_table(path, columns=["row_id", "y_true"]).to_pandas()
        labels = rows.drop_duplicates("row_id")["y_true"]
        found[name] = Classes(float((labels == 1).sum()), float((labels == 0).sum()))
    return found


def from_pilot(
    tests: pd.DataFrame, sizes: Mapping[str, Classes], assumed: Assumptions
) -> Assumptions | None:
    """ROC-AUC and correlation of finished gains; None where none can be used.

    Parameters
    ----------
    tests : DataFrame with the columns of ``schemas.TESTS``
    """
    used = tests[tests["z"].notna() & tests["dataset"].isin(list(sizes))]
    if used.empty:
        return None
    rows: list[Any] = list(used.itertuples())
    correlations = [
        observed_correlation(
            sizes[row.dataset].capped(row.n),
            (row.n_seeds, 1),
            (row.auc_k_shot, row.auc_zero_shot),
            row.se,
            assumed,
        )
        for row in rows
        if 0 < row.auc_k_shot < 1 and 0 < row.auc_zero_shot < 1
    ]
    if not correlations:
        return None
    auc = float(np.clip(used["auc_zero_shot"].median(), 0.5, 0.95))
    return replace(assumed, auc=auc, correlation=float(np.median(correlations)))


def best_known(
    assumed: Assumptions, pilots: Iterable[pd.DataFrame], sizes: Mapping[str, Classes]
) -> tuple[Assumptions, str]:
    """What the last pilot that can be used shows, else what is assumed; and in words which.

    Parameters
    ----------
    pilots : see `from_pilot`
    """
    origin = "assumed: plan of the configuration, or the defaults"
    for tests in pilots:
        found = from_pilot(tests, sizes, assumed)
        if found is not None:
            assumed, origin = found, "the first two from RQ3's gains so far"
    return assumed, origin


def prices_of_rows(lines: pd.DataFrame, terms: Mapping[str, Terms]) -> tuple[pd.Series, str]:
    """Price of all prompts about rows as sent, by dataset and k, answered ones too; and its unit.

    The unit is a currency where all models have prices in it, else tokens.

    Parameters
    ----------
    lines : of `cost_estimate.plan_lines`
    """
    rows = lines[lines["kind"] == ROWS]
    priced = [terms[name].model.prices for name in rows["model"]]
    currencies = {one.currency if one else TOKENS for one in priced}
    unit = currencies.pop() if len(currencies) == 1 else TOKENS
    each = [one.input / 1e6 if one and unit != TOKENS else 1.0 for one in priced]
    paid = rows.assign(price=rows["prompt_tokens"] * np.array(each))
    return paid.groupby(["dataset", "k"])["price"].sum(), unit


def worth(
    questions: Iterable[Question],
    sizes: Mapping[str, Classes],
    prices: pd.Series,
    draws: int,
    assumed: Assumptions,
    wanted: float = 0.8,
) -> pd.DataFrame:
    """Return what each question can show for its price, and the cheapest way to show the same.

    Parameters
    ----------
    sizes : planned test rows by dataset
    prices : by dataset and k
    draws : seeds of the configuration
    wanted : power

    Returns
    -------
    DataFrame
        ``question``, ``test``, ``datasets``, ``rows`` (of the largest), ``draws``, ``shots``,
        ``smallest_gain`` (NaN where no gain can be shown), ``price``; the same with ``less_`` for
        the cheapest choice that shows a gain at most 5 % larger; ``less_share`` of the price.
    """
    rows = []
    for one in questions:
        known = tuple(name for name in one.datasets if name in sizes)
        planned = Choice(math.inf, draws, tuple(one.shots), known)
        gain = _gain(one, planned, sizes, assumed, wanted)
        price = _price(planned, sizes, prices, draws)
        best, best_gain, best_price = planned, gain, price
        for choice in _choices(one, planned, sizes, prices):
            cost = _price(choice, sizes, prices, draws)
            if cost < best_price:
                shown = _gain(one, choice, sizes, assumed, wanted)
                if shown <= (1 + TOLERANCE) * gain:
                    best, best_gain, best_price = choice, shown, cost
        rows.append(
            {
                "question": one.name,
                "test": one.test,
                **_described(planned, sizes),
                "smallest_gain": gain,
                "price": price,
                **{f"less_{key}": value for key, value in _described(best, sizes).items()},
                "less_smallest_gain": best_gain,
                "less_price": best_price,
                "less_share": best_price / price if price else math.nan,
            }
        )
    return pd.DataFrame(rows)


def _described(choice: Choice, sizes: Mapping[str, Classes]) -> dict[str, Any]:
    largest = max((sizes[name].rows for name in choice.datasets), default=0)
    return {
        "datasets": len(choice.datasets),
        "rows": int(min(choice.rows, largest)),
        "draws": choice.draws if any(choice.shots) else 0,
        "shots": ", ".join(map(str, choice.shots)),
    }


def _choices(
    one: Question, planned: Choice, sizes: Mapping[str, Classes], prices: pd.Series
) -> Iterator[Choice]:
    drawn = any(one.drawn)
    shots = dict.fromkeys([tuple(one.shots), tuple(one.ends)])
    alone = Choice(math.inf, planned.draws, tuple(one.ends), ())
    worthy = sorted(
        planned.datasets,
        key=lambda name: (
            _price(alone._replace(datasets=(name,)), sizes, prices, planned.draws)
            / math.sqrt(min(sizes[name]) or 0.1)
        ),
    )
    largest = max((sizes[name].rows for name in planned.datasets), default=0)
    for rows, count, asked, share in product(
        [math.inf, *(cap for cap in CAPS if cap < largest)],
        range(1, planned.draws + 1) if drawn else [planned.draws],
        shots,
        SHARES,
    ):
        kept = set(worthy[: math.ceil(share * len(worthy))])
        yield Choice(rows, count, asked, tuple(name for name in planned.datasets if name in kept))


def _gain(
    one: Question,
    choice: Choice,
    sizes: Mapping[str, Classes],
    assumed: Assumptions,
    wanted: float,
) -> float:
    first, second = one.drawn
    curves = (
        choice.draws if first else 1,
        0 if second is None else choice.draws if second else 1,
    )
    tested = [sizes[name].capped(choice.rows) for name in choice.datasets]
    return smallest_gain(Design(tested, curves, one.sides, one.tests), LEVEL, assumed, wanted)


def _price(choice: Choice, sizes: Mapping[str, Classes], prices: pd.Series, draws: int) -> float:
    """Prompts are as many as rows, and with examples as rows and draws."""
    return sum(
        float(prices.get((name, k), 0.0))
        * min(1.0, choice.rows / sizes[name].rows)
        * (choice.draws / draws if k else 1.0)
        for name in choice.datasets
        for k in choice.shots
    )
