"""Entries of the dataset and model registries: one YAML file each, read into typed records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabbench.endpoints import (
    Endpoint,
    Limits,
    Prices,
    parse_endpoint,
    parse_limits,
    parse_prices,
)
from tabbench.errors import TabBenchError, closest
from tabbench.validation import load_yaml, validate

REST = "*"
"""As a feature's name: every column that is not named elsewhere."""

OPENML_FILES = ({"path": "openml.csv"},)
"""A source without files is a data set of OpenML, written as this one."""

ALL = "all"
"""As ``target.others``: every other value means class 0."""


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
    separator: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    rename: Mapping[str, str] | None = None
    values: Mapping[str, Mapping[str, str | float]] | None = None
    replace: Mapping[str, Mapping[str, str | float]] | None = None
    stand_in: str | None = None

    @property
    def label(self) -> str:
        """What the source is called in messages and tables."""
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
    """A column that is 1 where another one is among ``equals`` or ``at_least`` a number, else 0."""

    column: str
    equals: tuple[str, ...] = ()
    at_least: float | None = None


@dataclass(frozen=True)
class Dataset:
    """What makes a dataset's table; how it is shown and asked about stands elsewhere."""

    id: str
    sources: tuple[Source, ...]
    target: str
    positive: tuple[str, ...]
    others: tuple[str, ...]
    features: Mapping[str, str]
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?")
    rows: tuple[RowFilter, ...] = ()
    derive: Mapping[str, Derived] | None = None
    transform: str | None = None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value if isinstance(value, list) else [value]))


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


def parse_dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Turn a validated mapping into a Dataset.

    Raises
    ------
    TabBenchError
        When a column is feature, target or dropped at the same time.
    """
    target = entry["target"]
    features = entry.get("features", {REST: "detect"})
    columns = [*features, *entry.get("drop", ()), target["column"]]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise TabBenchError(f"dataset '{name}': column(s) {twice} have more than one role")
    derive = {
        column: Derived(
            rule["column"], _texts(rule.get("equals", [])), at_least=rule.get("at_least")
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
        rows=tuple(map(_row_filter, entry.get("rows", ()))),
        derive=derive,
        transform=entry.get("transform"),
    )


@dataclass(frozen=True)
class Model:
    """What makes a language model's answers; how it is shown stands elsewhere."""

    id: str
    engine: str
    weights: Mapping[str, str]
    style: str
    dtype: str
    template_args: Mapping[str, Any]
    system_role: bool
    context_length: int | None
    max_new_tokens: int
    stop: tuple[str, ...]
    server: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    endpoint: Endpoint | None = None
    limits: Limits = field(default_factory=Limits)
    prices: Prices | None = None


def parse_model(name: str, entry: Mapping[str, Any]) -> Model:
    """Turn a validated mapping into a Model."""
    generation = entry.get("generation", {})
    return Model(
        id=name,
        engine=entry["engine"],
        weights=entry["weights"],
        style=entry["style"],
        dtype=entry["dtype"],
        template_args=entry.get("template_args", {}),
        system_role=entry.get("system_role", True),
        context_length=entry.get("context_length"),
        max_new_tokens=generation.get("max_new_tokens", 8),
        stop=tuple(generation.get("stop", ())),
        server=entry.get("server"),
        request=entry.get("request", {}),
        endpoint=parse_endpoint(entry),
        limits=parse_limits(entry),
        prices=parse_prices(entry),
    )


def load_entries(
    folder: Path, names: Sequence[str], schema: Mapping[str, Any], kind: str
) -> dict[str, dict[str, Any]]:
    """Read and validate the entries ``names`` of a registry folder, as plain mappings.

    Raises
    ------
    TabBenchError
        When a name has no file (with the closest valid name) or a file breaks the schema.
    """
    available = {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    entries = {}
    for name in names:
        if name not in available:
            raise TabBenchError(f"unknown {kind} '{name}': {closest(name, available)}")
        entries[name] = load_yaml(available[name])
        validate(entries[name], schema, str(available[name]))
    return entries
