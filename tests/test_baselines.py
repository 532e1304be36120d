"""The classical baselines: no leakage, no chance, sensible at 4 rows and at 64."""

import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from tabbench.baselines import fitting
from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.encoding import encode
from tabbench.baselines.foundation import PRETRAINED
from tabbench.core import baseline_names as names
from tabbench.core.errors import TabBenchError

INSTALLED = [name for name, one in CLASSICAL.items() if name != "catboost" or find_spec("catboost")]
every_baseline = pytest.mark.parametrize("name", INSTALLED)
every_learner = pytest.mark.parametrize("name", [name for name in INSTALLED if name != "majority"])
COLOURS = {"colour": ["red", "green", "blue"]}


def fit_predict(name, train_x, train_y, test_x, categories, seed):
    return fitting.fit(CLASSICAL[name], train_x, train_y, categories, seed).predict(test_x)


def _table(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Balanced rows: two numbers, of which one tells the class, and a colour that helps."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {
            "signal": rng.normal(size=n) + 3 * y,
            "noise": rng.normal(scale=100, size=n),
            "colour": np.where(rng.random(n) < 0.8, np.where(y == 1, "red", "green"), "blue"),
        }
    ), y


def test_codes_are_places_in_the_training_vocabulary() -> None:
    frame = pd.DataFrame({"colour": ["red", None, "violet", "green"], "size": [1.5, np.nan, 3, 4]})
    encoded = encode(frame, {"colour": ["green", "red"]}, codes=True)
    np.testing.assert_array_equal(encoded, [[1.5, 1], [np.nan, np.nan], [3, np.nan], [4, 0]])


def test_encoding_is_pinned() -> None:
    frame = pd.DataFrame(
        {"colour": ["red", None, "violet"], "flag": [True, False, True], "size": [1.5, np.nan, 3]}
    )
    expected = [[1, 1.5, 1, 0, 0], [0, np.nan, 0, 0, 1], [1, 3, 0, 0, 1]]
    encoded = encode(frame, {"colour": ["red", "green"]})
    np.testing.assert_array_equal(encoded, expected)


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None], dtype="Int64"),
        pd.array([True, None], dtype="boolean"),
        pd.Series([True, None], dtype=object),
        pd.Series([1, None], dtype=object),
        pd.Series([1, pd.NA], dtype=object),
        [1.0, np.nan],
    ],
)
def test_every_kind_of_missing_number(column: object) -> None:
    np.testing.assert_array_equal(encode(pd.DataFrame({"x": column}), {}), [[1], [np.nan]])


@pytest.mark.parametrize(
    "column",
    [pd.Categorical(["b", None]), pd.Series(["b", None], dtype="str"),
     pd.Series(["b", pd.NA], dtype=object)]
)  # fmt: skip
def test_every_kind_of_missing_category(column: object) -> None:
    encoded = encode(pd.DataFrame({"x": column}), {"x": ["a", "b", None]})
    np.testing.assert_array_equal(encoded, [[0, 1, 0], [0, 0, 1]])


@every_baseline
def test_probabilities_of_both_kinds_of_column(name: str) -> None:
    train_x, train_y = _table(8, seed=0)
    test_x, _ = _table(50, seed=1)
    p = fit_predict(name, train_x, train_y, test_x, COLOURS, seed=0)
    assert p.shape == (50,)
    assert p.dtype == np.float64
    assert ((p >= 0) & (p <= 1)).all()


@every_learner
def test_learns_what_can_be_learnt(name: str) -> None:
    train_x, train_y = _table(64, seed=0)
    test_x, test_y = _table(400, seed=1)
    p = fit_predict(name, train_x, train_y, test_x, COLOURS, seed=0)
    assert roc_auc_score(test_y, p) > 0.93


@every_learner
def test_four_rows_are_enough_to_rank(name: str) -> None:
    train_x = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0]})
    p = fit_predict(name, train_x, [0, 0, 1, 1], pd.DataFrame({"x": [0.5, 10.5]}), {}, seed=0)
    assert p[0] < 0.4 < 0.6 < p[1]


def test_majority_gives_the_share_of_class_1() -> None:
    p = fit_predict("majority", pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 1, 1, 1],
                    pd.DataFrame({"x": [0, 9]}), {}, seed=0)  # fmt: skip
    assert p.tolist() == [0.75, 0.75]


@every_baseline
def test_same_seed_same_numbers(name: str) -> None:
    train_x, train_y = _table(16, seed=0)
    test_x, _ = _table(50, seed=1)
    first, again = (fit_predict(name, train_x, train_y, test_x, COLOURS, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_the_seed_reaches_the_forest() -> None:
    train_x, train_y = _table(16, seed=0)
    test_x, _ = _table(50, seed=1)
    one, two = (
        fit_predict("random_forest", train_x, train_y, test_x, COLOURS, seed=s) for s in (1, 2)
    )
    assert (one != two).any()


@every_baseline
def test_a_row_does_not_see_the_other_test_rows(name: str) -> None:
    train_x, train_y = _table(16, seed=0)
    test_x, _ = _table(5, seed=1)
    others = pd.DataFrame({"signal": [1e6], "noise": [np.nan], "colour": ["violet"]})
    alone = fit_predict(name, train_x, train_y, test_x, COLOURS, seed=0)
    together = fit_predict(name, train_x, train_y, pd.concat([others, test_x]), COLOURS, seed=0)
    np.testing.assert_allclose(together[1:], alone, rtol=1e-12)


@every_baseline
def test_a_category_only_in_the_test_rows_counts_as_missing(name: str) -> None:
    train_x, train_y = _table(16, seed=0)
    test_x = train_x.assign(colour="violet")
    unseen = fit_predict(name, train_x, train_y, test_x, COLOURS, seed=0)
    missing = fit_predict(name, train_x, train_y, test_x.assign(colour=None), COLOURS, seed=0)
    np.testing.assert_array_equal(unseen, missing)


@pytest.mark.filterwarnings("error")
@every_baseline
def test_missing_constant_and_empty_columns(name: str) -> None:
    train_x = pd.DataFrame(
        {
            "some": [np.nan, 1.0, 10.0, 11.0],
            "constant": [5, 5, 5, 5],
            "none": [np.nan] * 4,
            "colour": [None] * 4,
        }
    )
    test_x = pd.DataFrame(
        {"some": [1.0, np.nan], "constant": [5, 6], "none": [3.0, np.nan], "colour": ["red", None]}
    )
    p = fit_predict(name, train_x, [0, 0, 1, 1], test_x, COLOURS, seed=0)
    assert np.isfinite(p).all()


def test_xgboost_uses_that_a_value_is_missing() -> None:
    train_x = pd.DataFrame({"x": [np.nan, np.nan, 1.0, 2.0]})
    p = fit_predict("xgboost", train_x, [1, 1, 0, 0], train_x, {}, seed=0)
    assert p[0] > 0.6 > 0.4 > p[2]


@every_baseline
def test_a_table_of_categories_alone(name: str) -> None:
    train_x = pd.DataFrame({"colour": ["red", "green", "red", "green"]})
    p = fit_predict(name, train_x, [0, 1, 0, 1], train_x, COLOURS, seed=0)
    assert name == "majority" or p[0] < p[1]


X = pd.DataFrame({"x": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("name", "train_x", "train_y", "message"),
    [
        ("knn", X, [1, 1], r"labels \[1\].*both occur"),
        ("knn", X, [0, 2], "both occur"),
        ("knn", X, [0, 1, 1], "each row needs a label"),
        ("majority", X[:0], [], "0 training rows"),
        ("knn", X.rename(columns={"x": "z"}), [0, 1], r"\['z'\].*\['x'\]"),
        ("knn", X.assign(x=["low", "high"]), [0, 1], "column 'x' contains text"),
        ("xgboost", X.assign(x=[0, np.inf]), [0, 1], "column 'x' contains an infinite"),
    ],
)
def test_errors_say_what_to_do(name: str, train_x: pd.DataFrame, train_y: list[int],
                               message: str) -> None:  # fmt: skip
    with pytest.raises(TabBenchError, match=message):
        fit_predict(name, train_x, train_y, X, {}, seed=0)


def test_every_baseline_has_a_name_to_show():
    assert [*CLASSICAL, *PRETRAINED] == list(names.BASELINES)
    assert tuple(PRETRAINED) == names.PRETRAINED


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "catboost", None)
    with pytest.raises(TabBenchError, match=r"requirements-optional\.txt"):
        fit_predict("catboost", X, [0, 1], X, {}, seed=0)
