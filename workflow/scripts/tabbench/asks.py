"""From the files of a dataset to the requests of its cells; infer and predict share this."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tabbench.cells import Cell, Variant
from tabbench.engines.base import Mode, Request
from tabbench.prompts import build, instruction
from tabbench.registry import TaskText
from tabbench.schemas import SERIALIZED, SHOTS, SPLIT, TABLE, read_table


@dataclass(frozen=True)
class Ask:
    """One row of one cell, and the request that asks it."""

    cell: Cell
    row_id: int
    request: Request


@dataclass(frozen=True)
class DatasetFiles:
    """The frames of one dataset (``schemas.TABLE``, ``SPLIT``, ``SERIALIZED``, ``SHOTS``).

    ``shots`` is None at k = 0, ``rules`` (the text block of the knowledge prompt) None for all but
    the LLM-synthetic suite.
    """

    table: pd.DataFrame
    split: pd.DataFrame
    serialized: pd.DataFrame
    shots: pd.DataFrame | None
    rules: str | None = None

    @property
    def labels(self) -> dict[int, int]:
        """Row id to label."""
        return dict(zip(self.table["row_id"], self.table["y"], strict=True))


def read_files(paths: Sequence[str | Path]) -> DatasetFiles:
    """Read a dataset's files, in the order table, split, serialized and, where there are, shots.

    A text file among them holds the decision rules.
    """
    texts = [Path(path) for path in paths if Path(path).suffix == ".txt"]
    tables = [path for path in paths if Path(path) not in texts]
    schemas = (TABLE, SPLIT, SERIALIZED, SHOTS)
    frames = [read_table(path, schema) for path, schema in zip(tables, schemas, strict=False)]
    table, split, serialized, *shots = frames
    rules = texts[0].read_text(encoding="utf-8") if texts else None
    return DatasetFiles(table, split, serialized, shots[0] if shots else None, rules)


def requests_of(
    dataset: str,
    model: str,
    k: int,
    seeds: Sequence[int],
    variants: Iterable[Variant],
    task: TaskText | None,
    files: DatasetFiles,
) -> list[Ask]:
    """All requests of a dataset at k. Requests with the same prefix stand together.

    The order of the rows is that of the split's positions, so that a larger cap on test rows
    adds requests at the end of each group.
    """
    labels = files.labels
    test = files.split[files.split["part"] == "test"].sort_values("position")["row_id"].tolist()
    modes: dict[tuple[str, str], list[str]] = {}
    for mode, prompt, serialization in variants:
        modes.setdefault((prompt, serialization), []).append(mode)
    asks = []
    for (prompt, serialization), asked_modes in modes.items():
        chosen = files.serialized[files.serialized["serialization"] == serialization]
        rows = dict(zip(chosen["row_id"], chosen["text"], strict=True))
        text = instruction(prompt, task, files.rules)
        for seed in seeds:
            prompts = build(text, serialization, rows, labels, _examples(files.shots, seed), test)
            for mode in asked_modes:
                cell = Cell(dataset, model, mode, prompt, serialization, k, seed)
                asks += [
                    Ask(cell, row, Request(_mode(mode), prompt_))
                    for row, prompt_ in zip(test, prompts, strict=True)
                ]
    return asks


def _examples(shots: pd.DataFrame | None, seed: int) -> list[int]:
    if shots is None:
        return []
    return shots[shots["seed"] == seed].sort_values("position")["row_id"].tolist()


def _mode(name: str) -> Mode:
    return "forward" if name == "forward" else "generation"
