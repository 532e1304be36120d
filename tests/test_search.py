"""Settings of baselines: fixed on few examples, searched on the examples alone on more."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.fitting import NOTHING_TO_LEARN, fit
from tabbench.baselines.model import Choice, Size
from tabbench.baselines.runs import run_baselines
from tabbench.baselines.search import CANDIDATES, FOLDS, fit_tuned
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import write_table
from tabbench.core.schemas.fits import FITS

SPACE = {"C": [0.001, 0.01, 0.1, 10.0, 100.0, 1000.0, 1e4, 1e5]}


def rows(n: int, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    x = rng.normal(scale=noise, size=(n, 6))
    x[:, 0] += 2 * y
    return x, y


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


@pytest.mark.parametrize(("n", "searched"), [(4, False), (14, False), (16, True), (32, True)])
def test_a_search_starts_at_16_examples(n: int, searched: bool) -> None:
    _, choice = fit_tuned(logistic(), SPACE, *rows(n), seed=0)
    assert (choice.candidates, choice.folds) == ((CANDIDATES, FOLDS) if searched else (0, 0))
    assert (choice.roc_auc is not None) == searched


def test_equal_seeds_choose_alike() -> None:
    first, again = (fit_tuned(logistic(), SPACE, *rows(32), seed=3)[1] for _ in range(2))
    assert first == again


def test_a_tie_keeps_the_defaults() -> None:
    """One strong column: every candidate ranks perfectly."""
    y = np.arange(20) % 2
    x = np.column_stack([10.0 * y + np.linspace(0, 1, 20)])
    fitted, choice = fit_tuned(logistic(), SPACE, x, y, seed=0)
    assert choice.settings == {}
    assert choice.roc_auc == 1
    assert fitted[-1].C == 1


def test_the_chosen_settings_are_those_fitted() -> None:
    space = {"min_samples_leaf": [9, 10, 11], "max_depth": [1]}
    # Leaves of 30 rows: the default here cannot split at all and ranks nothing.
    forest = RandomForestClassifier(min_samples_leaf=30, n_estimators=10, random_state=0)
    fitted, choice = fit_tuned(make_pipeline(forest), space, *rows(48), seed=0)
    assert choice.settings["min_samples_leaf"] in space["min_samples_leaf"]
    assert fitted[-1].min_samples_leaf == choice.settings["min_samples_leaf"]
    assert choice.candidates == 4


def test_a_class_of_one_row_cannot_be_searched_and_of_three_has_three_folds() -> None:
    x, _ = rows(20)
    for count, folds in ((1, 0), (3, 3)):
        y = (np.arange(20) < count).astype(int)
        assert fit_tuned(logistic(), SPACE, x, y, seed=0)[1].folds == folds


def test_scales_are_learned_within_the_folds() -> None:
    """What a fold holds out must not be seen by the steps before the model."""

    class Seen(StandardScaler):
        sizes: ClassVar[list[int]] = []

        def fit(self, x, y=None):
            self.sizes.append(len(x))
            return super().fit(x, y)

    fit_tuned(make_pipeline(Seen(), LogisticRegression()), {"C": [0.1]}, *rows(16), seed=0)
    assert Seen.sizes == [12] * 8 + [16]


def test_a_fold_with_nothing_to_learn_from_compares_nothing() -> None:
    y = np.arange(16) % 2
    x = (np.arange(16) == 3).astype(float)[:, None]
    _, choice = fit_tuned(logistic(), SPACE, x, y, seed=0)
    assert (choice.folds, choice.candidates) == (FOLDS - 1, CANDIDATES)
    assert choice.roc_auc == 0.5


def test_a_failed_fit_is_named() -> None:
    """Dataset, baseline, examples and seed: in the message, or beside a library's traceback."""

    def broken(_size: Size, _seed: int):
        raise ZeroDivisionError("inside a library")

    table = pd.DataFrame({"row_id": range(6), "y": [0, 1] * 3, "x": range(6)})
    split = pd.DataFrame({"row_id": range(6), "part": ["train"] * 4 + ["test"] * 2})
    split["position"] = split["row_id"]
    shots = pd.DataFrame({"k": 4, "seed": 9, "position": range(4), "row_id": range(4)})
    named = "baseline 'knn' on 'loans', k = 4, seed 9"
    with pytest.raises(ZeroDivisionError) as raised:
        run_baselines("loans", [replace(CLASSICAL["knn"], make=broken)], table, split, shots)
    assert named in raised.value.__notes__[0]
    table["x"] = np.inf
    with pytest.raises(TabBenchError, match=f"{named}: column 'x' contains an infinite"):
        run_baselines("loans", [CLASSICAL["knn"]], table, split, shots)


@pytest.mark.parametrize("name", [name for name in CLASSICAL if name != "catboost"])
@pytest.mark.parametrize("n", [16, 64])
def test_every_space_holds_settings_that_its_model_has(name: str, n: int) -> None:
    baseline = CLASSICAL[name]
    size = Size(n, 3, 0)
    model = baseline.make(size, 0)
    space = baseline.space(size)
    assert set(space) <= set(model.get_params())
    assert all(len(set(values)) == len(values) for values in space.values())
    if name == "knn":
        assert max(space["n_neighbors"]) <= n * 3 // 4  # rows of a fold to learn from


def test_a_fit_on_all_training_rows_sees_each_once_and_no_test_row() -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"row_id": range(60), "y": [0, 1] * 30, "x": random.normal(size=60)})
    split = pd.DataFrame({"row_id": range(60), "part": ["train"] * 40 + ["test"] * 20})
    split["position"] = split["row_id"]
    shots = pd.DataFrame({"k": 4, "seed": 1, "position": range(4), "row_id": range(4)})
    model = CLASSICAL["logistic_regression"]
    predictions, fits = run_baselines("d", [model], table, split, shots, full_seed=7)
    assert fits[["k", "seed"]].to_numpy().tolist() == [[4, 1], [40, 7]]
    full = predictions[predictions["mode"] == "fit_full"]
    train, test = (table[split["part"] == part] for part in ("train", "test"))
    expected = fit(model, train[["x"]], train["y"], {}, seed=7)
    assert full["p_1"].tolist() == expected.predict(test[["x"]]).tolist()
    assert full["row_id"].tolist() == list(range(40, 60))
    few, _ = run_baselines("d", [model], table, split, shots)
    same = predictions[predictions["mode"] == "fit"].drop(columns="seconds")
    assert few.drop(columns="seconds").equals(same)


def test_nothing_to_learn_gives_the_base_rate_and_says_so(tmp_path) -> None:
    constant = pd.DataFrame({"x": [1.0] * 4, "none": [np.nan] * 4})
    fitted = fit(CLASSICAL["xgboost"], constant, [0, 1, 1, 1], {}, seed=0)
    assert fitted.predict(constant[:2]).tolist() == [0.75, 0.75]
    assert fitted.choice == Choice()
    assert fitted.reason == NOTHING_TO_LEARN
    table = pd.DataFrame({"row_id": range(6), "y": [0, 1] * 3, "x": 1.0})
    split = pd.DataFrame({"row_id": range(6), "part": ["train"] * 4 + ["test"] * 2})
    split["position"] = split["row_id"]
    shots = pd.DataFrame({"k": 4, "seed": 1, "position": range(4), "row_id": range(4)})
    predictions, fits = run_baselines("d", [CLASSICAL["xgboost"]], table, split, shots)
    write_table(fits, tmp_path / "fits.parquet", FITS)
    assert predictions["p_1"].tolist() == [0.5, 0.5]
    assert fits["reason"].tolist() == [NOTHING_TO_LEARN]


class Blend(ClassifierMixin, BaseEstimator):
    """Ranks by a share of the first column, which is right, and the rest of the second."""

    def __init__(self, share: float = 0.0) -> None:
        self.share = share

    def fit(self, _x: np.ndarray, y: np.ndarray) -> "Blend":
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, x: np.ndarray) -> np.ndarray:
        return self.share * x[:, 0] + (1 - self.share) * x[:, 1]


def test_every_seed_draws_candidates_of_its_own() -> None:
    y = np.arange(400) % 2
    x = np.random.default_rng(0).normal(size=(400, 2)) + np.column_stack([y, -y])
    space = {"share": np.linspace(0.01, 1, 100).tolist()}
    model = make_pipeline(Blend())
    largest = [fit_tuned(model, space, x, y, seed)[1].settings["share"] for seed in range(5)]
    assert len(set(largest)) > 1
