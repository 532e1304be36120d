"""The complexity grid against released results: logistic regression, forest, boosting, dimension.

Prints Markdown tables: ROC-AUC (folded, as released) over the tables of each level for each recipe,
and the intrinsic dimension. Logistic regression is scikit-learn's default, as in the released code.
The released searches of forest and boosting used a package that is not installed here; here the
settings are the best of a few random draws from the released ranges, by accuracy in the released
folds.

    PYTHONPATH=workflow/scripts python benchmarks/complexity_grid.py [--tables 20] [--only-linear]
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold

from tabbench.complexity.intrinsic import intrinsic_dimension
from tabbench.core.frames import read_table
from tabbench.core.schemas.paper_tables import TABLE_16
from tabbench.core.schemas.released import RELEASED
from tabbench.data.complexity_grid.levels import DEFAULT_RECIPE, LEVELS, RECIPES
from tabbench.data.complexity_grid.tables import make_table
from tabbench.data.split import draw_shots, split

PAPER = Path(__file__).parents[1] / "resources/paper"
SEEDS = (864, 460, 142, 629, 761)
CANDIDATES = 5


def searched(model: ClassifierMixin, space: dict[str, Any]) -> Callable[[int], ClassifierMixin]:
    """Return from k to the model with a search of its settings."""
    return lambda k: RandomizedSearchCV(
        model, space, n_iter=CANDIDATES, scoring="accuracy", random_state=0,
        cv=StratifiedKFold(2 if k == 4 else 4),
    )  # fmt: skip


MODELS = {
    "logreg": ((4, 8, 16, 32, 64), SEEDS, lambda _: LogisticRegression()),
    "rf": (
        (16, 64),
        SEEDS[:1],
        searched(
            RandomForestClassifier(50, random_state=0),
            {
                "max_depth": randint(3, 16),
                "min_samples_leaf": randint(3, 16),
                "min_samples_split": randint(3, 16),
            },
        ),
    ),
    "gboost": (
        (16, 64),
        SEEDS[:1],
        searched(
            HistGradientBoostingClassifier(early_stopping=False, random_state=0),
            {
                "max_depth": randint(3, 16),
                "learning_rate": loguniform(1e-3, 1),
                "min_samples_leaf": randint(1, 21),
                "l2_regularization": loguniform(1e-6, 10),
                "max_leaf_nodes": randint(7, 64),
            },
        ),
    ),
}


def folded_auc(table: pd.DataFrame, model: str, k: int) -> float:
    """Return a table's mean folded ROC-AUC over the draws."""
    _, seeds, make = MODELS[model]
    parts = split(table, None, "grid")
    rows = table.set_index("row_id")
    x, y = rows.drop(columns="y").to_numpy(), rows["y"].to_numpy()
    test = parts.loc[parts["part"] == "test", "row_id"].to_numpy()
    draws = draw_shots(table, parts, k, seeds, "grid")
    values = []
    for _, draw in draws.groupby("seed"):
        fitted = make(k).fit(x[draw["row_id"]], y[draw["row_id"]])
        auc = roc_auc_score(y[test], fitted.predict_proba(x[test])[:, 1])
        values.append(max(auc, 1 - auc))
    return float(np.mean(values))


def with_row_ids(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename_axis("row_id").reset_index()


def line(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def header(*cells: str) -> None:
    print()
    line(*cells)
    line(*["---"] * len(cells))


def compare(recipe: str, model: str, tables: int, released: pd.DataFrame) -> None:
    """Print released and our means by level, and z: the difference in standard errors.

    Released numbers are means over 5 tables of other networks; both means vary with the tables.
    """
    shots = MODELS[model][0]
    header(f"{recipe}, {model}", *(f"k = {k}: released / here (z)" for k in shots))
    differences = []
    for level in LEVELS:
        made = [with_row_ids(make_table(level, seed, recipe=recipe)) for seed in range(tables)]
        cells = []
        for k in shots:
            values = [folded_auc(table, model, k) for table in made]
            theirs = released.loc[(model, f"MLP-{level}", k)]
            error = np.std(values, ddof=1) * (1 / 5 + 1 / tables) ** 0.5
            difference = np.mean(values) - theirs
            differences.append(difference)
            z = f"{difference / error:+.1f}" if error > 0 else "—"
            cells.append(f"{theirs:.3f} / {np.mean(values):.3f} ({z})")
        line(f"MLP-{level}", *cells)
    spread = np.sqrt(np.mean(np.square(differences)))
    print(f"\nroot mean square of the differences {spread:.3f}, "
          f"largest {np.max(np.abs(differences)):.3f}")  # fmt: skip


def dimensions(tables: int) -> None:
    """Print the intrinsic dimension, which depends on the inputs alone, not on the recipe."""
    header("Level", "released", f"here, {tables} tables")
    published = read_table(PAPER / "table16.csv", TABLE_16).set_index("level")["value"]
    for level in LEVELS:
        found = [
            intrinsic_dimension(make_table(level, seed).drop(columns="y")).mean
            for seed in range(tables)
        ]
        line(f"MLP-{level}", published[f"MLP-{level}"], f"{np.mean(found):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20, help="tables of each level")
    parser.add_argument("--only-linear", action="store_true", help="logistic regression alone")
    arguments = parser.parse_args()
    cells = read_table(PAPER / "released_cells.csv", RELEASED)
    released = cells[(cells["level"] != "") & (cells["mode"] == "fit")].set_index(
        ["model", "level", "k"]
    )["mean"]
    for recipe in RECIPES:
        compare(recipe, "logreg", arguments.tables, released)
    if not arguments.only_linear:
        for model in ("rf", "gboost"):
            compare(DEFAULT_RECIPE, model, arguments.tables, released)
        dimensions(arguments.tables)


if __name__ == "__main__":
    main()
