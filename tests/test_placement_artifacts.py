"""Table, correlations and figure of the placement: what is off the scale, missing or few."""

import math

import pandas as pd
import pytest
from score_frames import gains_frame, grid, placement_frame, scale_frame

from tabbench.reporting.figures.placement import placement as draw
from tabbench.reporting.page.page import chapters
from tabbench.reporting.page.questions import QUESTIONS, section
from tabbench.reporting.style import Figure
from tabbench.reporting.tables.placement import correlations, placement

BASELINES = {"forest": "Random forest"}
MODELS = {"small": "Small-1B", "absent": "Absent-9B"}
OFF = [
    {"dataset": "diabetes", "roc_auc": 0.9, "level_auc": -math.inf}
    | {"level_auc_low": -math.inf, "level_auc_high": 0.2},
    {"dataset": "credit", "roc_auc": 0.5, "level_auc": math.inf, "dimension": 30.0}
    | {"level_dimension": math.inf, "level_dimension_low": 1.0, "level_dimension_high": math.inf},
    {"dataset": "kc1", "roc_auc": 0.7, "dimension": 9.0},
    {"dataset": "audit", "roc_auc": 0.71, "level_auc_low": -math.inf, "dimension": 8.5}
    | {"determined": False},
]
GAPS = [
    {"dataset": "tae", "n_draws": 0, "n": 0, "roc_auc": math.nan, "level_auc": math.nan}
    | {"level_auc_low": math.nan, "level_auc_high": math.nan, "n_rows": 93}
    | {"undefined": "the baseline was not fitted on 16 examples"},
    {"dataset": "stars", "suite": "new", "TLE": math.nan, "n_estimators": 3}
    | {"failures": "TLE: the estimate is inf", "columns_left_out": "constant: colour"},
]


def by_dataset(rows: list[dict[str, object]]) -> dict[str, dict[str, str]]:
    table = placement(placement_frame(rows), scale_frame(), BASELINES, rows=1000)
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


def test_what_is_off_the_scale_has_words_and_no_number() -> None:
    rows = by_dataset(OFF)
    assert rows["diabetes"]["Level by ROC-AUC"] == "easier than 0"
    assert rows["diabetes"]["95% interval"] == "[< 0, 0.2]"
    assert rows["credit"]["Level by ROC-AUC"] == "harder than 3"
    assert rows["credit"]["Level by dimension"] == "harder than 3"
    assert rows["credit"]["By single estimators"] == "[1.0, > 3]"
    assert rows["audit"]["Level by ROC-AUC"] == "undetermined"
    assert (rows["kc1"]["ROC-AUC"], rows["kc1"]["Level by ROC-AUC"]) == ("0.700", "2.0")


def test_gaps_are_dashes_and_named_below() -> None:
    rows = by_dataset(GAPS)
    assert (rows["tae"]["ROC-AUC"], rows["tae"]["Level by ROC-AUC"]) == ("–", "–")
    assert rows["tae"]["95% interval"] == "[–]"
    table = placement(placement_frame(GAPS), scale_frame(), BASELINES, rows=1000)
    notes = "\n".join(table.notes)
    assert "tae: no ROC-AUC, the baseline was not fitted on 16 examples" in notes
    assert "stars: dimension over 3 of 4 estimators, TLE: the estimate is inf" in notes
    assert "stars: columns left out of the dimension, constant: colour" in notes
    assert "fewer distinct complete rows than the 1,000 of an MLP table" in notes
    assert "depend: tae 93" in notes
    assert "draws of examples: 3; test rows: 100 of 256 (capped) in every dataset" in notes
    assert "MLP-0 0.800 (n = 2), MLP-1 0.750 (n = 2)" in notes
    assert "pooled" not in notes


def test_pooled_levels_are_named() -> None:
    scale = scale_frame({0: 0.8, 1: 0.6, 3: 0.7}).assign(roc_auc_fitted=[0.8, 0.65, 0.65])
    notes = placement(placement_frame(OFF), scale, BASELINES, rows=1000).notes
    assert next(note for note in notes if "pooled" in note).endswith(": MLP-1, MLP-3 at 0.650")
    flat = scale_frame({0: 0.6, 1: 0.7}).assign(roc_auc_fitted=0.65)
    notes = placement(placement_frame(OFF), flat, BASELINES, rows=1000).notes
    assert "MLP-0, MLP-1 at 0.650; so the scale only separates" in "\n".join(notes)


def gained(datasets: list[str]) -> pd.DataFrame:
    return gains_frame(grid(["small"], datasets, shots=(0, 16), modes=("generation",)))


def test_correlations_say_how_few_they_rest_on() -> None:
    table = correlations(
        placement_frame([*OFF, *GAPS]), MODELS, BASELINES, tests=gained(["diabetes", "kc1"])
    )
    both, difficulty, _ = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert both["Measures"] == "difficulty for Random forest and intrinsic dimension"
    assert (both["n"], both["Without"]) == ("5", "tae")
    assert (difficulty["n"], difficulty["Spearman's ρ"]) == ("2", "–")
    assert difficulty["Without"] == "credit, audit, tae, stars"
    assert "no gain of 16 examples: Absent-9B" in table.notes
    assert "n = 2: too few for a rank correlation" in table.notes
    assert "n = 5: no p-value can be below 0.017" in table.notes


def figure(rows: list[dict[str, object]], tests: pd.DataFrame | None = None) -> Figure:
    return draw(placement_frame(rows), scale_frame(), MODELS, BASELINES, tests=tests)


def test_the_easiest_dataset_is_on_top_and_beyond_the_scale_is_a_strip() -> None:
    axes = figure([*OFF, *GAPS], gained(["diabetes", "kc1"])).figure.axes
    names = [label.get_text() for label in axes[0].get_yticklabels()]
    assert names == ["diabetes", "audit", "kc1", "stars", "credit", "tae"]
    low, high = axes[0].get_ylim()
    assert low > high
    by_auc = axes[0].get_lines()[0].get_xdata()
    assert by_auc[0] < 0
    assert by_auc[4] > 3
    assert math.isnan(by_auc[1])
    assert math.isnan(by_auc[5])
    assert sum(not math.isnan(x) for x in axes[1].get_lines()[0].get_xdata()) == 2


@pytest.mark.parametrize(
    ("rows", "tests", "said"),
    [
        (OFF, None, "No language model was run with 16 examples."),
        (OFF, gained(["kc1"]), "generation mode (Small-1B n = 1)."),
        (OFF, None, "n = 4, two-sided permutation tests"),
        (OFF[:2], None, "n = 2, too few for a rank correlation"),
        ([{"dataset": name} for name in "abc"], None, "n = 3; one of them ties throughout"),
        (OFF, None, "Test rows: 100 of 256 (capped) in every dataset."),
    ],
)
def test_the_caption_says_what_it_rests_on(
    rows: list[dict[str, object]], tests: pd.DataFrame | None, said: str
) -> None:
    assert said in figure(rows, tests).caption


def test_without_a_fitted_baseline_everything_says_so() -> None:
    unfitted = {"n_draws": 0, "n": 0, "undefined": "the baseline was not fitted on 16 examples"}
    aucs = dict.fromkeys(("roc_auc", "level_auc", "level_auc_low", "level_auc_high"), math.nan)
    placed = placement_frame({"dataset": name} | unfitted | aucs for name in "abc")
    scale = scale_frame().assign(n_tables=0, roc_auc=math.nan, roc_auc_fitted=math.nan)
    said = "no placing baseline was fitted on 16 examples"
    table = placement(placed, scale, BASELINES, rows=1000)
    assert {row[1:4] for row in table.rows} == {("–", "–", "[–]")}
    notes = "\n".join(table.notes)
    assert notes.count("fitted on") == 1
    assert f"{said}, so there is no ROC-AUC; results/baselines/fitted.md says why" in notes
    assert said in "\n".join(correlations(placed, MODELS, BASELINES).notes)
    drawn = draw(placed, scale, MODELS, BASELINES)
    assert said in drawn.caption.replace("No placing", "no placing")
    assert "easiest for" not in drawn.caption


def test_the_page_shows_it_behind_its_question() -> None:
    folders = ["rq7", "complexity", "rq6", "datasets"]
    paths = [f"results/{folder}/rows.parquet" for folder in folders]
    found = [chapter.id for chapter in chapters(paths, "results/index.html", {}, [], {})]
    assert found == [*list(QUESTIONS)[:6], "complexity", "rq7", "datasets"]
    assert section("complexity").title == "RQ6 in practice"


def test_every_mark_of_the_placement() -> None:
    """What lies beyond the scale of 0 to 3 stands in the middle of its strip, 0.39 further."""
    models = {"small": "Small-1B", "large": "Large-14B"}
    rows = [*OFF, *GAPS]
    names = [str(row["dataset"]) for row in rows]
    tests = gains_frame(grid(list(models), names[:4], shots=(0, 16), modes=("generation",)))
    placed = placement_frame(rows)
    levels, beside = draw(placed, scale_frame(), models, BASELINES, tests=tests).figure.axes
    order = [label.get_text() for label in levels.get_yticklabels()]
    shown = placed.set_index("dataset").loc[order]
    dots, diamonds = levels.get_lines()
    auc_ends, dimension_ends = (
        [
            segment[:, 0].tolist() if segment.size else [math.nan] * 2
            for segment in one.get_segments()
        ]
        for one in levels.collections[:2]
    )

    def drawn(name: str) -> list[float]:
        return [min(max(value, -0.39), 3.39) for value in shown[name]]

    inside = drawn("level_auc")
    inside = [
        x if known else math.nan for x, known in zip(inside, shown["determined"], strict=True)
    ]
    for found, expected in (
        (dots.get_xdata(), inside),
        (diamonds.get_xdata(), drawn("level_dimension")),
        ([ends[0] for ends in auc_ends], drawn("level_auc_low")),
        ([ends[1] for ends in auc_ends], drawn("level_auc_high")),
        ([ends[0] for ends in dimension_ends], drawn("level_dimension_low")),
        ([ends[1] for ends in dimension_ends], drawn("level_dimension_high")),
    ):
        assert list(found) == pytest.approx(expected, nan_ok=True)
    lines = {str(line.get_label()): line for line in beside.get_lines()}
    for model, title in models.items():
        mine = tests[
            (tests["model"] == model)
            & (tests["k"] == 16)
            & (tests["prompt"] == "contextual")
            & (tests["serialization"] == "feat_val")
        ].set_index("dataset")["difference"]
        expected = [mine.get(name, math.nan) for name in order]
        assert list(lines[title].get_xdata()) == pytest.approx(expected, nan_ok=True)
        rows_of_marks = [round(float(y)) for y in lines[title].get_ydata()]
        assert rows_of_marks == list(range(len(order)))
