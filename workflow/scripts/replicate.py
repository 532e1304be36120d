"""Fit a released baseline on a dataset as it was fitted there, draw by draw."""

from tabbench.baselines.released import replicate
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.released import RELEASED
from tabbench.core.schemas.replication import REPLICATED, REPLICATION
from tabbench.core.schemas.table import TABLE
from tabbench.data.split import split
from tabbench.statistics.roc_auc import fold

with job(snakemake.log[0]):
    name = snakemake.wildcards.dataset
    table = read_table(snakemake.input.table, TABLE)
    released = read_table(snakemake.input.released, RELEASED)
    chosen = (released["dataset"] == name) & (released["model"] == REPLICATED)
    cells = released[chosen & (released["not_compared"] == "")]
    fits = replicate(table, split(table, None, name, **snakemake.params.split), cells)
    suite, domain = snakemake.params.metadata[name]
    fits = fits.assign(suite=suite, domain=domain, dataset=name)
    write_table(
        fits.assign(roc_auc_folded=fold(fits["roc_auc"])), snakemake.output.fits, REPLICATION
    )
