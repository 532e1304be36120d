"""Ours beside the published: only the same model, in the same cells, folded like theirs."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from paper_claims import PAPER
from score_frames import grid

from tabbench.published.published import COMPARED, published_cells, read_published
from tabbench.published.published_comparison import compare
from tabbench.reporting import style
from tabbench.reporting.figures import paper as figures
from tabbench.reporting.tables import paper as tables
from tabbench.reporting.writer import to_latex, to_markdown

MODELS = {"own": "Own-1B", "qwen3_8b": "Qwen3-8B"}
OTHER = {"own": "SmolLM2-135M-Instruct"}
GENERATORS = {"qwen": "Qwen3-14B", "unused": "Nobody"}
SHOTS = (0, 4, 8, 16, 32, 64)


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return published_cells({name: read_published(PAPER / f"{name}.csv") for name in COMPARED})


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Return two models on every suite, one of them in the paper; some values below 0.5."""
    frame = pd.concat(
        [
            grid(list(MODELS), ["diabetes", "credit", "tae"], shots=SHOTS),
            grid(list(MODELS), ["stars", "reading"], suite="new", shots=SHOTS, seed=1),
            grid(list(MODELS), ["mlp0_t0", "mlp0_t1", "mlp9_t0"], suite="mlp", shots=SHOTS, seed=2),
            grid(list(MODELS), ["tae_ls_qwen"], suite="llm_synthetic", shots=SHOTS, seed=3),
        ],
        ignore_index=True,
    )
    frame["roc_auc"] -= 0.08
    return frame.assign(roc_auc_folded=np.maximum(frame["roc_auc"], 1 - frame["roc_auc"]))


def one(rows: pd.DataFrame, **key: object) -> pd.Series:
    for name, value in key.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def mine(scores: pd.DataFrame, **key: object) -> pd.DataFrame:
    key = {"mode": "generation", "prompt": "contextual", "serialization": "feat_val"} | key
    for name, value in key.items():
        scores = scores[scores[name].isin(value if isinstance(value, list) else [value])]
    return scores[scores["model"] == "qwen3_8b"]


def mean(rows: pd.DataFrame, metric: str) -> float:
    return float(rows.groupby("dataset")[metric].mean().mean())


def test_numbers_are_means_of_the_same_cells(scores: pd.DataFrame, published: pd.DataFrame) -> None:
    rows = compare(scores, published, MODELS)
    assert set(rows["model"]) == {"qwen3_8b"}
    free = {"prompt": "context_free", "serialization": "feat_val_mask"}
    rules = {"prompt": "knowledge", "serialization": "feat_val_mask"}
    for key, cells, n in (
        ({"table": "II", "condition": "All"}, {"suite": ["core", "new"], "k": 0}, 5),
        ({"table": "VI", "condition": "NoCols-NoContext"}, {"suite": "core", "k": 0} | free, 3),
        ({"table": "VII", "k": 32}, {"suite": "core", "k": 32}, 3),
        ({"table": "X", "condition": "MLP-0", "k": 4}, {"domain": "MLP-0", "k": 4} | free, 2),
        ({"table": "XVII", "condition": "stars"}, {"dataset": "stars", "k": 0}, 1),
        ({"table": "XVIII", "k": 64}, {"suite": "new", "k": 64}, 2),
        (
            {"table": "IX", "condition": "Few-shot (16) + expert", "generator": "qwen"},
            {"suite": "llm_synthetic", "k": 16} | rules,
            1,
        ),
        (
            {"table": "XI", "condition": "All", "mode": "forward", "k": 64},
            {"suite": ["core", "new"], "mode": "forward", "k": 64},
            5,
        ),
    ):
        row, used = one(rows, **key), mine(scores, **cells)
        assert row["n_datasets"] == n
        assert row["plain"] == pytest.approx(mean(used, "roc_auc"))
        assert row["folded"] == pytest.approx(mean(used, "roc_auc_folded"))
        assert row["folded_difference"] == pytest.approx(row["folded"] - row["published"])
        assert row["plain_difference"] == pytest.approx(row["plain"] - row["published"])
    assert one(rows, table="VII", k=32)["published"] == 0.789
    assert (rows["plain"] != rows["folded"]).any()


def test_differences_are_taken_per_dataset(scores: pd.DataFrame, published: pd.DataFrame) -> None:
    lacking = (scores["dataset"] == "tae") & (scores["k"] == 16)
    rows = compare(scores[~(lacking & (scores["prompt"] == "context_free"))], published, MODELS)
    row = one(rows, table="VIII", k=16)
    both = [mine(scores, suite="core", k=16, dataset=["diabetes", "credit"])]
    both.append(
        mine(
            scores, suite="core", k=16, dataset=["diabetes", "credit"],
            prompt="context_free", serialization="feat_val_mask",
        )
    )  # fmt: skip
    assert row["n_datasets"] == 2
    assert row["plain"] == pytest.approx(mean(both[0], "roc_auc") - mean(both[1], "roc_auc"))
    assert row["is_difference"]
    modes = one(rows, table="XI", k=0, condition="All, forward − generation")
    sides = [
        mine(scores, suite=["core", "new"], k=0, mode=mode) for mode in ("forward", "generation")
    ]
    assert modes["folded"] == pytest.approx(
        mean(sides[0], "roc_auc_folded") - mean(sides[1], "roc_auc_folded")
    )


def test_what_did_not_run_has_no_row_and_undefined_is_not_a_number(
    scores: pd.DataFrame, published: pd.DataFrame
) -> None:
    forward = compare(scores[scores["mode"] == "forward"], published, MODELS)
    assert set(forward["table"]) == {"XI"}
    assert set(forward["mode"]) == {"forward"}
    assert not forward["is_difference"].any()
    undefined = scores.assign(roc_auc=float("nan"), roc_auc_folded=float("nan"))
    assert compare(undefined, published, MODELS).empty


def test_the_table_says_both_and_what_it_rests_on(
    scores: pd.DataFrame, published: pd.DataFrame
) -> None:
    table = tables.comparison(scores, published, MODELS, GENERATORS)
    assert {len(row) for row in table.rows} == {len(table.header)}
    assert len(table.rows) == len(table.numbers)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["RQ"] == "RQ1"
    assert row["Published"] == "0.698 ± 0.001"
    assert (row["n there"], row["n here"]) == ("32", "5")
    text = to_markdown(table)
    assert "Own-1B" not in text
    assert "Nobody" not in text
    for words in (
        "tables of qwen by Qwen3-14B",
        "folded − published is like for like",
        "Qwen3-8B: engine transformers, style completion",
        "No difference is tested",
    ):
        assert words in text
    assert "+0.132 ± 0.006" in text
    assert "0.6975 ± 0.1429" in text
    assert to_latex(table).isascii()


@pytest.mark.parametrize("empty", ["another model", "another mode", "undefined"])
def test_nothing_to_compare_is_said_and_shows_no_number(
    empty: str, scores: pd.DataFrame, published: pd.DataFrame
) -> None:
    models = OTHER if empty == "another model" else MODELS
    if empty == "another mode":
        scores = scores[(scores["mode"] == "forward") & (scores["suite"] == "mlp")]
    if empty == "undefined":
        scores = scores.assign(roc_auc=float("nan"), roc_auc_folded=float("nan"))
    table = tables.comparison(scores, published, models, GENERATORS)
    assert table.rows == ()
    assert len(table.numbers) == 0
    assert "folded_difference" in table.numbers
    (note,) = table.notes
    assert note.startswith("there is nothing to compare: the paper has GPT-4o-mini")
    assert all(name in note for name in models.values())
    drawn = figures.comparison(scores, published, models)
    assert "nothing to compare" in drawn.caption
    assert "n = 0" in drawn.caption
    (axes,) = drawn.figure.axes
    assert not axes.lines
    assert "nothing to compare" in axes.texts[0].get_text().replace("\n", " ")


def test_the_figure_draws_published_against_ours(
    scores: pd.DataFrame, published: pd.DataFrame
) -> None:
    rows = compare(scores, published, MODELS)
    drawn = figures.comparison(scores, published, MODELS)
    axes = {axes.get_title().split()[1]: axes for axes in drawn.figure.axes if axes.get_title()}
    assert list(axes) == ["II", "VI", "VII", "IX", "X", "XI", "XVII", "XVIII"]
    of_table = rows[rows["table"] == "VII"]
    (folded,) = [line for line in axes["VII"].lines if line.get_label() == "Qwen3-8B"]
    assert folded.get_xdata().tolist() == of_table["published"].tolist()
    assert folded.get_ydata().tolist() == of_table["folded"].tolist()
    assert f"n = {len(rows[~rows['is_difference'].astype(bool)])} published values" in drawn.caption
    assert "folded" in drawn.caption


@pytest.mark.parametrize("suites", [["core", "new", "mlp", "llm_synthetic"], ["mlp"], []])
def test_the_figure_fits_its_page(
    suites: list[str], scores: pd.DataFrame, published: pd.DataFrame
) -> None:
    drawn = figures.comparison(scores[scores["suite"].isin(suites)], published, MODELS)
    with style.look():
        drawn.figure.draw_without_rendering()
        ink = drawn.figure.get_tightbbox()
    texts = drawn.figure.findobj(mpl.text.Text)
    assert min(text.get_fontsize() for text in texts if text.get_text()) >= 7
    width, height = drawn.figure.get_size_inches()
    assert width <= style.PAGE + 0.01
    assert min(ink.x0, ink.y0) > -0.01
    assert ink.x1 < width + 0.01
    assert ink.y1 < height + 0.01
