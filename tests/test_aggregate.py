"""What ± means: recomputed by hand on tables small enough to check."""

import math

import pandas as pd
import pytest
from score_frames import scores_frame

from tabbench.scoring.aggregate import difference, over_datasets, over_seeds, paired

NAN = float("nan")


def rows(dataset: str, values: list[float], **more: object) -> list[dict[str, object]]:
    return [
        {"dataset": dataset, "k": 4, "seed": seed, "roc_auc": value} | more
        for seed, value in enumerate(values)
    ]


def test_one_dataset_is_mean_and_sample_deviation_over_seeds() -> None:
    scores = scores_frame(rows("a", [0.6, 0.7, 0.8], n=100, n_scored=90))
    (row,) = over_seeds(scores).to_dict("records")
    assert row["mean"] == pytest.approx(0.7)
    assert row["std"] == pytest.approx(0.1)
    assert (row["n_seeds"], row["asked"], row["invalid"]) == (3, 300, 30)


def test_one_seed_has_no_spread_and_undefined_aucs_are_counted() -> None:
    datasets = over_seeds(scores_frame(rows("a", [0.6]) + rows("b", [0.6, NAN, 0.8])))
    a, b = datasets.to_dict("records")
    assert math.isnan(a["std"])
    assert (b["mean"], b["n_seeds"], b["n_undefined"]) == (pytest.approx(0.7), 2, 1)


def test_datasets_are_joined_by_the_root_mean_square_of_their_deviations() -> None:
    scores = scores_frame(
        rows("a", [0.5, 0.7]) + rows("b", [0.8, 0.9]) + rows("c", [0.4]) + rows("d", [0.5, 0.5])
    )
    (row,) = over_datasets(over_seeds(scores), ["model", "k"]).to_dict("records")
    variances = (0.2**2 / 2, 0.1**2 / 2, 0)  # of two values each
    assert row["mean"] == pytest.approx((0.6 + 0.85 + 0.4 + 0.5) / 4)
    assert row["std"] == pytest.approx(math.sqrt(sum(variances) / 3))
    assert (row["n_datasets"], row["n_spread"], row["datasets"]) == (4, 3, "a; b; c; d")


def test_table_xi_spread_is_over_datasets() -> None:
    scores = scores_frame(rows("a", [0.5, 0.7]) + rows("b", [0.8]))
    (row,) = over_datasets(over_seeds(scores), ["model"], "over_datasets").to_dict("records")
    assert row["std"] == pytest.approx(0.2 / math.sqrt(2))
    one = over_seeds(scores[scores["dataset"] == "a"])
    (row,) = over_datasets(one, ["model"], "over_datasets").to_dict("records")
    assert math.isnan(row["std"])
    assert row["n_spread"] == 0


def test_dataset_without_any_auc_does_not_count_but_its_answers_do() -> None:
    scores = scores_frame(
        rows("a", [0.6, 0.8], n=10, n_scored=10) + rows("b", [NAN, NAN], n=10, n_scored=0)
    )
    (row,) = over_datasets(over_seeds(scores), ["model"]).to_dict("records")
    assert row["mean"] == pytest.approx(0.7)
    assert (row["n_datasets"], row["n_undefined"], row["datasets"]) == (1, 2, "a")
    assert row["invalid_rate"] == pytest.approx(0.5)


def test_label_mass_is_the_median_and_absent_for_baselines() -> None:
    scores = scores_frame(
        rows("a", [0.6], label_mass=0.2)
        + rows("b", [0.6], label_mass=0.9)
        + rows("c", [0.6], label_mass=0.8)
    )
    assert over_datasets(over_seeds(scores), ["model"])["label_mass"].item() == 0.8
    fitted = over_seeds(scores.assign(label_mass=NAN))
    assert over_datasets(fitted, ["model"])["label_mass"].isna().all()


def test_difference_is_per_dataset_and_over_shared_datasets() -> None:
    rich = over_seeds(scores_frame(rows("a", [0.7, 0.9]) + rows("only_rich", [0.9, 0.9])))
    poor = over_seeds(
        scores_frame(rows("a", [0.5, 0.6], prompt="context_free") + rows("only_poor", [0.1]))
    )
    (row,) = difference(rich, poor, ["model", "k"]).to_dict("records")
    assert row["dataset"] == "a"
    assert row["mean"] == pytest.approx(0.25)
    assert row["std"] == pytest.approx(math.sqrt(0.2**2 / 2 + 0.1**2 / 2))
    assert row["asked"] == 400


def test_pairing_keeps_shared_datasets_and_ignores_what_was_never_run() -> None:
    datasets = over_seeds(
        scores_frame(
            rows("a", [0.6], model="x")
            + rows("b", [0.6], model="x")
            + rows("c", [NAN], model="x")
            + rows("a", [0.6], model="y")
            + rows("c", [0.6], model="y")
            + rows("d", [0.6], model="y", domain="law")
        )
    )
    kept = paired(datasets, across=["model"], within=[])
    assert set(kept["dataset"]) == {"a"}
    kept = paired(datasets, across=["model"], within=["domain"])
    assert set(zip(kept["model"], kept["dataset"], strict=True)) == {
        ("x", "a"),
        ("y", "a"),
        ("y", "d"),
    }


def test_order_of_rows_changes_nothing() -> None:
    scores = scores_frame(rows("a", [0.5, 0.7]) + rows("b", [0.8, 0.9]))
    shuffled = scores.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(
        over_datasets(over_seeds(scores), ["model"]), over_datasets(over_seeds(shuffled), ["model"])
    )


def test_a_difference_has_a_spread_only_where_both_sides_have_one() -> None:
    many = over_seeds(scores_frame(rows("a", [0.7, 0.9, 0.8])))
    once = over_seeds(scores_frame(rows("a", [0.5], label_mass=0.3)))
    for one, other in ((many, once), (once, many)):
        (row,) = difference(one, other, ["model", "k"]).to_dict("records")
        assert abs(row["mean"]) == pytest.approx(0.3)
        assert math.isnan(row["std"])
        assert row["n_seeds"] == 1
        assert row["label_mass"] == 0.3


def test_undefined_cells_add_up_over_datasets() -> None:
    datasets = over_seeds(scores_frame(rows("a", [0.6, NAN]) + rows("b", [0.6, NAN, NAN])))
    assert over_datasets(datasets, ["model"])["n_undefined"].item() == 3


def test_pairing_counts_conditions_and_not_rows() -> None:
    datasets = over_seeds(
        scores_frame(
            [
                {"dataset": dataset, "model": model, "k": k}
                for dataset, model in (("a", "x"), ("a", "y"), ("b", "x"))
                for k in (0, 4)
            ]
        )
    )
    kept = paired(datasets, across=["model"], within=[])
    assert set(zip(kept["dataset"], kept["model"], kept["k"], strict=True)) == {
        ("a", model, k) for model in "xy" for k in (0, 4)
    }


@pytest.mark.parametrize(
    "column",
    ["suite", "domain", "dataset", "model", "mode", "prompt", "serialization", "k"],
)
def test_every_condition_is_averaged_alone(column: str) -> None:
    other = 99 if column == "k" else "other"
    values = {"one": [0.5, 0.7], "two": [0.8, 0.8]}
    two = [row | {column: other} for row in rows("a", values["two"])]
    scores = scores_frame(rows("a", values["one"]) + two)
    means = over_seeds(scores)
    assert sorted(means["mean"]) == pytest.approx([0.6, 0.8])
    assert means.loc[means[column] == other, "mean"].item() == pytest.approx(0.8)
