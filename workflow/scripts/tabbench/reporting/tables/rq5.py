"""RQ5, Table IX: examples, prior and expert rules, alone and together, on LLM-synthetic data."""

from collections.abc import Mapping

import pandas as pd

from tabbench.core.contexts import Regime, regimes, rules_only_regimes
from tabbench.core.suites import generator_of
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.remarks import choice_note, tabpfn_absence
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.reference_baseline import tabpfn_or_strongest
from tabbench.scoring.select import select

SUITE = "llm_synthetic"
MEANINGS = (
    "Few-shot: examples, no task text, masked columns; Prior: task text and column names; Expert: "
    "task text and decision rules, masked columns; Expert + prior: the same with column names"
)
RULES_ONLY_MEANING = (
    "Rules only: decision rules and column names, no task text; not in the paper, and neither bold "
    "nor underlined"
)


def table9(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    generators: Mapping[str, str],
    mode: str = "generation",
    few_shots: int = 16,
) -> Table:
    """Make Table IX: rows the seven regimes and a baseline; columns model and generator.

    The regimes of a column are means over the same datasets. The best single-entity regime of a
    column is bold, the best of all seven underlined. Rules without a task text, which the paper
    does not have, stand below the seven where they were asked.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models, baselines : display name by id, in order
    generators : generator to who wrote its dialogues
    mode : generation or forward
    few_shots : examples of the few-shot regimes, and baseline training-set size where available

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    rows = (*regimes(few_shots), *rules_only_regimes(few_shots))
    asked = select(scores, models=models, suites=[SUITE], modes=[mode], shots=[0, few_shots])
    key = ["prompt", "serialization", "k"]
    wanted = pd.DataFrame(
        [
            (one.name, one.asked.prompt, one.asked.serialization, few_shots * one.few_shot)
            for one in rows
        ],
        columns=["regime", *key],
    )
    used = asked.merge(wanted[key], on=key)
    rows = tuple(one for one in rows if one.paper or (used["prompt"] == one.asked.prompt).any())
    datasets = over_seeds(used).merge(wanted, on=key)
    datasets["generator"] = datasets["dataset"].map(generator_of)
    same = paired(datasets, across=["regime"], within=["model", "generator"])
    cells = over_datasets(same, ["regime", "model", "generator"])
    pairs = [
        (model, generator)
        for model in models
        for generator in generators
        if ((cells["model"] == model) & (cells["generator"] == generator)).any()
    ]
    columns = {pair: f"{models[pair[0]]} on {pair[1]}" for pair in pairs}
    columns |= {(one, ""): models[one] for one in models if one not in {m for m, _ in pairs}}
    texts = [
        (
            one.name,
            *grid_row(cells[cells["regime"] == one.name], ["model", "generator"], columns),
        )
        for one in rows
    ]
    bold, underlined = _best(cells, rows, list(columns))
    notes = [MEANINGS, *_sources(generators, datasets)]
    if not all(one.paper for one in rows):
        notes.insert(1, RULES_ONLY_MEANING)
    names = dict(models)
    fitted = scores[scores["suite"] == SUITE]
    baseline = tabpfn_or_strongest(fitted, baselines, few_shots)
    if baseline:
        beside = select(
            scores, models=[baseline.model], suites=[SUITE], modes=["fit"], shots=[baseline.k]
        )
        used = pd.concat([used, beside])
        names[baseline.model] = baseline.name
        reference = _baseline_cells(over_seeds(beside), same, pairs, baseline.title)
        texts.append(
            (baseline.title, *grid_row(reference, ["model", "generator"], columns)),
        )
        cells = pd.concat([cells, reference], ignore_index=True)
        notes.append(choice_note(baseline, fitted, baselines))
    if absence := tabpfn_absence(fitted, baselines):
        notes.append(absence)
    return Table(
        caption=(
            f"ROC-AUC by prompting regime, LLM-synthetic suite, {mode} mode; best single-entity "
            "regime of a column bold, best of all seven underlined"
        ),
        header=("Prompting regime", *columns.values()),
        rows=tuple(texts),
        numbers=cells,
        notes=(
            *notes,
            dataset_note(
                cells, lambda cell: f"{cell.regime} {columns[cell.model, cell.generator]}"
            ),
            *foundation_notes(used, names),
        ),
        bold=bold,
        underlined=underlined,
    )


def _sources(generators: Mapping[str, str], datasets: pd.DataFrame) -> list[str]:
    """Name the authors of the dialogues behind the tables."""
    used = set(datasets["generator"])
    return [
        f"dialogues of the generator {name}: {author}"
        for name, author in generators.items()
        if name in used
    ]


def _best(
    cells: pd.DataFrame, rows: tuple[Regime, ...], columns: list[tuple[str, str]]
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Places of each column's best single-entity regime and of its best, among the paper's."""
    rows = tuple(one for one in rows if one.paper)
    bold: set[tuple[int, int]] = set()
    underlined: set[tuple[int, int]] = set()
    for at, (model, generator) in enumerate(columns, start=1):
        column = cells[(cells["model"] == model) & (cells["generator"] == generator)]
        means = column.set_index("regime")["mean"].reindex([one.name for one in rows])
        single = means[[one.name for one in rows if one.entities == 1]]
        for row, one in enumerate(rows):
            if one.entities == 1 and means[one.name] == single.max():
                bold.add((row, at))
            if means[one.name] == means.max():
                underlined.add((row, at))
    return frozenset(bold), frozenset(underlined)


def _baseline_cells(
    fitted: pd.DataFrame, same: pd.DataFrame, pairs: list[tuple[str, str]], title: str
) -> pd.DataFrame:
    """The baseline under each column, on the column's datasets."""
    parts = []
    for model, generator in pairs:
        column = same[(same["model"] == model) & (same["generator"] == generator)]
        part = fitted[fitted["dataset"].isin(column["dataset"])]
        parts.append(part.assign(regime=title, model=model, generator=generator))
    return over_datasets(pd.concat(parts), ["regime", "model", "generator"])
