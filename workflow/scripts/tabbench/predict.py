"""From logged answers to predictions: look up, parse, normalise. No model is needed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pandas as pd

from tabbench.answers import parse_answer
from tabbench.asks import Ask
from tabbench.engines.base import Answer, LabelScore
from tabbench.errors import TabBenchError
from tabbench.labels import label_probability
from tabbench.responses import Identity, Response, request_keys

_UNDEFINED = {"logp_0": math.nan, "logp_1": math.nan, "p_1": math.nan, "label_mass": math.nan}


def _outcome(answer: Answer) -> dict[str, Any]:
    """The columns of ``schemas.PREDICTIONS`` that an answer decides.

    Forward scoring predicts the likelier label. A generated answer predicts the label that it
    names; its probability is read at the token of that label, renormalised over both labels.
    """
    tokens = {"prompt_tokens": answer.prompt_tokens, "seconds": answer.seconds}
    if isinstance(answer, LabelScore):
        logps = answer.logp_0, answer.logp_1
        p_1, mass = label_probability(*logps)
        return {
            "logp_0": logps[0],
            "logp_1": logps[1],
            "p_1": p_1,
            "label_mass": mass,
            "y_pred": int(p_1 >= 0.5),
            "status": "ok",
            "completion_tokens": 0,
            **tokens,
        }
    parsed = parse_answer(answer.text)
    pair = None if parsed.offset is None else answer.label_logps.get(parsed.offset)
    common = {"completion_tokens": answer.completion_tokens, **tokens}
    if parsed.label is None or pair is None:
        return {**_UNDEFINED, "y_pred": None, "status": "invalid", **common}
    p_1, mass = label_probability(*pair)
    return {
        "logp_0": pair[0],
        "logp_1": pair[1],
        "p_1": p_1,
        "label_mass": mass,
        "y_pred": parsed.label,
        "status": "ok",
        **common,
    }


def predict(
    asks: Sequence[Ask],
    identity: Identity,
    responses: Mapping[str, Response],
    remedy: str,
) -> pd.DataFrame:
    """Predictions of all requests, with the columns of ``schemas.PREDICTIONS``.

    Parameters
    ----------
    responses : key to logged response
    remedy : what to do when an answer is missing; ends the error message

    Raises
    ------
    TabBenchError
        When answers are missing; the message counts them and names the first cell.
    """
    keys = request_keys(identity, [ask.request for ask in asks])
    missing = [ask for ask, key in zip(asks, keys, strict=True) if key not in responses]
    if missing:
        raise TabBenchError(
            f"{missing[0].cell}: {len(missing)} of {len(asks)} prompts have no logged answer. "
            f"{remedy}"
        )
    rows = []
    for ask, key in zip(asks, keys, strict=True):
        response = responses[key]
        rows.append(
            {
                **ask.cell._asdict(),
                "row_id": ask.row_id,
                "y_true": ask.y_true,
                # The key is of a request for a label, so the answer is no free text.
                **_outcome(cast(Answer, response.answer)),
                "engine": response.description.engine,
                "style": response.description.style,
                "dtype": response.description.dtype,
                "template": response.description.template,
            }
        )
    return pd.DataFrame(rows).astype({"y_pred": "Int8"})
