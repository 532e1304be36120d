"""Every prompt regime in every text format, without and with examples, of a made-up table.

Run as a script, it writes `golden_prompts.txt` anew. Read the difference before committing it: an
unmeant one is a fault in every prompt.
"""

from pathlib import Path

import pandas as pd

from tabbench.config.dataset_entry import TaskText
from tabbench.core.cells import Variant
from tabbench.prompts.prompts import DatasetFiles, build
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame

GOLDEN = Path(__file__).with_name("golden_prompts.txt")
REGIMES = ("context_free", "contextual", "rules", "knowledge")
TASK = TaskText("a bicycle", "whether the bicycle is returned late", "in time", "late")
RULES = "A bicycle with more than 2 gears is returned late, unless the station is 'Quay'."
TABLE = pd.DataFrame(
    {
        "row_id": range(5),
        "y": [0, 1, 1, 0, 1],
        "gears": [1.0, 3.0, float("nan"), 2.5, 7.0],
        "station name": ["Quay", "A|B & <C>", "R&D <east>", None, "Mill, old"],
    }
)
SPLIT = pd.DataFrame(
    {
        "row_id": [0, 1, 2, 4, 3],
        "part": ["train", "train", "train", "test", "test"],
        "position": [0, 1, 2, 1, 0],
    }
)
SHOTS = pd.DataFrame(
    {
        "k": 2,
        "seed": [7, 7, 8, 8],
        "position": [0, 1, 1, 0],
        "row_id": [0, 2, 0, 1],
    }
)


def files(k: int) -> DatasetFiles:
    """Return the frames of the table; draws, like the split, are not in the order of positions."""
    parts = []
    for name, serialization in SERIALIZATIONS.items():
        head, rows = serialize_frame(TABLE.drop(columns=["row_id", "y"]), serialization)
        text = {"serialization": name, "row_id": [-1, *TABLE["row_id"]], "text": [head, *rows]}
        parts.append(pd.DataFrame(text))
    shots = SHOTS if k else None
    return DatasetFiles(TABLE, SPLIT, pd.concat(parts, ignore_index=True), shots, None, RULES)


def prompts(k: int, seed: int) -> pd.DataFrame:
    """Return the prompts of every regime and format, with the columns of ``schemas.PROMPTS``."""
    variants = [Variant("forward", regime, name) for regime in REGIMES for name in SERIALIZATIONS]
    return build("bicycles", k, [seed], variants, TASK, files(k))


def golden() -> str:
    """Return the first prompt of every regime, format and k as one text."""
    texts = []
    for k, seed in ((0, 0), (2, 8)):
        for cell, part in prompts(k, seed).groupby(["prompt", "serialization"], sort=False):
            first = part.iloc[0]
            texts.append(
                f"##### {cell[0]}, {cell[1]}, k = {k} (label: {first['y_true']})\n"
                f"[system] {first['system']}\n{first['prefix']}{first['query']}¶\n"
            )
    return "\n".join(texts)


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
