"""LLM-written tables that were released with the paper, as sources of the LLM-synthetic suite."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabbench.core.errors import TabBenchError, closest

DOWNLOAD = "download"
"""In the place of a folder: fetch the tables from the released repository."""
REPOSITORY = "https://github.com/sb-ai-lab/llm4tab/raw"
FOLDER = "datasets/llm_synt_datasets"
ROW_NUMBER = "Unnamed: 0"
"""Name that the unnamed first column of every table is read under."""


class Author(NamedTuple):
    """Who wrote a generator's tables: the model's name and its family in the registry."""

    title: str
    family: str


AUTHORS = {
    "qwen": Author("Qwen3-14B", "qwen3"),
    "gpt": Author("GPT-4o-mini", "gpt4o"),
    "deepseek": Author("DeepSeek", "deepseek"),
    "gemma": Author("Gemma", "gemma"),
}
"""By the generator's name in the files."""


class Released(NamedTuple):
    """A released table: the commit that holds it, and a column that only tells rows apart."""

    commit: str
    identifier: str


def read_released(path: Path) -> dict[tuple[str, str], Released]:
    """Return the released tables by dataset and generator."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["dataset"], row["generator"]): Released(row["commit"], row["identifier"])
            for row in csv.DictReader(file)
        }


def released_generators(synthetic: Mapping[str, Any]) -> dict[str, str]:
    """Return the generators whose released tables are used, with the folder or `DOWNLOAD`.

    Parameters
    ----------
    synthetic : the configuration's ``llm_synthetic``

    Raises
    ------
    TabBenchError
        When such a generator has no released tables.
    """
    found = {
        name: settings["released"]
        for name, settings in synthetic.get("generators", {}).items()
        if "released" in settings
    }
    for name in found:
        if name not in AUTHORS:
            raise TabBenchError(
                f"configuration: llm_synthetic.generators.{name} is to use released tables, but "
                f"there are none of that name: {closest(name, AUTHORS)}"
            )
    return found


def missing(
    datasets: Sequence[str], generator: str, tables: Mapping[tuple[str, str], Released]
) -> list[str]:
    """Return the datasets of which no table of a generator was released."""
    return [name for name in datasets if (name, generator) not in tables]


def released_entry(dataset: str, generator: str, place: str, table: Released) -> dict[str, Any]:
    """Return the entry of a released table, as `dataset_entry.parse_dataset` reads it.

    Parameters
    ----------
    place : folder that holds the file, or `DOWNLOAD`
    """
    name = f"{dataset}_ls_{generator}.csv"
    if place == DOWNLOAD:
        url = f"{REPOSITORY}/{table.commit}/{FOLDER}/{name}"
        source = {"kind": "url", "files": [{"path": f"{FOLDER}/{name}", "url": url}]}
    else:
        source = {"kind": "local", "files": [{"path": str(Path(place) / name)}]}
    return {
        "sources": [source],
        "target": {"column": "label", "positive": "1"},
        "drop": [ROW_NUMBER, *([table.identifier] if table.identifier else [])],
    }
