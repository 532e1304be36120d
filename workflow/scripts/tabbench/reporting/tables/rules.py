"""RQ5, beyond Table IX: what decision rules add, with and without a task text."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.contexts import (
    CONTEXTS,
    EXPERT,
    EXPERT_PRIOR,
    RICHEST,
    RULES_ONLY,
    Context,
    context_frame,
)
from tabbench.core.suites import generator_of
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table, p_value, plus_minus
from tabbench.scoring.aggregate import difference, over_datasets, over_seeds
from tabbench.scoring.select import select
from tabbench.statistics.multiplicity import LEVEL, holm
from tabbench.statistics.signed_rank import signed_rank_p

SUITE = "llm_synthetic"
_BARE = CONTEXTS[1]
"""Named columns, no task text: what the rules alone are added to."""
CONTRASTS: tuple[tuple[str, Context, Context], ...] = (
    ("Rules without task text", RULES_ONLY, _BARE),
    ("Rules with task text", EXPERT_PRIOR, RICHEST),
    ("Only rules versus only task text", RULES_ONLY, RICHEST),
    ("Only rules versus task text and rules, columns masked", RULES_ONLY, EXPERT),
    ("Names of the columns that rules speak of", EXPERT_PRIOR, EXPERT),
)
"""Name, the prompt with more of what is tested, the prompt that it is compared with."""
_ROW = ["contrast", "model", "generator"]


def rules(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Table:
    """Make the table of what rules add: rows contrast, model and generator; columns k.

    The paper finds that rules help a model that also has the task text, and not before. Its rules
    without a task text stand nowhere, and its "Expert" masks the columns that the rules name.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    sides = {one.pair: one for _, *pair in CONTRASTS for one in pair}
    asked = select(scores, models=models, suites=[SUITE], modes=[mode])
    used = asked.merge(
        context_frame(*sides.values())[["prompt", "serialization"]], on=["prompt", "serialization"]
    )
    datasets = over_seeds(used)
    parts = []
    for name, more, less in CONTRASTS:
        more_rows, less_rows = (
            datasets[
                (datasets["prompt"] == one.prompt)
                & (datasets["serialization"] == one.serialization)
            ]
            for one in (more, less)
        )
        parts.append(difference(more_rows, less_rows, on=["model", "k"]).assign(contrast=name))
    deltas = pd.concat(parts, ignore_index=True)
    deltas["generator"] = deltas["dataset"].map(generator_of)
    numbers = over_datasets(deltas, [*_ROW, "k"])
    p = deltas.groupby([*_ROW, "k"])["mean"].agg(signed_rank_p).rename("p").reset_index()
    numbers = numbers.merge(p, on=[*_ROW, "k"])
    numbers["p_holm"] = holm(numbers["p"])
    shots = sorted(int(k) for k in numbers["k"].unique())
    order = [name for name, *_ in CONTRASTS]
    columns = {k: shots_title(k) for k in shots}
    keys = sorted(
        set(numbers[_ROW].itertuples(index=False, name=None)),
        key=lambda key: (order.index(key[0]), list(models).index(key[1]), key[2]),
    )
    rows: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    for contrast, model, generator in keys:
        row = numbers[(numbers[_ROW] == [contrast, model, generator]).all(axis=1)]
        clear = set(row.loc[row["p_holm"] < LEVEL, "k"])
        bold |= {(len(rows), place) for place, k in enumerate(shots, start=2) if k in clear}
        rows.append(
            (contrast, f"{models[model]} on {generator}", *grid_row(row, "k", columns, _change))
        )
    return Table(
        caption=f"What decision rules add to ROC-AUC, LLM-synthetic suite, {mode} mode",
        header=("Contrast", "Model and generator", *columns.values()),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            *(
                f"{name}: {more.prompt}, {more.serialization} − {less.prompt}, {less.serialization}"
                for name, more, less in CONTRASTS
            ),
            "p: two-sided Wilcoxon signed-rank test over datasets, which are the same on both "
            f"sides; bold: p < {LEVEL} after Holm's correction over the table",
            *foundation_notes(used, models),
        ),
        bold=frozenset(bold),
    )


def _change(cell: Any) -> str:
    if math.isnan(cell.mean):
        return DASH
    change = plus_minus(cell.mean, cell.std, signed=True)
    return f"{change} ({p_value(cell.p, math.nan)}, n = {cell.n_datasets})"
