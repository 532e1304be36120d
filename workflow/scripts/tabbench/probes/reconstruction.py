"""The reconstruction test (section IV-A1): whether a model fills hidden cells of a dataset's rows.

The control is the same question about a copy whose columns are permuted independently. In the copy
the hidden cell keeps the value of the real row: both questions have the same answer, and the other
cells come from one row or from as many rows. So the answers are compared in pairs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd
from pandas.api.types import is_numeric_dtype

from tabbench.core.schemas.probe_reconstruction import PROBE_CELLS, PROBE_LIFTS
from tabbench.inference.engines.base import Decoding, Message, Text, TextRequest
from tabbench.inference.texts import AskTexts, read_text
from tabbench.probes.dataset import Probed, sampled_cells, shuffled, written
from tabbench.probes.windows import chance, is_right, read_value, window
from tabbench.statistics.lifts import lift_over_chance, lift_over_control

PROMPT = (
    'One value of a row of the dataset "{title}" is hidden and written "?". Give the hidden value '
    "as it stands in the dataset, and nothing else.\n\n{row}\n\n{column}:"
)
COPIES = ("real", "shuffled")
MAX_NEW_TOKENS = 24


@dataclass(frozen=True)
class Spot:
    """A hidden cell: of the real rows or of the ``shuffled`` copy."""

    copy: str
    row_id: int
    column: str


def spots(dataset: Probed, rows: int, cells: int) -> list[Spot]:
    """Draw the cells to hide; those of the copy follow those of the real rows."""
    drawn = sampled_cells(dataset.features, rows, cells)
    return [Spot(copy, *cell) for copy in COPIES for cell in drawn]


def requests(dataset: Probed, hidden: Iterable[Spot], plain: bool) -> list[TextRequest]:
    """Ask for the hidden values, one by one; ``plain``: without a chat template."""
    sources = {"real": dataset.features, "shuffled": shuffled(dataset.features)}
    decoding = Decoding(MAX_NEW_TOKENS, stop=("\n",) if plain else ())
    made = []
    for spot in hidden:
        row = "\n".join(
            f"{name}: {'?' if name == spot.column else written(value)}"
            for name, value in sources[spot.copy].loc[spot.row_id].items()
        )
        text = PROMPT.format(title=dataset.title, row=row, column=spot.column)
        name = f"reconstruction/{dataset.id}/{spot.copy}/{spot.row_id}-{spot.column}"
        made.append(TextRequest(name, (Message("user", text),), decoding, plain=plain))
    return made


def grade(
    dataset: Probed, hidden: Sequence[Spot], texts: Sequence[Text]
) -> list[dict[str, object]]:
    """Compare answers with the hidden values; see `reconstruct`."""
    widths = {name: window(column) for name, column in dataset.features.items()}
    rows = []
    for spot, text in zip(hidden, texts, strict=True):
        column = dataset.features[spot.column]
        truth, width = column.loc[spot.row_id], widths[spot.column]
        value = read_value(text.text, spot.column, column)
        rows.append(
            {
                "dataset": dataset.id,
                "copy": spot.copy,
                "row_id": spot.row_id,
                "column": spot.column,
                "truth": written(truth),
                "answer": text.text,
                "value": value or "",
                "valid": value is not None,
                "window": width,
                "correct": is_right(value, truth, width, is_numeric_dtype(column)),
                "chance": chance(column, truth, width),
            }
        )
    return rows


def summarize(cells: pd.DataFrame) -> pd.DataFrame:
    """Reduce graded cells to both lifts of each dataset.

    Parameters
    ----------
    cells : DataFrame as `reconstruct` returns it

    Returns
    -------
    DataFrame with the columns of ``schemas.PROBE_LIFTS``, the model left open; one row per dataset
    """
    rows = []
    for name, group in cells.groupby("dataset", sort=False):
        real, control = (group[group["copy"] == copy] for copy in COPIES)
        lifts = {
            "random": lift_over_chance(real["correct"], real["chance"]),
            "shuffled": lift_over_control(real["correct"], control["correct"]),
        }
        numbers = {
            f"{key}_{against}": value
            for against, lift in lifts.items()
            for key, value in (
                ("lift", lift.estimate),
                ("low", lift.low),
                ("high", lift.high),
                ("p", lift.p),
            )
        }
        rows.append(
            {
                "dataset": name,
                "n": len(real),
                "rows": real["row_id"].nunique(),
                "invalid": int((~real["valid"]).sum()),
                "invalid_shuffled": int((~control["valid"]).sum()),
                "accuracy": real["correct"].mean(),
                "random": real["chance"].mean(),
                "shuffled": control["correct"].mean(),
                **numbers,
            }
        )
    return pd.DataFrame(rows, columns=PROBE_LIFTS.names)


def reconstruct(
    datasets: Iterable[Probed], ask: AskTexts, plain: bool, rows: int, cells: int
) -> pd.DataFrame:
    """Run the test on each dataset.

    Parameters
    ----------
    rows, cells : rows to draw, and cells to hide in them, one per question
    plain : whether the model is asked without a chat template

    Returns
    -------
    DataFrame with the columns of ``schemas.PROBE_CELLS``, the model left open; one row per cell
    """
    graded = []
    for dataset in datasets:
        hidden = spots(dataset, rows, cells)
        texts = [read_text(one) for one in ask(requests(dataset, hidden, plain))]
        graded += grade(dataset, hidden, texts)
    return pd.DataFrame(graded, columns=PROBE_CELLS.names)
