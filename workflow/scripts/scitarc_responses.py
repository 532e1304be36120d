"""Ask a model SciTaRC's questions: its plans, then its answers; only what the log lacks."""

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.inference.engines.base import Decoding
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model
from tabbench.scitarc.frames import demonstrations_of, read_back
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.responses import ask_conditions
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.schemas.responses import SCITARC_RESPONSES

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu) as model:
        questions = read_table(given.questions, SCITARC_QUESTIONS)
        frame = ask_conditions(
            read_back(questions[questions["asked"]]),
            demonstrations_of(read_table(given.demonstrations, SCITARC_DEMONSTRATIONS)),
            [Condition(*one) for one in params.conditions],
            model.ask,
            Decoding(**params.decoding),
            params.plain,
            params.prompts,
            params.seeds,
        )
        write_table(frame.assign(model=model.id), snakemake.output.responses, SCITARC_RESPONSES)
