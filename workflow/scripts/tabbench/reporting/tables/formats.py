"""Text formats of a row compared: means, ranks and tests over datasets."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.stats import mannwhitneyu

from tabbench.core.suites import GROUPS
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table, p_value, plus_minus
from tabbench.scoring.aggregate import over_datasets, over_seeds, paired
from tabbench.scoring.reference_baseline import tabpfn_or_strongest
from tabbench.scoring.select import select
from tabbench.statistics.multiplicity import LEVEL, holm
from tabbench.statistics.ranks import compare_ranks
from tabbench.statistics.signed_rank import signed_rank_p

_GAP = ("classic", "n_classic", "new", "n_new", "gap", "p")
_FEWEST_RANKED = 3
"""Formats below which Friedman's test does not exist."""


def formats(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
    *,
    suites: Sequence[str] = GROUPS["All"],
    prompt: str = "contextual",
    main: str = "feat_val",
    shots: Sequence[int] | None = None,
) -> Table:
    """Make the table of formats: rows model by k, columns the formats.

    The formats of a row are compared on the same datasets. A dataset is one observation of every
    test, so they say whether a difference would carry over to other datasets.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows
    mode : generation or forward
    suites, prompt : of the cells
    main : the format that the other tables show; the others are tested against it
    shots : numbers of examples; None for all

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select(scores, models=models, suites=suites, modes=[mode], prompts=[prompt], shots=shots)
    datasets = paired(over_seeds(used), across=["serialization"], within=["model", "k"])
    cells = over_datasets(datasets, ["model", "k", "serialization"])
    key = ["model", "k", "serialization"]
    none = pd.DataFrame(columns=[*key, "rank", "p", "p_friedman"])
    tests = [_tested(part, main) for _, part in datasets.groupby(["model", "k"], observed=True)]
    numbers = cells.merge(pd.concat(tests) if tests else none, on=key)
    numbers["p_holm"] = holm(numbers["p"])
    names = sorted(used["serialization"].unique(), key=lambda name: (name != main, name))
    rows: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    underlined: set[tuple[int, int]] = set()
    for model, k in _keys(numbers, models):
        row = numbers[(numbers["model"] == model) & (numbers["k"] == k)]
        best = set(row.loc[row["mean"] == row["mean"].max(), "serialization"])
        different = set(row.loc[row["p_holm"] < LEVEL, "serialization"])
        for place, name in enumerate(names, start=3):
            bold |= {(len(rows), place)} if name in best else set()
            underlined |= {(len(rows), place)} if name in different else set()
        rows.append(
            (
                models[model],
                shots_title(k),
                str(row["n_datasets"].max()),
                *grid_row(row, "serialization", {name: name for name in names}, _with_rank),
                p_value(row["p_friedman"].iloc[0], math.nan),
            )
        )
    absent = [name for model, name in models.items() if model not in set(numbers["model"])]
    rows += [(name, *[DASH] * (len(names) + 3)) for name in absent]
    return Table(
        caption=f"ROC-AUC by serialization, {mode} mode, {prompt} prompt",
        header=("Model", "Shots", "n", *names, "Friedman"),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "in brackets: mean rank over the datasets, 1 is the best; bold: highest mean of a row",
            f"underlined: differs from {main}, two-sided Wilcoxon signed-rank test over datasets, "
            f"p < {LEVEL} after Holm's correction over the {int(numbers['p'].notna().sum())} tests "
            "of the table",
            "Friedman: tests whether the serializations of a row have equal ranks; not corrected "
            "for several rows",
            dataset_note(
                cells,
                lambda cell: f"{models[cell.model]} {shots_title(cell.k)} {cell.serialization}",
            ),
            *foundation_notes(used, models),
        ),
        bold=frozenset(bold),
        underlined=frozenset(underlined),
    )


def _tested(part: pd.DataFrame, main: str) -> pd.DataFrame:
    """Rank the formats of one model and k, and test each against the main one."""
    values = part.pivot_table(index="dataset", columns="serialization", values="mean")
    ranks = values.rank(axis="columns", ascending=False).mean()
    friedman = math.nan
    if values.shape[1] >= _FEWEST_RANKED and len(values) > 1:
        friedman = compare_ranks(values).p
    p = {
        name: signed_rank_p(values[name] - values[main])
        if main in values and name != main
        else math.nan
        for name in values
    }
    frame = pd.DataFrame({"rank": ranks, "p": pd.Series(p), "p_friedman": friedman})
    first = part.iloc[0]
    return frame.rename_axis("serialization").reset_index().assign(model=first.model, k=first.k)


def _keys(numbers: pd.DataFrame, models: Mapping[str, str]) -> list[tuple[str, int]]:
    """Rows of the table: models in their order, each with its numbers of examples."""
    found = set(zip(numbers["model"], numbers["k"], strict=True))
    order = list(models)
    return sorted(found, key=lambda key: (order.index(key[0]), key[1]))


def _with_rank(cell: Any) -> str:
    return f"{plus_minus(cell.mean, cell.std)} ({cell.rank:.1f})"


def age_gap(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    baseline_shots: int = 16,
) -> Table:
    """Make the table of the gap between classic and new datasets, zero-shot, by format.

    A baseline knows no dataset: its gap says how much harder the new datasets are.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows
    baselines : display name by id; the table has TabPFN, else the strongest that was fitted
    mode : generation or forward
    baseline_shots : training-set size of the baseline, where it was fitted on so many examples

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    suites = GROUPS["All"]
    used = select(
        scores, models=models, suites=suites, modes=[mode], prompts=["contextual"], shots=[0]
    )
    names = dict(models)
    baseline = tabpfn_or_strongest(scores[scores["suite"].isin(suites)], baselines, baseline_shots)
    if baseline:
        fitted = select(
            scores, models=[baseline.model], suites=suites, modes=["fit"], shots=[baseline.k]
        )
        used = pd.concat([used, fitted])
        names[baseline.model] = baseline.title
    datasets = over_seeds(used)
    datasets = datasets[datasets["mean"].notna()]
    numbers = pd.DataFrame(
        [
            {"model": model, "serialization": serialization} | _gap(part)
            for (model, serialization), part in datasets.groupby(["model", "serialization"])
        ],
        columns=["model", "serialization", *_GAP],
    )
    order = list(names)
    numbers = numbers.sort_values(
        "model", key=lambda column: column.map(order.index), kind="stable", ignore_index=True
    )
    numbers["p_holm"] = holm(numbers["p"])
    rows = [_gap_texts(row, names) for row in numbers.itertuples()]
    rows += [(name, *[DASH] * 5) for one, name in names.items() if one not in set(numbers["model"])]
    return Table(
        caption=f"Zero-shot ROC-AUC on classic and on new datasets by serialization, {mode} mode",
        header=("Model and format", "Classic", "New", "New − Classic", "Mann-Whitney", "Holm"),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "Mann-Whitney: two-sided test over datasets, which are different ones on both sides; "
            "Holm: corrected over the rows of the table",
            "a baseline has no prior knowledge of any dataset: if its gap is as large, the new "
            "datasets are harder, and a model's gap does not show that it has memorized the "
            "classic ones",
            *foundation_notes(used, names, spread=None),
        ),
    )


def _gap_texts(row: Any, names: Mapping[str, str]) -> tuple[str, ...]:
    text_format = "" if row.serialization == "none" else f", {row.serialization}"
    return (
        f"{names[row.model]}{text_format}",
        f"{plus_minus(row.classic)} (n = {row.n_classic})",
        f"{plus_minus(row.new)} (n = {row.n_new})",
        plus_minus(row.gap, signed=True),
        p_value(row.p, math.nan),
        p_value(row.p_holm, math.nan),
    )


def _gap(part: pd.DataFrame) -> dict[str, float]:
    classic, new = (part.loc[part["suite"] == suite, "mean"] for suite in ("core", "new"))
    both = len(classic) and len(new)
    return {
        "classic": classic.mean(),
        "n_classic": len(classic),
        "new": new.mean(),
        "n_new": len(new),
        "gap": new.mean() - classic.mean(),
        "p": float(mannwhitneyu(new, classic).pvalue) if both else math.nan,
    }
