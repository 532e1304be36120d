"""Draw answers for a person to label, as a sheet and as a page."""

from pathlib import Path

from tabbench.core.frames import read_table, read_tables
from tabbench.core.job import job
from tabbench.core.spreadsheets import to_csv
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.labels import PAGE, label_sheet, page_entries
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.sheets import sheet_page

with job(snakemake.log[0]):
    given, made = snakemake.input, snakemake.output
    questions = read_back(read_table(given.questions, SCITARC_QUESTIONS))
    answers = read_tables(given.answers, SCITARC_ANSWERS)
    sheet = label_sheet(answers, questions, snakemake.params.n)
    page = sheet_page(Path(given.template), PAGE, page_entries(sheet, answers, questions))
    Path(made.sheet).write_text(to_csv(sheet), encoding="utf-8")
    Path(made.page).write_text(page, encoding="utf-8")
    print(f"{len(sheet)} answers to label")
