"""From any reply of an endpoint to a prediction: the label that it says, or an invalid one."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_answers import answers
from test_thinking import MARKS

from tabbench.core.cells import Cell
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.inference.engines.base import Description, Prompt, Request
from tabbench.inference.engines.replies import generation, read_reply
from tabbench.inference.requests import CellRequest
from tabbench.inference.responses import Identity, Response, request_keys
from tabbench.scoring.label_parser import Parsed, parse_answer
from tabbench.scoring.predict import predict

WHO = Identity("small", "sha", "openai/1", "chat", "undisclosed", "{}", True, 64, ())
CELL = Cell("diabetes", "small", "generation", "contextual", "feat_val", 0, 0)
ASKED = CellRequest(CELL, 7, 1, Request("generation", Prompt("", "p", "q")))
SAID = [(text, truth) for text, truth in answers() if truth == parse_answer(text)]
NOTHING = [text for text, truth in answers() if truth is None and parse_answer(text).label is None]


def body(text: str, style: str, logprobs: Any) -> dict[str, Any]:
    if style == "chat":
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}}
    else:
        choice = {"text": text}
    return {
        "model": "small",
        "choices": [{**choice, "finish_reason": "stop", "logprobs": logprobs}],
        "usage": {"prompt_tokens": 9, "completion_tokens": len(text)},
    }


def steps(text: str) -> dict[str, Any]:
    """A token for each character; at a digit 0 and 1, 1 has three quarters."""

    def step(token: str) -> dict[str, Any]:
        listed = {"0": math.log(0.2), "1": math.log(0.6)} if token in "01" else {token: -0.1}
        return {
            "token": token,
            "logprob": listed[token],
            "bytes": list(token.encode()),
            "top_logprobs": [{"token": one, "logprob": logp} for one, logp in listed.items()],
        }

    return {"content": [step(character) for character in text]}


def predicted(text: str, style: str, with_logprobs: bool) -> pd.Series:
    reply = read_reply(body(text, style, steps(text) if with_logprobs else None))
    answer = generation(reply, 0.5, with_logprobs)
    (key,) = request_keys(WHO, [ASKED.request])
    made = Response(key, answer, Description("openai (any)", "chat", "undisclosed", "own"))
    (frame,) = predict([[ASKED]], WHO, {key: made}, {}, "")
    return frame.iloc[0]


styles = st.sampled_from(["chat", "completion"])
thoughts = st.sampled_from([("", ""), *MARKS])


@given(st.sampled_from(SAID), styles, st.booleans(), thoughts)
def test_a_label_is_predicted_whatever_thought_precedes_it(
    said: tuple[str, Parsed], style: str, with_logprobs: bool, thought: tuple[str, str]
) -> None:
    text, truth = said
    before = (
        f"{thought[0]}The answer is {1 - (truth.label or 0)}.{thought[1]}" if thought[0] else ""
    )
    row = predicted(before + text, style, with_logprobs)
    assert row["y_pred"] == truth.label
    assert row["status"] == ("ok" if with_logprobs else "label_only")
    if with_logprobs:
        assert row["p_1"] == pytest.approx(0.75)
        assert row["label_mass"] == pytest.approx(0.8)


@given(st.sampled_from(NOTHING), styles, st.booleans(), thoughts)
def test_a_text_without_an_answer_is_invalid_and_counted(
    text: str, style: str, with_logprobs: bool, thought: tuple[str, str]
) -> None:
    before = f"{thought[0]}The answer is 1.{thought[1]}" if thought[0] else ""
    row = predicted(before + text, style, with_logprobs)
    assert row["status"] == "invalid"
    assert pd.isna(row["y_pred"])
    assert math.isnan(row["p_1"])
    assert row["completion_tokens"] == len(before + text)


@given(st.text(max_size=40), styles, st.booleans())
def test_any_text_becomes_a_row(text: str, style: str, with_logprobs: bool) -> None:
    row = predicted(text, style, with_logprobs)
    assert row["status"] in ("ok", "label_only", "invalid")
    assert pd.isna(row["y_pred"]) == (row["status"] == "invalid")


def test_the_rows_are_predictions(tmp_path: Path) -> None:
    rows = [predicted(text, "chat", True) for text in ("1", "nothing", "<think>1")]
    path = tmp_path / "predictions.parquet"
    frame = pd.DataFrame(rows).astype(
        {"y_pred": "Int8", "prompt_tokens": "Int64", "completion_tokens": "Int64"}
    )
    write_table(frame, path, PREDICTIONS)
    assert list(read_table(path, PREDICTIONS)["status"]) == ["ok", "invalid", "invalid"]
