"""Count what is left to ask of each model: prompts, tokens, cost and hours. Asks nothing."""

from pathlib import Path

from tabbench.config.model_entry import parse_model
from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.gains import TESTS
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
from tabbench.inference.engines.spending import Spending
from tabbench.inference.job_resources import parse_resources
from tabbench.planning.text_lines import TextJob, in_one, text_lines
from tabbench.planning.worth import Question, best_known, class_sizes, prices_of_rows, worth
from tabbench.reporting.tables.cost_estimate import plan_table
from tabbench.reporting.tables.worth import worth_table
from tabbench.reporting.writer import to_markdown
from tabbench.statistics.power import Assumptions

with job(snakemake.log[0]):
    parameters = snakemake.params
    terms = {
        name: Terms(parse_model(name, entry), parse_resources(entry))
        for name, entry in parameters.entries.items()
    }
    contexts = {name: open_context(model, read_own_files) for name, (model, _) in terms.items()}
    files = [PromptsFile(Path(path), logs) for path, logs in parameters.asked.items()]
    unmade = [Unmade(Part(*part), *rest) for part, *rest in parameters.unmade]
    rows = plan_lines(
        count_files(files, terms, contexts), unmade, terms, contexts, parameters.suites
    )
    texts = text_lines([TextJob(*one) for one in parameters.texts], terms, contexts)
    lines = in_one(rows, texts, list(terms))
    titles = {name: entry["title"] for name, entry in parameters.entries.items()}
    spent = [Spending(path).total for path in sorted(Path("results/models").glob("*/spending.csv"))]
    table = plan_table(lines, terms, titles, parameters.gaps, parameters.budget, sum(spent))
    Path(snakemake.output.csv).write_text(to_csv(lines), encoding="utf-8")
    told = dict(parameters.power)
    wanted = told.pop("power", 0.8)
    sizes = class_sizes(Path(path) for path in parameters.asked)
    pilots = [read_table(path, TESTS) for path in parameters.pilot]
    assumed, origin = best_known(Assumptions(**told), pilots, sizes)
    prices, unit = prices_of_rows(rows, terms)
    questions = [Question(*one) for one in parameters.questions]
    shown = worth(questions, sizes, prices, parameters.draws, assumed, wanted)
    Path(snakemake.output.power).write_text(to_csv(shown), encoding="utf-8")
    both = [to_markdown(table)]
    if len(shown):
        both.append(to_markdown(worth_table(shown, unit, assumed, origin, wanted)))
    Path(snakemake.output.md).write_text("\n".join(both), encoding="utf-8")
    print(*both, sep="\n")
