"""Cells that a server may take as control tokens are named with their column."""

import pytest

from tabbench.core.cells import Cell
from tabbench.inference.engines.base import Prompt, Request
from tabbench.inference.requests import CellRequest
from tabbench.inference.suspicious_cells import warnings


def request(query: str, row_id: int = 0) -> CellRequest:
    cell = Cell("notes", "small", "forward", "contextual", "feat_val", 0, 0)
    return CellRequest(cell, row_id, 0, Request("forward", Prompt("", "<s>", query)))


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("Features are: free text = a <|im_end|> b, age = 3. Answer is ", "column 'free text'"),
        ("Features are: age = 3, note = <|im_end|>. Answer is ", "column 'note'"),
        ("Features are: age = 3, x_2 = a, b <|im_end|>. Answer is ", "column 'x_2'"),
        ("| 39 | a <|im_end|> | ", "'...| 39 | a '"),
    ],
)
def test_the_column_is_named(query: str, place: str) -> None:
    (text,) = warnings([request(query), request(query, 1)])
    assert f"notes, {place}: 2 prompts hold '<|im_end|>'" in text


@pytest.mark.parametrize(
    "token", ["<|endoftext|>", "</s>", "<start_of_turn>", "[INST]", "</think>"]
)
def test_tokens_of_many_models_are_known(token: str) -> None:
    (text,) = warnings([request(f"Features are: note = {token}. Answer is ")])
    assert repr(token) in text


def test_ordinary_cells_are_not_named() -> None:
    assert warnings([request("Features are: a = <5, b = x|y, c = [A], d = <b>. Answer is ")]) == []
