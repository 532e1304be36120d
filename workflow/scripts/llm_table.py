"""Run a dialogue's code in the sandbox: a labelled table, and its rules as text."""

from pathlib import Path

from tabbench.config.dataset_entry import TaskText
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.table import TABLE
from tabbench.sandbox.model_code import UnusableAnswerError
from tabbench.synthetic.dialogue import read_answers
from tabbench.synthetic.llm_table import make_table

with job(snakemake.log[0]):
    try:
        made = make_table(
            read_answers(snakemake.input.turns),
            TaskText(**snakemake.params.task),
            snakemake.params.rows,
            snakemake.params.sandbox,
        )
    except UnusableAnswerError as error:
        folder = Path(snakemake.input.turns[0]).parent
        raise TabBenchError(f"{snakemake.wildcards.dataset}: {folder}: {error}") from error
    write_table(made.table, snakemake.output.table, TABLE)
    Path(snakemake.output.rules).write_text(made.rules, encoding="utf-8")
    print(f"{len(made.table)} rows, {made.table['y'].mean():.1%} positive\n\n{made.rules}")
