"""Every mark of the figures of RQ1 to RQ6, computed another way (`by_hand`), for two models.

The models differ in their values and in the datasets that they were asked on, so that a mark of
the one in the other's place does not go unseen.
"""

import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from by_hand import CONFIGURATIONS, Row, by_dataset, datasets, main, mean, rows_of, spread
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer
from scipy.stats import norm, rankdata
from score_frames import DOMAINS, gains_frame, grid

from tabbench.reporting.figures import gains, ranks, rq1, rq2, rq3, rq4, rq5, rq6
from tabbench.reporting.style import Figure
from tabbench.reporting.titles import domain_title
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.ranks import compare_ranks

MODELS = {"small": "Small-1B", "large": "Large-14B"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
GENERATORS = {"qwen": "Qwen3-14B"}
SHOTS = (0, 4, 16)
CORE = ("diabetes", "credit", "kc1", "tae", "audit", "vote", "stars", "steel", "hiring", "fitness")
"""Ten datasets, so that two domains have two."""


def two_models(suite: str, names: Iterable[str], seed: int = 0) -> pd.DataFrame:
    frame = grid(list(MODELS), list(names), suite=suite, shots=SHOTS, seed=seed)
    lacking = (frame["model"] == "large") & (frame["k"] == 16)
    lacking &= frame["dataset"].str.startswith(("tae", "hiring"))
    return frame[~lacking]


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Return all suites; large has no 16 shots on tae and hiring, and on the former's copy.

    Tae is alone in its domain, hiring is not.
    """
    parts = [
        two_models("core", CORE),
        two_models("new", ("reading", "irish", "machine"), seed=5),
        two_models("llm_synthetic", [f"{name}_ls_qwen" for name in ("diabetes", "tae", "kc1")], 3),
        two_models("mlp", [f"mlp{level}_t{t}" for level in (0, 9, 2) for t in range(2)], 2),
    ]
    return pd.concat(parts, ignore_index=True)


def of_domain(rows: list[Row], domain: str) -> list[Row]:
    return [row for row in rows if row["domain"] == domain]


def panel(figure: Figure, title: str) -> Axes:
    (axes,) = (one for one in figure.figure.axes if one.get_title() == title)
    return axes


def whiskers(one: ErrorbarContainer) -> list[float]:
    """Return the lengths of whiskers, from the mark to one end; NaN where there is none."""
    segments = one[2][0].get_segments()
    return [(part[1][1] - part[0][1]) / 2 if len(part) else math.nan for part in segments]


def lines(axes: Axes) -> dict[str, tuple[list[float], list[float]]]:
    """Return the heights and the lengths of the whiskers of each line with whiskers."""
    found = {}
    for one in axes.containers:
        if isinstance(one, ErrorbarContainer) and one[0] is not None:
            found[str(one.get_label())] = list(one[0].get_ydata()), whiskers(one)
    return found


def bars(axes: Axes) -> dict[str, tuple[list[float], list[float]]]:
    """Return the tops and the lengths of the whiskers of each colour of bars."""
    found = {}
    groups = [one for one in axes.containers if isinstance(one, BarContainer)]
    ends = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
    for group, end in zip(groups, ends, strict=True):
        tops = [one.get_y() + one.get_height() for one in group]
        assert {one.get_y() for one in group} == {0.5}
        found[str(group.get_label())] = tops, whiskers(end)
    return found


def same(found: Iterable[float], expected: Iterable[float]) -> bool:
    return list(found) == pytest.approx(list(expected), nan_ok=True)


def expected_marks(
    groups: Iterable[list[Row]], shared: Callable[[int], set[str]]
) -> tuple[list[float], list[float]]:
    cells = list(groups)
    means = [mean(one, shared(at)) for at, one in enumerate(cells)]
    return means, [spread(one, shared(at)) for at, one in enumerate(cells)]


def assert_marks(
    found: tuple[list[float], list[float]], expected: tuple[list[float], list[float]]
) -> None:
    assert same(found[0], expected[0])
    assert same(found[1], expected[1])


def columns_of_rq1(scores: pd.DataFrame) -> dict[str, list[Row]]:
    columns = {f"{name} (0-shot)": main(scores, model, k=0) for model, name in MODELS.items()}
    return columns | {"Logistic regression (16-shot)": rows_of(scores, model="logistic", k=16)}


def test_figures_1_and_6_by_domain(scores: pd.DataFrame) -> None:
    columns = columns_of_rq1(scores[scores["suite"] == "core"])
    drawn = bars(rq1.figure6(scores, MODELS, BASELINES).figure.axes[0])
    radar = rq1.figure1(scores, MODELS, BASELINES).figure.axes[0]
    around = {str(one.get_label()): one.get_ydata() for one in radar.get_lines()}
    domains = sorted(DOMAINS)
    assert list(drawn) == list(columns)
    for title, rows in columns.items():
        cells = [of_domain(rows, domain) for domain in domains]
        shared = [
            set.intersection(*(datasets(of_domain(one, domain)) for one in columns.values()))
            for domain in domains
        ]
        assert_marks(drawn[title], expected_marks(cells, shared.__getitem__))
        assert same(around[title][:-1], drawn[title][0])
        assert around[title][-1] == around[title][0]


def test_figure_7_by_age(scores: pd.DataFrame) -> None:
    axes = rq1.figure7(scores, MODELS, BASELINES).figure.axes[0]
    drawn = bars(axes)
    dots: list[float] = []
    for suite, title in (("core", "Classic (n = 10)"), ("new", "New (n = 3)")):
        cells = list(columns_of_rq1(scores[scores["suite"] == suite]).values())
        shared = set.intersection(*map(datasets, cells))
        assert_marks(drawn[title], expected_marks(cells, lambda _, shared=shared: shared))
        for rows in cells:
            dots += map(statistics.fmean, by_dataset(rows).values())
    shown = [y for line in axes.get_lines() if line.get_marker() == "o" for y in line.get_ydata()]
    assert same(sorted(shown), sorted(dots))


def test_figure_7_shows_the_new_datasets_of_models_that_were_asked_on_them(
    scores: pd.DataFrame,
) -> None:
    lacking = (scores["suite"] == "new") & (scores["model"] == "large")
    axes = rq1.figure7(scores[~lacking], MODELS, BASELINES).figure.axes[0]
    new = scores[(scores["suite"] == "new") & ~lacking]
    cells = [main(new, "small", k=0), rows_of(new, model="logistic", k=16)]
    tops = bars(axes)["New (n = 3)"][0]
    assert same(tops, [mean(cells[0]), math.nan, mean(cells[1])])


@pytest.mark.parametrize("k", [0, 16])
@pytest.mark.parametrize("suite", ["core", "llm_synthetic"])
def test_bars_of_the_four_configurations(scores: pd.DataFrame, suite: str, k: int) -> None:
    drawers = {
        ("core", 0): lambda: rq2.figure9(scores, MODELS),
        ("core", 16): lambda: rq4.figure_of_contexts(scores, MODELS, k=16),
        ("llm_synthetic", 0): lambda: rq5.figure_of_contexts(scores, MODELS, GENERATORS, k=0),
        ("llm_synthetic", 16): lambda: rq5.figure_of_contexts(scores, MODELS, GENERATORS, k=16),
    }
    axes = drawers[suite, k]().figure.axes[0]
    drawn = bars(axes)
    here = scores[scores["suite"] == suite]
    for name, one in CONFIGURATIONS.items():
        cells = [main(here, model, k=k, **one) for model in MODELS]
        assert_marks(
            drawn[name], expected_marks(cells, lambda at, cells=cells: datasets(cells[at]))
        )
    rich, poor = drawn["Cols-Context"][0], drawn["NoCols-NoContext"][0]
    deltas = [f"Δ = {a - b:+.3f}".replace("-", "−") for a, b in zip(rich, poor, strict=True)]
    assert [one.get_text() for one in axes.texts if "Δ" in one.get_text()] == deltas


@pytest.mark.parametrize("suite", ["core", "llm_synthetic"])
def test_curves_of_the_four_configurations(scores: pd.DataFrame, suite: str) -> None:
    figure = (
        rq4.figure2(scores, MODELS) if suite == "core" else rq5.figure19(scores, MODELS, GENERATORS)
    )
    here = scores[scores["suite"] == suite]
    for model, title in MODELS.items():
        drawn = lines(panel(figure, title))
        assert list(drawn) == list(CONFIGURATIONS)
        for name, one in CONFIGURATIONS.items():
            cells = [main(here, model, k=k, **one) for k in SHOTS]
            expected = expected_marks(cells, lambda at, cells=cells: datasets(cells[at]))
            assert_marks(drawn[name], expected)


def test_figure_10_by_shots(scores: pd.DataFrame) -> None:
    figure = rq3.figure10(scores, MODELS)
    core = scores[scores["suite"] == "core"]
    for model, title in MODELS.items():
        axes = panel(figure, title)
        cells = [main(core, model, k=k) for k in SHOTS]
        (drawn,) = lines(axes).values()
        assert_marks(drawn, expected_marks(cells, lambda at, cells=cells: datasets(cells[at])))
        counts = [f"{k}\n({len(datasets(one))})" for k, one in zip(SHOTS, cells, strict=True)]
        assert [label.get_text() for label in axes.get_xticklabels()] == counts
        thin = [one.get_ydata() for one in axes.get_lines() if one.get_color() == "#bdbdbd"]
        expected = [
            [statistics.fmean(by_dataset(one)[name]) for one in cells if name in datasets(one)]
            for name in sorted(CORE)
        ]
        assert [len(one) for one in thin] == [len(one) for one in expected]
        assert all(same(one, other) for one, other in zip(thin, expected, strict=True))


def differences(cells: list[Row], references: list[Row], among: set[str]) -> tuple[float, float]:
    """Return the mean difference over datasets, and its root mean square spread."""
    now, before = by_dataset(cells), by_dataset(references)
    gain = statistics.fmean(
        statistics.fmean(now[name]) - statistics.fmean(before[name]) for name in among
    )
    if min(len(before[name]) for name in among) < 2:
        return gain, math.nan
    squares = [statistics.variance(now[one]) + statistics.variance(before[one]) for one in among]
    return gain, math.sqrt(statistics.fmean(squares))


def test_figure_11_over_none_and_over_the_step_before(scores: pd.DataFrame) -> None:
    left, right = (lines(axes) for axes in gains.figure11(scores, MODELS).figure.axes)
    core = scores[scores["suite"] == "core"]
    for model, title in MODELS.items():
        cells = {k: main(core, model, k=k) for k in SHOTS}
        shared = set.intersection(*map(datasets, cells.values()))
        over_none = [differences(cells[k], cells[0], shared) for k in SHOTS[1:]]
        over_step = [differences(cells[4], cells[0], shared)]
        over_step.append(differences(cells[16], cells[4], shared))
        for drawn, expected in ((left, over_none), (right, over_step)):
            means, spreads = zip(*expected, strict=True)
            assert_marks(drawn[title], (list(means), list(spreads)))


def cells_of(figure: Figure, title: str) -> dict[tuple[str, str], tuple[float, str]]:
    """Return value and text of each cell of a heat map, by the labels of its row and column."""
    axes = panel(figure, title)
    rows = [one.get_text() for one in figure.figure.axes[0].get_yticklabels()]
    columns = [one.get_text() for one in axes.get_xticklabels()]
    bottom, top = axes.get_ylim()
    assert bottom > top  # the first row is on top
    values = axes.collections[0].get_array().reshape(len(rows), len(columns))
    found = {}
    for one in axes.texts:
        x, y = (math.floor(place) for place in one.get_position())
        found[rows[y], columns[x]] = float(values[y, x]), one.get_text()
    assert len(found) == values.count()
    return found


def test_figure_12_by_domain(scores: pd.DataFrame) -> None:
    figure = gains.figure12(scores, MODELS)
    core = scores[scores["suite"] == "core"]
    for model, title in MODELS.items():
        expected = {}
        for domain in DOMAINS:
            cells = {k: of_domain(main(core, model, k=k), domain) for k in SHOTS}
            every = {
                name: sum(1 for one in cells.values() if name in datasets(one))
                for name in datasets(cells[0])
            }
            most = sum(1 for one in cells.values() if one)
            shared = {name for name, count in every.items() if count == most}
            count = len({one for one in CORE if DOMAINS[CORE.index(one) % 8] == domain})
            for k in SHOTS[1:]:
                if cells[k]:
                    gain = differences(cells[k], cells[0], shared)[0]
                    row = f"{domain_title(domain)} ({count})"
                    expected[row, str(k)] = gain, f"{gain:+.2f}".replace("-", "−")
        found = cells_of(figure, title)
        assert found.keys() == expected.keys()
        for place, (value, text) in expected.items():
            assert found[place] == (pytest.approx(value), text)


@pytest.mark.parametrize("mode", ["generation", "forward"])
def test_figure_13_by_dataset_domain_and_all(scores: pd.DataFrame, mode: str) -> None:
    tests = gains_frame(scores)
    tests["z"] = tests["z"].where(tests["mode"] == "generation", -2 * tests["z"])
    tests["p_greater"] = norm.sf(tests["z"])
    figure = gains.figure13(tests, MODELS, mode)
    pairs = [DOMAINS[0], DOMAINS[1]]  # the domains of two datasets
    for model, title in MODELS.items():
        kinds: list[dict[tuple[str, str], float]] = [{}, {}, {}]
        for k in SHOTS[1:]:
            rows = main(tests, model, mode=mode, k=k, suite="core")
            for row in rows:
                alone = row["domain"] not in pairs
                name = f"{domain_title(row['domain'])}: " if alone else ""
                kinds[0][name + row["dataset"], str(k)] = row["z"]
            for domain in pairs:
                z = [row["z"] for row in of_domain(rows, domain)]
                name = f"{domain_title(domain)} (2)".upper()
                kinds[1][name, str(k)] = sum(z) / math.sqrt(len(z))
            z = [row["z"] for row in rows]
            kinds[2]["ALL (10)", str(k)] = sum(z) / math.sqrt(len(z))
        found = cells_of(figure, title)
        assert len(found) == sum(map(len, kinds))
        for kind in kinds:
            p = norm.sf(list(kind.values()))
            marks = np.select([holm(p) < 0.05, p < 0.05], ["●", "○"], "")
            for (place, value), mark in zip(kind.items(), marks, strict=True):
                assert found[place] == (pytest.approx(np.clip(value, -6, 6)), mark)
    largest = tests.loc[tests["suite"] == "core", "z"].abs().max()
    assert largest > 0


@pytest.mark.parametrize(("z", "extend"), [(-10.0, "both"), (10.0, "both"), (1.0, "neither")])
def test_figure_13_shows_that_values_lie_beyond_its_colours(
    scores: pd.DataFrame, z: float, extend: str
) -> None:
    tests = gains_frame(scores)
    one = (tests["dataset"] == "kc1") & (tests["model"] == "large")
    tests["z"] = tests["z"].clip(-1, 1).where(~one, z)
    tests["p_greater"] = norm.sf(tests["z"])
    bar: Any = gains.figure13(tests, MODELS).figure.axes[-1]
    assert bar._colorbar.extend == extend


def test_figure_20_by_model_and_baseline(scores: pd.DataFrame) -> None:
    axes = rq5.figure20(scores, MODELS, BASELINES, GENERATORS).figure.axes[0]
    drawn = lines(axes)
    suite = scores[scores["suite"] == "llm_synthetic"]
    fitted = [rows_of(suite, model="logistic", k=k) for k in SHOTS[1:]]
    for model, title in MODELS.items():
        cells = [main(suite, model, k=k) for k in SHOTS]
        shared = set.intersection(*map(datasets, cells))
        assert_marks(drawn.pop(title), expected_marks(cells, lambda _, shared=shared: shared))
    # Small has all three datasets, large two: the axis counts the most.
    assert [one.get_text() for one in axes.get_xticklabels()] == [f"{k}\n(3)" for k in SHOTS]
    named = [one for one in axes.containers if one.get_label() == "Logistic regression on qwen"]
    assert len(named) == 2  # a line for each set of datasets
    for one, model in zip(named, MODELS, strict=True):
        shared = datasets(main(suite, model, k=16))
        assert same(one[0].get_ydata(), [mean(rows, shared) for rows in fitted])


@pytest.mark.parametrize("shots", [(0,), (16,), SHOTS])
def test_radars_of_written_tables(scores: pd.DataFrame, shots: tuple[int, ...]) -> None:
    drawers: dict[tuple[int, ...], Any] = {(0,): rq5.figure21, (16,): rq5.figure22}
    drawer = drawers.get(shots, rq5.figure23)
    axes = drawer(scores, MODELS, GENERATORS).figure.axes[0]
    around = {str(one.get_label()): one.get_ydata() for one in axes.get_lines()}
    suite = scores[scores["suite"] == "llm_synthetic"]
    for model, title in MODELS.items():
        cells = [main(suite, model, k=k) for k in shots]
        shared = set.intersection(*map(datasets, cells))
        expected = []
        for domain in sorted(DOMAINS[:3]):
            means = [
                mean(of_domain(one, domain), shared)
                for one in cells
                if datasets(of_domain(one, domain)) & shared
            ]
            expected.append(statistics.fmean(means) if means else math.nan)
        assert same(around[title][:-1], expected)


def test_figure_30_by_level_and_shots(scores: pd.DataFrame) -> None:
    drawn = lines(rq6.figure30(scores, BASELINES).figure.axes[0])
    assert list(drawn) == ["4-shot", "16-shot"]
    levels = ("MLP-0", "MLP-2", "MLP-9")
    strongest = max(BASELINES, key=lambda one: mean(rows_of(scores, model=one, k=16, suite="mlp")))
    for k in SHOTS[1:]:
        cells = [rows_of(scores, model=strongest, k=k, domain=level) for level in levels]
        assert_marks(
            drawn[f"{k}-shot"], expected_marks(cells, lambda at, cells=cells: datasets(cells[at]))
        )


def test_figure_31_by_model_level_and_shots(scores: pd.DataFrame) -> None:
    tests = gains_frame(scores)
    figure = rq6.figure31(tests, MODELS)
    masked = {"prompt": "context_free", "serialization": "feat_val_mask", "suite": "mlp"}
    for model, title in MODELS.items():
        axes = panel(figure, title)
        drawn = {str(line.get_label()): line.get_ydata() for line in axes.get_lines()}
        for k in SHOTS[1:]:
            z = [
                [row["z"] for row in main(tests, model, k=k, domain=level, **masked)]
                for level in ("MLP-0", "MLP-2", "MLP-9")
            ]
            assert same(drawn[f"{k}-shot"], [sum(one) / math.sqrt(len(one)) for one in z])
        levels = [one.get_ydata()[0] for one in axes.get_lines() if len(set(one.get_ydata())) == 1]
        assert sorted(levels) == pytest.approx([0, norm.isf(0.05)])


def test_the_diagram_of_ranks(scores: pd.DataFrame) -> None:
    axes = ranks.ranks(scores, MODELS, BASELINES).figure.axes[0]
    here = scores[scores["suite"].isin(["core", "new"])]
    cells = [main(here, model, k=0) for model in MODELS]
    cells += [rows_of(here, model=model, k=16) for model in BASELINES]
    values = {
        name: [statistics.fmean(by_dataset(one)[name]) for one in cells]
        for name in datasets(cells[0])
    }
    by_rank = -rankdata(np.array(list(values.values())), axis=1) + len(cells) + 1
    names = [f"{one} (0-shot)" for one in MODELS.values()]
    names += [f"{one} (16-shot)" for one in BASELINES.values()]
    mean_ranks = dict(zip(names, by_rank.mean(axis=0), strict=True))
    written = {
        text.get_text().strip("0123456789. "): text
        for text in axes.texts
        if "-shot)" in text.get_text()
    }
    assert written.keys() == mean_ranks.keys()
    starts = [one.get_xdata()[0] for one in axes.get_lines() if len(one.get_xdata()) == 3]
    assert sorted(starts) == pytest.approx(sorted(mean_ranks.values()))
    for name, rank in mean_ranks.items():
        assert f"{rank:.2f}" in written[name].get_text()
    found = compare_ranks(pd.DataFrame(values, index=names).T)
    joined = [
        (one.get_xdata()[0] + 0.03, one.get_xdata()[1] - 0.03)
        for one in axes.get_lines()
        if one.get_linewidth() == 2.4
    ]
    expected = [(mean_ranks[one[0]], mean_ranks[one[-1]]) for one in found.cliques()]
    assert expected
    assert np.allclose(joined, expected)
