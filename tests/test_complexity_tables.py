"""Tables V, XV, XVI, XVII and XVIII."""

import math
from pathlib import Path

import pandas as pd
import pytest
from score_frames import grid, score_row, scores_frame

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table
from tabbench.core.schemas.intrinsic import INTRINSIC
from tabbench.core.schemas.paper_tables import TABLE_15, TABLE_16
from tabbench.data.complexity_grid.levels import LEVELS
from tabbench.reporting.tables.complexity import table15, table16
from tabbench.reporting.tables.configurations import table5
from tabbench.reporting.tables.new_datasets import table17, table18

PAPER = Path(__file__).parents[1] / "resources/paper"
MODELS = {"small": "Small-1B", "large": "Large-14B", "absent": "Absent-9B"}
BASELINES = {"logistic": "Logistic regression", "featllm": "FeatLLM", "unused": "Nobody"}


def test_table5_is_the_papers() -> None:
    assert [row[:4] for row in table5().rows] == [
        ("Maximal context", "Cols-Context", "semantic", "context"),
        ("Context prompt only", "NoCols-Context", "generic", "context"),
        ("Semantic headers only", "Cols-NoContext", "semantic", "no context"),
        ("Minimal context", "NoCols-NoContext", "generic", "no context"),
    ]


def test_levels_are_those_of_table_xv() -> None:
    published = read_table(PAPER / "table15.csv", TABLE_15)
    assert published["level"].tolist() == [f"MLP-{level}" for level in LEVELS]
    table = table15(published, dict.fromkeys(LEVELS, 5), rows=1000, recipe="random_biases")
    for row in table.rows:
        assert row[-1] == " / ".join(row[1:4])
        assert row[4:6] == ("5", "1,000")
    assert len(table.rows) == 7
    assert "recipe random_biases: each unit has a normal bias" in table.notes[-1]
    two = table15(published, {0: 2, 1: 1}, rows=60, recipe="centred_units")
    assert [row[0] for row in two.rows] == ["MLP-0", "MLP-1"]


def test_a_published_file_must_hold_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "table16.csv"
    path.write_text("level,mean\nMLP-0,5.0\n")
    with pytest.raises(TabBenchError, match="no column 'value'"):
        read_table(path, TABLE_16)


def intrinsic_frame() -> pd.DataFrame:
    rows = [
        {
            "level": level,
            "dataset": f"mlp{level[-1]}_t{number}",
            "features": 5,
            "lPCA": 5.0,
            "MLE": 4.0 + number,
            "TwoNN": 5.0,
            "TLE": 6.0,
            "mean": 5.0 + number / 4,
            "n_rows": 1000,
            "n_left_out": 0,
            "failures": "",
        }
        for level in ("MLP-9", "MLP-0")
        for number in (0, 1)
    ]
    return pd.DataFrame(rows)[INTRINSIC.names]


def test_table16_is_a_mean_over_tables_beside_the_published_value() -> None:
    table = table16(intrinsic_frame(), read_table(PAPER / "table16.csv", TABLE_16), rows=1000)
    assert [row[0] for row in table.rows] == ["MLP-0", "MLP-9"]
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert (row["n"], row["MLE"], row["Mean"]) == ("2", "4.50", "5.12 ± 0.18")
    assert (row["Published"], row["Mean against published"]) == ("5.0241", "+2.0%")


def test_a_failed_estimator_takes_the_level_its_mean() -> None:
    frame = intrinsic_frame()
    frame.loc[0, ["TLE", "mean", "failures"]] = [math.nan, math.nan, "TLE: too few rows"]
    table = table16(frame, read_table(PAPER / "table16.csv", TABLE_16), rows=1000)
    row = dict(zip(table.header, table.rows[1], strict=True))
    assert (row["Level"], row["TLE"], row["Mean"], row["MLE"]) == ("MLP-9", "–", "–", "4.50")
    assert row["Mean against published"] == "–"
    assert "mlp9_t0: no mean, TLE: too few rows" in table.notes


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Two models, a baseline with examples and one that needs none, on new and classic suites."""
    new = grid(["small", "large"], ["reading", "stars"], suite="new", seed=5)
    core = grid(["small", "large"], ["tae"])
    fitted = {"mode": "fit", "prompt": "none", "serialization": "none", "suite": "new"}
    rows = [
        score_row(
            **fitted,
            model="featllm",
            dataset=dataset,
            k=k,
            seed=seed,
            roc_auc=0.7 + 0.01 * seed + 0.001 * k,
        )
        for dataset in ("reading", "stars")
        for k in (0, 4, 16)
        for seed in (1, 2)
    ]
    return pd.concat([new, core, scores_frame(rows)], ignore_index=True)


def test_table17_shows_models_and_what_works_without_examples(scores: pd.DataFrame) -> None:
    table = table17(scores, MODELS, {}, BASELINES)
    assert table.header == ("Dataset", "Small-1B", "Large-14B", "Absent-9B", "FeatLLM")
    assert [row[0] for row in table.rows] == ["reading", "stars"]
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert (row["FeatLLM"], row["Absent-9B"]) == ("0.715 ± 0.007", "–")
    one = scores[(scores["dataset"] == "reading") & (scores["model"] == "small")]
    one = one[(one["k"] == 0) & (one["mode"] == "generation")]
    one = one[(one["prompt"] == "contextual") & (one["serialization"] == "feat_val")]
    assert row["Small-1B"] == f"{one['roc_auc'].iloc[0]:.3f}"


def test_table18_averages_the_new_datasets_by_shots(scores: pd.DataFrame) -> None:
    table = table18(scores, MODELS, {}, BASELINES)
    assert table.header == ("Model", "0-shot", "4-shot", "16-shot", "64-shot")
    assert [row[0] for row in table.rows] == [*MODELS.values(), "Logistic regression", "FeatLLM"]
    rows = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}
    assert rows["FeatLLM"]["16-shot"] == "0.731 ± 0.007"
    assert (rows["FeatLLM"]["64-shot"], rows["Logistic regression"]["0-shot"]) == ("–", "–")
    assert set(table.numbers["n_datasets"]) == {2}


def test_without_baselines_the_models_stand_alone(scores: pd.DataFrame) -> None:
    asked = scores[scores["mode"] != "fit"]
    assert table17(asked, MODELS, {}, {}).header == ("Dataset", *MODELS.values())
    assert [row[0] for row in table18(asked, MODELS, {}, {}).rows] == [*MODELS.values()]
