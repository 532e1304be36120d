"""Draw wrong answers of the best system for annotators to say why they are wrong."""

from pathlib import Path

from tabbench.core.frames import read_table, read_tables
from tabbench.core.job import job
from tabbench.core.spreadsheets import to_csv
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.leaderboard import of_best_system
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.taxonomy import error_sheet, responses_of

with job(snakemake.log[0]):
    given = snakemake.input
    sheet = error_sheet(
        of_best_system(read_table(given.scores, SCITARC_SCORES)),
        read_back(read_table(given.questions, SCITARC_QUESTIONS)),
        responses_of(read_tables(given.answers, SCITARC_ANSWERS)),
        snakemake.params.n,
    )
    Path(snakemake.output.sheet).write_text(to_csv(sheet), encoding="utf-8")
    print(f"{len(sheet)} wrong answers to annotate")
