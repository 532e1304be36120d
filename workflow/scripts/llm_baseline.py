"""Run the rules and trees that a model wrote, in the sandbox, and predict the test rows."""

from tabbench.llm_baselines.ensemble import predict
from tabbench.llm_baselines.queries import read_draws
from tabbench.schemas import (
    LLM_ANSWERS,
    LLM_QUERIES,
    PREDICTIONS,
    SHOTS,
    SPLIT,
    TABLE,
    read_table,
    write_table,
)
from tabbench.script import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    results = predict(
        read_table(given.answers, LLM_ANSWERS),
        read_table(given.table, TABLE),
        read_table(given.split, SPLIT),
        read_draws(params.zero_shot, (read_table(path, SHOTS) for path in given.shots)),
        params.sandbox,
    )
    write_table(results.predictions, snakemake.output.predictions, PREDICTIONS)
    write_table(results.queries, snakemake.output.queries, LLM_QUERIES)
    for query in results.queries.itertuples():
        if query.message:
            print(
                f"{query.method}, k = {query.k}, seed {query.seed}, query {query.query}: "
                f"{query.status}; {query.message}"
            )
