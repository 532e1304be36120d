"""Make the table of accuracies corrected for the judge's errors, from a person's labels."""

from pathlib import Path

from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.reporting.writer import write_table
from tabbench.scitarc.agreement import read_labels
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.tables.corrected import corrected

with job(snakemake.log[0]):
    scores = read_table(snakemake.input.scores, SCITARC_SCORES)
    labels = read_labels(Path(snakemake.input.labels[0]), scores["id"])
    csv, md, tex = snakemake.output
    write_table(corrected(scores, labels, snakemake.params.models), csv=csv, md=md, tex=tex)
