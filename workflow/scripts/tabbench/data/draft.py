"""Draft the YAML of a user dataset from its csv, for the user to read and correct.

    ./tabbench draft loans.csv defaulted yes

Guesses encoding, separator, the way numbers are written, the types of the columns, the spellings of
missing values, ids, likely leaks, persons whose rows belong together, a given split, and how many
labels the training rows allow; comments say why.
"""

import argparse
import os
import re
import sys
import textwrap
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from tabbench.config.dataset_entry import N_SPLITS, REST, NumberStyle, Source, SourceFile
from tabbench.core.errors import TabBenchError, closest
from tabbench.core.schemas.table import is_reserved
from tabbench.data.audit import LEAK, NEAR_UNIQUE, single_auc
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
from tabbench.data.own_rows import SAID
from tabbench.data.personal import personal_columns, words
from tabbench.data.prepare import SUBSAMPLE_ABOVE, SUBSAMPLE_TO
from tabbench.data.readers import read_raw

NAME = r"\W+"
"""What a dataset's name, made from its file's, has an underscore for."""
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
    """The content of a user dataset's YAML, with reasons by column and comments by key."""

    entry: dict[str, Any]
    reasons: Mapping[str, str]
    comments: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The YAML with the reasons as comments."""
        blocks = []
        for key, value in self.entry.items():
            if key in self.comments:
                blocks.append(textwrap.indent(textwrap.fill(self.comments[key], 96), "# ") + "\n")
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
    y = (labels == positive).to_numpy()
    sides = _sides(columns, y, missing, sizes)
    personal = personal_columns(raw)
    roles = {
        str(name): _told(_role(columns[name], style, missing), personal.get(str(name)))
        for name in columns
        if name not in sides.columns
    }
    known = (~unknown).to_numpy()
    for name in [name for name, role in roles.items() if role.kind != "drop"]:
        auc = _alone(columns.loc[known, name], y[known], roles[name].kind, style, missing)
        roles[name] = _suspected(roles[name], auc)
    kept = {name: role.kind for name, role in roles.items() if role.kind != "drop"}
    if not kept:
        raise TabBenchError(
            f"no column but '{target}' looks like a feature: "
            + "; ".join(f"'{name}': {role.why}" for name, role in roles.items())
        )
    rename = {name: _free(name, raw.columns) for name in kept if name == REST or is_reserved(name)}
    entry: dict[str, Any] = {}
    comments = dict(sides.comments)
    if style != POINT:
        marks = {"decimal": style.decimal, "thousands": style.thousands}
        entry |= {key: mark for key, mark in marks.items() if mark not in (None, ".")}
        entry |= {"thousands": "."} if style.thousands == "." else {}
    if rename:
        entry["rename"] = rename
    entry["target"] = {"column": target, "positive": positive}
    if len(others) > 1:
        entry["target"]["others"] = others
        counts = labels.value_counts()
        comments["target"] = (
            "Class 0 consists of "
            + ", ".join(f"{value!r} ({counts[value]:,} rows)" for value in others[:10])
            + f"; to leave rows out instead: rows: [{{column: {target!r}, drop: [..]}}]"
        )
    if unknown.any():
        entry["rows"] = [{"column": target, "drop": sorted(labels[unknown].unique())}]
        comments["rows"] = f"{int(unknown.sum()):,} row(s) have no label."
    entry |= sides.keys
    total = sum(sizes.values())
    if total > SUBSAMPLE_ABOVE:
        entry["sample"] = SUBSAMPLE_TO
        comments["sample"] = f"Rows drawn of the file's {total:,}; all uses every one."
    entry |= {
        "features": {rename.get(name, name): kind for name, kind in kept.items()},
        "drop": [name for name in roles if name not in kept],
        "missing": missing or [""],
        "max_shots": _allowed(sizes, sides),
        "task": _task(target, positive, others),
    }
    comments["max_shots"] = (
        "Largest number of labelled examples that the training rows allow, half of each class."
    )
    comments["task"] = (
        "What the model is told. Improve it: entity is what a row is, such as a loan applicant; "
        "docs/howto/own_dataset.md has the whole sentence."
    )
    reasons = {rename.get(name, name): role.why for name, role in roles.items()}
    return Draft(entry, reasons, comments)


@dataclass(frozen=True)
class _Sides:
    """Keys that say on which side of the split rows are, with comments, and their columns.

    ``training`` are the training rows of classes 0 and 1, or None where the split is to be made.
    """

    keys: Mapping[str, Any] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    training: tuple[int, int] | None = None


def _sides(
    columns: pd.DataFrame, y: np.ndarray, missing: list[str], sizes: Mapping[int, int]
) -> _Sides:
    """A column that says train or test; else one of ids of which most have several rows."""
    for name in map(str, columns):
        said = columns[name].str.casefold().map(SAID)
        in_train = (said == "train").to_numpy()
        training = (int((in_train & ~y).sum()), int((in_train & y).sum()))
        apart = all(0 < training[label] < sizes[label] for label in (0, 1))
        if said.notna().all() and apart:
            why = f"The cells of {name!r} say train or test; without this key a split is made."
            return _Sides({"split": {"column": name}}, {"split": why}, (name,), training)
    for name in map(str, columns):
        cells = columns[name]
        different = cells.nunique()
        repeated = len(cells) / 20 < different < NEAR_UNIQUE * len(cells)
        parts = words(name)
        if (
            not parts
            or parts[-1] not in ("id", "uuid")
            or not repeated
            or cells.isin(missing).any()
        ):
            continue
        if min(cells[y].nunique(), cells[~y].nunique()) >= N_SPLITS:
            why = (
                f"An id by its name, with {different:,} values in {len(cells):,} rows: rows of one "
                f"value stay on one side of the split. If it is no person or thing that comes "
                f"back, drop it."
            )
            return _Sides({"groups": name}, {"groups": why}, (name,))
    return _Sides()


def _allowed(sizes: Mapping[int, int], sides: _Sides) -> int:
    """The largest number of labelled examples, of which half are of each class."""
    if sides.training is not None:
        fewest = min(sides.training)
    else:
        # Two thirds of the rows are for training; whole groups may leave fewer of a class.
        fewest = min(sizes.values()) // 2 if sides.columns else min(sizes.values()) * 2 // 3
    total = sum(sizes.values())
    if total > SUBSAMPLE_ABOVE:
        fewest = fewest * SUBSAMPLE_TO // total
    return 2 * fewest


def _task(target: str, positive: str, others: list[str]) -> dict[str, str]:
    """A task text from the names in the file, which is true and says little."""
    negative = f"{others[0]}" if len(others) == 1 else f"not {positive}"
    return {
        "entity": "",
        "task": f"whether {target} is {positive}",
        "negative": f"{target} is {negative}",
        "positive": f"{target} is {positive}",
    }


def _told(role: _Role, personal: str | None) -> _Role:
    if personal is None:
        return role
    return _Role(role.kind, "; ".join(filter(None, (role.why, f"looks personal: {personal}"))))


def _alone(
    cells: pd.Series, y: np.ndarray, kind: str, style: NumberStyle, missing: list[str]
) -> float:
    """ROC-AUC of a column alone, as the audit has it; NaN where that is not defined."""
    known = cells.mask(cells.isin(missing))
    if kind == "numeric":
        known = to_numbers(known.dropna(), style).reindex(cells.index)
    in_train = np.random.default_rng(0).permutation(len(y)) % N_SPLITS != 0
    return single_auc(known, y.astype("int64"), in_train)


def _suspected(role: _Role, auc: float) -> _Role:
    """Say of a column that nearly gives the label away how well it does, and ask when it is known.

    It stays a feature: a good one looks the same.
    """
    if not auc > LEAK:
        return role
    known = "if it is known only afterwards, drop it"
    found = f"separates the classes by itself (ROC-AUC {auc:.3f}): {known}"
    return _Role(role.kind, "; ".join(filter(None, (role.why, found))))


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


def _made(csv: Path, target: str, positive: str, separator: str | None) -> Draft:
    source = Source("local", (SourceFile(csv.name),), separator=separator)
    source = guess_source(csv, source)
    raw = read_raw(csv.parent, source)
    texts = (unicodedata.normalize("NFC", text.strip()) for text in (target, positive))
    made = draft(raw, *texts)
    read = {"separator": source.separator, "encoding": source.encoding}
    read = {key: value for key, value in read.items() if value is not None}
    return Draft({**read, **made.entry}, made.reasons, made.comments)


def _place(csv: Path, folder: Path, name: str) -> Path:
    """The csv in the folder of user datasets: a link to it where it lies elsewhere."""
    if csv.resolve().is_relative_to(folder.resolve()):
        return csv.resolve().relative_to(folder.resolve())
    link = folder / f"{name}{csv.suffix}"
    if not (link.exists() and link.samefile(csv)):
        if os.path.lexists(link):
            raise TabBenchError(f"{link} exists and is a different file; choose another --name")
        link.symlink_to(csv.resolve())
    return Path(link.name)


def write_draft(
    csv: Path, target: str, positive: str, name: str, folder: Path, separator: str | None = None
) -> Path:
    """Write ``<name>.yaml`` into the folder of user datasets, and a link to the csv next to it.

    Raises
    ------
    TabBenchError
        When there is such a file already, the name cannot be part of a path, or nothing can be
        drafted.
    """
    path = folder / f"{name}.yaml"
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        raise TabBenchError(
            f"'{name}' is not a valid name; use only letters, digits and _: choose a --name"
        )
    if path.exists():
        raise TabBenchError(f"{path} exists and is not overwritten; delete it or choose a --name")
    made = _made(csv, target, positive, separator)
    folder.mkdir(parents=True, exist_ok=True)
    placed = _place(csv, folder, name)
    file = {} if placed == Path(f"{name}.csv") else {"file": str(placed)}
    text = Draft({**file, **made.entry}, made.reasons, made.comments).text()
    with path.open("x", encoding="utf-8") as out:
        out.write(text)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./tabbench draft", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("csv", type=Path)
    parser.add_argument("target", help="column to predict")
    parser.add_argument("positive", help="value of the target column that is class 1")
    parser.add_argument("--name", help="name of the dataset (default: the file's)")
    parser.add_argument(
        "--separator", help="separator of the file (default: guessed from the header)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("config/own"),
        help="folder of user datasets (config/own)",
    )
    options = parser.parse_args()
    name = options.name or re.sub(NAME, "_", options.csv.stem, flags=re.ASCII)
    given = (options.csv, options.target, options.positive)
    try:
        path = write_draft(*given, name, options.folder, options.separator)
    except TabBenchError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print(
        f"Wrote {os.path.relpath(path)}: its comments give the reason for each column's "
        f"role.\nThen: snakemake --cores all results/own/{name}/index.html"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
