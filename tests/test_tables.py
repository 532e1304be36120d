"""Tables: right cells from right rows, dashes for what was not run, files that can be read."""

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_frames import chance_frame, gains_frame, grid, scores_frame

from tabbench.core.contexts import POOREST, RICHEST
from tabbench.core.errors import TabBenchError
from tabbench.reporting.tables import rq1, rq2, rq3, rq4, rq5, rq6, rq7
from tabbench.reporting.writer import (
    Table,
    escape_latex,
    p_value,
    plus_minus,
    to_latex,
    to_markdown,
    write_table,
)
from tabbench.scoring.reference_baseline import strongest_baseline

MODELS = {"small": "Small-1B", "large": "Large-14B", "absent": "Absent-9B"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
GENERATORS = {"qwen": "Qwen3-14B", "gpt": "GPT-4o-mini", "unused": "Nobody"}
DATASETS = ("diabetes", "credit", "kc1", "tae")


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Return two models on three suites; tae stops at 4 shots."""
    models = ["small", "large"]
    core = grid(models, DATASETS)
    core = core[(core["dataset"] != "tae") | (core["k"] <= 4)]
    mlp = grid(models, [f"mlp{level}_t{t}" for level in (0, 9, 2) for t in range(2)], suite="mlp")
    new = grid(models, ["reading", "stars"], suite="new", seed=5)
    llm = grid(models, [f"{name}_ls_qwen" for name in DATASETS], suite="llm_synthetic", seed=3)
    gpt = grid(["large"], ["diabetes_ls_gpt"], suite="llm_synthetic", seed=4)
    return pd.concat([core, new, llm, gpt, mlp], ignore_index=True)


def numbers(table: Table, **key: object) -> pd.Series:
    """Return the one row of ``numbers`` with this key."""
    rows = table.numbers
    for name, value in key.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_every_table_says_what_it_rests_on(scores: pd.DataFrame) -> None:
    for table in (
        rq1.table2(scores, chance_frame(scores), MODELS, BASELINES),
        rq2.table6(scores, MODELS),
        rq3.table7(scores, gains_frame(scores), MODELS),
        rq4.table8(scores, MODELS),
        rq5.table9(scores, MODELS, BASELINES, GENERATORS),
        rq6.table10(scores, MODELS),
        rq7.table11(scores, MODELS),
    ):
        notes = "\n".join(table.notes)
        for word in (
            "ROC-AUC is plain",
            "± is",
            "engine transformers, style completion, dtype float32, template 0123456789ab",
            "invalid answers 2.0%",
            "median label mass 0.90",
            "test rows: 100 of 256 (capped)",
            "serialization: feat_val",
            "mode: ",
            "n = ",
            "Absent-9B: not run (–)",
        ):
            assert word in notes, (table.caption, word)
        assert {len(row) for row in table.rows} == {len(table.header)}
        columns = [index for index, name in enumerate(table.header) if "Absent" in name]
        for row in table.rows:
            cells = row[1:] if row[0].startswith("Absent") else [row[index] for index in columns]
            assert set(cells) <= {"–", "0-shot", "64-shot"}


def test_tables_say_what_invalid_answers_would_change(scores: pd.DataFrame) -> None:
    """A dropped answer counts as 0.5 in another column, and unequal rows are a warning."""
    main = {"mode": "generation", "prompt": "contextual", "serialization": "feat_val", "k": 0}
    cell = (scores[list(main)] == pd.Series(main)).all(axis=1) & (scores["suite"] == "core")
    uneven = scores.assign(n_scored=scores["n"])
    change = cell & (scores["model"] == "small") & (scores["dataset"] == "kc1")
    uneven.loc[change, "n_scored"] = 90
    uneven.loc[change, "roc_auc_all_rows"] = uneven.loc[change, "roc_auc"] - 0.04
    table = rq3.table7(uneven, gains_frame(uneven), MODELS)
    zero = numbers(table, model="small", k=0)
    assert zero["all_rows"] == pytest.approx(zero["mean"] - 0.04 / 4)
    notes = "\n".join(table.notes)
    count = (uneven["model"] == "small") & (uneven["suite"] == "core")
    count &= (uneven[list(main)[:3]] == pd.Series(main)[:3]).all(axis=1)
    assert f"over cells: Small-1B −{0.04 / count.sum():.3f}" in notes
    assert "warning: models are compared on different test rows" in notes
    assert notes.count("left out there: kc1\n") == 1
    alone = "\n".join(rq3.table7(uneven, gains_frame(uneven), {"small": "Small-1B"}).notes)
    assert "invalid answers are left out" in alone
    assert "warning" not in alone
    even = scores.assign(n_scored=scores["n"])
    assert "left out of ROC-AUC" not in "\n".join(rq3.table7(even, gains_frame(even), MODELS).notes)


def test_table2_compares_same_datasets_and_names_the_strongest_baseline(
    scores: pd.DataFrame,
) -> None:
    table = rq1.table2(scores, chance_frame(scores), MODELS, BASELINES)
    assert table.header[1:] == (*MODELS.values(), "Logistic regression (16-shot)")
    assert [row[0] for row in table.rows] == ["All (n = 5)", "Classic (n = 3)", "New (n = 2)"]
    mine = scores[
        (scores["model"] == "small")
        & (scores["mode"] == "generation")
        & (scores["prompt"] == "contextual")
        & (scores["serialization"] == "feat_val")
        & (scores["k"] == 0)
        & scores["dataset"].isin(["diabetes", "credit", "kc1"])
    ]
    assert numbers(table, group="Classic", model="small")["mean"] == mine["roc_auc"].mean()
    notes = "\n".join(table.notes)
    assert "left out because a column lacks them: tae" in notes
    assert "TabPFN is absent" in notes


def test_table2_falls_back_to_the_largest_shots_and_knows_a_fitted_tabpfn(
    scores: pd.DataFrame,
) -> None:
    few = scores[(scores["mode"] != "fit") | (scores["k"] == 4)]
    assert (
        "Logistic regression (4-shot)"
        in rq1.table2(few, chance_frame(few), MODELS, BASELINES).header
    )
    none = scores[scores["mode"] != "fit"]
    assert rq1.table2(none, chance_frame(none), MODELS, BASELINES).header == (
        "Dataset group",
        *MODELS.values(),
    )
    renamed = scores.assign(model=scores["model"].replace("forest", "tabpfn"))
    notes = "\n".join(
        rq1.table2(renamed, chance_frame(renamed), MODELS, {**BASELINES, "tabpfn": "TabPFN"}).notes
    )
    assert "TabPFN is absent" not in notes


def test_table6_compares_a_models_configurations_on_shared_datasets(scores: pd.DataFrame) -> None:
    gap = (scores["dataset"] == "kc1") & (scores["model"] == "small")
    gap &= (scores["prompt"] == "context_free") & (scores["k"] == 0)
    table = rq2.table6(scores[~gap], MODELS)
    assert table.rows[0][0] == "NoCols-NoContext"
    assert table.rows[-1][0] == "Cols-Context"
    richest = numbers(table, configuration="Cols-Context", model="small")
    assert richest["datasets"] == "credit; diabetes; tae"
    assert numbers(table, configuration="Cols-Context", model="large")["n_datasets"] == 4


def test_table7_has_gains_beside_scores_and_says_where_datasets_stop(scores: pd.DataFrame) -> None:
    table = rq3.table7(scores, gains_frame(scores), MODELS)
    assert table.header == ("Model", "0-shot", "4-shot", "16-shot", "64-shot")
    gain = dict(zip(table.header, table.rows[1], strict=True))
    assert gain["Model"] == "Small-1B, gain"
    assert gain["0-shot"] == "–"
    assert gain["64-shot"].startswith("+")
    assert gain["64-shot"].endswith("n = 3)")
    row = numbers(table, model="small", k=64)
    assert (row["n_datasets"], row["n_tests"]) == (3, 3)
    assert "Small-1B 64-shot: 3 (without tae)" in "\n".join(table.notes)
    untested = rq3.table7(scores, gains_frame(scores).iloc[:0], MODELS)
    assert set(untested.rows[1][1:]) == {"–"}


def test_table8_is_richest_minus_poorest(scores: pd.DataFrame) -> None:
    table = rq4.table8(scores, MODELS)
    sides = []
    for one in (RICHEST, POOREST):
        side = scores[
            (scores["suite"] == "core")
            & (scores["model"] == "large")
            & (scores["mode"] == "generation")
            & (scores["prompt"] == one.prompt)
            & (scores["serialization"] == one.serialization)
            & (scores["k"] == 16)
        ]
        sides.append(side.groupby("dataset")["roc_auc"].mean())
    delta = (sides[0] - sides[1]).mean()
    row = numbers(table, model="large", k=16)
    assert row["mean"] == pytest.approx(delta)
    assert row["n_datasets"] == 3
    assert table.rows[1][3].startswith(plus_minus(delta, signed=True))


def test_table10_orders_levels_by_difficulty(scores: pd.DataFrame) -> None:
    table = rq6.table10(scores, MODELS, shots=(0, 16))
    assert [row[0] for row in table.rows] == ["MLP-0", "MLP-2", "MLP-9"]
    assert table.header[:3] == ("Level", "Small-1B 0-shot", "Small-1B 16-shot")
    assert numbers(table, level="MLP-9", model="small", k=16)["n_datasets"] == 2


def test_table11_pairs_the_modes_and_measures_their_time(scores: pd.DataFrame) -> None:
    gap = (scores["dataset"] == "kc1") & (scores["mode"] == "forward")
    gap |= (scores["model"] == "large") & (scores["mode"] == "forward")
    table = rq7.table11(scores[~gap], MODELS)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert "JSON answer of up to 600 tokens" in "\n".join(table.notes)
    assert (row["Shots"], row["n"], row["Ratio"], row["Completion tokens"]) == (
        "0-shot",
        "5",
        "1.50",
        "3.0",
    )
    both = {
        mode: numbers(table, model="small", k=64, mode=mode) for mode in ("generation", "forward")
    }
    delta = numbers(table, model="small", k=64, mode="forward - generation")
    assert delta["mean"] == pytest.approx(both["forward"]["mean"] - both["generation"]["mean"])
    assert both["forward"]["datasets"] == both["generation"]["datasets"]
    large = dict(zip(table.header, table.rows[2], strict=True))
    assert large["Generation"] != "–"
    assert large["Forward"] == large["Δ"] == large["Ratio"] == "–"


def test_table11_refuses_a_ratio_of_times_of_different_cells(scores: pd.DataFrame) -> None:
    first = scores.loc[scores["k"] == 64, "seed"].iloc[0]
    gap = (scores["dataset"] == "kc1") & (scores["mode"] == "forward") & (scores["k"] == 64)
    table = rq7.table11(scores[~(gap & (scores["seed"] == first))], {"small": "Small-1B"})
    zero, most = (dict(zip(table.header, row, strict=True)) for row in table.rows)
    assert (zero["Ratio"], most["Ratio"]) == ("1.50", "–")
    assert most["Δ"] != "–"
    assert [note for note in table.notes if note.startswith("no ratio for Small-1B 64-shot")]


def test_undefined_values_are_dashes_and_counted(scores: pd.DataFrame) -> None:
    nothing = scores.assign(roc_auc=float("nan"))
    for table in (
        rq1.table2(nothing, chance_frame(nothing), MODELS, {}),
        rq2.table6(nothing, MODELS),
        rq4.table8(nothing, MODELS),
        rq6.table10(nothing, MODELS),
    ):
        assert {text for row in table.rows for text in row[1:]} == {"–"}
        assert "without a ROC-AUC" in "\n".join(table.notes)
    assert rq7.table11(nothing, MODELS).rows[0][2:6] == ("–", "–", "–", "–")


def test_mixed_engines_and_empty_requests_are_errors(scores: pd.DataFrame) -> None:
    mixed = scores.copy()
    mixed.loc[mixed["dataset"] == "kc1", "engine"] = "vllm"
    with pytest.raises(TabBenchError, match=r"Small-1B.*engine transformers and vllm"):
        rq2.table6(mixed, MODELS)
    with pytest.raises(TabBenchError, match="guessing"):
        rq2.table6(scores, MODELS, mode="guessing")


def test_test_rows_are_listed_where_they_differ() -> None:
    frame = scores_frame([{}, {"dataset": "tae", "n": 51, "test_rows": 51, "capped": False}])
    note = rq3.table7(frame, gains_frame(frame), {"small": "Small"}).notes[-1]
    assert note == "test rows: diabetes 100 of 256 (capped), tae 51"


def test_files_hold_raw_numbers_and_readable_text(scores: pd.DataFrame, tmp_path: Path) -> None:
    table = rq2.table6(scores, {"small": "Small_1B & 50 %"})
    paths = {name: tmp_path / "new" / f"table.{name}" for name in ("csv", "md", "tex")}
    write_table(table, **paths)
    raw = pd.read_csv(paths["csv"])
    pd.testing.assert_series_equal(raw["mean"], table.numbers["mean"], check_exact=True)
    lines = paths["md"].read_text(encoding="utf-8").splitlines()
    grid_lines = [line for line in lines if line.startswith("|")]
    parsed = pd.read_csv(StringIO("\n".join(grid_lines)), sep="|").iloc[1:, 1:-1]
    assert parsed.shape == (4, 2)
    tex = paths["tex"].read_text(encoding="utf-8")
    assert r"Small\_1B \& 50 \%" in tex
    assert tex.count(r"\\" + "\n") == 5
    assert tex.isascii()


@given(st.text(alphabet=st.sampled_from("\\&%$#_{}~^<>±−Δ×≥≤²–ab ")))
def test_latex_has_no_bare_command_characters(text: str) -> None:
    escaped = escape_latex(text)
    assert escaped.isascii()
    rest = escaped
    for known in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}"):
        rest = rest.replace(known, "")
    for known in (
        "$<$",
        "$>$",
        r"$\pm$",
        "$-$",
        r"$\Delta$",
        r"$\times$",
        r"$\geq$",
        r"$\leq$",
        "$^2$",
    ):
        rest = rest.replace(known, "")
    for character in "&%$#_{}":
        rest = rest.replace("\\" + character, "")
    assert set(rest) <= set("ab -")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.7124, 0.0101), "0.712 ± 0.010"),
        ((0.7, float("nan")), "0.700"),
        ((float("nan"), 0.1), "–"),
        ((0.03, 0.001, 3, True), "+0.030 ± 0.001"),
        ((-0.03, 0.001, 2), "−0.03 ± 0.00"),
    ],
)
def test_plus_minus(arguments: tuple[float, ...], text: str) -> None:
    assert plus_minus(*arguments) == text  # type: ignore[arg-type]


def test_p_values_are_never_zero() -> None:
    assert p_value(0.04, -1.4) == "p = 0.040"
    assert p_value(3e-7, -6.5) == "p = 3e-07"
    assert p_value(0.0, -412.4) == "p = 1e-412"
    assert p_value(float("nan"), float("nan")) == "p –"


def test_a_pipe_in_a_name_does_not_break_the_grid() -> None:
    table = Table("c", ("a|b", "x"), (("r|s", "1"),), pd.DataFrame(), ())
    assert r"| r\|s | 1 |" in to_markdown(table)
    assert to_latex(table).count(" & ") == 2


REGIMES = {
    "Few-shot (16)": ("context_free", "feat_val_mask", 16),
    "Expert": ("knowledge", "feat_val_mask", 0),
    "Prior": ("contextual", "feat_val", 0),
    "Few-shot (16) + expert": ("knowledge", "feat_val_mask", 16),
    "Few-shot (16) + prior": ("contextual", "feat_val", 16),
    "Expert + prior": ("knowledge", "feat_val", 0),
    "Few-shot (16) + expert + prior": ("knowledge", "feat_val", 16),
}


def test_table9_rows_are_the_seven_regimes(scores: pd.DataFrame) -> None:
    table = rq5.table9(scores, MODELS, BASELINES, GENERATORS)
    assert table.header == (
        "Prompting regime", "Small-1B on qwen", "Large-14B on qwen", "Large-14B on gpt",
        "Absent-9B",
    )  # fmt: skip
    assert [row[0] for row in table.rows] == [*REGIMES, "Logistic regression (16-shot)"]
    for regime, (prompt, serialization, k) in REGIMES.items():
        cells = scores[
            (scores["model"] == "small")
            & (scores["mode"] == "generation")
            & (scores["prompt"] == prompt)
            & (scores["serialization"] == serialization)
            & (scores["k"] == k)
            & scores["dataset"].str.endswith("_ls_qwen")
        ]
        expected = cells.groupby("dataset")["roc_auc"].mean().mean()
        row = numbers(table, regime=regime, model="small", generator="qwen")
        assert row["mean"] == pytest.approx(expected)
        assert row["n_datasets"] == len(DATASETS)
    notes = "\n".join(table.notes)
    assert "dialogues of the generator qwen: Qwen3-14B" in notes
    assert "Nobody" not in notes


def test_table9_marks_the_best_of_each_column(scores: pd.DataFrame) -> None:
    table = rq5.table9(scores, MODELS, BASELINES, GENERATORS)
    for at, (model, generator) in enumerate(
        [("small", "qwen"), ("large", "qwen"), ("large", "gpt")], start=1
    ):
        means = [
            numbers(table, regime=regime, model=model, generator=generator)["mean"]
            for regime in REGIMES
        ]
        assert [row for row, column in table.bold if column == at] == [
            max(range(3), key=means.__getitem__)
        ]
        assert [row for row, column in table.underlined if column == at] == [
            max(range(7), key=means.__getitem__)
        ]
    assert {column for _, column in table.bold | table.underlined} == {1, 2, 3}


def test_marked_cells_are_marked_in_the_files() -> None:
    table = Table(
        "Caption", ("A", "B"), (("x|y", "0.5 ± 0.1"), ("z", "1")), pd.DataFrame(), (),
        bold=frozenset({(0, 1), (1, 1)}), underlined=frozenset({(1, 1)}),
    )  # fmt: skip
    assert "| x\\|y | **0.5 ± 0.1** |\n| z | **<u>1</u>** |" in to_markdown(table)
    assert "\\textbf{0.5 $\\pm$ 0.1} \\\\" in to_latex(table)
    assert "z & \\textbf{\\underline{1}} \\\\" in to_latex(table)


def test_table9_compares_the_same_datasets_in_a_column(scores: pd.DataFrame) -> None:
    lacking = scores[~((scores["dataset"] == "tae_ls_qwen") & (scores["k"] == 16))]
    table = rq5.table9(lacking, MODELS, BASELINES, GENERATORS)
    rows = table.numbers[(table.numbers["generator"] == "qwen")]
    assert set(rows["n_datasets"]) == {3}


def test_the_strongest_baseline_is_among_those_that_cover_most_datasets() -> None:
    fit = {"mode": "fit", "prompt": "none", "serialization": "none", "k": 16}
    rows = [
        fit | {"dataset": "tae", "model": "forest", "roc_auc": 0.9},
        fit | {"dataset": "tae", "model": "logistic", "roc_auc": 0.6},
        fit | {"dataset": "kc1", "model": "logistic", "roc_auc": 0.6},
    ]
    found = strongest_baseline(scores_frame(rows), BASELINES)
    assert found is not None
    assert (found.model, found.title) == ("logistic", "Logistic regression (16-shot)")
    both = [*rows, fit | {"dataset": "kc1", "model": "forest", "roc_auc": 0.4}]
    found = strongest_baseline(scores_frame(both), BASELINES)
    assert found is not None
    assert found.model == "forest"
