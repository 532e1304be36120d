"""Count what is left to ask of each model: prompts, tokens, cost and hours. Asks nothing."""

from pathlib import Path

from tabbench.config.model_entry import parse_model
from tabbench.core.job import job
from tabbench.core.spreadsheets import to_csv
from tabbench.inference.context import open_context
from tabbench.inference.cost_estimate import (
    Part,
    PromptsFile,
    Terms,
    Unmade,
    count_files,
    plan_lines,
)
from tabbench.inference.engines.own_files import read_own_files
from tabbench.inference.job_resources import parse_resources
from tabbench.reporting.tables.cost_estimate import plan_table
from tabbench.reporting.writer import to_markdown

with job(snakemake.log[0]):
    parameters = snakemake.params
    terms = {
        name: Terms(parse_model(name, entry), parse_resources(entry))
        for name, entry in parameters.entries.items()
    }
    contexts = {name: open_context(model, read_own_files) for name, (model, _) in terms.items()}
    files = [PromptsFile(Path(path), logs) for path, logs in parameters.asked.items()]
    unmade = [Unmade(Part(*part), *rest) for part, *rest in parameters.unmade]
    lines = plan_lines(
        count_files(files, terms, contexts), unmade, terms, contexts, parameters.suites
    )
    titles = {name: entry["title"] for name, entry in parameters.entries.items()}
    table = plan_table(lines, terms, titles, parameters.gaps)
    Path(snakemake.output.csv).write_text(to_csv(lines), encoding="utf-8")
    Path(snakemake.output.md).write_text(to_markdown(table), encoding="utf-8")
    print(to_markdown(table))
