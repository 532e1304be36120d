"""Parts of inference jobs: balanced, stable, and without any effect on an answer."""

import json
import shutil
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rerun_expectations import rewrite
from workflow_copy import TINY, WorkflowCopy

from tabbench.inference.shards import cut, expected_tokens, part_names

TOKENS = st.lists(st.integers(0, 10**9), min_size=1, max_size=7).map(
    lambda counts: {f"d{number}": float(count) for number, count in enumerate(counts)}
)


def longest(parts, tokens):
    return max(sum(tokens[name] for name in part) for part in parts)


@given(TOKENS, st.integers(1, 9))
def test_each_dataset_is_in_one_part_and_no_part_is_empty(tokens, shards):
    parts = cut(tokens, shards)
    assert sorted(name for part in parts for name in part) == sorted(tokens)
    assert len(parts) == min(shards, len(tokens))
    assert all(parts)
    assert all(part == [name for name in tokens if name in part] for part in parts)


@given(TOKENS, st.integers(1, 3))
def test_the_longest_part_is_within_a_third_of_the_best_cut(tokens, shards):
    best = min(
        max(np.bincount(places, weights=list(tokens.values())))
        for places in product(range(shards), repeat=len(tokens))
    )
    assert longest(cut(tokens, shards), tokens) <= (4 / 3 - 1 / (3 * shards)) * best + 1e-6


def test_graham_s_worst_case():
    """Graham (1969), 2 machines: 3, 3, 2, 2, 2 take 7 by the longest first, and 6 at best."""
    tokens = dict(zip("abcde", (3, 3, 2, 2, 2), strict=True))
    assert longest(cut(tokens, 2), tokens) == 7


def test_equal_datasets_fall_in_the_same_parts_each_time():
    tokens = dict.fromkeys("abcdef", 5.0)
    assert cut(tokens, 3) == [["a", "d"], ["b", "e"], ["c", "f"]]
    assert part_names(cut(tokens, 3)) == ["1of3", "2of3", "3of3"]


def test_what_a_group_shares_is_counted_once():
    one, two = (expected_tokens(rows, 8, 64, 1) for rows in (100, 200))
    assert two - one == pytest.approx(expected_tokens(100, 8, 0, 1) - expected_tokens(0, 8, 0, 1))
    assert expected_tokens(100, 8, 64, 30) == pytest.approx(30 * one)


MODEL = "resources/models/smollm2_135m.yaml"
TARGET = "results/predictions/smollm2_135m/core/k4.parquet"
MARKER = "results/inference/smollm2_135m/core/k4"
ONLY = {
    **dict.fromkeys(("llm_synthetic", "probes", "scitarc", "llm_baselines")),
    "baselines": ["majority"],
    "baseline_weights": None,
    "shots": [0, 4],
    "research_questions": {"rq3": TINY["research_questions"]["rq3"]},
}


def answers(copy):
    """Predictions without measured seconds, and what the job counted."""
    counts = json.loads((copy.folder / f"{MARKER}.json").read_text())
    return pd.read_parquet(copy.folder / TARGET).drop(columns="seconds"), counts


def shards(copy, number):
    def change(entry):
        entry.pop("shards", None)
        if number:
            entry["shards"] = number

    rewrite(copy, MODEL, change)


@pytest.mark.slow
def test_parts_change_no_answer_and_ask_nothing_again(tmp_path):
    whole = WorkflowCopy.create(tmp_path / "whole")
    whole.configure(**ONLY)
    parted = WorkflowCopy.create(tmp_path / "parted")
    parted.configure(**ONLY)
    shards(parted, 2)
    whole.run(TARGET)
    shutil.copytree(*(copy.folder / "results/models" for copy in (whole, parted)))
    assert len(parted.planned(TARGET)["infer_part"]) == 2
    parted.run(TARGET)
    assert {path.name for path in (parted.folder / MARKER).parent.glob("k4_*")} == {
        "k4_part1of2.json",
        "k4_part2of2.json",
    }
    expected, counts = answers(whole)
    found, summed = answers(parted)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert counts == summed
    assert counts["asked"] == whole.log_lines() > 0
    assert "2 of 4 jobs" in parted.run("status", "--quiet", "all")  # k = 0 was not asked for

    for copy, number in ((whole, 2), (parted, None), (whole, 1)):
        asked = copy.log_lines()
        shards(copy, number)
        copy.run(TARGET)
        assert copy.log_lines() == asked
        assert answers(copy)[1]["cached"] == asked
        pd.testing.assert_frame_equal(answers(copy)[0], expected, check_exact=True)
        assert copy.planned(TARGET) == {}

    refused = whole.run(f"{MARKER}_part2of3.json", "--dry-run", fails=True)
    assert f"nothing makes {MARKER}_part2of3.json: its parts are 1of1" in refused


def test_datasets_without_an_expected_token_leave_no_part_empty() -> None:
    assert cut({"a": 0.0, "b": 0.0, "c": 0.0}, 3) == [["a"], ["b"], ["c"]]
