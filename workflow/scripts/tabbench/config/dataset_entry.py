"""What a dataset's YAML says (resources/datasets/, config/own/)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabbench.core.errors import TabBenchError

REST = "*"
"""As a feature's name: every column without another role."""
OPENML_FILES = ({"path": "openml.csv"},)
"""A source without files is a data set of OpenML, written as this one."""
ALL = "all"
"""As ``target.others``: every other value means class 0. As ``sample``: every row is used."""


N_SPLITS = 3
"""Folds of the paper's split, one of which is for the test; a class needs as many rows."""


@dataclass(frozen=True)
class SourceFile:
    """A file's path in the mirror or package, its sha256 (None: not known), where to fetch it."""

    path: str
    sha256: str | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        return Path(self.path).name


@dataclass(frozen=True)
class Source:
    """Where raw files come from and how they are read; see ``dataset.schema.yaml``."""

    kind: str
    files: tuple[SourceFile, ...]
    format: str = "csv"
    package: str | None = None
    id: int | None = None
    slug: str | None = None
    separator: str | None = None
    encoding: str | None = None
    header: bool = True
    columns: tuple[str, ...] = ()
    rename: Mapping[str, str] | None = None
    values: Mapping[str, Mapping[str, str]] | None = None
    replace: Mapping[str, Mapping[str, str]] | None = None
    stand_in: str | None = None

    @property
    def label(self) -> str:
        """Name of the source in messages and tables."""
        what = self.package or self.id or self.slug
        return f"{self.kind} {what}" if what else self.kind


@dataclass(frozen=True)
class TaskText:
    """The four parts of the paper's Prompt 1 (section C-A)."""

    entity: str
    task: str
    negative: str
    positive: str


@dataclass(frozen=True)
class RowFilter:
    """Which rows stay: those whose cell is in ``keep``, not in ``drop``, or ``between`` two
    numbers (both included); ``complete`` are the columns that must not be missing, () for all.
    """

    column: str | None = None
    keep: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    between: tuple[float, float] | None = None
    complete: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Derived:
    """A column that is 1 where another one is among ``equals``, ``at_least`` a number or
    ``more_than`` a number, else 0.
    """

    column: str
    equals: tuple[str, ...] = ()
    at_least: float | None = None
    more_than: float | None = None


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written: the decimal mark, and what stands between groups of three digits."""

    decimal: str = "."
    thousands: str | None = None

    def __str__(self) -> str:
        marks = {"decimal": self.decimal, "thousands": self.thousands}
        return ", ".join(f'{key}: "{mark}"' for key, mark in marks.items() if mark is not None)


@dataclass(frozen=True)
class GivenSplit:
    """A column that says which rows are for training and which for the test.

    Without ``train`` or ``test`` a cell means what it says, in whatever case: `TRAIN`, `TEST`.
    """

    column: str
    train: tuple[str, ...] = ()
    test: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """What determines a dataset's table; its display and its prompts are defined elsewhere."""

    id: str
    sources: tuple[Source, ...]
    target: str
    positive: tuple[str, ...]
    others: tuple[str, ...]
    features: Mapping[str, str]
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?")
    numbers: NumberStyle = NumberStyle()
    rows: tuple[RowFilter, ...] = ()
    derive: Mapping[str, Derived] | None = None
    transform: str | None = None
    sample: int | str | None = None
    split: GivenSplit | None = None
    groups: str | None = None

    @property
    def row_columns(self) -> tuple[str, ...]:
        """Columns that say on which side of the split a row is; they are no features."""
        given = (self.split.column if self.split else None, self.groups)
        return tuple(name for name in given if name is not None)


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def parse_sources(entries: Sequence[Mapping[str, Any]]) -> tuple[Source, ...]:
    """Turn the validated ``sources`` of an entry into records."""
    return tuple(
        Source(
            **{
                **source,
                "files": tuple(SourceFile(**file) for file in source.get("files", OPENML_FILES)),
                "columns": tuple(source.get("columns", ())),
            }
        )
        for source in entries
    )


def _row_filter(entry: Mapping[str, Any]) -> RowFilter:
    if "drop_missing" in entry:
        columns = entry["drop_missing"]
        return RowFilter(complete=() if columns is True else tuple(columns))
    return RowFilter(
        column=entry["column"],
        keep=_texts(entry["keep"]) if "keep" in entry else None,
        drop=_texts(entry.get("drop", [])),
        between=tuple(entry["between"]) if "between" in entry else None,
    )


def _given_split(entry: Mapping[str, Any]) -> GivenSplit:
    return GivenSplit(
        entry["column"], _texts(entry.get("train", [])), _texts(entry.get("test", []))
    )


def parse_dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Turn a validated mapping into a Dataset.

    Raises
    ------
    TabBenchError
        When a column is feature, target, dropped, or of the split or groups at the same time, or
        one character is both decimal mark and thousands separator.
    """
    target = entry["target"]
    features = entry.get("features", {REST: "detect"})
    split = _given_split(entry["split"]) if "split" in entry else None
    groups = entry.get("groups")
    sides = [column for column in (split.column if split else None, groups) if column is not None]
    columns = [*features, *entry.get("drop", ()), target["column"], *sides]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise TabBenchError(
            f"dataset '{name}': column(s) {twice} have more than one role; a column is a feature, "
            f"dropped, the target, or that of split or groups"
        )
    numbers = NumberStyle(entry.get("decimal", "."), entry.get("thousands"))
    if numbers.decimal == numbers.thousands:
        raise TabBenchError(
            f"dataset '{name}': decimal and thousands are both '{numbers.decimal}'; with a comma "
            f"between thousands leave decimal out, with a point name the decimal comma"
        )
    derive = {
        column: Derived(
            rule["column"],
            _texts(rule.get("equals", [])),
            at_least=rule.get("at_least"),
            more_than=rule.get("more_than"),
        )
        for column, rule in entry.get("derive", {}).items()
    }
    return Dataset(
        id=name,
        sources=parse_sources(entry["sources"]),
        target=target["column"],
        positive=_texts(target["positive"]),
        others=_texts(target.get("others", [])),
        features=dict(features),
        drop=tuple(entry.get("drop", ())),
        missing=tuple(entry.get("missing", ("", "?"))),
        numbers=numbers,
        rows=tuple(map(_row_filter, entry.get("rows", ()))),
        derive=derive,
        transform=entry.get("transform"),
        sample=entry.get("sample"),
        split=split,
        groups=groups,
    )
