"""Write each row of a dataset as text, in every format."""

import pandas as pd

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.serialized import SERIALIZED
from tabbench.core.schemas.table import TABLE
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame

with job(snakemake.log[0]):
    table = read_table(snakemake.input.table, TABLE)
    features = table.drop(columns=["row_id", "y"])
    frames = []
    for name, serialization in SERIALIZATIONS.items():
        head, rows = serialize_frame(features, serialization)
        ids = [-1, *table["row_id"]]
        frames.append(pd.DataFrame({"serialization": name, "row_id": ids, "text": [head, *rows]}))
    write_table(pd.concat(frames), snakemake.output.serialized, SERIALIZED)
