"""The numbers that the paper prints: read, checked, and matched with the cells they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.contexts import MASKED, POOREST, RICHEST, regimes
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.published import DISCREPANCIES, PUBLISHED
from tabbench.core.suites import GROUPS

LANGUAGE_MODELS = ("GPT-4o-mini", "Qwen3-1.7B", "Qwen3-8B", "Qwen3-14B")
"""The paper's names; a model of the registry with such a title is the same model."""

_SIZES = {"All": "32", "Classic": "24", "New": "8"}
_TABLES_PER_LEVEL = "5"
_FEW_SHOTS = 16


@dataclass(frozen=True)
class PublishedTable:
    """Columns of a file under ``resources/paper``: those that name a row, and its numbers."""

    key: tuple[str, ...]
    numbers: tuple[str, ...]
    texts: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        return [*self.key, *self.numbers, *self.texts]


_AUC = ("mean", "std")
TABLES = {
    "table2": PublishedTable(("group", "model", "k"), _AUC),
    "table3": PublishedTable(("outcome", "model"), ("datasets",)),
    "table4": PublishedTable(("dataset", "model"), ("accuracy", "random", "lift"), ("verdict",)),
    "table6": PublishedTable(("configuration", "model"), _AUC),
    "table7": PublishedTable(("model", "k"), _AUC),
    "table8": PublishedTable(("model", "k"), _AUC),
    "table9": PublishedTable(("regime", "model"), _AUC),
    "table10": PublishedTable(("level", "model", "k"), _AUC),
    "table11": PublishedTable(
        ("model", "k"), ("generation", "generation_std", "forward", "forward_std", "delta")
    ),
    "table17": PublishedTable(("dataset", "model"), _AUC),
    "table18": PublishedTable(("model", "k"), _AUC),
}
"""File under ``resources/paper`` (without .csv) to its columns."""

COMPARED = tuple(f"table{number}" for number in (2, 6, 7, 8, 9, 10, 11, 17, 18))
"""Tables of ROC-AUC; those of the memorization probes (III, IV) have no scores to compare."""


def read_published(path: str | Path) -> pd.DataFrame:
    """Read a table of the paper.

    Parameters
    ----------
    path : a file whose name, without .csv, is in ``TABLES``

    Returns
    -------
    DataFrame
        One row per key; ``k`` as integer, numbers as float.

    Raises
    ------
    TabBenchError
        When columns differ from the declared ones, a cell is empty or no number, or a key
        occurs twice.
    """
    table = TABLES[Path(path).stem]
    frame = _read(path, table.columns, table.numbers)
    if "k" in frame:
        frame["k"] = frame["k"].astype("int64")
    twice = frame[frame.duplicated(list(table.key))]
    if len(twice):
        row = ", ".join(map(str, twice.iloc[0][list(table.key)]))
        raise TabBenchError(f"{path}: '{row}' occurs twice; keep the one that the paper prints")
    return frame


def read_discrepancies(path: str | Path) -> pd.DataFrame:
    """Read what does not add up in the paper, with the columns of ``schemas.DISCREPANCIES``.

    Raises
    ------
    TabBenchError
        When columns differ from the declared ones, or a cell is empty or no number.
    """
    return _read(path, DISCREPANCIES.names, DISCREPANCIES.names[3:])


def _read(path: str | Path, columns: list[str], numbers: Sequence[str]) -> pd.DataFrame:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(frame.columns) != columns:
        raise TabBenchError(
            f"{path}: columns {list(frame.columns)}, expected {columns}; correct the first line"
        )
    values = frame[list(numbers)].apply(pd.to_numeric, errors="coerce")
    wrong = frame[(frame == "").any(axis=1) | values.isna().any(axis=1)]
    if len(wrong):
        raise TabBenchError(
            f"{path}: row {wrong.index[0] + 2} has an empty cell, or a text in place of one of "
            f"the numbers {list(numbers)}: {', '.join(wrong.iloc[0])}; compare it with the paper"
        )
    return frame.assign(**{name: values[name].astype("float64") for name in values})


def published_cells(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return each published ROC-AUC of a language model with the cells that it averages.

    Parameters
    ----------
    tables : the tables named in ``COMPARED``, from `read_published`

    Returns
    -------
    DataFrame
        The columns of ``schemas.PUBLISHED``.
    """
    group = tables["table2"]["group"]
    asked = {one.name: one for one in regimes(_FEW_SHOTS)}
    nine = tables["table9"][tables["table9"]["regime"].isin(list(asked))]
    regime = nine["regime"].map(asked)
    level = tables["table10"]["level"].str.replace("MLP", "MLP-")
    parts = [
        _part(
            tables["table2"],
            ("II", "rq1"),
            condition=group,
            suites=group.map({name: "; ".join(suites) for name, suites in GROUPS.items()}),
            n_datasets=group.map(_SIZES),
        ),
        _part(
            tables["table6"],
            ("VI", "rq2"),
            condition=tables["table6"]["configuration"],
            configuration=tables["table6"]["configuration"],
            k=0,
        ),
        _part(tables["table7"], ("VII", "rq3"), condition="Classic"),
        _part(
            tables["table8"],
            ("VIII", "rq4"),
            condition=f"{RICHEST.name} − {POOREST.name}",
            minus_configuration=POOREST.name,
            minus_mode="generation",
        ),
        _part(
            nine,
            ("IX", "rq5"),
            condition=nine["regime"],
            suites="llm_synthetic",
            configuration=regime.map(lambda one: one.asked.name),
            k=regime.map(lambda one: _FEW_SHOTS * one.few_shot),
        ),
        _part(
            tables["table10"],
            ("X", "rq6"),
            condition=level,
            suites="mlp",
            level=level,
            configuration=MASKED.name,
            n_datasets=_TABLES_PER_LEVEL,
        ),
        *_modes(tables["table11"]),
        _part(
            tables["table17"],
            ("XVII", "rq1"),
            condition=tables["table17"]["dataset"],
            suites="new",
            only_dataset=tables["table17"]["dataset"],
            n_datasets="1",
            k=0,
        ),
        _part(
            tables["table18"],
            ("XVIII", "rq3"),
            condition="New",
            suites="new",
            n_datasets=_SIZES["New"],
        ),
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame[frame["name"].isin(LANGUAGE_MODELS)].reset_index(drop=True)


def _modes(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Table XI: both modes and their difference."""
    common = {
        "condition": "All",
        "suites": "; ".join(GROUPS["All"]),
        "n_datasets": np.where(table["k"] == 0, _SIZES["All"], "30–32"),
        "spread": "over_datasets",
    }
    of = ("XI", "rq7")
    parts = [
        _part(table, of, **common, mode=mode, mean=table[mode], std=table[f"{mode}_std"])
        for mode in ("generation", "forward")
    ]
    delta = common | {"condition": "All, forward − generation"}
    parts.append(
        _part(
            table,
            of,
            **delta,
            mode="forward",
            minus_mode="generation",
            minus_configuration=RICHEST.name,
            mean=table["delta"],
            std=np.nan,
        )
    )
    return parts


def _part(printed: pd.DataFrame, of: tuple[str, str], **columns: Any) -> pd.DataFrame:
    """Rows of PUBLISHED; what is not said is as in the paper's main tables."""
    main = {
        "suites": "core",
        "level": "",
        "only_dataset": "",
        "mode": "generation",
        "configuration": RICHEST.name,
        "minus_mode": "",
        "minus_configuration": "",
        "n_datasets": _SIZES["Classic"],
        "spread": "over_seeds",
    }
    renamed = printed.rename(columns={"model": "name"})
    frame = renamed.assign(table=of[0], question=of[1], **main | columns)
    return frame[PUBLISHED.names]


def nothing_to_compare(models: Mapping[str, str]) -> str:
    """Say that no model of ours has a published number to compare.

    Parameters
    ----------
    models : display name by id, all that ran
    """
    return (
        f"there is nothing to compare: the paper has {', '.join(LANGUAGE_MODELS)}, and "
        f"{', '.join(models.values())} ran here; only a model of the same name, in the same mode "
        "and under the same prompts, is compared with a published number"
    )
