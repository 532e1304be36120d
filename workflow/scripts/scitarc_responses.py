"""Ask a model SciTaRC's questions: its plans, then its answers; only what the log lacks."""

from pathlib import Path

from tabbench.asking import open_model
from tabbench.engines.base import Decoding
from tabbench.schemas import read_table, write_table
from tabbench.scitarc.frames import demonstrations_of, read_back
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.responses import ask_conditions
from tabbench.scitarc.schemas import SCITARC_DEMONSTRATIONS, SCITARC_QUESTIONS, SCITARC_RESPONSES
from tabbench.script import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    model = open_model(
        Path(given.model),
        params.asking,
        given.weights,
        Path(params.responses),
        snakemake.threads,
        snakemake.resources.gpu,
        Path(params.benchmark),
    )
    with model as (name, ask, _):
        questions = read_table(given.questions, SCITARC_QUESTIONS)
        frame = ask_conditions(
            read_back(questions[questions["asked"]]),
            demonstrations_of(read_table(given.demonstrations, SCITARC_DEMONSTRATIONS)),
            [Condition(*one) for one in params.conditions],
            ask,
            Decoding(**params.decoding),
            params.plain,
        )
        write_table(frame.assign(model=name), snakemake.output.responses, SCITARC_RESPONSES)
