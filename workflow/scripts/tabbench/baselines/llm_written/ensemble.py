"""Predictions of the methods: a draw's queries are an ensemble, or each is scored alone."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS
from tabbench.baselines.llm_written.queries import Draw
from tabbench.baselines.llm_written.running import (
    Logic,
    QueryError,
    Values,
    read_rules,
    read_tree,
    run_logic,
)
from tabbench.baselines.llm_written.scoring import rule_scores, tree_scores
from tabbench.core.arrays import Floats
from tabbench.core.baseline_names import llm_baseline_id
from tabbench.sandbox.sandbox import Kind

_KEPT = ("dataset", "engine", "style", "dtype", "template")
READERS: Mapping[str, Callable[[str], Logic]] = {"rules": read_rules, "tree": read_tree}
"""By the mode of a method."""


class Ran(NamedTuple):
    """A query's code after its run: its values on all rows, or why there are none."""

    logic: Logic | None
    values: Values | None
    seconds: float
    status: str
    message: str


class Examples(NamedTuple):
    """Labelled examples of a draw: where they stand among the rows that were run, their labels."""

    places: list[int]
    labels: npt.NDArray[np.int64]


NONE = Examples([], np.array([], dtype=np.int64))


class Results(NamedTuple):
    """Columns of ``schemas.PREDICTIONS``, and of ``schemas.LLM_QUERIES`` (a row per query)."""

    predictions: pd.DataFrame
    queries: pd.DataFrame


def predict(
    answers: pd.DataFrame,
    table: pd.DataFrame,
    split: pd.DataFrame,
    draws: Sequence[Draw],
    sandbox: Kind,
) -> Results:
    """Run the logic of every query on the test rows and average each draw's queries.

    A row's score is the mean over the queries that have one for it. A row without any is
    ``invalid``; where no query of a draw gave any score, all its rows are an ``error``. Of a method
    whose queries are scored alone each is a cell, with the number of the query, from 0, as seed.

    Parameters
    ----------
    answers : DataFrame with the columns of ``schemas.LLM_ANSWERS``, of one model and dataset
    table, split : frames with the columns of ``schemas.TABLE`` and ``SPLIT``
    draws : the examples of each k and seed among the answers
    """
    features = table.set_index("row_id").drop(columns="y")
    y = table.set_index("row_id")["y"]
    test = split[split["part"] == "test"].sort_values("position")["row_id"].tolist()
    shown = sorted({row for draw in draws for row in draw.rows})
    run = _runner(features.loc[[*test, *shown]], sandbox)
    place = {row: len(test) + at for at, row in enumerate(shown)}
    examples = {
        (draw.k, draw.seed): Examples(
            [place[row] for row in draw.rows], y.loc[list(draw.rows)].to_numpy(np.int64)
        )
        for draw in draws
    }
    frames, rows = [], []
    alone = answers["method"].map(lambda name: METHODS[name].single)
    answers = answers.assign(cell=answers["seed"].mask(alone, answers["query"] - 1))
    cell = ["method", "k", "seed", "cell"]
    for method, k, drawn, seed in answers[cell].drop_duplicates().itertuples(index=False):
        asked = answers[(answers[cell] == [method, k, drawn, seed]).all(axis=1)]
        shown_here = examples.get((k, drawn), NONE)
        ran = [
            Ran(None, None, 0.0, failure, "") if failure else run(method, code)
            for code, failure in zip(asked["code"], asked["failure"], strict=True)
        ]
        members = [
            _scores(one.logic, one.values.table, len(test), shown_here)
            for one in ran
            if one.logic and one.values
        ]
        seconds = float(asked["seconds"].sum()) + sum(one.seconds for one in ran)
        first = asked.iloc[0]
        frames.append(
            _ensemble(members, test, seconds).assign(
                **{name: first[name] for name in _KEPT},
                k=k,
                seed=seed,
                model=llm_baseline_id(method, first["model"]),
                mode=METHODS[method].mode,
                y_true=y.loc[test].to_numpy(),
            )
        )
        rows += [_query(answer, one) for answer, one in zip(asked.itertuples(), ran, strict=True)]
    return Results(pd.concat(frames, ignore_index=True), pd.DataFrame(rows))


def _runner(features: pd.DataFrame, sandbox: Kind) -> Callable[[str, str], Ran]:
    """Return a function that runs a method's answer on all rows; equal answers are run once."""
    known: dict[tuple[str, str], Ran] = {}

    def run(method: str, answer: str) -> Ran:
        if (method, answer) not in known:
            start = time.perf_counter()
            logic, values, status, message = None, None, "ok", ""
            try:
                logic = READERS[METHODS[method].mode](answer)
                values = run_logic(logic, features, sandbox)
                message = values.fault
            except QueryError as error:
                status, message = error.status, str(error)
            seconds = time.perf_counter() - start
            known[method, answer] = Ran(logic, values, seconds, status, message)
        return known[method, answer]

    return run


def _scores(logic: Logic, table: Floats, test: int, examples: Examples) -> Floats:
    """Return the scores of the test rows, which stand first in ``table``."""
    if logic.gives == "number":
        return tree_scores(table[:, :test])
    classes, shown = np.array(logic.classes), table[:, examples.places]
    return rule_scores(table[:, :test], classes, shown, examples.labels)


def _ensemble(members: Sequence[Floats], test: Sequence[int], seconds: float) -> pd.DataFrame:
    scores = np.array(members).reshape(len(members), len(test))
    count = (~np.isnan(scores)).sum(axis=0)
    p_1 = np.full(len(test), np.nan)
    np.divide(np.nansum(scores, axis=0), count, out=p_1, where=count > 0)
    undefined = "invalid" if count.any() else "error"
    return pd.DataFrame(
        {
            "prompt": "none",
            "serialization": "none",
            "row_id": test,
            "logp_0": np.nan,
            "logp_1": np.nan,
            "p_1": p_1,
            "label_mass": np.nan,
            "y_pred": pd.Series(p_1 >= 0.5).astype("Int8").mask(count == 0),
            "status": np.where(count > 0, "ok", undefined),
            "bounded": False,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "seconds": seconds / len(test),
        }
    )


def _query(answer: Any, ran: Ran) -> dict[str, object]:
    names = ("dataset", "model", "method", "k", "seed", "query", "ended")
    tokens = ("prompt_tokens", "completion_tokens")
    return {
        **{name: getattr(answer, name) for name in (*names, *tokens)},
        "status": ran.status,
        "message": ran.message,
        "functions": len(ran.logic.functions) if ran.logic else 0,
        "calls": ran.values.table.size if ran.values else 0,
        "calls_failed": ran.values.failed if ran.values else 0,
        "sandbox_seconds": ran.seconds,
        "program": ran.logic.code if ran.logic else "",
    }
