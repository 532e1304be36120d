"""Run a dialogue's code in the sandbox: a labelled table, and its rules as text."""

from pathlib import Path

from tabbench.dialogue import read_answers
from tabbench.errors import TabBenchError
from tabbench.llm_table import make_table
from tabbench.model_code import UnusableAnswerError
from tabbench.registry import TaskText
from tabbench.schemas import TABLE, write_table
from tabbench.script import job

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
