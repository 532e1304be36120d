"""What a model uses: column names, the task text, and the text format of a row."""

from typing import Any

import pandas as pd

from tabbench.core.contexts import CONTEXTS, RICHEST
from tabbench.core.schemas.decision import CONTEXT_EFFECTS, OK
from tabbench.decision.differences import Pair, judged, tested
from tabbench.decision.sides import MODEL, Side, read_answers
from tabbench.statistics.multiplicity import holm

_NAMES = {one.pair: one.name for one in CONTEXTS}


def context_effects(
    predictions: pd.DataFrame, groups: "pd.Series[Any] | None" = None
) -> pd.DataFrame:
    """Compare the main context of a model with every other that it was asked in, at equal k.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``, of one dataset
    groups : group by row id; None where rows are independent

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.CONTEXT_EFFECTS``; no rows of a model at a k
    where it was asked in the main context alone, or not in it.
    """
    asked = predictions[predictions["prompt"] != "none"]
    rows: list[dict[str, Any]] = []
    for (model, k), part in asked.groupby(["model", "k"], sort=False, observed=True):
        by_context = dict(list(part.groupby(["prompt", "serialization"], sort=False)))
        if RICHEST.pair in by_context and len(by_context) > 1:
            main = by_context[RICHEST.pair]
            rows += [
                {"model": model, "k": k, "prompt": pair[0], "serialization": pair[1]}
                | _effect(main, other, pair == RICHEST.pair, groups)
                for pair, other in by_context.items()
            ]
    found = pd.DataFrame(rows).reindex(columns=[*CONTEXT_EFFECTS.names, "test"])
    pairs = zip(found["prompt"], found["serialization"], strict=True)
    found["configuration"] = [_NAMES.get(pair, "") for pair in pairs]
    found["p_holm"] = holm(found["p"].astype(float))
    return judged(found)[CONTEXT_EFFECTS.names]


def _effect(
    main: pd.DataFrame, other: pd.DataFrame, is_main: bool, groups: "pd.Series[Any] | None"
) -> dict[str, Any]:
    """Main context less another; a side's model stands for the context."""
    k = int(main["k"].iloc[0])
    first, second = (Side(name, MODEL, k, False) for name in ("main", "other"))
    both = [main.assign(model="main", prompt="", serialization="")]
    both.append(other.assign(model="other", prompt="", serialization=""))
    answers = read_answers(pd.concat(both), groups)
    row: dict[str, Any] = answers.counts(first, second)
    test, status = tested(answers, Pair("", first, second))
    row["status"] = OK if is_main and test else status
    if test is None:
        return row
    row |= {"main_roc_auc": test.first, "roc_auc": test.second, "difference": test.difference}
    if not is_main:
        row |= {"test": test, "p": test.p}
    return row
