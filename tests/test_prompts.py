"""Prompts: the golden ones, and that each holds the right rows, labels, draw and order."""

import re

import pandas as pd
import pytest
from golden_prompts import GOLDEN, REGIMES, RULES, SHOTS, TABLE, TASK, files, golden, prompts

from tabbench.core.cells import Variant
from tabbench.prompts.prompts import build, instruction
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame

LABELS = dict(zip(TABLE["row_id"], TABLE["y"], strict=True))


def test_the_golden_prompts() -> None:
    """Where a change is meant, run ``tests/golden_prompts.py`` and read what it changes."""
    assert golden() == GOLDEN.read_text(encoding="utf-8")


def read_back(prompt: pd.Series) -> tuple[list[list[str | None]], list[int | None]]:
    """Return cells and labels of the examples and the query, by the format's own reader."""
    serialization = SERIALIZATIONS[prompt["serialization"]]
    head = serialization.head(list(TABLE.columns[2:]))
    written = f"{prompt['prefix']}{prompt['query']}"
    starts = {"_": "Features are: ", "m": "| ", "h": "<tr><td>"}
    start = starts.get(prompt["serialization"][0], starts["_"])
    body = written[written.rindex(head) + len(head) :] if head else written
    lines = [line for line in body.splitlines(keepends=True) if line.startswith(start)]
    parsed = [serialization.parse(head, line) for line in lines]
    return [one.cells for one in parsed], [one.label for one in parsed]


@pytest.mark.parametrize("seed", [7, 8])
def test_examples_are_those_of_the_draw_with_their_own_labels(seed: int) -> None:
    draw = SHOTS[SHOTS["seed"] == seed].sort_values("position")["row_id"].tolist()
    _, plain = serialize_frame(TABLE.iloc[:, 2:], SERIALIZATIONS["feat_val"])
    cells = [SERIALIZATIONS["feat_val"].parse("", row).cells for row in plain]
    for _, prompt in prompts(2, seed).iterrows():
        shown, labels = read_back(prompt)
        assert shown == [cells[row] for row in (*draw, prompt["row_id"])]
        assert labels == [*(LABELS[row] for row in draw), None]
        assert prompt["y_true"] == LABELS[prompt["row_id"]]


def test_every_draw_gives_prompts_of_its_own() -> None:
    asked = [Variant("forward", "contextual", "html")]
    both = build("bicycles", 2, [7, 8], asked, TASK, files(2))
    assert both["seed"].unique().tolist() == [7, 8]
    for seed, part in both.groupby("seed"):
        alone = build("bicycles", 2, [seed], asked, TASK, files(2))
        pd.testing.assert_frame_equal(part.reset_index(drop=True), alone)


def test_test_rows_alone_are_asked_in_the_order_of_the_split() -> None:
    for _, part in prompts(2, 7).groupby(["prompt", "serialization"]):
        assert part["row_id"].tolist() == [3, 4]
    unused = files(0).split.replace({"part": {"train": "unused"}})
    made = build(
        "bicycles",
        0,
        [0],
        [Variant("forward", "context_free", "html")],
        None,
        files(0).__class__(TABLE, unused, files(0).serialized, None),
    )
    assert made["row_id"].tolist() == [3, 4]


def test_modes_are_asked_the_same_prompts() -> None:
    asked = [Variant(mode, "contextual", "html") for mode in ("forward", "generation")]
    made = build("bicycles", 2, [7], asked, TASK, files(2))
    forward, generation = (part for _, part in made.groupby("mode"))
    pd.testing.assert_frame_equal(
        forward.drop(columns="mode").reset_index(drop=True),
        generation.drop(columns="mode").reset_index(drop=True),
    )


def test_a_regime_says_what_it_should_and_no_more() -> None:
    texts = {regime: instruction(regime, TASK, RULES) for regime in REGIMES}
    for regime, text in texts.items():
        named = regime in ("contextual", "knowledge")
        assert (TASK.task in text) == named
        assert (RULES in text) == (regime in ("rules", "knowledge"))
        meanings = re.findall(r"([01]) \((.*?)\)", text)
        assert meanings == ([("0", TASK.negative), ("1", TASK.positive)] if named else [])
    assert texts["knowledge"].startswith(texts["contextual"])
    assert texts["rules"].startswith(texts["context_free"])


def test_masked_formats_hide_every_name_and_others_show_them() -> None:
    names = list(TABLE.columns[2:])
    for _, prompt in prompts(2, 7).iterrows():
        masked = SERIALIZATIONS[prompt["serialization"]].masked
        text = prompt["prefix"] + prompt["query"]
        assert all((name in text.replace(RULES, "")) != masked for name in names)
