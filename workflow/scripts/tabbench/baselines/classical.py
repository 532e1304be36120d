"""The baselines without pretrained weights, one entry each. All run on one thread.

Settings under ``make`` are used on fewer examples than a search needs (see
`tabbench.baselines.search`). They are the library's defaults, except where these would prevent a
fit of 4 rows.
"""

from importlib import import_module
from typing import Any

from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from xgboost import XGBClassifier

from tabbench.baselines.model import Baseline, Size
from tabbench.core.errors import TabBenchError

_BOOSTING = {"learning_rate": [0.03, 0.1, 0.3], "subsample": [0.7, 1.0]}


def _neighbours(size: Size) -> dict[str, list[Any]]:
    """Odd numbers of neighbours, so that no vote ties, up to half of the rows."""
    return {
        "n_neighbors": list(range(1, size.rows // 2 + 1, 2)),
        "weights": ["uniform", "distance"],
    }


def _lightgbm(_: Size, seed: int) -> ClassifierMixin:
    from lightgbm import LGBMClassifier

    # The defaults need 20 rows per leaf and 3 per bin, which forbids every split of few rows.
    return LGBMClassifier(
        min_child_samples=1,
        min_data_in_bin=1,
        random_state=seed,
        n_jobs=1,
        deterministic=True,
        force_row_wise=True,
        verbose=-1,
    )


def _catboost(_: Size, seed: int) -> ClassifierMixin:
    try:
        catboost = import_module("catboost")
    except ImportError as error:
        raise TabBenchError(
            f"baseline 'catboost': its package cannot be imported ({error}); install the one "
            "pinned in requirements-optional.txt, or leave catboost out of 'baselines'"
        ) from error
    model: ClassifierMixin = catboost.CatBoostClassifier(
        iterations=200,
        random_seed=seed,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )
    return model


CLASSICAL: dict[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline(
            "majority",
            "scikit-learn",
            "filled",
            lambda _size, _seed: DummyClassifier(strategy="prior"),
        ),
        Baseline(
            "logistic_regression",
            "scikit-learn",
            "filled and scaled",
            lambda _size, seed: LogisticRegression(max_iter=1000, random_state=seed),
            lambda _size: {"C": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 3, 10, 30, 100]},
        ),
        Baseline(
            "knn",
            "scikit-learn",
            "filled and scaled",
            # Odd as above, and never more neighbours than rows.
            lambda size, _seed: KNeighborsClassifier(
                min(5, size.rows - 1 + size.rows % 2), n_jobs=1
            ),
            _neighbours,
        ),
        Baseline(
            "random_forest",
            "scikit-learn",
            "filled",
            lambda _size, seed: RandomForestClassifier(random_state=seed, n_jobs=1),
            lambda _size: {
                "max_features": ["sqrt", 0.3, 0.6, 1.0],
                "min_samples_leaf": [1, 2, 4],
                "max_depth": [None, 2, 4],
            },
        ),
        Baseline(
            "xgboost",
            "xgboost",
            "as they are",
            # A row weighs at most 1/4 (p(1 - p)), so that the default minimum of 1 in a child
            # would forbid every split of 4 rows.
            lambda _size, seed: XGBClassifier(min_child_weight=0, random_state=seed, n_jobs=1),
            lambda _size: {
                **_BOOSTING,
                "max_depth": [1, 2, 4, 6],
                "colsample_bytree": [0.5, 1.0],
                "reg_lambda": [0.1, 1.0, 10.0],
            },
        ),
        Baseline(
            "lightgbm",
            "lightgbm",
            "as they are",
            _lightgbm,
            lambda _size: {
                **_BOOSTING,
                "subsample_freq": [1],
                "num_leaves": [2, 4, 8, 31],
                "min_child_samples": [1, 2, 4],
                "reg_lambda": [0.0, 1.0, 10.0],
            },
        ),
        Baseline(
            "catboost",
            "catboost",
            "as they are",
            _catboost,
            lambda _size: {
                "learning_rate": [0.03, 0.1, 0.3],
                "depth": [1, 2, 4, 6],
                "l2_leaf_reg": [1.0, 3.0, 10.0],
            },
        ),
    )
}
"""By name: the paper's (section III-A), and two further ones in wide use."""
