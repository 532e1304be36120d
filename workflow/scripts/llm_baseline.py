"""Run the rules and trees that a model wrote, in the sandbox, and predict the test rows."""

from tabbench.baselines.llm_written.ensemble import predict
from tabbench.baselines.llm_written.queries import read_draws
from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.core.schemas.llm_answers import LLM_ANSWERS
from tabbench.core.schemas.llm_queries import LLM_QUERIES
from tabbench.core.schemas.predictions import PREDICTIONS
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE

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
