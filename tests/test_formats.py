"""Text formats, modes and rules compared: means by hand, tests against scipy, what is left out."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.container import BarContainer
from scipy.stats import friedmanchisquare, mannwhitneyu, wilcoxon
from score_frames import grid, scores_frame

from tabbench.core.contexts import CONTEXTS, EXPERT, EXPERT_PRIOR, RULES_ONLY
from tabbench.reporting.figures import formats as drawn
from tabbench.reporting.tables import rq5
from tabbench.reporting.tables.formats import age_gap, formats
from tabbench.reporting.tables.full_training import full_training
from tabbench.reporting.tables.mode_robustness import robustness
from tabbench.reporting.tables.rules import rules
from tabbench.statistics.signed_rank import signed_rank_p

MODELS = {"small": "Small-1B", "absent": "Absent-9B"}
FORMATS = ("feat_val", "feat_val_mask", "markdown", "markdown_mask", "html")
CORE = [f"classic{number}" for number in range(8)]
NEW = [f"new{number}" for number in range(5)]


def auc(dataset: str, serialization: str, mode: str = "generation", k: int = 0) -> float:
    """Return a value that is the same everywhere, and html's always the best."""
    place = (CORE + NEW).index(dataset)
    base = 0.4 + 0.02 * place + 0.01 * FORMATS.index(serialization) * (1 + place) / 9
    base += 0.1 * (serialization == "html") - 0.03 * (mode == "forward") + 0.001 * k
    return base - 0.05 * (dataset in NEW)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    rows = [
        {
            **{"suite": "core" if dataset in CORE else "new", "dataset": dataset, "mode": mode},
            **{"serialization": name, "k": k, "seed": seed},
            **{"roc_auc": auc(dataset, name, mode, k) + 0.002 * seed, "n_scored": 100},
            **{"seconds": 0.6 if mode == "generation" else 0.1 * (1 + FORMATS.index(name))},
        }
        for dataset in [*CORE, *NEW]
        for name in FORMATS
        for mode in ("generation", "forward")
        for k in (0, 16)
        for seed in ((0,) if k == 0 else (1, 2, 3))
    ]
    return scores_frame(rows)


def row(frame: pd.DataFrame, **key: object) -> pd.Series:
    for name, value in key.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_formats_are_ranked_and_tested_on_the_same_datasets(scores: pd.DataFrame) -> None:
    lacking = scores[~((scores["dataset"] == "new0") & (scores["serialization"] == "html"))]
    table = formats(lacking, MODELS, shots=[0])
    assert table.header == ("Model", "Shots", "n", "feat_val", *sorted(FORMATS[1:]), "Friedman")
    assert [line[:3] for line in table.rows] == [
        ("Small-1B", "0-shot", "12"),
        ("Absent-9B",) + ("–",) * 2,
    ]
    kept = [name for name in CORE + NEW if name != "new0"]
    values = pd.DataFrame({name: [auc(one, name) for one in kept] for name in FORMATS})
    html = row(table.numbers, serialization="html", k=0)
    assert html["mean"] == pytest.approx(values["html"].mean())
    assert html["rank"] == 1
    assert html["p"] == pytest.approx(
        wilcoxon(values["html"], values["feat_val"], method="exact").pvalue
    )
    assert html["p_friedman"] == pytest.approx(friedmanchisquare(*values.to_numpy().T).pvalue)
    assert math.isnan(row(table.numbers, serialization="feat_val", k=0)["p"])
    place = table.header.index("html")
    assert (0, place) in table.bold
    assert (0, place) in table.underlined
    assert "0.0 (1.0)" not in table.rows[0][place] and table.rows[0][place].endswith("(1.0)")


def test_formats_of_the_complexity_grid_need_no_rank_test(scores: pd.DataFrame) -> None:
    masked = scores[scores["serialization"].str.endswith("_mask")]
    mlp = masked.assign(suite="mlp", prompt="context_free")
    table = formats(mlp, MODELS, suites=["mlp"], prompt="context_free", main="feat_val_mask")
    assert table.header[3:] == ("feat_val_mask", "markdown_mask", "Friedman")
    assert {line[-1] for line in table.rows} == {"p –", "–"}
    assert table.numbers.loc[table.numbers["serialization"] == "markdown_mask", "p"].notna().all()


def test_drawn_formats_are_the_means_of_the_table(scores: pd.DataFrame) -> None:
    numbers = formats(scores, MODELS).numbers
    axes = drawn.bars(scores, MODELS).figure.axes[0]
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            value = row(numbers, serialization=bars.get_label(), k=0)["mean"]
            assert bars[0].get_y() + bars[0].get_height() == pytest.approx(value)
    axes = drawn.curves(scores, MODELS).figure.axes[0]
    lines = {one.get_label(): one for one in axes.containers}
    assert set(lines) == set(FORMATS)
    for name, line in lines.items():
        of_format = numbers[numbers["serialization"] == name].sort_values("k")
        assert list(line[0].get_ydata()) == pytest.approx(list(of_format["mean"]))


def test_the_gap_between_old_and_new_is_tested_over_datasets(scores: pd.DataFrame) -> None:
    fitted = scores[(scores["serialization"] == "html") & (scores["k"] == 16)].assign(
        model="forest", mode="fit", prompt="none", serialization="none", label_mass=math.nan
    )
    table = age_gap(pd.concat([scores, fitted]), MODELS, {"forest": "Random forest"})
    assert [line[0] for line in table.rows] == [
        *(f"Small-1B, {name}" for name in sorted(FORMATS)),
        "Random forest (16-shot)",
        "Absent-9B",
    ]
    classic, new = ([auc(name, "html") for name in names] for names in (CORE, NEW))
    found = row(table.numbers, serialization="html")
    assert found["gap"] == pytest.approx(sum(new) / 5 - sum(classic) / 8)
    assert found["p"] == pytest.approx(mannwhitneyu(new, classic).pvalue)
    assert table.rows[-2][1].endswith("(n = 8)")


def test_modes_are_compared_in_every_group_and_over_all_formats(scores: pd.DataFrame) -> None:
    gap = (scores["dataset"] == "new1") & (scores["serialization"] == "html")
    lacking = scores[~(gap & (scores["mode"] == "forward"))]
    numbers = robustness(lacking, MODELS).numbers
    assert list(numbers["serialization"].unique()[[0, -1]]) == ["feat_val", "mean of 5"]
    one = row(numbers, serialization="html", group="New", k=16)
    assert (one["n_datasets"], one["difference"]) == (4, pytest.approx(-0.03))
    assert one["time_ratio"] == pytest.approx(0.6 / 0.5)
    every = row(numbers, serialization="mean of 5", group="All", k=0)
    assert every["n_datasets"] == 12  # new1 lacks a format in one mode
    assert every["time_ratio"] == pytest.approx(0.6 / 0.3)
    assert every["p"] == pytest.approx(signed_rank_p([-0.03] * 12))
    alone = robustness(lacking[lacking["serialization"] == "feat_val"], MODELS).numbers
    assert set(alone["serialization"]) == {"feat_val"}


def test_a_format_without_values_in_one_mode_is_named_and_enters_no_mean(
    scores: pd.DataFrame,
) -> None:
    silent = (scores["mode"] == "generation") & (scores["serialization"] == "html")
    undefined = scores["roc_auc"].mask(silent & (scores["k"] == 0))
    table = robustness(scores.assign(roc_auc=undefined), MODELS)
    at_0 = table.numbers[table.numbers["k"] == 0]
    assert "html" not in set(at_0["serialization"])
    assert set(at_0["serialization"].astype(str)) >= {"feat_val", "mean of 4"}
    assert at_0[["generation", "forward", "difference"]].notna().all(axis=None)
    assert "mean of 5" in set(table.numbers["serialization"])
    assert "no dataset with a ROC-AUC in both modes: Small-1B 0-shot html" in table.notes


@given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), max_size=30))
def test_signed_ranks_do_not_depend_on_order_or_direction(values: list[float]) -> None:
    p = signed_rank_p(values)
    assert p == pytest.approx(signed_rank_p([-value for value in reversed(values)]), nan_ok=True)
    assert math.isnan(p) == (not values)
    assert not values or 0 < p <= 1
    assert p == pytest.approx(signed_rank_p([*values, math.nan]), nan_ok=True)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ([0.2] * 6, 2 / 2**6),  # all signs alike: two of 64 sign patterns
        ([0.1, -0.1], 1.0),
        ([0.0, 0.3, 0.3], 2 / 2**2),  # a zero has no sign
        ([0.1, 0.2, 0.3, 0.4, -0.05], 2 * 2 / 2**5),
    ],
)
def test_small_samples_are_counted_out(values: list[float], p: float) -> None:
    assert signed_rank_p(values) == pytest.approx(p)


SHOWN = [*CONTEXTS, EXPERT, EXPERT_PRIOR, RULES_ONLY]


def ruled() -> pd.DataFrame:
    """LLM-synthetic scores where a rule is worth 0.2, but nothing where its columns are masked."""
    rows = []
    for index in range(6):
        for one in SHOWN:
            worth = 0.02 * index + 0.05 * (one.prompt in ("contextual", "knowledge"))
            named = one.serialization == "feat_val"
            worth += 0.2 * (one.prompt in ("knowledge", "rules") and named)
            for k in (0, 16):
                common = {"suite": "llm_synthetic", "dataset": f"d{index}_ls_qwen", "k": k}
                common |= {"prompt": one.prompt, "serialization": one.serialization}
                rows.append(common | {"roc_auc": 0.5 + worth + 0.001 * (k > 0) * index, "seed": k})
    return scores_frame(rows)


def test_what_rules_add_is_measured_with_and_without_a_task_text() -> None:
    table = rules(ruled(), MODELS)
    means = table.numbers[table.numbers["k"] == 0].set_index("contrast")["mean"]
    assert means.to_dict() == pytest.approx(
        {
            "Rules without task text": 0.2,
            "Rules with task text": 0.2,
            "Only rules versus only task text": 0.15,
            "Only rules versus task text and rules, columns masked": 0.15,
            "Names of the columns that rules speak of": 0.2,
        }
    )
    assert table.header[2:] == ("0-shot", "16-shot")
    assert table.rows[0][:2] == ("Rules without task text", "Small-1B on qwen")
    assert "n = 6" in table.rows[0][2]


def test_table9_has_rules_alone_below_the_seven_regimes_where_asked() -> None:
    generators = {"qwen": "Qwen3-14B"}
    table = rq5.table9(ruled(), {"small": "Small-1B"}, {}, generators)
    assert [line[0] for line in table.rows[7:]] == ["Rules only", "Few-shot (16) + rules only"]
    assert all(place < 7 for place, _ in table.bold | table.underlined)
    assert any("not in the paper" in note for note in table.notes)
    without = ruled()[lambda frame: frame["prompt"] != "rules"]
    assert len(rq5.table9(without, {"small": "Small-1B"}, {}, generators).rows) == 7


def test_where_nothing_is_defined_tables_have_dashes(scores: pd.DataFrame) -> None:
    nothing, written = (frame.assign(roc_auc=math.nan) for frame in (scores, ruled()))
    for table in (
        formats(nothing, MODELS),
        age_gap(nothing, MODELS, {}),
        robustness(nothing, MODELS),
        full_training(nothing, MODELS, {}),
        rules(written, MODELS),
    ):
        cells = {text for row in table.rows for text in row[2:]}
        assert cells <= {"–", "p –", "p = –"}, table.caption
        assert "without a ROC-AUC" in "\n".join(table.notes)


def test_other_formats_change_no_table_of_the_main_one() -> None:
    scores = grid(["small"], ["diabetes", "credit"], suite="llm_synthetic", shots=(0, 16))
    scores["dataset"] += "_ls_qwen"
    more = pd.concat([scores, scores.assign(serialization="html", roc_auc=0.99)])
    first, second = (
        rq5.table9(frame, {"small": "Small-1B"}, {}, {"qwen": "Qwen3-14B"}).rows
        for frame in (scores, more)
    )
    assert first == second
