"""Entries of the dataset and model registries: one YAML file each, read into typed records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabbench.errors import TabBenchError, closest
from tabbench.validation import load_yaml, validate


@dataclass(frozen=True)
class SourceFile:
    """A file's path inside its source and its sha256 (64 hex digits)."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Source:
    """Where raw files come from and how they are read; see ``dataset.schema.yaml``."""

    kind: str
    files: tuple[SourceFile, ...]
    format: str
    package: str | None = None
    separator: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    rename: Mapping[str, str] | None = None
    values: Mapping[str, Mapping[str, str | float]] | None = None


@dataclass(frozen=True)
class TaskText:
    """The four parts of the paper's Prompt 1 (section C-A)."""

    entity: str
    task: str
    negative: str
    positive: str


@dataclass(frozen=True)
class Dataset:
    """What makes a dataset's table; how it is shown and asked about stands elsewhere."""

    id: str
    sources: tuple[Source, ...]
    target: str
    positive: str
    others: tuple[str, ...]
    features: Mapping[str, str]
    drop: tuple[str, ...]
    missing: tuple[str, ...]


def parse_sources(entries: Sequence[Mapping[str, Any]]) -> tuple[Source, ...]:
    """Turn the validated ``sources`` of an entry into records."""
    return tuple(
        Source(
            kind=source["kind"],
            files=tuple(SourceFile(**file) for file in source["files"]),
            format=source["format"],
            package=source.get("package"),
            separator=source.get("separator", ","),
            header=source.get("header", True),
            columns=tuple(source.get("columns", ())),
            rename=source.get("rename"),
            values=source.get("values"),
        )
        for source in entries
    )


def parse_dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Turn a validated mapping into a Dataset.

    Raises
    ------
    TabBenchError
        When a column is feature, target or dropped at the same time.
    """
    target = entry["target"]
    columns = [*entry["features"], *entry.get("drop", ()), target["column"]]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise TabBenchError(f"dataset '{name}': column(s) {twice} have more than one role")
    return Dataset(
        id=name,
        sources=parse_sources(entry["sources"]),
        target=target["column"],
        positive=str(target["positive"]),
        others=tuple(str(value) for value in target.get("others", ())),
        features=dict(entry["features"]),
        drop=tuple(entry.get("drop", ())),
        missing=tuple(entry.get("missing", ("", "?"))),
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
    )


def load_entries(
    folder: Path, names: list[str], schema: Mapping[str, Any], kind: str
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
