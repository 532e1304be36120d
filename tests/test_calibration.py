"""Calibration: scikit-learn and scipy as oracles, values by hand, and what few rows do."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.container import BarContainer, ErrorbarContainer
from scipy.stats import binomtest
from score_frames import predictions
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as oracle_log_loss

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import write_table
from tabbench.core.schemas.calibration import CALIBRATION, RELIABILITY
from tabbench.reporting.figures.reliability import reliability as draw
from tabbench.reporting.tables.calibration import calibration as table
from tabbench.scoring.calibration import (
    BINS,
    base_rate_brier,
    bin_of,
    brier_score,
    calibrate_cells,
    calibration_error,
    calibration_error_if_right,
    log_loss,
    main_condition,
    reliability,
)
from tabbench.statistics.proportions import wilson_interval

Rows = list[tuple[int, float]]
ROWS = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=1, max_size=60)


def columns(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    y, p = zip(*rows, strict=True)
    return np.array(y), np.array(p)


@given(ROWS)
def test_brier_score_is_scikit_learns(rows: Rows) -> None:
    y, p = columns(rows)
    assert brier_score(y, p) == pytest.approx(brier_score_loss(y, p, labels=[0, 1]), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(1e-6, 1 - 1e-6)), min_size=1))
def test_log_loss_is_scikit_learns(rows: Rows) -> None:
    y, p = columns(rows)
    assert log_loss(y, p) == pytest.approx(oracle_log_loss(y, p, labels=[0, 1]), rel=1e-9)


def test_log_loss_does_not_clip() -> None:
    assert log_loss([1], [0.0]) == math.inf
    assert log_loss([1, 0], [1.0, 0.0]) == 0


@given(ROWS)
def test_the_base_rate_is_a_constant_forecast(rows: Rows) -> None:
    y, _ = columns(rows)
    constant = np.full(len(y), y.mean())
    assert base_rate_brier(y) == pytest.approx(brier_score(y, constant), abs=1e-12)


def test_calibration_error_by_hand() -> None:
    # Bin 1: mean 0.15, rate 1/2; bin 8: mean 0.85, rate 1; bin 9 (with 1.0): mean 1, rate 0.
    y = [0, 1, 1, 1, 0]
    p = [0.1, 0.2 - 1e-9, 0.8, 0.9 - 1e-9, 1.0]
    by_hand = (2 * 0.35 + 2 * 0.15 + 1 * 1.0) / 5
    assert calibration_error(y, p) == pytest.approx(by_hand, abs=1e-8)


def test_bins_hold_their_lower_edge_and_the_last_one() -> None:
    edges = np.linspace(0, 1, BINS + 1)
    assert bin_of(edges).tolist() == [*range(BINS), BINS - 1]


@given(ROWS, st.randoms())
def test_calibration_error_knows_no_order_and_stays_in_bounds(rows: Rows, random: object) -> None:
    y, p = columns(rows)
    error = calibration_error(y, p)
    assert 0 <= error <= 1
    # The whole set's gap cannot exceed the bins' mean gap.
    assert abs(p.mean() - y.mean()) <= error + 1e-12
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert calibration_error(*columns(shuffled)) == pytest.approx(error, abs=1e-12)


def test_right_probabilities_have_the_error_that_few_rows_give() -> None:
    random = np.random.default_rng(3)
    expected = {}
    for n in (24, 4000):
        p = random.random(n)
        drawn = [calibration_error(random.random(n) < p, p) for _ in range(300)]
        expected[n] = calibration_error_if_right(p)
        assert expected[n] == pytest.approx(np.mean(drawn), rel=0.05)
    assert expected[24] > 0.2
    assert expected[4000] < 0.03
    assert calibration_error_if_right(np.array([0.0, 1.0])) == 0


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(counts: tuple[int, int]) -> None:
    found, rows = counts
    oracle = binomtest(found, rows).proportion_ci(0.95, method="wilson")
    low, high = wilson_interval([found / rows], [rows])
    assert low[0] == pytest.approx(oracle.low, abs=1e-9)
    assert high[0] == pytest.approx(oracle.high, abs=1e-9)


def test_nothing_gives_nan_and_nonsense_an_error() -> None:
    for value in (brier_score([], []), log_loss([], []), calibration_error([], [])):
        assert math.isnan(value)
    assert math.isnan(base_rate_brier([]))
    assert math.isnan(calibration_error_if_right([]))
    for y, p in (([0], [1.2]), ([0], [math.nan]), ([2], [0.5]), ([0, 1], [0.5])):
        with pytest.raises(TabBenchError, match="calibration"):
            brier_score(y, p)


def two_modes(valid: int = 8) -> pd.DataFrame:
    """Return both modes of one dataset at two k, two draws; ``valid`` generation rows count."""
    random = np.random.default_rng(0)
    frames = []
    for mode in ("forward", "generation"):
        for k, seed in ((0, 0), (4, 1), (4, 2)):
            ok = valid if mode == "generation" else 8
            frames.append(
                predictions(
                    mode=mode,
                    k=k,
                    seed=seed,
                    y_true=[0, 1] * 4,
                    p_1=random.random(8).tolist(),
                    status=["ok"] * ok + ["invalid"] * (8 - ok),
                )
            )
    return pd.concat(frames, ignore_index=True)


def test_cells_use_valid_answers_only(tmp_path: object) -> None:
    frame = two_modes(valid=6)
    cells = calibrate_cells(frame).assign(
        suite="core", domain="healthcare", test_rows=8, capped=False
    )
    write_table(cells, f"{tmp_path}/calibration.parquet", CALIBRATION)
    assert len(cells) == 6
    one = cells[(cells["mode"] == "generation") & (cells["seed"] == 2)].iloc[0]
    rows = frame[(frame["mode"] == "generation") & (frame["seed"] == 2)].head(6)
    assert one["n_scored"] == 6
    assert one["brier"] == pytest.approx(brier_score_loss(rows["y_true"], rows["p_1"]))
    nothing = calibrate_cells(two_modes(valid=0))
    generation = nothing[nothing["mode"] == "generation"]
    assert generation[["brier", "log_loss", "calibration_error"]].isna().all(axis=None)


def test_bins_pool_datasets_and_draws_and_count_rows_once() -> None:
    first = two_modes(valid=6)
    bins = reliability([first, first.assign(dataset="tae")])
    assert list(bins.columns) == RELIABILITY.names
    totals = bins.groupby(["mode", "k"])[["n", "n_positive"]].sum()
    assert totals.loc[("forward", 4)].tolist() == [32, 16]
    assert totals.loc[("generation", 0)].tolist() == [12, 6]
    assert set(bins["n_datasets"]) == {2}
    assert (bins["n_rows"] <= bins["n"]).all()
    assert (bins["mean_predicted"] >= bins["low"]).all()
    assert (bins["mean_predicted"] <= bins["high"]).all()
    twice = reliability([predictions(seed=[1, 2], row_id=[7, 7], y_true=[1, 1], p_1=[0.31, 0.33])])
    assert twice[["bin", "n", "n_rows"]].iloc[0].tolist() == [3, 2, 1]


def test_only_the_main_condition_enters() -> None:
    others = ({"serialization": "html"}, {"prompt": "context_free"})
    frame = pd.concat([two_modes(), *(two_modes().assign(**other) for other in others)])
    pd.testing.assert_frame_equal(main_condition(frame), two_modes())


def test_table_pairs_the_modes_and_names_what_it_leaves_out() -> None:
    frame = two_modes()
    silent = two_modes(valid=0).assign(dataset="tae")
    cells = calibrate_cells(pd.concat([frame, silent])).assign(
        suite="core", domain="healthcare", test_rows=8, capped=False
    )
    made = table(cells, {"small": "Small-1B", "absent": "Absent-9B"})
    assert [row[:4] for row in made.rows[:4]] == [
        ("Small-1B", "0-shot", "generation", "1"),
        ("Small-1B", "0-shot", "forward", "1"),
        ("Small-1B", "4-shot", "generation", "1"),
        ("Small-1B", "4-shot", "forward", "1"),
    ]
    assert set(made.rows[4][1:]) == {"–"}
    notes = "\n".join(made.notes)
    assert "left out of Brier, Small-1B 0-shot: tae (a mode has no valid answer)" in notes
    assert "10 bins of equal width" in notes
    key = {"model": "small", "k": 4, "mode": "forward", "metric": "brier"}
    row = made.numbers[(made.numbers[list(key)] == pd.Series(key)).all(axis=1)].iloc[0]
    mine = cells[(cells["dataset"] != "tae") & (cells["k"] == 4) & (cells["mode"] == "forward")]
    assert row["mean"] == pytest.approx(mine["brier"].mean())


def test_an_infinite_loss_is_shown_and_a_good_forecast_bold() -> None:
    y = [0, 1] * 4
    frame = pd.concat(
        [
            predictions(mode="forward", y_true=y, p_1=[0.1, 0.9] * 4),
            predictions(mode="generation", y_true=y, p_1=[1.0, 0.0] * 4),
        ]
    )
    cells = calibrate_cells(frame).assign(
        suite="core", domain="healthcare", test_rows=8, capped=False
    )
    made = table(cells, {"small": "Small-1B"})
    loss, brier = (made.header.index(name) for name in ("Log loss (nats)", "Brier"))
    assert made.rows[0][loss] == "∞"
    assert made.bold == {(1, brier)}


def test_the_diagram_draws_the_bins() -> None:
    bins = reliability([two_modes()])
    drawn = draw(bins, {"small": "Small-1B"})
    above = [axes for axes in drawn.figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in above] == ["Small-1B, generation", "Small-1B, forward"]
    forward = bins[(bins["mode"] == "forward") & (bins["k"] == 4)]
    line = above[1].containers[1].lines[0]
    assert np.allclose(line.get_xdata(), forward["mean_predicted"])
    assert np.allclose(line.get_ydata(), forward["observed"])
    assert "4-shot forward: 16 answers, datasets: 1" in drawn.caption
    with pytest.raises(TabBenchError, match="nothing to draw"):
        draw(bins.iloc[:0], {"small": "Small-1B"})


def test_rows_of_two_datasets_are_two_rows_although_their_ids_are_equal() -> None:
    one = predictions(row_id=[7], y_true=[1], p_1=[0.31])
    bins = reliability([one, one.assign(dataset="tae", p_1=0.32)])
    assert bins[["n", "n_rows", "n_datasets"]].iloc[0].tolist() == [2, 2, 2]


def test_every_bin_says_how_many_datasets_its_curve_rests_on() -> None:
    low = predictions(y_true=[0, 1], p_1=[0.31, 0.32])
    high = predictions(dataset="tae", y_true=[1], p_1=[0.95])
    bins = reliability([low, high])
    assert bins[["bin", "n", "n_datasets"]].to_numpy().tolist() == [[3, 2, 2], [9, 1, 2]]
    assert bins["low"].tolist() == pytest.approx([0.3, 0.9])
    assert bins["high"].tolist() == pytest.approx([0.4, 1.0])


def test_every_column_of_the_table_of_calibration() -> None:
    frame = pd.concat([two_modes(), two_modes(valid=6).assign(dataset="tae")])
    frame["p_1"] = frame["p_1"].where(frame["dataset"] == "tae", frame["p_1"] / 2)
    cells = calibrate_cells(frame).assign(
        suite="core", domain="healthcare", test_rows=8, capped=False
    )
    made = table(cells, {"small": "Small-1B"})
    columns = {
        "ROC-AUC": "roc_auc",
        "Brier": "brier",
        "Brier of the base rate": "brier_base_rate",
        "Log loss (nats)": "log_loss",
        "ECE": "calibration_error",
        "ECE if right": "calibration_error_if_right",
    }
    keys = [(k, mode) for k in (0, 4) for mode in ("generation", "forward")]
    for (k, mode), row in zip(keys, made.rows, strict=True):
        mine = cells[(cells["k"] == k) & (cells["mode"] == mode)]
        shown = dict(zip(made.header, row, strict=True))
        invalid = 1 - mine["n_scored"].sum() / mine["n"].sum()
        assert (shown["n"], shown["Invalid"]) == ("2", f"{invalid:.1%}")
        for title, name in columns.items():
            groups = mine.groupby("dataset")[name]
            expected = f"{groups.mean().mean():.3f}"
            if k and title not in ("Brier of the base rate", "ECE if right"):
                expected += f" ± {np.sqrt(groups.var().mean()):.3f}"
            assert shown[title] == expected


def test_every_mark_of_the_diagram() -> None:
    other = two_modes(valid=6).assign(model="large", p_1=lambda frame: frame["p_1"] ** 2)
    bins = reliability([two_modes(), two_modes().assign(dataset="tae"), other])
    figure = draw(bins, {"small": "Small-1B", "large": "Large-14B"}).figure
    panels = [
        (f"{title}, {mode}", model, mode)
        for model, title in (("small", "Small-1B"), ("large", "Large-14B"))
        for mode in ("generation", "forward")
    ]
    places = [axes.get_title() for axes in figure.axes]
    for number, (title, model, mode) in enumerate(panels):
        above = figure.axes[places.index(title)]
        below = figure.axes[places.index(title) + len(panels)]
        assert (above.get_ylabel(), below.get_ylabel()) == (
            ("Observed share\nof class 1", "Answers") if number == 0 else ("", "")
        )
        mine = bins[(bins["model"] == model) & (bins["mode"] == mode)]
        groups = [one for one in below.containers if isinstance(one, BarContainer)]
        curves = [one for one in above.containers if isinstance(one, ErrorbarContainer)]
        for (_, part), curve, bars in zip(mine.groupby("k"), curves, groups, strict=True):
            low, high = wilson_interval(part["observed"], part["n_rows"])
            ends = [segment[:, 1].tolist() for segment in curve[2][0].get_segments()]
            assert np.allclose(curve[0].get_xdata(), part["mean_predicted"])
            assert np.allclose(curve[0].get_ydata(), part["observed"])
            assert np.allclose(ends, np.column_stack([low, high]))
            assert [bar.get_height() for bar in bars] == part["n"].tolist()
            middles = np.array([bar.get_x() + bar.get_width() / 2 for bar in bars])
            assert (np.floor(10 * middles) == part["bin"]).all()
