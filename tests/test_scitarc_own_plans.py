"""Quality of the models' own plans, counted by hand on plans of known faults."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from tabbench.reporting.writer import DASH
from tabbench.scitarc.own_plans import OPERATIONS, plan_counts, plan_quality, written_plans
from tabbench.scitarc.tables.own_plans import own_plans

GOLD = [
    "SELECT all scores\nCOMPUTE the largest\nRETURN it",
    "LOOP for each model\n  SELECT its score\n  IF score > 5\n    COMPUTE add one\nRETURN count",
    "SELECT a\nSELECT b\nCOMPUTE a - b\nRETURN difference",
    "SELECT one\nRETURN it",
]
OWN = {
    "copies": GOLD,
    "doubles": [f"{plan}\n{plan}" for plan in GOLD],
    "talks": ["First, look at the scores.", "1. SELECT scores", "", "I cannot do that."],
}


def responses() -> pd.DataFrame:
    rows = [
        {
            **{"model": model, "plan_mode": mode, "execution": execution, "shots": 0, "seed": seed},
            **{"row": row, "plan": plan if mode == "self" else None, "response": "x"},
            "plan_status": ("empty" if not plan else "whole") if mode == "self" else "",
        }
        for model, plans in OWN.items()
        for row, plan in enumerate(plans)
        for seed in (0, 1)
        for mode, execution in (("self", "language"), ("self", "code"), ("none", "language"))
    ]
    return pd.DataFrame(rows)


def questions(lacking: int | None = None) -> pd.DataFrame:
    plans = [None if row == lacking else plan for row, plan in enumerate(GOLD)]
    return pd.DataFrame({"row": range(4), "plan": plans})


def quality(lacking: int | None = None) -> pd.DataFrame:
    first = responses().query("seed == 0")
    return plan_quality(written_plans(first, questions(lacking))).set_index(["model", "operation"])


def test_operations_are_counted_by_line() -> None:
    assert plan_counts(GOLD[1]) == {"select": 1, "compute": 1, "loop": 1, "if": 1, "lines": 5}
    assert plan_counts("") == dict.fromkeys(OPERATIONS, 0)


def test_each_plan_is_counted_once() -> None:
    assert len(written_plans(responses(), questions())) == 2 * 3 * 4  # of either seed
    assert quality().loc[("copies", "select"), "n_plans"] == 4


def test_copies_have_no_error() -> None:
    of = quality().loc["copies"]
    assert of["n_parsed"].eq(4).all()
    assert of[["bias", "low", "high", "absolute_error"]].eq(0).all(axis=None)
    assert of["rho"].tolist() == pytest.approx([1] * 5)
    assert of.loc["select", "own"] == (1 + 1 + 2 + 1) / 4


def test_bias_is_own_less_gold() -> None:
    of = quality().loc["doubles"]
    assert of["bias"].tolist() == of["gold"].tolist()
    assert of.loc["lines", "low"] < of.loc["lines", "bias"] < of.loc["lines", "high"]
    assert of["n_parsed"].eq(4).all()
    lines = [len(plan.split("\n")) for plan in GOLD]
    twice = [2 * n for n in lines]
    assert of.loc["lines", "rho"] == pytest.approx(float(spearmanr(lines, twice).statistic))


def test_prose_is_no_plan_and_has_no_operations() -> None:
    of = quality().loc["talks"]
    assert of["n_parsed"].eq(0).all()
    assert of["n_empty"].eq(1).all()
    assert of.loc["select", ["own", "bias", "absolute_error"]].tolist() == [0, -1.25, 1.25]
    assert np.isnan(of.loc["select", "rho"])


def test_questions_without_a_gold_plan_count_for_the_parse_rate_alone() -> None:
    of = quality(lacking=2).loc["copies"]
    assert of["n_plans"].eq(4).all()
    assert of["n_parsed"].eq(4).all()
    assert of["n"].eq(3).all()
    assert of.loc["select", "gold"] == 1


def test_the_table_says_what_was_not_a_plan() -> None:
    table = own_plans(responses(), questions(), {name: name.upper() for name in OWN})
    assert len(table.rows) == 15
    talks = next(row for row in table.rows if row[0] == "TALKS" and row[4] == "SELECT")
    assert talks[1:4] == ("4", "0", "0.0 [0.0, 49.0]")
    assert talks[-1] == DASH
    assert any("and 1 held nothing" in note for note in table.notes)
    assert any("of the 4 gold plans 4 do" in note for note in table.notes)
    assert any("seeds 0, 1" in note for note in table.notes)
