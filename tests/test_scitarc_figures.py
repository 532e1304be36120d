"""SciTaRC's figures: what is drawn is what the scores say, at four questions and at all of them."""

from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from scitarc_frames import complexities, scored

from tabbench.core.errors import TabBenchError
from tabbench.reporting import style
from tabbench.reporting.style import Figure
from tabbench.scitarc.difficulty import (
    accuracy_in_bins,
    agreement_matrix,
    difficulty,
    mean_changes,
)
from tabbench.scitarc.figures import difficulty as scitarc_difficulty
from tabbench.scitarc.figures import gains as scitarc_gains
from tabbench.scitarc.figures import planning as scitarc_planning
from tabbench.scitarc.figures import trends as scitarc_trends
from tabbench.scitarc.figures.draw import change_text, count_questions, system_looks
from tabbench.scitarc.gains import gain_curves, gain_map, gain_totals
from tabbench.scitarc.leaderboard import leaderboard
from tabbench.scitarc.names import INPUT_METRICS, METRIC_TITLES, REASONING_METRICS
from tabbench.scitarc.planning import failure_decomposition
from tabbench.scitarc.trends import complexity_effects

NAMES = [
    "DeepSeek-V3.2 (non-thinking)",
    *("Grok-4.1-fast-reasoning", "Qwen3-30B-A3B-2507", "Llama-3.3-70B-Instruct"),
    *("Gemma-3-27B-IT", "Qwen-2.5-Coder-32B", "Qwen-3-8B", "DS-R1-Distill-Qwen-32B"),
    *("OLMo-3.1-32B-Think", "GPT-OSS-120B", "Claude-Sonnet-4.5"),
]
MODELS = {f"model{place}": name for place, name in enumerate(NAMES)}
TWELVE = [
    *((model, "language", 0.8 - 0.06 * place) for place, model in enumerate(MODELS)),
    ("model5", "code", 0.2),
]
SIZES = {
    "four questions, nothing right": (4, [("model0", "language", 0.0)]),
    "one question": (1, [("model0", "code", 0.0)]),
    "words and programs": (30, [("model5", "language", 0.4), ("model5", "code", 0.2)]),
    "the paper's size": (371, TWELVE),
}


@pytest.fixture(scope="module", params=SIZES)
def frames(request: pytest.FixtureRequest) -> tuple[pd.DataFrame, pd.DataFrame]:
    n, systems = SIZES[request.param]
    return scored(n, systems, [("none", 0), ("self", 0), ("gold", 0)]), complexities(n)


DRAWERS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Figure]] = {
    "figure2": lambda scores, _: scitarc_difficulty.figure2(scores, MODELS),
    "figure3": lambda scores, of: scitarc_difficulty.figure3(scores, of, MODELS),
    "figure4": lambda scores, _: scitarc_planning.figure4(scores, MODELS),
    "figure5": lambda scores, _: scitarc_planning.figure5(scores, MODELS),
    "figure6": lambda scores, of: scitarc_difficulty.figure6(scores, of, MODELS),
    "complexity_model": lambda scores, of: scitarc_trends.complexity_model(scores, of, MODELS),
    "figure7": lambda scores, _: scitarc_gains.figure7(scores, MODELS),
    "figure8": lambda scores, _: scitarc_gains.figure8(scores, MODELS),
    "figure9": lambda scores, _: scitarc_gains.figure9(scores, MODELS),
}
MAPS = {
    "autonomous gain": scitarc_gains.figure7,
    "plan correction": scitarc_gains.figure8,
    "total potential": scitarc_gains.figure9,
}
LARGE = scored(371, TWELVE)
SMALL = scored(4, [("model0", "language", 0.0)])


@pytest.mark.parametrize("name", DRAWERS)
def test_text_is_large_enough_and_inside_the_page(
    name: str, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    drawn = DRAWERS[name](*frames)
    with style.look():
        drawn.figure.draw_without_rendering()
        ink = drawn.figure.get_tightbbox()
    texts = drawn.figure.findobj(mpl.text.Text)
    assert min(float(text.get_fontsize()) for text in texts if text.get_text()) >= 7
    width, height = drawn.figure.get_size_inches()
    assert width <= style.PAGE + 0.01
    assert min(ink.x0, ink.y0) > -0.01
    assert ink.x1 < width + 0.01
    assert ink.y1 < height + 0.01


@pytest.mark.parametrize("name", ["figure3", "figure5", "figure6"])  # of several panels
def test_titles_do_not_run_into_each_other(
    name: str, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    drawn = DRAWERS[name](*frames).figure
    with style.look():
        drawn.draw_without_rendering()
        boxes = [axes.title.get_window_extent() for axes in drawn.axes if axes.title.get_text()]
    assert boxes
    for place, one in enumerate(boxes):
        assert not [other for other in boxes[:place] if one.overlaps(other)]


@pytest.mark.parametrize("name", DRAWERS)
def test_captions_say_who_judged_and_how_many(
    name: str, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    caption = DRAWERS[name](*frames).caption
    assert caption.endswith("Judged by the deterministic matcher.")
    assert "question" in caption
    assert "zero-shot" in caption


def test_figure2_is_the_agreement_matrix() -> None:
    image = scitarc_difficulty.figure2(LARGE, MODELS).figure.axes[0].images[0]
    drawn, matrix = np.asarray(image.get_array()), agreement_matrix(LARGE)
    assert drawn.shape == matrix.shape == (371, 12)
    assert (drawn == 0).sum() == int(matrix.fillna(False).to_numpy().sum())
    assert (drawn == 2).sum() == int(matrix.isna().to_numpy().sum()) > 0
    columns = [tick.get_text() for tick in image.axes.get_xticklabels()]
    assert columns[0].startswith(f"{NAMES[0]}, CoT: {(drawn[:, 0] == 0).sum()} of ")


def test_figure2_explains_a_failed_judge_only_where_one_failed() -> None:
    def legend(scores: pd.DataFrame) -> list[str]:
        figure = scitarc_difficulty.figure2(scores, MODELS).figure
        return [text.get_text() for text in figure.legends[0].get_texts()]

    assert legend(LARGE) == ["right", "wrong", "not judged"]
    assert legend(SMALL) == ["right", "wrong"]


def test_figure3_draws_the_accuracy_of_each_bin() -> None:
    scores = scored(30, [("model5", "language", 0.4)])
    of = complexities(30)
    axes = scitarc_difficulty.figure3(scores, of, MODELS).figure.axes[2]  # L_plan
    labels = [tick.get_text() for tick in axes.get_xticklabels()]
    assert sum(int(label.split("(")[1].rstrip(")")) for label in labels) == 29
    direct = scores[(scores["plan_mode"] == "none") & (scores["shots"] == 0)]
    values = direct.merge(of[["row", "l_plan"]], on="row").dropna(subset=["l_plan", "correct"])
    lowest = int(labels[0].split("–")[1].split("\n")[0])
    first = values.loc[values["l_plan"] <= lowest, "correct"].astype(bool).mean()
    assert axes.lines[0].get_ydata()[0] == pytest.approx(100 * first)


def test_an_empty_bin_has_no_point_and_says_so() -> None:
    of = complexities(4).assign(s_tab=[1, 1, 3, 3])
    axes = scitarc_difficulty.figure6(SMALL, of, MODELS).figure.axes[2]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1\n(2)", "2\n(0)", "≥ 3\n(2)"]
    assert np.isnan(np.asarray(axes.lines[0].get_ydata(), float)).tolist() == [False, True, False]


def test_figures_state_the_mean_change_of_each_method() -> None:
    of = complexities(371)
    for draw, metrics in (
        (scitarc_difficulty.figure3, REASONING_METRICS),
        (scitarc_difficulty.figure6, INPUT_METRICS),
    ):
        changes = mean_changes(LARGE, of, metrics)
        for axes, metric in zip(draw(LARGE, of, MODELS).figure.axes, metrics, strict=True):
            written = {text.get_text() for text in axes.texts}
            mine = changes[changes["metric"] == metric].set_index("execution")
            assert written == {
                f"{title} {change_text(*mine.loc[execution, ['change', 'low', 'high']])}"
                for execution, title in (("language", "CoT"), ("code", "PoT"))
            }


def test_the_forest_shows_the_odds_and_their_intervals() -> None:
    of = complexities(371)
    effects = complexity_effects(LARGE, of)
    axes = scitarc_trends.complexity_model(LARGE, of, MODELS).figure.axes[0]
    bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
    mine = effects[effects["execution"] == "language"]
    assert len(bars) == 2
    for bar, part in zip(bars, ("alone", "joint"), strict=True):
        ends = np.array([line[:, 0] for line in bar[2][0].get_segments()])
        assert np.allclose(bar[0].get_xdata(), mine[f"{part}_odds"])
        assert np.allclose(ends, mine[[f"{part}_low", f"{part}_high"]])
        assert [round(y) for y in bar[0].get_ydata()] == list(range(7))


def test_a_forest_without_a_model_says_why() -> None:
    drawn = scitarc_trends.complexity_model(SMALL, complexities(4), MODELS)
    (axes,) = drawn.figure.axes
    assert "all right or all wrong" in axes.texts[0].get_text().replace("\n", " ")
    assert "nothing fitted" in drawn.caption
    assert not axes.containers


def test_figure4_adds_up_to_all_questions() -> None:
    axes = scitarc_planning.figure4(LARGE, MODELS).figure.axes[0]
    shares = failure_decomposition(LARGE)
    bars = [[bar.get_width() for bar in group] for group in axes.containers]
    assert np.sum(bars, axis=0) == pytest.approx(np.full(len(shares), 100))
    assert bars[2] == pytest.approx((100 * shares["execution_failure"]).tolist())
    written = {text.get_text() for text in axes.texts}
    assert {f"n = {n}" for n in shares["n"]} <= written


def test_figure5_of_few_questions_is_flat_and_says_why() -> None:
    two = [("model5", "language", 0.4), ("model6", "language", 0.4)]
    drawn = scitarc_planning.figure5(scored(20, two), MODELS)
    assert drawn.figure.axes[0].lines
    for line in drawn.figure.axes[0].lines:
        assert np.ptp(line.get_ydata()) == pytest.approx(0)
    assert "every window holds all of them: the lines are flat" in drawn.caption
    some = scitarc_planning.figure5(scored(40, two), MODELS)
    assert "no window is whole" in some.caption
    many = scitarc_planning.figure5(LARGE, MODELS)
    assert "window is whole" not in many.caption
    assert "flat" not in many.caption


def test_figure5_puts_programs_first_as_the_paper_does() -> None:
    titles = [axes.get_title() for axes in scitarc_planning.figure5(LARGE, MODELS).figure.axes]
    assert titles[0].startswith("Qwen-2.5-Coder-32B\nPoT, n = ")
    assert len(titles) >= 12
    assert all("CoT" in title for title in titles[1:12])


def test_gain_maps_show_the_changes_that_they_count() -> None:
    totals = gain_totals(gain_map(LARGE))
    for step, draw in MAPS.items():
        axes = draw(LARGE, MODELS).figure.axes[0]
        drawn = np.asarray(axes.images[0].get_array())
        mine = totals[totals["step"] == step]
        for code, change in enumerate(("gain", "regression", "kept", "failed")):
            assert (drawn == code).sum(axis=1).tolist() == mine[change].tolist()
        assert (drawn == 4).sum(axis=1).tolist() == (drawn.shape[1] - mine["n"]).tolist()
        first = mine.iloc[0]
        assert axes.texts[0].get_text().endswith(f"({first['gain']} − {first['regression']})")


def test_gain_maps_without_a_change_are_grey() -> None:
    wrong = scored(4, [("model0", "language", 0.0), ("model1", "language", 0.0)])
    axes = scitarc_gains.figure7(wrong, MODELS).figure.axes[0]
    assert np.asarray(axes.images[0].get_array()).tolist() == [[3, 3, 3, 3]] * 2
    assert axes.texts[0].get_text() == "0 (0 − 0)"


@pytest.mark.parametrize("name", ["figure2", "figure3", "figure6", "complexity_model"])
def test_nothing_judged_is_an_error_not_an_empty_figure(name: str) -> None:
    failed = SMALL.assign(status="judge failed", score=None, correct=None)
    with pytest.raises(TabBenchError, match="nothing to show"):
        DRAWERS[name](failed, complexities(4))


@pytest.mark.parametrize("name", ["figure4", "figure5", "figure7", "figure8", "figure9"])
def test_without_plans_the_figures_that_need_them_say_so(name: str) -> None:
    direct = SMALL[SMALL["plan_mode"] == "none"]
    with pytest.raises(TabBenchError, match="no model was judged under all of"):
        DRAWERS[name](direct, complexities(4))


def test_every_system_of_table_2_looks_different() -> None:
    many = {f"m{place}": f"M{place}" for place in range(24)}
    systems = [*((model, "language") for model in many), ("m3", "code")]
    looks = [
        (one["color"], one["marker"], one["linestyle"], one.get("markerfacecolor"))
        for one in system_looks(many, systems).values()
    ]
    assert len(set(looks)) == 25


def test_a_system_keeps_its_colour_when_others_were_not_run() -> None:
    alone = scored(30, [("model3", "language", 0.5)])
    axes = scitarc_difficulty.figure3(alone, complexities(30), MODELS).figure.axes[0]
    assert to_hex(axes.lines[0].get_color()).upper() == style.model_looks(MODELS)["model3"]["color"]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 24, 51, 100, 369, 371, 1000])
def test_questions_are_counted_in_whole_numbers_from_one(n: int) -> None:
    with style.look():
        _, (axes,) = style.panels(1, width=3, height=2)
    count_questions(axes.xaxis, n)
    ticks = axes.get_xticks().tolist()
    assert ticks[0] == 1
    assert ticks[-1] == n
    assert all(tick == int(tick) for tick in ticks)
    assert len(set(ticks)) == len(ticks) <= 9


def test_the_leaders_come_first_in_the_legend() -> None:
    figure = scitarc_difficulty.figure3(LARGE, complexities(371), MODELS).figure
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[0].startswith(MODELS[leaderboard(LARGE)["model"][0]])


def test_every_cell_of_the_gain_maps_is_a_questions_own_change() -> None:
    changes = gain_map(LARGE)
    codes = {"gain": 0, "regression": 1, "kept": 2, "failed": 3}
    for step, draw in MAPS.items():
        axes = draw(LARGE, MODELS).figure.axes[0]
        drawn = np.asarray(axes.images[0].get_array())
        mine = changes[changes["step"] == step]
        titles = [label.get_text() for label in axes.get_yticklabels()]
        for line, (model, execution, _) in zip(drawn, TWELVE, strict=True):
            of_system = mine[(mine["model"] == model) & (mine["execution"] == execution)]
            known = of_system.sort_values("position")["change"].map(codes).tolist()
            assert line.tolist() == known + [4] * (len(line) - len(known))
            assert titles.pop(0).startswith(MODELS[model])


def test_every_line_of_figure5_is_its_systems_own() -> None:
    curves = gain_curves(LARGE)
    styles = {"-": "direct", "--": "auto", "-.": "oracle"}
    panels = {axes.get_title().split(", n")[0]: axes for axes in _panels_of_figure5()}
    for model, execution, _ in TWELVE:
        title = f"{MODELS[model]}\n{'PoT' if execution == 'code' else 'CoT'}"
        mine = curves[(curves["model"] == model) & (curves["execution"] == execution)]
        lines = panels[title].get_lines()
        assert len(lines) == 3
        for line in lines:
            part = mine[mine["condition"] == styles[line.get_linestyle()]]
            assert line.get_xdata().tolist() == part["position"].tolist()
            assert line.get_ydata().tolist() == pytest.approx((100 * part["p_success"]).tolist())


def _panels_of_figure5() -> list[mpl.axes.Axes]:
    return scitarc_planning.figure5(LARGE, MODELS).figure.axes


def test_every_cell_of_figure2_is_an_answer() -> None:
    axes = scitarc_difficulty.figure2(LARGE, MODELS).figure.axes[0]
    drawn = np.asarray(axes.images[0].get_array())
    direct = LARGE[(LARGE["plan_mode"] == "none") & (LARGE["shots"] == 0)]
    board = leaderboard(LARGE)
    systems = list(zip(board["model"], board["execution"], strict=True))
    for column, (model, execution) in enumerate(systems):
        mine = direct[(direct["model"] == model) & (direct["execution"] == execution)]
        correct = mine.set_index("row")["correct"]
        codes = [
            2 if pd.isna(correct[row]) else 0 if correct[row] else 1
            for row in difficulty(LARGE).index
        ]
        assert drawn[:, column].tolist() == codes


@pytest.mark.parametrize(
    ("draw", "metrics"),
    [
        (scitarc_difficulty.figure3, REASONING_METRICS),
        (scitarc_difficulty.figure6, INPUT_METRICS),
    ],
)
def test_every_point_and_whisker_of_the_accuracies_by_complexity(
    draw: Callable[..., Figure], metrics: tuple[str, ...]
) -> None:
    systems = [("model5", "language"), ("model5", "code")]
    scores = scored(60, [("model5", "language", 0.6), ("model5", "code", 0.3)])
    of = complexities(60)
    figure = draw(scores, of, MODELS).figure
    panels = {axes.get_title(): axes for axes in figure.axes}
    for metric in metrics:
        bins = accuracy_in_bins(scores, of, [metric])
        lines = [
            one
            for one in panels[METRIC_TITLES[metric][0]].containers
            if isinstance(one, ErrorbarContainer)
        ]
        for (model, execution), line in zip(systems, lines, strict=True):
            mine = bins[(bins["model"] == model) & (bins["execution"] == execution)]
            ends = np.array([part[:, 1] for part in line[2][0].get_segments()])
            assert [round(x) for x in line[0].get_xdata()] == mine["bin"].tolist()
            assert np.allclose(line[0].get_ydata().astype(float), 100 * mine["accuracy"])
            assert np.allclose(ends, 100 * mine[["low", "high"]])
            assert (ends[:, 0] < ends[:, 1]).any()
