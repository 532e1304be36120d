"""RQ1, Table II: zero-shot models and TabPFN or the strongest fitted baseline, by group."""

from collections.abc import Mapping

import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.remarks import choice_note, tabpfn_absence
from tabbench.reporting.tables.rq1_chance import chance_note, main_cells
from tabbench.reporting.writer import Table
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.reference_baseline import tabpfn_or_strongest
from tabbench.scoring.select import select


def table2(
    scores: pd.DataFrame,
    chance: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Table:
    """Make Table II: rows All, Classic and New; columns the models, then the baseline.

    Within a row every column is a mean over the same datasets.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    chance : DataFrame with the columns of ``schemas.CHANCE``
    models : display name by id, in the order of the columns
    baselines : display name by id; the table has TabPFN, else the strongest that was fitted
    mode : generation or forward
    baseline_shots : training-set size of the baseline, where it was fitted on so many examples

    Raises
    ------
    TabBenchError
        When no model has a zero-shot score, or a model's results mix set-ups.
    """
    suites = GROUPS["All"]
    used = main_cells(scores, models, mode)
    names = dict(models)
    headings = dict(models)
    notes = []
    in_suites = scores[scores["suite"].isin(suites)]
    baseline = tabpfn_or_strongest(in_suites, baselines, baseline_shots)
    if baseline:
        fitted = select(
            scores, models=[baseline.model], suites=suites, modes=["fit"], shots=[baseline.k]
        )
        used = pd.concat([used, fitted])
        names[baseline.model] = baseline.name
        headings[baseline.model] = baseline.title
        notes.append(choice_note(baseline, in_suites, baselines))
    if absence := tabpfn_absence(in_suites, baselines):
        notes.append(absence)

    datasets = over_seeds(used)
    parts = []
    for group, members in GROUPS.items():
        same = paired(datasets[datasets["suite"].isin(members)], across=["model"], within=[])
        parts.append(over_datasets(same, ["model", "k"]).assign(group=group))
    cells = pd.concat(parts, ignore_index=True)
    rows = []
    for group in GROUPS:
        row = cells[cells["group"] == group]
        n = int(row["n_datasets"].max()) if len(row) else 0
        rows.append((f"{group} (n = {n})", *grid_row(row, "model", headings)))
    covered = cells[cells["group"] == "All"].head(1)  # all columns of a row cover the same
    dropped = sorted(set(datasets["dataset"]) - set("; ".join(covered["datasets"]).split("; ")))
    if dropped:
        notes.append(f"left out because a column lacks them: {', '.join(dropped)}")
    return Table(
        caption=f"Zero-shot ROC-AUC by dataset group, {mode} mode",
        header=("Dataset group", *headings.values()),
        rows=tuple(rows),
        numbers=_with_names(cells, names),
        notes=(
            dataset_note(covered, lambda cell: str(cell.group)),
            chance_note(chance, models, mode),
            *notes,
            *foundation_notes(used, names),
        ),
    )


def _with_names(cells: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    order = ["group", "model", "name", "k"]
    named = cells.assign(name=cells["model"].map(dict(names)))
    return named[[*order, *(column for column in named.columns if column not in order)]]
