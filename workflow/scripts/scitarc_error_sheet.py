"""Gather wrong answers of the best system for annotators, as a sheet and as a page."""

from pathlib import Path

from tabbench.core.frames import read_table, read_tables
from tabbench.core.job import job
from tabbench.core.spreadsheets import to_csv
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.leaderboard import of_best_system
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.sheets import sheet_page
from tabbench.scitarc.taxonomy import PAGE, error_sheet, page_entries

with job(snakemake.log[0]):
    given, made = snakemake.input, snakemake.output
    questions = read_back(read_table(given.questions, SCITARC_QUESTIONS))
    sheet = error_sheet(
        of_best_system(read_table(given.scores, SCITARC_SCORES)),
        questions,
        read_tables(given.answers, SCITARC_ANSWERS),
        snakemake.params.n,
    )
    page = sheet_page(Path(given.template), PAGE, page_entries(sheet, questions))
    Path(made.sheet).write_text(to_csv(sheet), encoding="utf-8")
    Path(made.page).write_text(page, encoding="utf-8")
    print(f"{len(sheet)} wrong answers to annotate")
