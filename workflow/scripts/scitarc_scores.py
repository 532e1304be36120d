"""Judge the answers of all models, by the matcher or by a model."""

from contextlib import ExitStack

from tabbench.core.frames import read_table, read_tables, write_table
from tabbench.core.job import job
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.scores import SCITARC_SCORES
from tabbench.scitarc.verdicts import judge_by_model, judge_named, score_answers

with job(snakemake.log[0]), ExitStack() as stack:
    given, params = snakemake.input, snakemake.params
    by_model = None
    if given.model:
        files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
        judge = open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu)
        by_model = judge_by_model(stack.enter_context(judge).ask, params.plain, params.prompts)
    scores = score_answers(
        read_tables(given.answers, SCITARC_ANSWERS),
        read_back(read_table(given.questions, SCITARC_QUESTIONS)),
        judge_named(params.judge, by_model),
        params.judge,
    )
    write_table(scores, snakemake.output.scores, SCITARC_SCORES)
    print(scores["status"].value_counts().to_string())
    print(f"{scores['asked'].gt(0).sum()} of {len(scores)} answers were judged by a model")
