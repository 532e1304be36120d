"""Figures: what is drawn is what the scores say, and files are the same every time."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.container import BarContainer
from scipy.stats import norm
from score_frames import gains_frame, grid, placement_frame, scale_frame

from tabbench.core.errors import TabBenchError
from tabbench.reporting import style
from tabbench.reporting.figures import (
    formats,
    gains,
    placement,
    ranks,
    rq1,
    rq2,
    rq3,
    rq4,
    rq5,
    rq6,
)
from tabbench.reporting.style import Figure
from tabbench.statistics.gains import combine_gains

NAMES = {f"model{index}": f"Model-{index}B" for index in range(5)}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
GENERATORS = {"qwen": "Qwen3-14B"}
DATASETS = ("diabetes", "credit", "kc1", "tae")
SMALLEST_TEXT = 7


def make_scores(count: int) -> pd.DataFrame:
    models = list(NAMES)[:count]
    core = grid(models, DATASETS, shots=(0, 4, 16))
    core = core[(core["dataset"] != "tae") | (core["k"] <= 4)]
    mlp = grid(models, ("mlp0_t0", "mlp0_t1", "mlp3_t0", "mlp3_t1"), suite="mlp", shots=(0, 4, 16))
    llm = grid(
        models, [f"{name}_ls_qwen" for name in DATASETS], suite="llm_synthetic", shots=(0, 4, 16)
    )
    return pd.concat([core, llm, mlp], ignore_index=True)


@pytest.fixture(scope="module", params=[1, 5])
def scores(request: pytest.FixtureRequest) -> pd.DataFrame:
    return make_scores(request.param)


DRAWERS: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "figure1": lambda scores: rq1.figure1(scores, NAMES, BASELINES),
    "figure6": lambda scores: rq1.figure6(scores, NAMES, BASELINES),
    "ranks": lambda scores: ranks.ranks(scores, NAMES, BASELINES),
    "figure7": lambda scores: rq1.figure7(scores, NAMES, BASELINES),
    "figure9": lambda scores: rq2.figure9(scores, NAMES),
    "format_bars": lambda scores: formats.bars(scores, NAMES, suites=["core"]),
    "format_curves": lambda scores: formats.curves(scores, NAMES, suites=["core"]),
    "figure10": lambda scores: rq3.figure10(scores, NAMES),
    "figure11": lambda scores: gains.figure11(scores, NAMES),
    "figure12": lambda scores: gains.figure12(scores, NAMES),
    "figure13": lambda scores: gains.figure13(gains_frame(scores), NAMES),
    "figure16": lambda scores: rq4.figure_of_contexts(scores, NAMES, k=16),
    "figure2": lambda scores: rq4.figure2(scores, NAMES),
    "figure19": lambda scores: rq5.figure19(scores, NAMES, GENERATORS),
    "figure20": lambda scores: rq5.figure20(scores, NAMES, BASELINES, GENERATORS),
    "figure21": lambda scores: rq5.figure21(scores, NAMES, GENERATORS),
    "figure22": lambda scores: rq5.figure22(scores, NAMES, GENERATORS),
    "figure23": lambda scores: rq5.figure23(scores, NAMES, GENERATORS),
    "figure27": lambda scores: rq5.figure_of_contexts(scores, NAMES, GENERATORS, k=16),
    "figure30": lambda scores: rq6.figure30(scores, BASELINES),
    "figure31": lambda scores: rq6.figure31(gains_frame(scores), NAMES),
    "placement": lambda scores: placement.placement(
        placement_frame([{"dataset": name} for name in DATASETS]),
        scale_frame(),
        NAMES,
        BASELINES,
        tests=gains_frame(scores),
    ),
}


@pytest.mark.parametrize("name", DRAWERS)
def test_text_is_large_enough_and_inside_the_page(name: str, scores: pd.DataFrame) -> None:
    drawn = DRAWERS[name](scores)
    with style.look():
        drawn.figure.draw_without_rendering()
        ink = drawn.figure.get_tightbbox()
    texts = drawn.figure.findobj(mpl.text.Text)
    assert min(float(text.get_fontsize()) for text in texts if text.get_text()) >= SMALLEST_TEXT
    width, height = drawn.figure.get_size_inches()
    assert width <= style.PAGE + 0.01
    assert min(ink.x0, ink.y0) > -0.01
    assert ink.x1 < width + 0.01
    assert ink.y1 < height + 0.01


@pytest.mark.parametrize("name", DRAWERS)
def test_caption_says_mode_or_baseline_and_n(name: str, scores: pd.DataFrame) -> None:
    caption = DRAWERS[name](scores).caption
    assert " n " in caption
    assert caption.endswith(".")
    assert ("generation mode" in caption) != (name == "figure30")


def test_figures_are_byte_identical_and_keep_their_text(tmp_path: Path) -> None:
    scores = make_scores(1)
    for name in ("a", "b"):
        mpl.rcParams["axes.facecolor"] = "pink" if name == "b" else "white"  # the user's own
        style.save(
            rq4.figure2(scores, NAMES), pdf=tmp_path / f"{name}.pdf", png=tmp_path / f"{name}.png"
        )
    mpl.rcdefaults()
    for suffix in ("pdf", "png"):
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b"))
        assert first == second
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert b"/Type0" in pdf  # TrueType, fonttype 42, not outlines
    assert b"CreationDate" not in pdf


def test_drawing_leaves_the_users_settings_alone() -> None:
    before = dict(mpl.rcParams)
    rq2.figure9(make_scores(1), NAMES)
    assert dict(mpl.rcParams) == before


def test_bars_of_figure6_are_the_means_by_domain() -> None:
    scores = make_scores(1)
    axes = rq1.figure6(scores, NAMES, BASELINES).figure.axes[0]
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks == [
        "Education\n(n = 1)",
        "Finance\n(n = 1)",
        "Healthcare\n(n = 1)",
        "Software\nengineering\n(n = 1)",
    ]
    (value,) = scores[
        (scores["dataset"] == "credit")
        & (scores["mode"] == "generation")
        & (scores["prompt"] == "contextual")
        & (scores["serialization"] == "feat_val")
        & (scores["k"] == 0)
    ]["roc_auc"]
    bars = [group for group in axes.containers if isinstance(group, BarContainer)]
    tops = [bar.get_y() + bar.get_height() for bar in bars[0]]
    assert tops[1] == pytest.approx(value)
    # Education is tae, where no baseline has 16 shots: no bar rather than a number.
    assert math.isnan(bars[1][0].get_height())


@pytest.mark.parametrize("name", ["figure1", "figure6"])
def test_figures_by_domain_leave_the_new_datasets_to_figure7(name: str) -> None:
    scores = make_scores(1)
    new = grid(["model0"], ("stars", "machine"), suite="new", shots=(0, 16), seed=5)
    with_new, without = (DRAWERS[name](frame) for frame in (pd.concat([scores, new]), scores))
    assert with_new.caption == without.caption
    assert "classic suite" in with_new.caption


def test_the_delta_line_joins_the_tops_of_the_first_and_the_last_bar() -> None:
    axes = rq2.figure9(make_scores(2), NAMES).figure.axes[0]
    bars = [one for one in axes.containers if isinstance(one, BarContainer)]
    lines = [line for line in axes.lines if line.get_color() == style.DELTA_COLOUR]
    assert len(lines) == len(bars[0]) == 2
    for line, *ends in zip(lines, bars[0], bars[-1], strict=True):
        tops = [bar.get_y() + bar.get_height() for bar in ends]
        assert list(line.get_ydata()) == pytest.approx(tops)
        middles = [bar.get_x() + bar.get_width() / 2 for bar in ends]
        assert list(line.get_xdata()) == pytest.approx(middles)


def test_figure10_counts_datasets_below_each_number_of_shots() -> None:
    figure = rq3.figure10(make_scores(1), NAMES).figure
    axes = figure.axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["0\n(4)", "4\n(4)", "16\n(3)"]
    assert {"diabetes", "credit", "kc1", "tae", "chance"} <= {t.get_text() for t in axes.texts}


def test_figure31_draws_the_combined_z() -> None:
    tests = gains_frame(make_scores(1))
    axes = rq6.figure31(tests, NAMES).figure.axes[0]
    mine = tests[
        (tests["suite"] == "mlp")
        & (tests["mode"] == "generation")
        & (tests["prompt"] == "context_free")
        & (tests["serialization"] == "feat_val_mask")
    ]
    expected = combine_gains(mine, ["domain", "k"]).set_index(["k", "domain"])["z"]
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert lines["16-shot"] == pytest.approx([expected[16, "MLP-0"], expected[16, "MLP-3"]])


def test_a_model_keeps_its_colour_when_others_were_not_run() -> None:
    scores = make_scores(5)
    alone = scores[scores["model"].isin(["model3", "logistic", "forest"])]
    colour = style.model_looks(NAMES)["model3"]["color"]
    for frame in (scores, alone):
        axes = rq1.figure6(frame, NAMES, BASELINES).figure.axes[0]
        (bars,) = (group for group in axes.containers if group.get_label() == "Model-3B (0-shot)")
        assert mpl.colors.to_hex(bars[0].get_facecolor()).upper() == colour


def test_colours_stay_apart_under_colour_blindness() -> None:
    # Viénot 1999 for deuteranopia, in linear RGB.
    matrix = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))
    seen: list[list[float]] = []
    for look in style.model_looks([*NAMES, "model5"]).values():
        rgb = [channel**2.2 for channel in mpl.colors.to_rgb(look["color"])]
        turned = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in matrix]
        seen.append([max(value, 0) ** (1 / 2.2) for value in turned])
    for index, one in enumerate(seen):
        for other in seen[:index]:
            assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 0.08


@pytest.mark.parametrize("name", ["figure6", "figure9", "figure10", "figure2"])
def test_nothing_defined_is_an_error_not_an_empty_figure(name: str) -> None:
    scores = make_scores(1)
    scores.loc[scores["mode"] != "fit", "roc_auc"] = float("nan")
    with pytest.raises(TabBenchError, match="nothing to draw"):
        DRAWERS[name](scores)


def test_figure30_without_a_baseline_says_so() -> None:
    scores = make_scores(1)
    drawn = rq6.figure30(scores[scores["mode"] != "fit"], BASELINES)
    said = "No baseline was fitted on the MLP grid"
    assert [text.get_text() for text in drawn.figure.axes[0].texts] == [said]
    assert drawn.caption == f"{said}: results/baselines/fitted.md says why."
    assert "TabPFN is absent" in rq6.figure30(scores, BASELINES).caption


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.floats(0.01, 0.2))
def test_spread_labels_do_not_overlap_and_keep_their_order(
    heights: list[float], gap: float
) -> None:
    moved = style.spread(heights, gap)
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    for lower, upper in pairwise(order):
        assert moved[upper] - moved[lower] >= gap - 1e-9
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-9)


def test_zero_shots_stand_left_of_the_smallest() -> None:
    assert style.shot_positions([0, 4, 8, 64]) == {0: 0.0, 4: 1.0, 8: 2.0, 64: 5.0}
    assert style.shot_positions([0]) == {0: 0.0}


def test_noise_around_chance_does_not_fill_the_axis() -> None:
    scores = make_scores(1)
    scores["roc_auc"] = 0.5 + (scores["roc_auc"] - 0.6) / 100
    for drawn in (rq2.figure9(scores, NAMES), rq3.figure10(scores, NAMES)):
        low, high = drawn.figure.axes[0].get_ylim()
        assert low < 0.45
        assert high > 0.55


@pytest.mark.parametrize("name", ["figure6", "figure9", "figure10", "figure2", "figure30"])
def test_captions_say_which_test_rows_were_left_out(name: str, scores: pd.DataFrame) -> None:
    caption = DRAWERS[name](scores.assign(capped=True, test_rows=999)).caption
    assert "of 999 (capped)" in caption
    assert "capped" not in DRAWERS[name](scores.assign(capped=False)).caption


def test_the_caption_of_figure31_says_it_too(scores: pd.DataFrame) -> None:
    tests = gains_frame(scores).assign(capped=True, test_rows=999)
    assert "of 999 (capped)" in rq6.figure31(tests, NAMES).caption


@pytest.mark.parametrize("name", ["figure19", "figure20", "figure21", "figure23", "figure27"])
def test_figures_on_written_tables_say_who_wrote_them(name: str, scores: pd.DataFrame) -> None:
    caption = DRAWERS[name](scores).caption
    assert "LLM-synthetic suite" in caption
    assert caption.endswith("Dialogues: qwen (Qwen3-14B).")


def test_a_radar_shows_the_means_of_its_domains() -> None:
    scores = make_scores(2)
    axes = rq5.figure22(scores, NAMES, GENERATORS).figure.axes[0]
    shown = scores[
        (scores["suite"] == "llm_synthetic")
        & (scores["mode"] == "generation")
        & (scores["prompt"] == "contextual")
        & (scores["serialization"] == "feat_val")
    ]
    few = shown[(shown["k"] == 16) & (shown["model"] == "model1")]
    means = few.groupby("domain")["roc_auc"].mean()  # one dataset per domain
    line = next(line for line in axes.get_lines() if line.get_label() == NAMES["model1"])
    values = line.get_ydata()
    assert list(values[:-1]) == pytest.approx(list(means))
    assert values[-1] == values[0]
    axes = rq5.figure23(scores, NAMES, GENERATORS).figure.axes[0]
    line = next(line for line in axes.get_lines() if line.get_label() == NAMES["model1"])
    per_k = shown[shown["model"] == "model1"].groupby(["domain", "k"])["roc_auc"].mean()
    assert list(line.get_ydata()[:-1]) == pytest.approx(list(per_k.groupby("domain").mean()))


def test_figure1_shows_the_means_of_figure6() -> None:
    scores = make_scores(2)
    lines = {
        line.get_label(): list(line.get_ydata()[:-1])
        for line in rq1.figure1(scores, NAMES, BASELINES).figure.axes[0].get_lines()
    }
    drawn = rq1.figure6(scores, NAMES, BASELINES).figure.axes[0].containers
    groups = [bars for bars in drawn if isinstance(bars, BarContainer)]
    assert groups
    for bars in groups:
        tops = [bar.get_y() + bar.get_height() for bar in bars]
        assert lines[bars.get_label()] == pytest.approx(tops, nan_ok=True)


def test_tabpfn_stands_beside_the_models_where_it_was_fitted() -> None:
    scores = make_scores(1)
    weak = scores[scores["model"] == "forest"].assign(model="tabpfn_2_5", roc_auc=0.4)
    baselines = BASELINES | {"tabpfn_2_5": "TabPFN 2.5"}
    assert "Logistic regression (16-shot), the strongest" in DRAWERS["figure1"](scores).caption
    caption = rq1.figure1(pd.concat([scores, weak]), NAMES, baselines).caption
    assert "reference: TabPFN 2.5 (16-shot)" in caption
    assert "absent" not in caption


def test_figure7_sets_classic_beside_new_datasets() -> None:
    scores = make_scores(1)
    new = grid(["model0"], ("stars", "machine"), suite="new", shots=(0, 16), seed=5)
    figure = rq1.figure7(pd.concat([scores, new]), NAMES, BASELINES).figure
    bars = [one for one in figure.axes[0].containers if isinstance(one, BarContainer)]
    # No baseline was fitted on 16 examples of tae: the bars cover the other three.
    assert [one.get_label() for one in bars] == ["Classic (n = 3)", "New (n = 2)"]
    shown = new[
        (new["mode"] == "generation")
        & (new["prompt"] == "contextual")
        & (new["serialization"] == "feat_val")
        & (new["k"] == 0)
    ]
    top = bars[1][0].get_y() + bars[1][0].get_height()
    assert top == pytest.approx(shown["roc_auc"].mean())
    dots = sorted(y for line in figure.axes[0].lines for y in line.get_ydata())
    assert set(shown["roc_auc"]) <= set(dots)


def gains_by_hand(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds less zero-shot, of one model's main cells, as dataset by k."""
    main = scores[
        (scores["suite"] == "core")
        & (scores["model"] == "model0")
        & (scores["mode"] == "generation")
        & (scores["prompt"] == "contextual")
        & (scores["serialization"] == "feat_val")
    ]
    wide = main.groupby(["dataset", "k"])["roc_auc"].mean().unstack()  # noqa: PD010
    return wide.sub(wide[0], axis=0).drop(columns=0)


def test_figure11_draws_gains_over_none_and_over_the_step_before() -> None:
    scores = make_scores(1)
    # tae has no 16 shots, so it stands aside.
    gains_of = gains_by_hand(scores).drop(index="tae").mean()
    left, right = (
        next(line for line in axes.get_lines() if len(line.get_xdata()) == 2).get_ydata()
        for axes in gains.figure11(scores, NAMES).figure.axes
    )
    assert list(left) == pytest.approx(list(gains_of))
    assert list(right) == pytest.approx([gains_of[4], gains_of[16] - gains_of[4]])


def test_figure12_writes_each_domains_gain() -> None:
    scores = make_scores(1)
    axes = gains.figure12(scores, NAMES).figure.axes[0]
    assert axes.get_yticklabels()[0].get_text() == "Education (1)"
    expected = gains_by_hand(scores).to_numpy().ravel()
    wanted = [f"{gain:+.2f}".replace("-", "−") for gain in expected if not math.isnan(gain)]
    assert sorted(text.get_text() for text in axes.texts) == sorted(wanted)


def test_figure13_marks_what_is_significant_with_and_without_correction() -> None:
    scores = make_scores(1)
    tests = gains_frame(scores)
    single = (0.001, 0.3, 0.3, 0.3, 0.3, 0.3, 0.04)  # tae has one k, the others two
    tests = tests[
        (tests["suite"] == "core")
        & (tests["mode"] == "generation")
        & (tests["prompt"] == "contextual")
        & (tests["serialization"] == "feat_val")
    ].sort_values(["dataset", "k"])
    tests = tests.assign(z=norm.isf(single), p_greater=single)
    tests.loc[tests["dataset"] == "credit", "domain"] = "healthcare"
    axes = gains.figure13(tests, NAMES).figure.axes[0]
    rows = [text.get_text() for text in axes.get_yticklabels()]
    assert rows == [
        "Education: tae",
        "HEALTHCARE (2)",
        "credit",
        "diabetes",
        "Software engineering: kc1",
        "ALL (4)",
    ]
    marks = {
        (rows[int(text.get_position()[1])], int(text.get_position()[0])): text.get_text()
        for text in axes.texts
    }
    assert {place: mark for place, mark in marks.items() if mark} == {
        ("credit", 0): "●",  # 0.001 x 7 tests
        ("Education: tae", 0): "○",  # 0.04 x 6 is above 0.05
        ("HEALTHCARE (2)", 0): "●",
        ("ALL (4)", 0): "●",
    }


def test_an_infinite_z_is_drawn_in_the_darkest_colour() -> None:
    tests = gains_frame(make_scores(1))
    tests.loc[tests["dataset"] == "kc1", "z"] = math.inf
    figure = gains.figure13(tests, NAMES).figure
    drawn = figure.axes[0].collections[0].get_array().reshape(5, 2)
    assert list(drawn[3]) == [6, 6]
    assert drawn.mask.sum() == 1  # tae has no 16 shots


def test_gains_need_zero_shot_and_examples() -> None:
    scores = make_scores(1)
    for frame in (scores[scores["k"] == 0], scores[scores["k"] != 0]):
        for name in ("figure11", "figure12"):
            with pytest.raises(TabBenchError, match="nothing to draw: no dataset has a defined"):
                DRAWERS[name](frame)
