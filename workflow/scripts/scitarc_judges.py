"""Make the table of agreement of SciTaRC's judges."""

from pathlib import Path

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.reporting.writer import write_table
from tabbench.scitarc.agreement import read_labels
from tabbench.scitarc.matcher_pairs import read_pairs
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.tables.judges import judges

with job(snakemake.log[0]):
    given = snakemake.input
    scores = read_table(given.scores, SCITARC_SCORES)
    table = judges(
        read_pairs(Path(given.pairs)),
        scores,
        read_table(given.second[0], SCITARC_SCORES) if given.second else None,
        read_labels(Path(given.labels[0]), scores["id"]) if given.labels else None,
        snakemake.params.models,
    )
    csv, md, tex = snakemake.output
    write_table(table, csv=csv, md=md, tex=tex)
