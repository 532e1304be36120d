"""Read the answers in a model's responses; programs run in the sandbox."""

from tabbench.schemas import read_table, write_table
from tabbench.scitarc.answers import read_answers
from tabbench.scitarc.schemas import SCITARC_ANSWERS, SCITARC_RESPONSES
from tabbench.script import job

with job(snakemake.log[0]):
    responses = read_table(snakemake.input.responses, SCITARC_RESPONSES)
    answers = read_answers(responses, snakemake.params.sandbox)
    write_table(answers, snakemake.output.answers, SCITARC_ANSWERS)
    print(answers.groupby(["execution", "source"]).size().to_string())
