"""Judge the answers of all models, by the matcher or by a model."""

from contextlib import ExitStack
from pathlib import Path

from tabbench.asking import open_model
from tabbench.schemas import read_table, read_tables, write_table
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.judge import judge_by_matcher
from tabbench.scitarc.schemas import SCITARC_ANSWERS, SCITARC_QUESTIONS, SCITARC_SCORES
from tabbench.scitarc.verdicts import judge_by_model, score_answers
from tabbench.script import job

with job(snakemake.log[0]), ExitStack() as stack:
    given, params = snakemake.input, snakemake.params
    judge_all = judge_by_matcher
    if given.model:
        judge = open_model(
            Path(given.model[0]),
            params.asking,
            given.weights,
            Path(params.responses),
            snakemake.threads,
            snakemake.resources.gpu,
            Path(params.benchmark),
        )
        judge_all = judge_by_model(stack.enter_context(judge).ask, params.plain)
    scores = score_answers(
        read_tables(given.answers, SCITARC_ANSWERS),
        read_back(read_table(given.questions, SCITARC_QUESTIONS)),
        judge_all,
        params.judge,
    )
    write_table(scores, snakemake.output.scores, SCITARC_SCORES)
    print(scores["status"].value_counts().to_string())
