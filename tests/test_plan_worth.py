"""What a plan can show for its price, and the same for less."""

import math

import numpy as np
import pandas as pd
import pytest

from tabbench.config.model_entry import parse_model
from tabbench.inference.cost_estimate import Terms
from tabbench.inference.job_resources import LIGHT
from tabbench.planning.worth import (
    Question,
    best_known,
    class_sizes,
    from_pilot,
    prices_of_rows,
    worth,
)
from tabbench.reporting.tables.worth import worth_table
from tabbench.reporting.writer import to_markdown
from tabbench.statistics.power import Assumptions, Classes, Design, difference_sd, smallest_gain

TOLD = Assumptions(0.7, 0.5, 0.7)
SIZES = {f"d{number}": Classes(100, 200) for number in range(4)}
RQ3 = Question(
    "rq3", "8 examples against none", tuple(SIZES), (0, 4, 8), (0, 8), (True, False), 1, 2
)


def prices(each):
    return pd.Series({(name, k): price for name in SIZES for k, price in each.items()})


def planned(each=None, question=RQ3, sizes=SIZES, draws=4):
    frame = worth([question], sizes, prices(each or {0: 1.0, 4: 10.0, 8: 20.0}), draws, TOLD)
    return frame.iloc[0]


def test_a_plan_has_the_gain_of_its_test_and_the_price_of_its_prompts():
    row = planned()
    design = Design(list(SIZES.values()), (4, 1), 1, 2)
    assert row["smallest_gain"] == smallest_gain(design, 0.05, TOLD)
    assert row["price"] == 4 * 31
    assert (row["datasets"], row["rows"], row["draws"], row["shots"]) == (4, 300, 4, "0, 4, 8")


def test_the_same_for_less_is_cheaper_and_shows_nearly_as_much():
    row = planned()
    assert row["less_smallest_gain"] <= 1.05 * row["smallest_gain"]
    assert row["less_price"] == row["less_share"] * row["price"] < row["price"]
    # The k between tells the test nothing; draws that rank nearly alike hardly more.
    assert row["less_shots"] == "0, 8"
    assert row["less_draws"] < 4
    assert row["less_price"] == 4 * (1 + 20 * row["less_draws"] / 4)


def test_a_dataset_that_costs_much_and_shows_little_is_left_out():
    sizes = SIZES | {"dear": Classes(2, 3)}
    question = RQ3._replace(datasets=tuple(sizes), shots=(0, 8))
    each = pd.concat(
        [prices({0: 1.0, 8: 1.0}), pd.Series({("dear", 0): 500.0, ("dear", 8): 500.0})]
    )
    row = worth([question], sizes, each, 1, TOLD).iloc[0]
    assert (row["datasets"], row["less_datasets"]) == (5, 4)
    assert row["less_smallest_gain"] < row["smallest_gain"]


def test_where_every_row_counts_nothing_is_cheaper():
    chance = Question(
        "rq1", "zero-shot against chance", tuple(SIZES), (0,), (0,), (False, None), 1, 1
    )
    row = planned(question=chance)
    assert row["less_share"] == 1
    assert row["draws"] == 0
    table = worth_table(row.to_frame().T, "USD", TOLD, "assumed", 0.8)
    assert "nothing that was tried shows the same for less" in to_markdown(table)


def test_the_table_says_how():
    text = to_markdown(worth_table(planned().to_frame().T, "USD", TOLD, "assumed", 0.8))
    row = planned()
    assert "| RQ3 | 8 examples against none | 4 | ≤ 300 | 4 | 0, 4, 8 | " in text
    assert f"| {row.smallest_gain:.3f} | 124.00 USD | " in text
    assert "RQ3 would show" in text
    assert f"k = 0, 8, for {row.less_share:.0%} of its price" in text
    few = worth([RQ3], {"d0": Classes(1, 3)}, prices({0: 1.0}), 4, TOLD)
    assert math.isnan(few["smallest_gain"][0])
    assert "| – |" in to_markdown(worth_table(few, "tokens", TOLD, "assumed", 0.8))


def test_rows_of_either_class_are_counted_once(tmp_path):
    for k in (0, 4):
        frame = pd.DataFrame({"row_id": [1, 2, 3, 1, 2, 3], "y_true": [1, 0, 0, 1, 0, 0]})
        (tmp_path / "d0").mkdir(exist_ok=True)
        frame.to_parquet(tmp_path / f"d0/k{k}.parquet")
    found = class_sizes([tmp_path / "d0/k0.parquet", tmp_path / "d0/k4.parquet"])
    assert found == {"d0": Classes(1, 2)}


def lines(models):
    return pd.DataFrame(
        [
            {"model": name, "kind": kind, "dataset": "d0", "k": 0, "prompt_tokens": 2_000_000}
            for name in models
            for kind in ("rows", "SciTaRC")
        ]
    )


def test_prices_are_money_where_all_models_have_prices():
    entry = {
        **{"title": "x", "engine": "openai", "style": "chat", "dtype": "undisclosed"},
        **{"weights": {"served": "x"}, "server": "t", "endpoint": {"url": "http://x/v1"}},
    }
    priced = {"currency": "USD", "as_of": "2026-01-01", "input": 3.0, "output": 1.0}
    terms = {
        "paid": Terms(parse_model("paid", entry | {"prices": priced}), LIGHT),
        "free": Terms(parse_model("free", entry), LIGHT),
    }
    found, unit = prices_of_rows(lines(["paid"]), terms)
    assert (found["d0", 0], unit) == (6.0, "USD")
    found, unit = prices_of_rows(lines(["paid", "free"]), terms)
    assert (found["d0", 0], unit) == (4_000_000, "tokens")


def test_a_pilot_tells_auc_and_correlation():
    told = Assumptions(0.6, 0.3, 0.7)
    row = {"dataset": "d0", "n": 150, "n_seeds": 3, "auc_zero_shot": 0.6, "auc_k_shot": 0.7}
    se = difference_sd(Classes(50, 100), (3, 1), 0.6, 0.1, told)
    tests = pd.DataFrame([row | {"se": se, "z": 1.0}, row | {"se": np.nan, "z": np.nan}])
    found = from_pilot(tests, SIZES, TOLD)
    assert found.auc == 0.6
    assert found.correlation == pytest.approx(0.3, abs=1e-6)
    assert from_pilot(tests.tail(1), SIZES, TOLD) is None
    assert best_known(TOLD, [tests, tests.tail(1)], SIZES) == (
        found,
        "the first two from RQ3's gains so far",
    )
    assert best_known(TOLD, [tests.tail(1)], SIZES)[0] is TOLD
