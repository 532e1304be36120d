"""What tables and figures say of baselines: fitted, absent, or TabPFN where it ran."""

import json

import pandas as pd
import pytest
from score_frames import chance_frame, grid

from tabbench.core.schemas.fits import FITS
from tabbench.reporting.figures import ranks, rq1, rq5, rq6
from tabbench.reporting.remarks import choice_note, not_fitted, tabpfn_absence
from tabbench.reporting.tables import rq1 as tables_rq1
from tabbench.reporting.tables import rq5 as tables_rq5
from tabbench.reporting.tables.baselines import fitted
from tabbench.reporting.tables.full_training import full_training
from tabbench.reporting.tables.new_datasets import table18
from tabbench.scoring.reference_baseline import tabpfn_or_strongest

MODELS = {"small": "Small-1B", "large": "Large-14B"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest", "tabpfn": "TabPFN"}
GENERATORS = {"qwen": "Qwen3-14B"}


def scored(suite: str = "core", datasets=("diabetes", "credit", "kc1")) -> pd.DataFrame:
    """Scores in which TabPFN is the weakest baseline."""
    scores = grid(list(MODELS), list(datasets), suite=suite)
    weak = scores[scores["model"] == "forest"].assign(
        model="tabpfn", roc_auc=0.51, engine="tabpfn", template="0123456789ab"
    )
    return pd.concat([scores, weak], ignore_index=True)


def without(scores: pd.DataFrame) -> pd.DataFrame:
    return scores[scores["model"] != "tabpfn"]


def test_table2_shows_tabpfn_where_it_ran_and_else_the_strongest() -> None:
    scores = scored()
    table = tables_rq1.table2(scores, chance_frame(scores), MODELS, BASELINES)
    assert table.header[-1] == "TabPFN (16-shot)"
    notes = "\n".join(table.notes)
    assert "TabPFN (16-shot) is the reference as in the paper" in notes
    assert "TabPFN: fitted baseline, engine tabpfn, weights 0123456789ab" in notes
    scores = without(scores)
    table = tables_rq1.table2(scores, chance_frame(scores), MODELS, BASELINES)
    assert table.header[-1] == "Logistic regression (16-shot)"
    notes = "\n".join(table.notes)
    assert "TabPFN is absent: results/baselines/fitted.md says why" in notes
    assert "chosen afterwards among Logistic regression, Random forest" in notes
    assert "Random forest, TabPFN" not in notes


def test_table9_and_figure20_show_tabpfn_where_it_ran() -> None:
    names = [f"{name}_ls_qwen" for name in ("diabetes", "credit")]
    scores = scored("llm_synthetic", names)
    table = tables_rq5.table9(scores, MODELS, BASELINES, GENERATORS)
    assert table.rows[-1][0] == "TabPFN (16-shot)"
    assert table.rows[-1][1].startswith("0.510")
    table = tables_rq5.table9(without(scores), MODELS, BASELINES, GENERATORS)
    assert table.rows[-1][0] == "Logistic regression (16-shot)"
    drawn = rq5.figure20(scores, MODELS, BASELINES, GENERATORS)
    assert "TabPFN" in [text.get_text() for text in drawn.figure.legends[0].get_texts()]
    assert "strongest" not in drawn.caption


def test_figure20_sets_the_baseline_beside_models_on_their_own_datasets() -> None:
    """Small was asked on the tables of one generator, Large on those of another."""
    scores = scored("llm_synthetic", ("diabetes_ls_qwen", "credit_ls_gpt"))
    asked = {"small": "diabetes_ls_qwen", "large": "credit_ls_gpt"}
    own = scores[scores["model"].map(asked).fillna(scores["dataset"]) == scores["dataset"]]
    drawn = rq5.figure20(without(own), MODELS, BASELINES, GENERATORS)
    lines = {bars.get_label(): bars[0].get_ydata() for bars in drawn.figure.axes[0].containers}
    assert [*lines][2:] == [
        "Logistic regression on qwen",
        "Logistic regression on gpt",
    ]
    logistic = scores[scores["model"] == "logistic"]
    for (label, heights), dataset in zip([*lines.items()][2:], asked.values(), strict=True):
        means = logistic[logistic["dataset"] == dataset].groupby("k")["roc_auc"].mean()
        assert heights.tolist() == pytest.approx(means.tolist()), label
    assert "a line for each set of datasets" in drawn.caption


def test_figure30_shows_tabpfn_where_it_ran() -> None:
    scores = scored("mlp", ("mlp0_t0", "mlp0_t1", "mlp2_t0"))
    caption = rq6.figure30(scores, BASELINES).caption
    assert caption.startswith("ROC-AUC of TabPFN on the MLP grid")
    assert "absent" not in caption
    caption = rq6.figure30(without(scores), BASELINES).caption
    assert "Logistic regression, the strongest fitted baseline at 16 shots, on" in caption
    assert "fitted.md says why, and Logistic regression is shown instead" in caption


def test_figures_of_rq1_name_what_is_absent() -> None:
    scores = without(scored())
    assert "Not fitted: TabPFN; results" in ranks.ranks(scores, MODELS, BASELINES).caption
    assert "TabPFN is absent" in rq1.figure6(scores, MODELS, BASELINES).caption
    assert "ot fitted" not in ranks.ranks(scored(), MODELS, BASELINES).caption


def test_absence_has_two_reasons() -> None:
    scores = without(scored())
    assert tabpfn_absence(scored(), BASELINES) == ""
    assert "says why" in tabpfn_absence(scores, BASELINES)
    assert "does not name it" in tabpfn_absence(scores, ["forest"])
    assert (
        not_fitted(scores, BASELINES) == "not fitted: TabPFN; results/baselines/fitted.md says why"
    )
    assert not_fitted(scored(), BASELINES) == ""


def test_the_choice_is_named_among_what_was_fitted() -> None:
    scores = without(scored())
    chosen = tabpfn_or_strongest(scores, BASELINES)
    assert choice_note(chosen, scores, BASELINES).endswith(
        "among Logistic regression, Random forest"
    )


def fit(**values: object) -> dict[str, object]:
    row = dict.fromkeys(FITS.names, "") | {
        "dataset": "diabetes", "model": "forest", "k": 16, "seed": 1, "package": "scikit-learn 1.9",
        "candidates": 8, "folds": 4, "cv_roc_auc": 0.7, "settings": "{}", "seconds": 2.0,
    }  # fmt: skip
    return row | values


@pytest.fixture
def fits() -> pd.DataFrame:
    weights = {
        "weights": f"w.ckpt {'ab' * 32}",
        "licence": "free",
        "package": "tabpfn 9",
        "seconds": 1.0,
    }
    rows = [
        fit(k=4, candidates=0, folds=0),
        fit(settings=json.dumps({"max_depth": 2})),
        fit(dataset="credit"),
        fit(model="tabpfn", candidates=0, **weights),
        fit(
            model="tabpfn", candidates=0, dataset="credit", reason="the table has 9 rows", **weights
        ),
        fit(model="gone", package="", reason="it has no weights"),
        fit(model="gone", package="", dataset="credit", reason="it has no weights"),
    ]
    return pd.DataFrame(rows, columns=FITS.names)


def test_the_table_of_fits(fits: pd.DataFrame) -> None:
    table = fitted(fits, {"forest": "Random forest", "tabpfn": "TabPFN", "gone": "TabICL"})
    assert table.rows == (
        ("Random forest", "scikit-learn 1.9", "3", "0",
         "searched in 2 fits (k ≥ 16), other than the defaults in 1", "–", "–"),
        ("TabPFN", "tabpfn 9", "1", "1", "fixed", "w.ckpt (abababababab)", "free"),
        ("TabICL", "–", "0", "2", "–", "–", "–"),
    )  # fmt: skip
    assert table.notes[-2:] == (
        "TabPFN: not fitted on credit (1 in all), since the table has 9 rows",
        "TabICL: not fitted on any dataset (2 in all), since it has no weights",
    )
    assert table.numbers.set_index("model").loc["tabpfn", "weights"] == f"w.ckpt {'ab' * 32}"


@pytest.mark.parametrize(
    ("left_out", "where"),
    [(["diabetes", "credit"], "every dataset"), (["credit"], "credit")],
)
def test_a_model_fitted_on_other_draws_is_not_said_to_be_fitted_nowhere(
    left_out: list[str], where: str
) -> None:
    rows = [fit(dataset=name, k=4) for name in ("diabetes", "credit")]
    rows += [fit(dataset=name, reason="nothing differs") for name in left_out]
    table = fitted(pd.DataFrame(rows, columns=FITS.names), {"forest": "Random forest"})
    assert table.notes[-1] == (
        f"Random forest: not fitted on some draws of {where} ({len(left_out)} in all), since "
        "nothing differs"
    )


def with_full(scores: pd.DataFrame) -> pd.DataFrame:
    """Add fits on all 300 training rows, of which every one is worth 0.9."""
    fitted = scores[(scores["mode"] == "fit") & (scores["k"] == 16)]
    first = fitted.drop_duplicates(["dataset", "model"])
    full = first.assign(mode="fit_full", k=300, seed=864, roc_auc=0.9, roc_auc_all_rows=0.9)
    return pd.concat([scores, full], ignore_index=True)


def test_baselines_on_all_training_rows_have_columns_of_their_own() -> None:
    new = grid(list(MODELS), ["reading"], suite="new", seed=5)
    scores = with_full(pd.concat([scored(), new], ignore_index=True))
    table = full_training(scores, MODELS, BASELINES)
    assert table.header[-2:] == ("TabPFN (16-shot)", "TabPFN (all training rows)")
    # TabPFN has no fit on the new dataset, so that no column of its rows can show it.
    named = {row[0]: row for row in table.rows}
    assert named["Classic (n = 3)"][-1] == "0.900"
    assert named["Classic, Finance (n = 1)"][table.header.index("Small-1B (0-shot)")] != "–"
    assert "fitted once on the whole training part" in "\n".join(table.notes)
    shown = [note.partition(":")[0] for note in table.notes]
    assert [name for name in shown if name in BASELINES.values()] == list(BASELINES.values())


def test_fits_on_all_training_rows_change_nothing_on_few() -> None:
    plain = pd.concat([scored(), scored("new", ["stars", "reading"])], ignore_index=True)
    full = with_full(plain)
    one, other = (
        tables_rq1.table2(scores, chance_frame(plain), MODELS, BASELINES)
        for scores in (plain, full)
    )
    assert one.rows == other.rows
    one, other = (table18(scores, MODELS, {}, BASELINES) for scores in (plain, full))
    assert [row[:-1] for row in other.rows] == list(one.rows)
    assert [row[-1] for row in other.rows] == ["–", "–", "0.900", "0.900", "0.900"]
    assert other.header[-1] == "all training rows"
    drawn = ranks.ranks(plain, MODELS, BASELINES).caption
    assert ranks.ranks(full, MODELS, BASELINES).caption == drawn


@pytest.mark.parametrize("name", ["figure20", "figure30"])
def test_learning_curves_mark_fits_on_all_training_rows(name: str) -> None:
    suite, datasets = {
        "figure20": ("llm_synthetic", ["diabetes_ls_qwen", "credit_ls_qwen"]),
        "figure30": ("mlp", ["mlp0_t0", "mlp1_t0"]),
    }[name]
    scores = with_full(scored(suite, datasets))
    drawn = (
        rq5.figure20(scores, MODELS, BASELINES, GENERATORS)
        if name == "figure20"
        else rq6.figure30(scores, BASELINES)
    )
    lines = {str(line.get_label()): line for line in drawn.figure.axes[0].lines}
    (label,) = (name for name in lines if "all training rows" in name)
    assert list(lines[label].get_ydata()) == pytest.approx([0.9, 0.9])
    assert "black dashes" in drawn.caption
