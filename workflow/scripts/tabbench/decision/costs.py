"""What classifying costs: tokens, seconds and money of models, seconds of baselines."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.baseline_names import FIT_FULL
from tabbench.core.schemas.decision import COSTS, NO_ANSWERS, OK
from tabbench.decision.sides import BASELINE, MODEL, Side

THOUSAND = 1000
MILLION = 1_000_000


def costs(
    predictions: pd.DataFrame,
    fits: pd.DataFrame,
    prices: Mapping[str, Mapping[str, Any]],
    file_rows: int,
) -> pd.DataFrame:
    """Return tokens, seconds and money per 1,000 rows, and projected to the whole file.

    Money takes no prompt for cached, so it is the most that the tokens cost. Seconds are those
    measured, with what prompts share computed once.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``, of one dataset, one
        context per model
    fits : DataFrame with the columns of ``schemas.FITS``
    prices : model id to its prices (``input`` and ``output`` per million tokens, ``currency``)
    file_rows : rows to classify

    Returns
    -------
    DataFrame with the columns of ``schemas.decision.COSTS``
    """
    rows = []
    cell: Any
    for cell, part in predictions.groupby(["model", "mode", "k"], sort=False):
        model, mode, k = cell
        fitted = part["prompt"].iloc[0] == "none"
        side = Side(str(model), BASELINE if fitted else MODEL, int(k), mode == FIT_FULL)
        own = fits[(fits["model"] == model) & (fits["k"] == k)]
        rows.append(
            side.named()
            | {"draws": part["seed"].nunique(), "n": len(part)}
            | _per_thousand(part, prices.get(side.model))
            | (_fit(own, len(part) // part["seed"].nunique()) if fitted else _UNFITTED)
        )
    explained = fits[(fits["reason"] != "") & ~fits["model"].isin(predictions["model"])]
    for cell, part in explained.groupby(["model", "k"], sort=False):
        model, k = cell
        side = Side(str(model), BASELINE, int(k), False)
        rows.append(side.named() | {"draws": 0, "n": 0, "n_errors": 0} | _fit(part, 0))
    found = pd.DataFrame(rows).reindex(columns=COSTS.names)
    each = file_rows / THOUSAND
    return found.assign(
        currency=found["currency"].astype(object).fillna(""),
        file_rows=file_rows,
        file_seconds=found["seconds"].astype(float) * each + found["fit_seconds"].astype(float),
        file_cost=found["cost"].astype(float) * each,
        status=np.where(found["seconds"].isna(), NO_ANSWERS, OK),
    )


def _per_thousand(part: pd.DataFrame, prices: Mapping[str, Any] | None) -> dict[str, Any]:
    """Means over the answers; those without a response count as errors."""
    answered = part[part["status"] != "error"]
    if answered.empty:
        return {"n_errors": len(part)}
    read, written, seconds = (
        THOUSAND * float(answered[name].astype(float).mean())
        for name in ("prompt_tokens", "completion_tokens", "seconds")
    )
    money: dict[str, Any] = {}
    if prices is not None:
        cost = (read * prices["input"] + written * prices["output"]) / MILLION
        money = {"cost": cost, "currency": prices["currency"]}
    return {
        "n_errors": len(part) - len(answered),
        "prompt_tokens": read,
        "completion_tokens": written,
        "seconds": seconds,
        **money,
    }


_UNFITTED = {"fit_seconds": 0.0, "reason": ""}


def _fit(fits: pd.DataFrame, rows: int) -> dict[str, Any]:
    """Seconds of a baseline's fit and of predicting ``rows`` test rows, why some were left out."""
    reasons = dict.fromkeys(reason for reason in fits["reason"] if reason)
    whole, alone = (fits[name].astype(float).mean() for name in ("seconds", "fit_seconds"))
    predicting = THOUSAND * (whole - alone) / rows if rows else np.nan
    return {"seconds": predicting, "fit_seconds": alone, "reason": "; ".join(reasons)}
