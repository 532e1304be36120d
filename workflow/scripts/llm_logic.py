"""Ask a model for the rules and trees of a dataset, query by query."""

from tabbench.baselines.llm_written.ask import ask_dataset
from tabbench.config.dataset_entry import TaskText
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.llm_answers import LLM_ANSWERS
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.inference.models import ModelFiles
from tabbench.inference.open_model import open_model

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
    with open_model(files, params.responses, snakemake.threads, snakemake.resources.gpu) as model:
        frame = ask_dataset(
            snakemake.wildcards.dataset,
            read_table(given.table, TABLE),
            read_table(given.split, SPLIT),
            [read_table(path, SHOTS) for path in given.shots],
            TaskText(**params.task),
            params.methods,
            params.zero_shot,
            params.queries,
            model.ask,
            model.plain,
        )
        entry = model.entry
        setup = {"engine": entry.engine, "style": entry.style, "dtype": entry.dtype}
        frame = frame.assign(model=model.id, **setup, template="none")
        write_table(frame, snakemake.output.answers, LLM_ANSWERS)
