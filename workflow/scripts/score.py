"""Score every cell of the given predictions."""

from itertools import chain

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.scores import SCORES
from tabbench.data.dataset_metadata import with_metadata
from tabbench.scoring.metrics import score_frames
from tabbench.scoring.predictions import read_models

with job(snakemake.log[0]):
    asked = read_models(snakemake.input.predictions, snakemake.params.shots)
    fitted = (read_table(path, PREDICTIONS) for path in snakemake.input.fitted)
    cells = score_frames(chain(asked, fitted))
    scores = with_metadata(cells, snakemake.params.metadata, snakemake.input.splits)
    write_table(scores, snakemake.output.scores, SCORES)
