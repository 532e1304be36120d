"""From cached responses to predictions: look up, parse, normalise. No model is needed."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

import pandas as pd

from tabbench.core.cells import Cell
from tabbench.core.errors import TabBenchError
from tabbench.core.labels import label_probability
from tabbench.inference.engines.base import TOO_LONG, Answer, LabelScore
from tabbench.inference.failures import FailedRequest
from tabbench.inference.requests import CellRequest
from tabbench.inference.responses import Identity, Response, request_keys
from tabbench.scoring.label_parser import parse_answer

_UNDEFINED = {
    "logp_0": math.nan,
    "logp_1": math.nan,
    "p_1": math.nan,
    "label_mass": math.nan,
    "y_pred": None,
    "bounded": False,
}
_NOTHING = {
    **_UNDEFINED,
    "prompt_tokens": None,
    "completion_tokens": None,
    "seconds": math.nan,
}


def _probabilities(logps: tuple[float, float], bounded: bool) -> dict[str, Any]:
    p_1, mass = label_probability(*logps)
    return {
        "logp_0": logps[0],
        "logp_1": logps[1],
        "p_1": p_1,
        "label_mass": mass,
        "y_pred": int(p_1 >= 0.5),
        "status": "ok",
        "bounded": bounded,
    }


def _outcome(answer: Answer) -> dict[str, Any]:
    """The columns of ``schemas.PREDICTIONS`` that a response determines.

    Forward scoring predicts the likelier label; where an endpoint listed neither label, there is
    nothing to compare and the answer is invalid. A generated answer predicts the label that it
    names; its probability is read at the token of that label, renormalised over both labels.
    Where an endpoint gives no probabilities, the label alone is kept: ``label_only``.
    """
    tokens = {"prompt_tokens": answer.prompt_tokens, "seconds": answer.seconds}
    if isinstance(answer, LabelScore):
        invalid = {**_UNDEFINED, "status": "invalid"}
        pair = answer.logp_0, answer.logp_1
        known = len(answer.bounded) < len(pair)
        read = _probabilities(pair, bool(answer.bounded)) if known else invalid
        return {**read, "completion_tokens": 0, **tokens}
    tokens["completion_tokens"] = answer.completion_tokens
    parsed = parse_answer(answer.text)
    if parsed.label is None or parsed.offset is None:
        return {**_UNDEFINED, "status": "invalid", **tokens}
    if answer.label_logps is None:
        return {**_UNDEFINED, "y_pred": parsed.label, "status": "label_only", **tokens}
    if parsed.offset not in answer.label_logps:
        return {**_UNDEFINED, "status": "invalid", **tokens}
    read = _probabilities(
        answer.label_logps[parsed.offset], bounded=parsed.offset in answer.bounded
    )
    return {**read, "y_pred": parsed.label, **tokens}


def is_valid(answer: Answer) -> bool:
    """Whether an answer holds a label."""
    return bool(_outcome(answer)["status"] != "invalid")


def predict(
    batches: Iterable[Sequence[CellRequest]],
    identity: Identity,
    responses: Mapping[str, Response],
    failures: Mapping[str, FailedRequest],
    remedy: str,
) -> Iterator[pd.DataFrame]:
    """Predictions of all requests, with the columns of ``schemas.PREDICTIONS``.

    Parameters
    ----------
    batches : requests, some at a time; so are their predictions
    responses : key to logged response
    failures : key to a request that the last run could not get an answer for; its status is
        ``too_long`` where it does not fit into the model's context, else ``error``
    remedy : what to do when an answer is missing; ends the error message

    Raises
    ------
    TabBenchError
        When answers are missing that did not fail; the message counts them and names the first
        cell.
    """
    prompts = missing = 0
    first: Cell | None = None
    for asks in batches:
        keys = request_keys(identity, [ask.request for ask in asks])
        absent = [
            ask.cell
            for ask, key in zip(asks, keys, strict=True)
            if key not in responses and key not in failures
        ]
        prompts += len(asks)
        missing += len(absent)
        first = first or next(iter(absent), None)
        if not missing:
            yield _predictions(asks, keys, responses, failures)
    if missing:
        raise TabBenchError(
            f"{first}: {missing} of {prompts} prompts have no logged answer. {remedy}"
        )


def _predictions(
    asks: Sequence[CellRequest],
    keys: Sequence[str],
    responses: Mapping[str, Response],
    failures: Mapping[str, FailedRequest],
) -> pd.DataFrame:
    rows = []
    for ask, key in zip(asks, keys, strict=True):
        if key in responses:
            response = responses[key]
            read, source = _outcome(cast(Answer, response.answer)), response.description
        else:
            failed = failures[key]
            status = TOO_LONG if failed.failure.kind == TOO_LONG else "error"
            read, source = {**_NOTHING, "status": status}, failed.description
        rows.append(
            {
                **ask.cell._asdict(),
                "row_id": ask.row_id,
                "y_true": ask.y_true,
                **read,
                **asdict(source),
            }
        )
    whole = {"y_pred": "Int8", "prompt_tokens": "Int64", "completion_tokens": "Int64"}
    return pd.DataFrame(rows).astype(whole)
