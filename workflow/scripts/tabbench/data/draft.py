"""Draft the YAML of a user dataset from its csv, for the user to read and correct.

    python -m tabbench.data.draft config/own/loans.csv defaulted yes > config/own/loans.yaml

Guesses encoding, separator, the way numbers are written, the types of the columns, the spellings of
missing values, and columns that are ids; comments say why a column is what it is.
"""

import argparse
import re
import sys
import textwrap
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from tabbench.config.dataset_entry import REST, NumberStyle, Source, SourceFile
from tabbench.core.errors import TabBenchError, closest
from tabbench.core.schemas.table import is_reserved
from tabbench.data.audit import NEAR_UNIQUE
from tabbench.data.delimited import UNNAMED, guess_source
from tabbench.data.number_cells import (
    LARGEST,
    MISSING_WORDS,
    NO_NUMBER,
    POINT,
    STYLES,
    TOO_LONG,
    counted,
    has_leading_zeros,
    not_held,
    to_numbers,
)
from tabbench.data.readers import read_raw
from tabbench.data.split import N_SPLITS

LARGEST_SHOTS = 64
"""Largest number of examples in the paper; a table that allows it needs no limit."""
_SELDOM_MISSING = ("-", ".", "None")
"""Words that mean a missing value among numbers, but may be a category among words."""
_ID_NAME = re.compile(r"(^|[\W_])(id|ids|no|nr|num|number|key|code|index|uuid)$", re.IGNORECASE)
_STYLE_ROWS = 10_000


class _Role(NamedTuple):
    """What a column is drafted as: numeric, categorical or drop; and why."""

    kind: str
    why: str


@dataclass(frozen=True)
class Draft:
    """The content of a user dataset's YAML, and the reason for each column's role."""

    entry: dict[str, Any]
    reasons: Mapping[str, str]

    def text(self) -> str:
        """The YAML with the reasons as comments."""
        blocks = []
        for key, value in self.entry.items():
            if key == "features":
                lines = [self._item({name: kind}, name) for name, kind in value.items()]
                blocks.append(f"{key}:\n{''.join(lines)}")
            elif key == "drop" and value:
                lines = [self._item([name], name) for name in value]
                blocks.append(f"{key}:\n{''.join(lines)}")
            else:
                blocks.append(_dump({key: value}))
        return "".join(blocks)

    def _item(self, content: object, name: str) -> str:
        line, why = textwrap.indent(_dump(content), "  "), self.reasons.get(name)
        if not why:
            return line
        if line.count("\n") > 1:
            return f"  # {why}\n{line}"
        return f"{line[:-1]}  # {why}\n"


def _dump(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def draft(raw: pd.DataFrame, target: str, positive: str) -> Draft:
    """Draft a user dataset's YAML.

    Parameters
    ----------
    raw : text cells, as `readers.read_raw` gives them
    target : the column to predict
    positive : its value that means class 1

    Raises
    ------
    TabBenchError
        When there is no such column, the value is not in it, a class has too few rows, or no
        column looks like a feature.
    """
    if target not in raw.columns:
        raise TabBenchError(f"no column '{target}': {closest(target, raw.columns)}")
    cells = pd.DataFrame({name: raw[name].str.strip() for name in raw.columns})
    labels = cells[target]
    if positive not in set(labels):
        raise TabBenchError(
            f"'{target}' has no value '{positive}': {closest(positive, labels.unique())}"
        )
    columns = cells.drop(columns=target)
    style = _style(columns)
    missing = _missing(columns, style)
    unknown = labels.isin([*missing, *MISSING_WORDS]) & (labels != positive)
    if labels[~unknown].nunique() < 2:  # such as the classes + and -
        unknown = labels.isin(missing) & (labels != positive)
    others = labels[~unknown & (labels != positive)].value_counts().index.tolist()
    sizes = {1: int((labels == positive).sum()), 0: int(labels.isin(others).sum())}
    for label, size in sizes.items():
        if size < N_SPLITS:
            raise TabBenchError(
                f"'{target}' with the positive value '{positive}' gives class {label} {size} "
                f"row(s); a split needs {N_SPLITS}"
            )
    roles = {str(name): _role(columns[name], style, missing) for name in columns}
    kept = {name: role.kind for name, role in roles.items() if role.kind != "drop"}
    if not kept:
        raise TabBenchError(
            f"no column but '{target}' looks like a feature: "
            + "; ".join(f"'{name}': {role.why}" for name, role in roles.items())
        )
    rename = {name: _free(name, raw.columns) for name in kept if name == REST or is_reserved(name)}
    entry: dict[str, Any] = {}
    if style != POINT:
        marks = {"decimal": style.decimal, "thousands": style.thousands}
        entry |= {key: mark for key, mark in marks.items() if mark not in (None, ".")}
        entry |= {"thousands": "."} if style.thousands == "." else {}
    if rename:
        entry["rename"] = rename
    entry["target"] = {"column": target, "positive": positive}
    if len(others) > 1:
        entry["target"]["others"] = others
    if unknown.any():
        entry["rows"] = [{"column": target, "drop": sorted(labels[unknown].unique())}]
    entry |= {
        "features": {rename.get(name, name): kind for name, kind in kept.items()},
        "drop": [name for name in roles if name not in kept],
        "missing": missing or [""],
    }
    allowed = 2 * (min(sizes.values()) * 2 // 3)  # two thirds are for training
    if allowed < LARGEST_SHOTS:
        entry["max_shots"] = allowed
    entry["task"] = {
        "entity": "FILL IN: what a row is, such as: a loan applicant",
        "task": "FILL IN: such as: whether the applicant defaults",
        "negative": "FILL IN: the meaning of 0",
        "positive": "FILL IN: the meaning of 1",
    }
    return Draft(entry, {rename.get(name, name): role.why for name, role in roles.items()})


def _free(name: str, taken: pd.Index) -> str:
    """A name like the reserved one that no column has."""
    name = name.replace(REST, "star")
    while name in taken or is_reserved(name):
        name += "_"
    return name


def _style(columns: pd.DataFrame) -> NumberStyle:
    """The way of writing numbers in which most columns are numbers."""
    head = columns.head(_STYLE_ROWS)
    known = [cells[~cells.isin(MISSING_WORDS)] for _, cells in head.items()]

    def numeric(style: NumberStyle) -> int:
        return sum(len(one) > 0 and bool(to_numbers(one, style).notna().all()) for one in known)

    return max(STYLES, key=numeric)


def _missing(columns: pd.DataFrame, style: NumberStyle) -> list[str]:
    """Spellings of missing values: words that often are, and numbers that none can be."""
    found = dict.fromkeys(
        word
        for word in MISSING_WORDS
        if word not in _SELDOM_MISSING and (columns == word).any(axis=None)
    )
    for name in columns:
        cells = columns[name]
        numbers = to_numbers(cells[~cells.isin(MISSING_WORDS)], style)
        if len(numbers) and numbers.notna().all():
            found |= dict.fromkeys(word for word in _SELDOM_MISSING if (cells == word).any())
            found |= dict.fromkeys(cells[numbers.index[numbers.abs() > LARGEST]])
    return list(found)


def _role(cells: pd.Series, style: NumberStyle, missing: list[str]) -> _Role:
    known = cells[~cells.isin(missing)]
    if known.empty:
        return _Role("drop", "no value")
    if re.fullmatch(UNNAMED.format(r"\d+"), str(cells.name)):
        return _Role("drop", "no name in the file")
    apart = known.nunique() > NEAR_UNIQUE * len(cells)
    numbers = to_numbers(known, style)
    broken, changed = known[numbers.isna()], not_held(known, numbers, style)
    if len(broken) == 0 and len(changed) == 0 and not has_leading_zeros(known):
        return _numeric(str(cells.name), known, numbers, apart)
    if len(broken) == len(known):
        why = f"words, {known.nunique():,} different"
    elif len(broken):
        why = f"{counted(broken)} {NO_NUMBER}"
    elif len(changed):
        why = f"{counted(changed)} {TOO_LONG}"
    else:
        why = "whole numbers with leading zeros, as codes have"
    if apart:
        return _Role("drop", f"{why}; almost all different: names, ids or free text?")
    return _Role("categorical", why)


def _numeric(name: str, known: pd.Series, numbers: pd.Series, apart: bool) -> _Role:
    whole = bool((numbers % 1 == 0).all())
    if apart and whole:
        steps = numbers.diff().dropna()
        if numbers.iloc[0] in (0, 1) and (steps == 1).all():
            return _Role("drop", "the numbers of the rows")
        if _ID_NAME.search(name):
            return _Role("drop", "an id by its name, and almost all different")
        return _Role("numeric", "whole numbers, almost all different; if an id, drop it")
    if (known == known.iloc[0]).all():
        return _Role("numeric", f"always {known.iloc[0][:40]!r}")
    if known.str.fullmatch(r"[+-]?[1-9]\d{0,2}(\.\d{3})+").all():
        return _Role("numeric", "three decimals each; if 1.000 is a thousand, write thousands")
    return _Role("numeric", "")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("csv", type=Path)
    parser.add_argument("target", help="the column to predict")
    parser.add_argument("positive", help="its value that means class 1")
    parser.add_argument("--separator", help="instead of the one that the header suggests")
    options = parser.parse_args()
    try:
        source = Source("local", (SourceFile(options.csv.name),), separator=options.separator)
        source = guess_source(options.csv, source)
        raw = read_raw(options.csv.parent, source)
        target = unicodedata.normalize("NFC", options.target.strip())
        made = draft(raw, target, unicodedata.normalize("NFC", options.positive.strip()))
    except TabBenchError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    read = {
        "file": options.csv.name if options.csv.suffix != ".csv" else None,
        "separator": source.separator,
        "encoding": source.encoding,
    }
    read = {key: value for key, value in read.items() if value is not None}
    sys.stdout.write(Draft({**read, **made.entry}, made.reasons).text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
