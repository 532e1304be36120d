"""A user dataset in tables: its classes, the sides of its split, findings, and what leaves."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tabbench.config.dataset_entry import Dataset, TaskText
from tabbench.core.schemas.own import AUDIT, CLASSES, FILTERED, NOT_SAMPLED, PARTS, SHARING, USED
from tabbench.data.audit import audit
from tabbench.data.description import features
from tabbench.data.own_rows import given_sides

NEAR_CONSTANT = 0.99
"""Share of the commonest value among the known cells above which a column hardly varies."""


def classes(rows: pd.DataFrame, positive: tuple[str, ...]) -> pd.DataFrame:
    """Return what each value of the target means and how many rows have it, as ``CLASSES``.

    Parameters
    ----------
    rows : ``FILE_ROWS``
    positive : values of class 1
    """
    counts = pd.crosstab(rows["value"], rows["status"])
    counts = counts.reindex(columns=[FILTERED, NOT_SAMPLED, USED], fill_value=0)
    found = counts.assign(file_rows=counts.sum(axis=1)).reset_index()
    kept = found["file_rows"] > found[FILTERED]
    label = found["value"].isin(positive).astype("Int64").where(kept)
    found["label"] = label
    found["merged"] = label.map(label.value_counts()).gt(1).fillna(False).astype(bool)
    found = found.sort_values(["label", "file_rows"], ascending=[True, False], kind="stable")
    return found[CLASSES.names].reset_index(drop=True)


def parts(table: pd.DataFrame, split: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the sizes of the sides of the split, as ``PARTS``.

    Parameters
    ----------
    table, split, rows : ``TABLE``, ``SPLIT`` and ``FILE_ROWS``
    """
    groups = given_sides(rows)["group"]
    label = table.set_index("row_id")["y"]
    known = split.assign(y=split["row_id"].map(label), group=split["row_id"].map(groups))
    found = []
    for part in ("train", "test", "unused"):
        here = known[known["part"] == part]
        apart = here.loc[here["group"] != "", "group"].nunique()
        found.append((part, len(here), int(here["y"].sum()), apart))
    return pd.DataFrame(found, columns=PARTS.names)


def findings(table: pd.DataFrame, split: pd.DataFrame, task: TaskText) -> pd.DataFrame:
    """Return what a look at the table found, as ``AUDIT``; no row where nothing was found.

    Parameters
    ----------
    table, split : ``TABLE`` and ``SPLIT``; test rows over the cap count as test rows
    """
    found = audit(table, split, task)
    columns = features(table)
    nan = float("nan")
    made: list[tuple[str, str, float, str]] = []
    made += [("leak", name, auc, "") for name, auc in found.leaks.items()]
    made += [
        ("near_unique", name, columns[name].nunique() / len(columns), "")
        for name in found.near_unique
    ]
    made += [("constant", name, nan, "") for name in found.constant]
    for name in map(str, columns):
        shares = columns[name].value_counts(normalize=True)
        if len(shares) > 1 and shares.iloc[0] > NEAR_CONSTANT:
            made.append(("near_constant", name, shares.iloc[0], _text(shares.index[0])))
    missing = columns.isna().mean()
    made += [("missing", str(name), share, "") for name, share in missing[missing > 0].items()]
    if found.duplicates:
        made.append(("duplicates", "", found.duplicates, f"{found.test:,}"))
    if found.contradicting:
        made.append(("contradicting", "", found.contradicting, ""))
    for word, named in found.task_words.items():
        made += [("task_word", name, nan, word) for name in named]
    return pd.DataFrame(made, columns=AUDIT.names)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def sharing(
    columns: list[str],
    used: list[str],
    dataset: Dataset,
    models: Mapping[str, tuple[str, bool]],
    personal: Mapping[str, str],
) -> pd.DataFrame:
    """Return which columns which model is sent, as ``SHARING``.

    Parameters
    ----------
    columns : of the file, and derived ones
    used : those that are features
    models : model id to the address that it is asked at (empty: it computes here) and whether
        requests leave this machine
    personal : column to the reason why it looks personal
    """
    roles = {
        dataset.target: "target",
        **({dataset.groups: "groups"} if dataset.groups else {}),
        **({dataset.split.column: "split"} if dataset.split else {}),
        **dict.fromkeys(used, "feature"),
    }
    made = []
    for model, (address, leaves) in models.items():
        for column in columns:
            role = roles.get(column, "dropped")
            sent = leaves and role in ("feature", "target")
            why = personal.get(column, "")
            made.append((model, address, leaves, column, role, sent, why))
    return pd.DataFrame(made, columns=SHARING.names)
