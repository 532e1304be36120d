"""Score every cell of the given predictions."""

from pathlib import Path

import pandas as pd

from tabbench.metrics import score_cells
from tabbench.schemas import PREDICTIONS, SCORES, SPLIT, read_table, write_table
from tabbench.script import job

with job(snakemake.log[0]):
    facts = pd.DataFrame.from_dict(
        snakemake.params.facts, orient="index", columns=["suite", "domain"]
    )
    parts = {
        Path(path).parent.name: read_table(path, SPLIT)["part"] for path in snakemake.input.splits
    }
    facts["test_rows"] = {name: int((part != "train").sum()) for name, part in parts.items()}
    facts["capped"] = {name: bool((part == "unused").any()) for name, part in parts.items()}
    # A cell stands in one file, so files are scored one by one.
    cells = [score_cells(read_table(path, PREDICTIONS)) for path in snakemake.input.predictions]
    scores = pd.concat(cells).merge(facts, left_on="dataset", right_index=True)
    write_table(scores, snakemake.output.scores, SCORES)
