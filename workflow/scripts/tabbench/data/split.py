"""The fixed train/test split and the draws of examples."""

import hashlib
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)

from tabbench.config.dataset_entry import N_SPLITS
from tabbench.core.errors import TabBenchError
from tabbench.data.openml_tasks import task_split

SPLIT_SEED = 42


def _proportional_order(y: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random order in which every prefix keeps the class proportions as closely as possible."""
    place = np.empty(len(y))
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        place[rows] = (np.arange(len(rows)) + 0.5) / max(len(rows), 1)
    return np.argsort(place, kind="stable")


def _partition(
    y: NDArray[np.int64], test_fraction: float | None, openml_task: int | None, name: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row numbers of train and test."""
    if openml_task is not None:
        return task_split(openml_task, y, name)
    rule: RepeatedStratifiedKFold | StratifiedShuffleSplit
    if test_fraction is None:
        rule = RepeatedStratifiedKFold(n_splits=N_SPLITS, n_repeats=10, random_state=SPLIT_SEED)
    else:
        rule = StratifiedShuffleSplit(1, test_size=test_fraction, random_state=SPLIT_SEED)
    train, test = next(rule.split(np.zeros(len(y)), y))
    return np.sort(train), np.sort(test)


def _grouped_partition(
    y: NDArray[np.int64], groups: NDArray[Any], test_fraction: float | None, name: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row numbers of train and test, groups whole; classes as even as these allow."""
    wanted = 1 / N_SPLITS if test_fraction is None else test_fraction
    folds = round(1 / min(wanted, 1 - wanted))
    each = [len(np.unique(groups[y == label])) for label in (0, 1)]
    if min(each) < folds:
        raise TabBenchError(
            f"dataset '{name}': class {each.index(min(each))} is in {min(each)} group(s) of the "
            f"column that groups names; a split needs {folds}. Name a column with more groups, or "
            f"remove groups"
        )
    rule = StratifiedGroupKFold(n_splits=folds, shuffle=True, random_state=SPLIT_SEED)
    rest, fold = next(rule.split(np.zeros(len(y)), y, groups))
    return (np.sort(rest), np.sort(fold)) if wanted <= 0.5 else (np.sort(fold), np.sort(rest))


def _require_both_classes(
    y: NDArray[np.int64], train: NDArray[Any], test: NDArray[Any], name: str
) -> None:
    for side, rows in (("train", train), ("test", test)):
        for label in (0, 1):
            if not (y[rows] == label).any():
                raise TabBenchError(
                    f"dataset '{name}': no {side} row of class {label}; another column under split "
                    f"or groups, or none, gives both sides both classes"
                )


def split(
    table: pd.DataFrame,
    test_rows: int | None,
    name: str,
    test_fraction: float | None = None,
    openml_task: int | None = None,
    given: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Split into training and test rows.

    By default as the paper's code does: the first split of RepeatedStratifiedKFold (3 splits,
    10 repeats, seed 42), whose test part is one third.

    Parameters
    ----------
    table : frame with ``row_id`` and ``y``
    test_rows : largest number of test rows; the rest become ``unused``. A larger cap keeps the
        rows of a smaller one, so that their answers stay valid.
    test_fraction : a stratified split with this share of test rows instead (seed 42)
    openml_task : fold 0, repeat 0 of this OpenML task instead
    given : of a user dataset, ``part`` (train or test) and ``group`` by row id, empty where the
        entry names no column; a given part has precedence, and rows of a group stay together

    Returns
    -------
    DataFrame with the columns of ``schemas.SPLIT``, sorted by part and position.

    Raises
    ------
    TabBenchError
        When a class has fewer than three rows, a side of the split lacks a class, or the OpenML
        task cannot be used.
    """
    y = table["y"].to_numpy()
    counts = np.bincount(y, minlength=2)
    if counts.min() < N_SPLITS:
        raise TabBenchError(
            f"dataset '{name}': class {counts.argmin()} has {counts.min()} row(s); a stratified "
            f"split needs {N_SPLITS}"
        )
    sides = pd.DataFrame("", table["row_id"], ["part", "group"]) if given is None else given
    part, group = (sides.loc[table["row_id"], one].to_numpy() for one in ("part", "group"))
    if (part != "").any():
        train, test = np.flatnonzero(part == "train"), np.flatnonzero(part == "test")
        _require_both_classes(y, train, test, name)
    elif (group != "").any():
        train, test = _grouped_partition(y, group, test_fraction, name)
        _require_both_classes(y, train, test, name)
    else:
        train, test = _partition(y, test_fraction, openml_task, name)
    test = test[_proportional_order(y[test], np.random.default_rng(SPLIT_SEED))]
    cap = len(test) if test_rows is None else min(test_rows, len(test))
    parts = (("train", train), ("test", test[:cap]), ("unused", test[cap:]))
    ids = table["row_id"].to_numpy()
    return pd.concat(
        [
            pd.DataFrame({"row_id": ids[rows], "part": part, "position": np.arange(len(rows))})
            for part, rows in parts
        ],
        ignore_index=True,
    )


def fingerprint(table: pd.DataFrame, split_table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Number of rows and sha256 of each part: of its rows' ids, labels and features, in order.

    Equal hashes on two machines prove that they compare the same rows.
    """
    rows = table.set_index("row_id")
    found = {}
    for part, group in split_table.groupby("part", sort=True):
        text = rows.loc[group["row_id"]].to_csv(lineterminator="\n")
        found[str(part)] = {"rows": len(group), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return found


def draw_shots(
    table: pd.DataFrame, split_table: pd.DataFrame, k: int, seeds: tuple[int, ...], name: str
) -> pd.DataFrame:
    """Draw k labelled examples per seed from the training part, k/2 of each class, shuffled.

    For one seed the examples of a smaller k are among those of a larger one, so that a curve over k
    compares nested sets.

    Returns
    -------
    DataFrame with the columns of ``schemas.SHOTS``: k rows per seed.

    Raises
    ------
    TabBenchError
        When a class has fewer than k/2 training rows.
    """
    train_ids = split_table.loc[split_table["part"] == "train", "row_id"]
    train = table.set_index("row_id").loc[train_ids, "y"]
    by_class = [train.index[train == label].to_numpy() for label in (0, 1)]
    for label, rows in enumerate(by_class):
        if len(rows) < k // 2:
            raise TabBenchError(
                f"dataset '{name}': class {label} has {len(rows)} training row(s), k = {k} needs "
                f"{k // 2}; limit it by max_shots in the dataset's registry entry"
            )
    draws = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows = np.concatenate([rng.permutation(rows)[: k // 2] for rows in by_class])
        rows = np.random.default_rng([seed, k]).permutation(rows)
        draws.append(pd.DataFrame({"k": k, "seed": seed, "position": np.arange(k), "row_id": rows}))
    return pd.concat(draws, ignore_index=True)
