"""The completion test, beyond the paper: whether a model continues a row word for word.

The prompt has the header and the first half of a row. A row counts when all other cells are right;
the chance level draws each of them from its column.
"""

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tabbench.core.schemas.probe_completion import PROBE_COMPLETIONS
from tabbench.inference.engines.base import Decoding, Message, Text, TextRequest
from tabbench.inference.texts import AskTexts, read_text
from tabbench.probes.dataset import Probed, sampled_rows, written
from tabbench.probes.windows import chance, comparable, first_line

PROMPT = (
    'The dataset "{title}" as a CSV file, down to a row that breaks off. Give the rest of this row '
    "exactly as it stands in the dataset, and nothing else.\n\n{header}\n{start},"
)
MOST_TOKENS = 256


def _room(features: pd.DataFrame) -> int:
    """Return the most tokens: one for each letter of the longest row, up to a limit."""
    lengths = features.map(lambda value: len(written(value)) + 1).sum(axis=1)
    return min(MOST_TOKENS, int(lengths.max()))


def given_cells(columns: int) -> int:
    """Return the number of given cells of a row: half of them, rounded up where some are left."""
    return min((columns + 1) // 2, columns - 1)


def requests(dataset: Probed, rows: Iterable[int], plain: bool) -> list[TextRequest]:
    """Ask for the rest of each row; ``plain``: without a chat template."""
    decoding = Decoding(_room(dataset.features), stop=("\n",) if plain else ())
    header = _line(dataset.features.columns)
    made = []
    for row in rows:
        start = _line(_cells(dataset, row)[: given_cells(dataset.features.shape[1])])
        text = PROMPT.format(title=dataset.title, header=header, start=start)
        name = f"completion/{dataset.id}/{row}"
        made.append(TextRequest(name, (Message("user", text),), decoding, plain=plain))
    return made


def grade(dataset: Probed, rows: Sequence[int], texts: Sequence[Text]) -> list[dict[str, object]]:
    """Compare continued rows with the dataset's; see `complete`."""
    given = given_cells(dataset.features.shape[1])
    hidden = dataset.features.iloc[:, given:]
    made = []
    for row, text in zip(rows, texts, strict=True):
        cells = _cells(dataset, row)
        answers = _continued(text.text, cells[:given], hidden.shape[1])
        right = [_same(answer, truth) for answer, truth in zip(answers, cells[given:], strict=True)]
        chances = [_chance(column, column.loc[row]) for _, column in hidden.items()]
        made.append(
            {
                "dataset": dataset.id,
                "row_id": row,
                "cells": len(right),
                "right": sum(right),
                "verbatim": all(right),
                "chance": float(np.mean(chances)),
                "chance_verbatim": float(np.prod(chances)),
                "truth": _line(cells[given:]),
                "answer": text.text,
            }
        )
    return made


def complete(datasets: Iterable[Probed], ask: AskTexts, plain: bool, rows: int) -> pd.DataFrame:
    """Run the test on each dataset.

    Parameters
    ----------
    rows : rows to draw
    plain : whether the model is asked without a chat template

    Returns
    -------
    DataFrame with the columns of ``schemas.PROBE_COMPLETIONS``, the model left open; one row per
    row drawn
    """
    graded = []
    for dataset in datasets:
        drawn = sampled_rows(dataset.features, rows)
        texts = [read_text(one) for one in ask(requests(dataset, drawn, plain))]
        graded += grade(dataset, drawn, texts)
    return pd.DataFrame(graded, columns=PROBE_COMPLETIONS.names)


def _cells(dataset: Probed, row: int) -> list[str]:
    return [written(value) for value in dataset.features.loc[row]]


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _continued(answer: str, given: Sequence[str], wanted: int) -> list[str]:
    """Return the cells that an answer adds, whether or not it begins with the given ones."""
    line = first_line(answer).removeprefix(",")
    cells = next(csv.reader([line], skipinitialspace=True), [])
    if [comparable(cell) for cell in cells[: len(given)]] == [comparable(cell) for cell in given]:
        cells = cells[len(given) :]
    return [*cells, *[""] * wanted][:wanted]


def _same(answer: str, truth: str) -> bool:
    try:
        return float(answer) == float(truth)
    except ValueError:
        return comparable(answer) == comparable(truth)


def _chance(column: pd.Series, truth: object) -> float:
    if pd.isna(truth):  # type: ignore[call-overload]
        return float(column.isna().mean())
    return chance(column, truth, 0.0) * float(column.notna().mean())
