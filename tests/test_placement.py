"""Placement: an MLP table lands on its own level, what is off the scale says so, gaps are named."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_frames import predictions

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.runs import run_baselines
from tabbench.complexity.estimators import ESTIMATORS
from tabbench.complexity.placement import JOINED_LATER, first_fitted, place_datasets
from tabbench.complexity.rank_agreement import DIFFICULTY, DIMENSION, compare_orders, gains_at
from tabbench.config.checks import placing_baselines
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.intrinsic import INTRINSIC
from tabbench.core.schemas.placement import COMPLEXITY_SCALE, PLACEMENT
from tabbench.data.complexity_grid.tables import make_table

AUCS = {0: 0.9, 1: 0.8, 3: 0.6}
DIMENSIONS = {0: 5.0, 1: 9.0, 3: 17.0}
FOREST = "random_forest"


def ranked(dataset: str, auc: float, seed: int = 1, copies: int = 1) -> pd.DataFrame:
    """Predictions on 10 + 10 rows, or copies, with exactly this ROC-AUC, a multiple of 0.01."""
    above = np.full(10, round(100 * auc) // 10)
    above[: round(100 * auc) % 10] += 1
    scores = [*np.arange(1, 11), *(above + 0.5)]
    return predictions(
        dataset=dataset,
        model=FOREST,
        mode="fit",
        k=16,
        seed=seed,
        y_true=([0] * 10 + [1] * 10) * copies,
        p_1=[score / 20 for score in scores] * copies,
    )


def estimates(dimension: float) -> dict[str, float]:
    return dict.fromkeys(ESTIMATORS, dimension)


def grid_tables(tables: int = 2) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions and intrinsic dimensions of an MLP grid whose levels have known values."""
    names = {f"mlp{level}_t{t}": level for level in AUCS for t in range(tables)}
    rows = [
        {"level": f"MLP-{level}", "dataset": name, "features": 5, "n_rows": 1000, "n_left_out": 0}
        | {"failures": "", "mean": DIMENSIONS[level]}
        | estimates(DIMENSIONS[level])
        for name, level in names.items()
    ]
    fitted = [ranked(name, AUCS[level], seed) for name, level in names.items() for seed in (1, 2)]
    return pd.concat(fitted), pd.DataFrame(rows)[INTRINSIC.names]


def dimension(dataset: str, **changes: object) -> dict[str, object]:
    counts = {"columns": 4, "columns_left_out": "", "features": 4, "failures": ""}
    rows = {"n_rows": 500, "n_left_out": 0, "n_not_drawn": 0}
    return {"dataset": dataset} | counts | rows | estimates(7.0) | changes


def place(
    fitted: list[pd.DataFrame], dimensions: list[dict[str, object]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    grid, intrinsic = grid_tables()
    return place_datasets(
        pd.concat([grid, *fitted], ignore_index=True),
        intrinsic,
        pd.DataFrame(dimensions),
        model=FOREST,
        k=16,
        resamples=200,
    )


def test_a_copy_of_an_mlp_table_lands_on_its_level() -> None:
    levels = list(AUCS)
    placement, scale = place(
        [ranked(f"copy{level}", AUCS[level]) for level in levels],
        [dimension(f"copy{level}", **estimates(DIMENSIONS[level])) for level in levels],
    )
    assert {*placement, *JOINED_LATER} == set(PLACEMENT.names)
    assert list(scale.columns) == COMPLEXITY_SCALE.names
    assert placement["level_auc"].tolist() == pytest.approx(levels)
    assert placement["level_dimension"].tolist() == pytest.approx(levels)
    assert scale["roc_auc_fitted"].tolist() == pytest.approx(list(AUCS.values()))
    assert scale["n_tables"].tolist() == [2, 2, 2]
    inside = placement["level_auc"].between(placement["level_auc_low"], placement["level_auc_high"])
    assert inside.all()


def test_without_a_fitted_baseline_it_places_by_dimension_alone() -> None:
    grid, intrinsic = grid_tables()
    names = [dimension("d", **estimates(13.0))]
    settings = {"model": "tabpfn", "k": 16, "resamples": 200}
    placed, scale = place_datasets(grid.iloc[:0], intrinsic, pd.DataFrame(names), **settings)
    assert placed["level_dimension"].tolist() == pytest.approx([2])
    assert placed[["roc_auc", "level_auc", "level_auc_low", "level_auc_high"]].isna().all(axis=None)
    assert placed["undefined"].tolist() == ["the baseline was not fitted on 16 examples"]
    assert scale["n_tables"].tolist() == [0, 0, 0]
    assert scale["roc_auc"].isna().all()
    elsewhere = ranked("d", 0.7)
    with pytest.raises(TabBenchError, match="tabpfn has no ROC-AUC on any MLP table at k = 16"):
        place_datasets(elsewhere, intrinsic, pd.DataFrame(names), **settings)


def test_an_mlp_table_that_was_not_fitted_is_left_out_of_the_scale() -> None:
    grid, intrinsic = grid_tables()
    fitted = grid[grid["dataset"] != "mlp1_t0"]
    dimensions = pd.DataFrame([dimension("d")])
    _, scale = place_datasets(fitted, intrinsic, dimensions, model=FOREST, k=16, resamples=200)
    assert scale["n_tables"].tolist() == [2, 1, 2]


def test_between_levels_it_interpolates_and_beyond_them_it_says_so() -> None:
    placement, _ = place(
        [ranked("middle", 0.7), ranked("easy", 0.95), ranked("hard", 0.4)],
        [
            dimension("middle", **estimates(13.0)),
            dimension("easy", **estimates(2.0)),
            dimension("hard", **estimates(40.0)),
        ],
    )
    assert placement["level_auc"].tolist() == pytest.approx([2, -math.inf, math.inf])
    assert placement["level_dimension"].tolist() == pytest.approx([2, -math.inf, math.inf])


def test_draws_are_averaged_and_their_spread_widens_the_interval() -> None:
    apart = [ranked("apart", auc, seed, copies=40) for seed, auc in ((1, 0.6), (2, 1.0))]
    alike = [ranked("alike", 0.8, seed, copies=40) for seed in (1, 2)]
    placement, _ = place([*apart, *alike], [dimension("apart"), dimension("alike")])
    assert placement["n_draws"].tolist() == [2, 2]
    assert placement["roc_auc"].tolist() == pytest.approx([0.8, 0.8])
    assert placement["level_auc"].tolist() == pytest.approx([1, 1])
    assert placement["determined"].tolist() == [False, True]
    assert placement["level_auc_low"].iloc[1] == pytest.approx(0.7, abs=0.2)
    assert placement["level_auc_high"].iloc[1] == pytest.approx(1.4, abs=0.3)


def test_what_has_no_roc_auc_is_named_and_has_no_level() -> None:
    one_class = ranked("one_class", 0.7)
    one_class["y_true"] = 0
    placement, _ = place([one_class], [dimension("one_class"), dimension("absent")])
    assert placement["undefined"].tolist() == [
        "all 20 test rows are of one class",
        "the baseline was not fitted on 16 examples",
    ]
    empty = ["roc_auc", "level_auc", "level_auc_low", "level_auc_high"]
    assert placement[empty].isna().all(axis=None)
    assert placement["level_dimension"].tolist() == pytest.approx([0.5, 0.5])


def test_one_row_of_a_class_gives_a_level_without_interval() -> None:
    rare = ranked("rare", 0.8)
    rare = rare[(rare["y_true"] == 0) | (rare.index == 19)]
    placement, _ = place([rare], [dimension("rare")])
    assert not math.isnan(placement["level_auc"].iloc[0])
    assert math.isnan(placement["level_auc_low"].iloc[0])


def test_a_failed_estimator_is_left_out_of_both_sides() -> None:
    grid, intrinsic = grid_tables()
    intrinsic["TLE"] *= 2
    dimensions = [
        dimension("whole", **estimates(9.0) | {"TLE": 18.0}),
        dimension("broken", **estimates(9.0) | {"TLE": math.nan, "failures": "TLE: why"}),
        dimension("nothing", **estimates(math.nan)),
    ]
    placement, _ = place_datasets(grid, intrinsic, pd.DataFrame(dimensions), model=FOREST, k=16)
    assert placement["level_dimension"].tolist() == pytest.approx([1, 1, math.nan], nan_ok=True)
    assert placement["n_estimators"].tolist() == [4, 3, 0]
    assert placement["dimension"].tolist()[:2] == pytest.approx([11.25, 9.0])
    assert placement["failures"].tolist() == ["", "TLE: why", ""]


def test_an_estimator_that_failed_on_an_mlp_table_is_not_used() -> None:
    grid, intrinsic = grid_tables()
    intrinsic.loc[0, "MLE"] = math.nan
    placement, _ = place_datasets(
        grid, intrinsic, pd.DataFrame([dimension("one", MLE=1000.0)]), model=FOREST, k=16
    )
    assert placement["n_estimators"].tolist() == [3]
    assert placement["level_dimension"].tolist() == pytest.approx([0.5])


def test_disagreement_of_estimators_is_the_range() -> None:
    mixed = dimension("mixed", lPCA=5.0, MLE=9.0, TwoNN=17.0, TLE=9.0)
    found = place([], [mixed])[0].iloc[0]
    assert found["level_dimension_low"] == pytest.approx(0)
    assert found["level_dimension_high"] == pytest.approx(3)
    assert found["level_dimension"] == pytest.approx(1.25)


def test_the_range_holds_the_level_even_where_an_estimator_does_not_rise() -> None:
    grid, intrinsic = grid_tables()
    level = intrinsic["level"].str.removeprefix("MLP-").astype(int)
    intrinsic["lPCA"] = level.map({0: 10.0, 1: 5.0, 3: 20.0})  # fitted: 7.5, 7.5, 20
    intrinsic["MLE"] = level.map({0: 0.0, 1: 20.0, 3: 30.0})
    line = dimension("one", lPCA=7.5, MLE=0.0, TwoNN=math.nan, TLE=math.nan)
    lines = pd.DataFrame([line])
    found = place_datasets(grid, intrinsic, lines, model=FOREST, k=16, resamples=20)[0].iloc[0]
    # Alone they say 0.5 and 0; their mean, 3.75, lies below that of every level.
    assert found["level_dimension"] == found["level_dimension_low"] == -math.inf
    assert found["level_dimension_high"] == pytest.approx(0.5)


def test_the_interval_covers_the_draw_of_mlp_tables() -> None:
    widths = []
    for spread in (0.0, 0.06):
        names = [f"mlp{level}_t{t}" for level in AUCS for t in range(2)]
        aucs = [AUCS[level] + spread * (2 * t - 1) for level in AUCS for t in range(2)]
        grid = pd.concat(
            [ranked(name, round(auc, 2)) for name, auc in zip(names, aucs, strict=True)]
        )
        many = ranked("many", 0.8, copies=100)
        found, scale = place_datasets(
            pd.concat([grid, many]),
            grid_tables()[1],
            pd.DataFrame([dimension("many")]),
            model=FOREST,
            k=16,
            resamples=200,
        )
        assert scale["roc_auc"].tolist() == pytest.approx(list(AUCS.values()))
        widths.append((found["level_auc_high"] - found["level_auc_low"]).item())
    assert widths[0] > 0
    assert widths[1] > 2 * widths[0]


def test_no_two_resamples_share_their_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[str] = []
    made = np.random.default_rng

    def watched(seed: object) -> np.random.Generator:
        seeds.append(str(seed))
        return made(seed)

    monkeypatch.setattr(np.random, "default_rng", watched)
    place([ranked("one", 0.7), ranked("two", 0.7)], [dimension("one"), dimension("two")])
    assert len(seeds) == len(set(seeds)) == 1 + 2 * 2


@settings(max_examples=25)
@given(st.lists(st.integers(0, 100), min_size=2, max_size=3))
def test_a_better_roc_auc_is_never_harder(percent: list[int]) -> None:
    aucs = [value / 100 for value in percent]
    names = [f"set{index}" for index in range(len(aucs))]
    placement, _ = place(
        [ranked(name, auc) for name, auc in zip(names, aucs, strict=True)],
        [dimension(name) for name in names],
    )
    ordered = placement.sort_values("roc_auc")
    levels = ordered["level_auc"].tolist()
    assert levels == sorted(levels, reverse=True)
    assert (placement["level_auc_low"] <= placement["level_auc_high"]).all()


def test_a_grid_without_roc_auc_cannot_place() -> None:
    grid, intrinsic = grid_tables()
    grid["y_true"] = 1
    with pytest.raises(TabBenchError, match="no ROC-AUC on any MLP table at k = 16"):
        place_datasets(grid, intrinsic, pd.DataFrame([dimension("one")]), model=FOREST, k=16)


@pytest.mark.slow
def test_a_fresh_mlp_table_is_placed_near_its_level_by_a_fitted_baseline() -> None:
    """16 examples, real fits: tables of levels 0 and 9 that are not among those of the scale."""
    random = np.random.default_rng(0)

    def fitted(level: int, table: int) -> pd.DataFrame:
        rows = make_table(level, table, 1000).rename_axis("row_id").reset_index()
        split = pd.DataFrame({"row_id": rows["row_id"], "part": ["train"] * 600 + ["test"] * 400})
        split["position"] = rows["row_id"]
        train = rows[:600]
        draws = [
            pd.DataFrame({"k": 16, "seed": seed, "position": range(16)}).assign(
                row_id=np.r_[
                    random.choice(train.loc[train["y"] == 0, "row_id"], 8, replace=False),
                    random.choice(train.loc[train["y"] == 1, "row_id"], 8, replace=False),
                ]
            )
            for seed in (1, 2, 3)
        ]
        name = f"mlp{level}_t{table}"
        model = CLASSICAL["logistic_regression"]
        predicted, _ = run_baselines(name, [model], rows, split, pd.concat(draws))
        return predicted

    grid = [fitted(level, table) for level in (0, 3, 9) for table in range(4)]
    new = [fitted(level, 50) for level in (0, 9)]
    intrinsic = pd.DataFrame(
        [
            {"level": f"MLP-{level}", "dataset": f"mlp{level}_t{table}"} | estimates(5.0 + level)
            for level in (0, 3, 9)
            for table in range(4)
        ]
    )
    placement, scale = place_datasets(
        pd.concat([*grid, *new]),
        intrinsic,
        pd.DataFrame([dimension("mlp0_t50"), dimension("mlp9_t50")]),
        model="logistic_regression",
        k=16,
    )
    easy, hard = placement.itertuples()
    assert scale["roc_auc_fitted"].is_monotonic_decreasing
    assert easy.level_auc_low <= 0 < easy.level_auc_high < hard.level_auc
    assert hard.level_auc_low <= 9 <= hard.level_auc_high


def placed(**columns: list[float]) -> pd.DataFrame:
    names = [f"set{index}" for index in range(len(columns["roc_auc"]))]
    return pd.DataFrame({"dataset": names} | columns)


def gain_rows(gains: dict[str, list[float]], k: int = 16) -> pd.DataFrame:
    common = {"suite": "core", "mode": "forward", "prompt": "contextual", "k": k}
    return pd.DataFrame(
        [
            common
            | {"serialization": "feat_val", "model": model, "dataset": f"set{index}"}
            | {"difference": gain}
            for model, values in gains.items()
            for index, gain in enumerate(values)
        ]
    )


def test_orders_are_compared_pair_by_pair() -> None:
    placement = placed(roc_auc=[0.9, 0.8, 0.7, 0.6], dimension=[3.0, 5.0, 9.0, math.nan])
    tests = gain_rows({"small": [0.1, 0.2, 0.3, 0.4], "large": [0.3, math.nan]})
    gains = gains_at(tests, {"large": "L", "small": "S", "absent": "A"}, "forward", 16)
    assert list(gains) == ["large", "small"]
    orders = compare_orders(placement, gains).set_index(["first", "second"])
    both = orders.loc[DIFFICULTY, DIMENSION]
    assert (both["n"], both["rho"], both["without"]) == (3, pytest.approx(1), "set3")
    small = orders.loc[DIFFICULTY, "small"]
    assert (small["n"], small["tau"]) == (4, pytest.approx(1))
    large = orders.loc[DIMENSION, "large"]
    assert (large["n"], large["without"]) == (1, "set1, set2, set3")
    assert math.isnan(large["rho"])


@pytest.mark.parametrize("tests", [None, gain_rows({"small": [0.1]}, k=4)])
def test_without_gains_both_complexities_are_still_compared(tests: pd.DataFrame | None) -> None:
    gains = gains_at(tests, {"small": "S"}, "forward", 16)
    orders = compare_orders(placed(roc_auc=[0.9, 0.8, 0.7], dimension=[9.0, 5.0, 3.0]), gains)
    assert orders["rho"].tolist() == pytest.approx([-1])


ALL = ["majority", "logistic_regression", "knn", "random_forest", "xgboost"]


@pytest.mark.parametrize(
    ("baselines", "complexity", "preferred"),
    [
        (ALL, None, ["random_forest", "xgboost", "logistic_regression", "knn"]),
        (["knn", "tabicl", "tabpfn"], None, ["tabpfn", "tabicl", "knn"]),
        ([*ALL, "tabpfn"], {"model": "knn"}, ["knn"]),
        (["majority", "xgboost"], {}, ["xgboost"]),
        (["majority"], None, []),
        (["added", "majority", "knn"], None, ["knn", "added"]),
    ],
)
def test_the_placing_baselines(
    baselines: list[str], complexity: dict[str, str] | None, preferred: list[str]
) -> None:
    settings = {"baselines": baselines} | ({} if complexity is None else {"complexity": complexity})
    assert placing_baselines(settings) == preferred


def test_a_baseline_without_weights_leaves_placing_to_the_next() -> None:
    fitted = ranked("d", 0.7)
    assert first_fitted(fitted, ["tabpfn", FOREST]) == FOREST
    assert first_fitted(fitted.iloc[:0], ["tabpfn", FOREST]) == "tabpfn"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("majority", "ranks all rows equally"),
        ("xgbost", "names 'xgbost', which is not run: did you mean 'xgboost'"),
    ],
)
def test_a_baseline_that_cannot_place_is_refused(model: str, message: str) -> None:
    with pytest.raises(TabBenchError, match=message):
        placing_baselines({"baselines": ALL, "complexity": {"model": model}})
