"""Draft the YAML of a user dataset from its csv, for the user to read and correct.

    python -m tabbench.data.draft config/own/loans.csv defaulted yes > config/own/loans.yaml

Guesses the types of the columns, the spellings of missing values, and columns that are ids.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from tabbench.config.dataset_entry import Source, SourceFile
from tabbench.core.errors import TabBenchError, closest
from tabbench.core.numbers import keeps_integer_part
from tabbench.data.audit import NEAR_UNIQUE
from tabbench.data.readers import read_raw

MISSING = ("", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
LARGEST_SHOTS = 64
"""Largest number of examples in the paper; a table that allows it needs no limit."""


def draft(raw: pd.DataFrame, target: str, positive: str) -> dict[str, Any]:
    """Return the content of a user dataset's YAML.

    Parameters
    ----------
    raw : text cells, as `readers.read_raw` gives them
    target : the column to predict
    positive : its value that means class 1

    Raises
    ------
    TabBenchError
        When there is no such column, or the value is not in it.
    """
    if target not in raw.columns:
        raise TabBenchError(f"no column '{target}': {closest(target, raw.columns)}")
    cells = raw.map(str.strip)
    values = cells[target].value_counts().index.tolist()
    if positive not in values:
        raise TabBenchError(f"'{target}' has no value '{positive}': {closest(positive, values)}")
    missing = [word for word in MISSING if (cells.drop(columns=target) == word).any(axis=None)]
    types, drop = {}, []
    for name in cells.columns.drop(target):
        known = cells.loc[~cells[name].isin(missing), name]
        numbers = pd.to_numeric(known, errors="coerce")
        fractions = bool((numbers % 1 != 0).any())
        numeric = bool(numbers.notna().all()) and all(map(keeps_integer_part, known))
        if known.empty or (
            known.nunique() > NEAR_UNIQUE * len(raw) and not (numeric and fractions)
        ):
            drop.append(name)
        else:
            types[name] = "numeric" if numeric else "categorical"
    entry: dict[str, Any] = {"target": {"column": target, "positive": positive}}
    if len(values) > 2:
        entry["target"]["others"] = [value for value in values if value != positive]
    entry |= {"features": types, "drop": drop, "missing": missing or [""]}
    positives = int((cells[target] == positive).sum())
    allowed = 2 * (min(positives, len(cells) - positives) * 2 // 3)  # two thirds are for training
    if allowed < LARGEST_SHOTS:
        entry["max_shots"] = allowed
    entry["task"] = {
        "entity": "FILL IN: what a row is, such as: a loan applicant",
        "task": "FILL IN: such as: whether the applicant defaults",
        "negative": "FILL IN: the meaning of 0",
        "positive": "FILL IN: the meaning of 1",
    }
    return entry


def text(entry: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(entry), sort_keys=False, allow_unicode=True, width=100)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("csv", type=Path)
    parser.add_argument("target", help="the column to predict")
    parser.add_argument("positive", help="its value that means class 1")
    parser.add_argument("--separator", default=",")
    options = parser.parse_args()
    source = Source("local", (SourceFile(options.csv.name),), separator=options.separator)
    try:
        entry = draft(read_raw(options.csv.parent, source), options.target, options.positive)
    except TabBenchError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    if options.separator != ",":
        entry = {"separator": options.separator, **entry}
    sys.stdout.write(text(entry))
    return 0


if __name__ == "__main__":
    sys.exit(main())
