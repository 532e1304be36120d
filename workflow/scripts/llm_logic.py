"""Ask a model for the rules and trees of a dataset, query by query."""

from functools import partial
from pathlib import Path

from tabbench.asking import open_model
from tabbench.llm_baselines.asking import ask_queries
from tabbench.llm_baselines.prompts import known_values, turns
from tabbench.llm_baselines.queries import queries, read_draws
from tabbench.models import read_model
from tabbench.registry import TaskText
from tabbench.schemas import LLM_ANSWERS, SHOTS, SPLIT, TABLE, read_table, write_table
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
    with model as (name, ask, plain):
        table = read_table(given.table, TABLE).set_index("row_id")
        split = read_table(given.split, SPLIT)
        training = split.loc[split["part"] == "train", "row_id"]
        features = table.drop(columns="y").loc[training]
        draws = read_draws(params.zero_shot, (read_table(path, SHOTS) for path in given.shots))
        frame = ask_queries(
            snakemake.wildcards.dataset,
            list(queries(params.methods, draws, params.queries)),
            partial(
                turns,
                task=TaskText(**params.task),
                features=features,
                labels=table.loc[training, "y"].to_dict(),
                values=known_values(features),
            ),
            ask,
            plain,
        )
        model = read_model(Path(given.model), params.asking)
        setup = {"engine": model.engine, "style": model.style, "dtype": model.dtype}
        write_table(
            frame.assign(model=name, **setup, template="none"),
            snakemake.output.answers,
            LLM_ANSWERS,
        )
