"""The first screen's answer to each question: one or two short sentences with their uncertainty.

Each function takes the tables of the run by ``folder/name`` and the models' display names by id,
and returns nothing where its tables hold no answer. What a table does not test is called untested.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from tabbench.core.contexts import POOREST, RICHEST
from tabbench.core.suites import level_number
from tabbench.reporting.page.findings import MAIN_TABLES, is_baseline_row
from tabbench.reporting.page.phrases import (
    low_to_high,
    n_datasets,
    n_examples,
    signed,
    times,
    value,
)
from tabbench.reporting.page.scitarc import right, system
from tabbench.reporting.writer import interval, p_value, plural
from tabbench.scitarc.tables.text import percent
from tabbench.statistics.contrasts import EQUAL, PLANNED
from tabbench.statistics.multiplicity import LEVEL, holm

Tables = Mapping[str, pd.DataFrame]
Models = Mapping[str, str]
UNTESTED = "not tested"


def headline(question: str, tables: Tables, models: Models) -> str:
    """Return the short answer to a question, or an empty text.

    Parameters
    ----------
    question : rq1 to rq7, or scitarc
    tables : the .csv files of the run, by ``folder/name``
    models : display name by id
    """
    return _HEADLINES[question](tables, models) if question in _HEADLINES else ""


def main_table(question: str, tables: Tables) -> pd.DataFrame:
    """Return the rows with a mean of the table that answers a question; none without it."""
    name = f"{question}/{MAIN_TABLES[question]}"
    return tables[name].dropna(subset=["mean"]) if name in tables else pd.DataFrame()


def _zero_shot(tables: Tables, models: Models) -> str:
    cells = main_table("rq1", tables)
    cells = cells[cells["group"].eq("All")] if len(cells) else pd.DataFrame(columns=["model"])
    ours = cells["model"].isin(list(models))
    if not ours.any():
        return ""
    best = _highest(cells[ours])
    which = "" if ours.sum() == 1 else f", the best of {ours.sum()},"
    text = f"{models[best['model']]}{which} reaches {value(best)} without examples"
    text = f"{text}{_against_chance(tables, models)}."
    if ours.all():
        return text
    baseline = _highest(cells[~ours])
    return (
        f"{text} {baseline['name']} on {n_examples(baseline['k'])} has {value(baseline)}; "
        f"{_difference(tables, best['model'], baseline['model'])}."
    )


def _highest(cells: pd.DataFrame) -> "pd.Series[Any]":
    return cells.sort_values("mean", kind="stable").iloc[-1]


def _against_chance(tables: Tables, models: Models) -> str:
    if "rq1/chance" not in tables:
        return ""
    tested = tables["rq1/chance"].dropna(subset=["p_stouffer_monte_carlo"])
    tested = tested[tested["group"].eq("All") & tested["main"] & tested["model"].isin(list(models))]
    if tested.empty:
        return ""
    p = tested["p_stouffer_monte_carlo"].to_numpy()
    if len(p) > 1:
        found = int((holm(p) < LEVEL).sum())
        return f"; {found} of {len(p)} models are significantly above chance"
    shown = p_value(p[0], tested["log10_p_stouffer_monte_carlo"].iloc[0])
    return f", {'' if p[0] < LEVEL else 'not '}significantly above chance ({shown})"


def _difference(tables: Tables, model: str, reference: str) -> str:
    """A difference with its interval, where the run resampled it."""
    if "rq1/differences" in tables:
        pairs = tables["rq1/differences"].dropna(subset=["low"])
        pairs = pairs[
            pairs["group"].eq("All") & pairs["model"].eq(model) & pairs["reference"].eq(reference)
        ]
        if len(pairs):
            one = pairs.iloc[0]
            ends = interval(one["low"], one["high"], signed=True)
            level = f"{100 * one['level']:.0f} %"
            return f"the difference is {signed(one['mean'])}, {level} interval {ends}"
    return f"the difference is {UNTESTED}"


def _contrast(tables: Tables, kind: str, k: int | None = None) -> pd.DataFrame:
    """Tested contrasts of the richest and the poorest context, by model."""
    if "rq4/contrasts" not in tables:
        return pd.DataFrame()
    found = tables["rq4/contrasts"].dropna(subset=["p_holm"])
    found = found[found["contrast"].eq(kind)]
    return found if k is None else found[found["k_maximal"].eq(k)]


def _tested(contrasts: pd.DataFrame) -> str:
    """What the tests of contrasts say: an interval of one, a count of several."""
    if contrasts.empty:
        return UNTESTED
    if len(contrasts) == 1:
        one = contrasts.iloc[0]
        ends = interval(one["low"], one["high"], signed=True)
        return f"95 % interval {ends}, corrected {p_value(one['p_holm'], one['log10_p'])}"
    found = int((contrasts["p_holm"] < LEVEL).sum())
    return f"significant for {found} of {plural(len(contrasts), 'model')}"


def _prompt(tables: Tables, models: Models) -> str:
    del models
    cells = main_table("rq2", tables)
    if cells.empty:
        return ""
    means = cells.pivot_table(index="model", columns="configuration", values="mean")
    if not {POOREST.name, RICHEST.name} <= set(means):
        return ""
    gain = (means[RICHEST.name] - means[POOREST.name]).dropna()
    if gain.empty:
        return ""
    return (
        f"Column names and task description together change zero-shot ROC-AUC by "
        f"{low_to_high(gain, signed)} ({_tested(_contrast(tables, EQUAL, 0))})."
    )


def _examples(tables: Tables, models: Models) -> str:
    del models
    cells = main_table("rq3", tables)
    if "gain" not in cells or cells["gain"].isna().all():
        return ""
    shown = cells.dropna(subset=["gain"]).sort_values("k").groupby("model").tail(1)
    asked = " or ".join(map(str, sorted(shown["k"].unique())))
    text = f"{asked} examples change ROC-AUC by {low_to_high(shown['gain'], signed)}"
    if len(set(cells["n_datasets"])) > 1:  # else the figure's means differ by the gain
        number = n_datasets(shown["n_datasets"]).removeprefix("n = ")
        text += f" on the same {number}"
    tested = shown.dropna(subset=["p"])
    if tested.empty:
        return f"{text} ({UNTESTED})."
    p = tested["p"].to_numpy()
    if len(tested) > 1:
        found = int((holm(p) < LEVEL).sum())
        return f"{text}, a significant gain for {found} of {len(tested)} models."
    verdict = "a significant gain" if p[0] < LEVEL else "no significant gain"
    return f"{text}, {verdict} ({p_value(p[0], tested['log10_p'].iloc[0])})."


def _context(tables: Tables, models: Models) -> str:
    del models
    cells = main_table("rq4", tables)
    if cells.empty:
        return ""
    ends = sorted({int(cells["k"].min()), int(cells["k"].max())})
    steps = (
        f"{low_to_high(cells.loc[cells['k'].eq(k), 'mean'], signed)} with {n_examples(k)}"
        for k in ends
    )
    text = f"Context is worth {' and '.join(steps)}"
    planned = _contrast(tables, PLANNED)
    if planned.empty:
        return f"{text} ({UNTESTED})."
    one = planned.iloc[0]
    return (
        f"{text}. {n_examples(one['k_maximal'])} with context against {one['k_minimal']} without: "
        f"{low_to_high(planned['difference'], signed)} ({_tested(planned)})."
    )


def _entities(tables: Tables, models: Models) -> str:
    cells = main_table("rq5", tables)
    if cells.empty:
        return ""
    asked = cells["model"].isin(list(models)) & ~is_baseline_row(cells)
    means = cells[asked].groupby("regime", sort=False)["mean"].mean()
    if means.empty:
        return ""
    text = f"“{means.idxmax()}” scores highest of {len(means)} regimes: {means.max():.3f}"
    beside = cells[is_baseline_row(cells)]
    if len(beside):
        text += f"; the baseline {beside['regime'].iloc[0]} has {beside['mean'].mean():.3f}"
    return f"{text} (chosen post hoc, {UNTESTED})."


def _complexity(tables: Tables, models: Models) -> str:
    del models
    cells = main_table("rq6", tables)
    if cells.empty:
        return ""
    k = cells["k"].max()
    means = cells[cells["k"].eq(k)].groupby("level")["mean"].mean()
    levels = sorted(means.index, key=level_number)
    text = (
        f"With {n_examples(k)}, ROC-AUC is {means[levels[0]]:.3f} on {levels[0]}, the easiest level"
    )
    if len(levels) > 1:
        text += f", and {means[levels[-1]]:.3f} on {levels[-1]}"
    return f"{text} ({UNTESTED})."


def _modes(tables: Tables, models: Models) -> str:
    del models
    cells = main_table("rq7", tables)
    deltas = cells[cells["mode"].eq("forward - generation")] if len(cells) else cells
    if deltas.empty:
        return ""
    text = (
        "Forward scoring instead of generation changes ROC-AUC by "
        f"{low_to_high(deltas['mean'], signed)} ({UNTESTED})"
    )
    ratio = cells.loc[cells["mode"].eq("generation"), "time_ratio"].dropna()
    if len(ratio):
        text += f"; generation takes {low_to_high(ratio, times)} times as long"
    return f"{text}."


def _scitarc(tables: Tables, models: Models) -> str:
    del models
    board = tables.get("scitarc/table2", pd.DataFrame(columns=["n"]))
    board = board[board["n"] > 0]
    if board.empty:
        return ""
    best = board.iloc[0]
    text = f"{system(best)} answers {right(best)}"
    if "scitarc/table4" not in tables:
        return f"{text}."
    plans = tables["scitarc/table4"]
    plans = plans[plans["quantity"].isin(["delta_auto", "delta_max"])]
    gold = plans.loc[plans["quantity"].eq("delta_max"), "value"]
    found = int((plans["p_holm"] < LEVEL).sum())
    shown = low_to_high(gold, lambda one: percent(one, signed=True))
    return (
        f"{text}. The gold plan changes that by {shown} points; {found} of "
        f"{plural(len(plans), 'change')} by plans are significant."
    )


_HEADLINES: dict[str, Callable[[Tables, Models], str]] = {
    "rq1": _zero_shot,
    "rq2": _prompt,
    "rq3": _examples,
    "rq4": _context,
    "rq5": _entities,
    "rq6": _complexity,
    "rq7": _modes,
    "scitarc": _scitarc,
}
