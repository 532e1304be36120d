"""Read the answers in a model's responses; programs run in the sandbox."""

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.scitarc.answers import read_answers
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.responses import SCITARC_RESPONSES

with job(snakemake.log[0]):
    responses = read_table(snakemake.input.responses, SCITARC_RESPONSES)
    answers = read_answers(responses, snakemake.params.sandbox)
    write_table(answers, snakemake.output.answers, SCITARC_ANSWERS)
    print(answers.groupby(["execution", "source"]).size().to_string())
