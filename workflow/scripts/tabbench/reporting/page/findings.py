"""The answer to each research question in a sentence or two, built from its table's numbers.

Every function takes the rows of one table with a defined mean, and the models' display names by
id. It returns a text without its full stop, or nothing where there is nothing to compare. No
sentence claims more than its table holds: where a table has no p-values, the sentence says that no
difference is tested.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from tabbench.core.baseline_names import is_tabpfn
from tabbench.core.contexts import CONTEXTS
from tabbench.core.suites import level_number
from tabbench.reporting.page.phrases import (
    changes,
    low_to_high,
    n_datasets,
    n_examples,
    signed,
    times,
    value,
    versus,
    whose,
)
from tabbench.reporting.page.questions import artifact_title
from tabbench.reporting.writer import p_value, plural
from tabbench.statistics.multiplicity import LEVEL, holm

NOT_ASKED = "Not part of this configuration."
UNDEFINED = "Not answered: too few of the compared scores are defined."

MAIN_TABLES = {
    "rq1": "table2",
    "rq2": "table6",
    "rq3": "table7",
    "rq4": "table8",
    "rq5": "table9",
    "rq6": "table10",
    "rq7": "table11",
}
"""The table that answers each research question."""


def answer(question: str, numbers: pd.DataFrame | None, models: Mapping[str, str]) -> str:
    """Return the answer to a research question.

    Parameters
    ----------
    question : rq1 to rq7
    numbers : the .csv of the question's table in `MAIN_TABLES`; None when it was not made
    models : display name by id

    Returns
    -------
    str
        Sentences in plain text; where no answer is possible, they say why.
    """
    table = artifact_title(MAIN_TABLES[question])
    if numbers is None:
        return f"Not answered: {table} was not built."
    defined = numbers.dropna(subset=["mean"])
    said = _SENTENCES[question](defined, models) if len(defined) else ""
    if not said:
        return UNDEFINED
    return f"{said}." if "p" in numbers else f"{said}. {table} tests no difference."


def zero_shot(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ1 from Table II: the best model compared with the fitted baseline."""
    cells = cells[cells["group"] == "All"]
    ours = cells[cells["model"].isin(list(models))].sort_values("mean", ascending=False)
    if ours.empty:
        return ""
    best, worst = ours.iloc[0], ours.iloc[-1]
    text = (
        f"Without labelled examples, {models[best['model']]} reaches a mean ROC-AUC of "
        f"{value(best)} over {n_datasets(ours['n_datasets'])} (0.5 is chance)"
    )
    if len(ours) > 1:
        text += (
            f", the best of {len(ours)} language models; the lowest, {models[worst['model']]}, "
            f"has {value(worst)}"
        )
    fitted = cells[~cells["model"].isin(list(models))]
    if len(fitted):
        baseline = fitted.sort_values("mean").iloc[-1]
        which = "" if is_tabpfn(baseline["model"]) else ", the strongest baseline"
        text += (
            f". {baseline['name']}{which}, fitted on {n_examples(baseline['k'])}, has "
            f"{value(baseline)} on the same datasets, {versus(baseline['mean'] - best['mean'])}"
        )
    return text


def against_chance(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """Return a further sentence of RQ1 from the table of tests against chance, in the main mode."""
    tested = cells[(cells["group"] == "All") & cells["main"]]
    tested = tested.dropna(subset=["p_stouffer_monte_carlo"])
    tested = tested[tested["model"].isin(list(models))]
    if tested.empty:
        return "No test against chance was possible."
    test = (
        "one-sided Monte-Carlo tests per dataset, combined by Stouffer's method over "
        f"{n_datasets(tested['n_datasets'])}"
    )
    p = tested["p_stouffer_monte_carlo"].to_numpy()
    if len(tested) == 1:
        only = tested.iloc[0]
        shown = p_value(p[0], only["log10_p_stouffer_monte_carlo"])
        verdict = "is" if p[0] < LEVEL else "is not"
        return (
            f"Against random rankings, {models[only['model']]} {verdict} significantly better at "
            f"{LEVEL} ({shown}; {test})."
        )
    return (
        f"Against random rankings, {int((holm(p) < LEVEL).sum())} of {len(tested)} models are "
        f"significantly better at {LEVEL} ({test}; corrected by Holm's method over the "
        f"{len(tested)} models)."
    )


def prompt(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ2 from Table VI: the richest prompt against the poorest, and each half alone."""
    means = cells.pivot_table(index="model", columns="configuration", values="mean")
    names = [one.name for one in CONTEXTS]
    bare, columns, task, full = (means.get(name, pd.Series(dtype=float)) for name in names)
    gain = (full - bare).dropna()
    if gain.empty:
        return ""
    return (
        f"With column names and task description added to the prompt, mean zero-shot ROC-AUC "
        f"{changes(gain, models)} ({n_datasets(cells['n_datasets'])}); column names alone change "
        f"it by {signed((columns - bare).mean())}, the task description alone by "
        f"{signed((task - bare).mean())}{'' if len(gain) == 1 else ' on average'}"
    )


def examples(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ3 from Table VII: the gain of the largest k over zero-shot, and its significance."""
    shown = cells.dropna(subset=["gain"]).sort_values("k").groupby("model").tail(1)
    shown = shown.set_index("model").reindex(
        [name for name in models if name in set(shown["model"])]
    )
    if shown.empty:
        return ""
    asked = " or ".join(map(str, sorted(shown["k"].unique())))
    text = (
        f"With {asked} examples instead of none, mean ROC-AUC {changes(shown['gain'], models)} "
        f"on the same test rows"
    )
    tested = shown.dropna(subset=["p"])
    if tested.empty:
        return f"{text}; no test was possible"
    test = (
        "one-sided DeLong tests per dataset, combined by Stouffer's method over "
        f"{n_datasets(tested['n_tests'])}"
    )
    if len(tested) == 1:
        only = tested.iloc[0]
        verdict = "significant" if only["p"] < LEVEL else "not significant"
        of = "" if len(shown) == 1 else f" for {models[tested.index[0]]}, the only one tested,"
        return (
            f"{text}; as a gain this is{of} {verdict} at {LEVEL} "
            f"({p_value(only['p'], only['log10_p'])}; {test})"
        )
    found = int((holm(tested["p"].to_numpy()) < LEVEL).sum())
    return (
        f"{text}. The gain is significant at {LEVEL} for {found} of {len(tested)} models ({test}; "
        f"corrected by Holm's method over the {len(tested)} models)"
    )


def context(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ4 from Table VIII: what context adds at zero shots and at the largest k."""

    def worth(k: int) -> str:
        at = cells[cells["k"] == k]
        return (
            f"by {signed(at['mean'].mean())} with {n_examples(k)} ({n_datasets(at['n_datasets'])})"
        )

    low, high = int(cells["k"].min()), int(cells["k"].max())
    steps = worth(low) if low == high else f"{worth(low)} and {worth(high)}"
    if len(set(cells.loc[cells["k"].isin([low, high]), "datasets"])) > 1:
        steps += "; the means do not all cover the same datasets"
    return (
        f"Column names and task description together change mean ROC-AUC{whose(cells, models)} "
        f"{steps}"
    )


def entities(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ5 from Table IX: the best regime, the best single one, and the baseline."""
    cells = cells.assign(parts=[len(str(name).split(" + ")) for name in cells["regime"]])
    fitted = is_baseline_row(cells)
    asked = cells[~fitted & cells["model"].isin(list(models))]
    if asked.empty:
        return ""
    means = asked.groupby(["parts", "regime"], as_index=False)["mean"].mean()
    best = means.loc[means["mean"].idxmax()]
    columns = asked[["model", "generator"]].drop_duplicates()
    of = (
        f"for {models[columns['model'].iloc[0]]}"
        if len(columns) == 1
        else f"averaged over {len(columns)} pairs of model and generator"
    )
    text = (
        f"The best of {len(means)} prompting regimes is “{best['regime']}”: mean ROC-AUC "
        f"{best['mean']:.3f}, {of}, over {n_datasets(asked['n_datasets'])} written in a dialogue"
    )
    single = means[means["parts"] == 1]
    if best["parts"] > 1 and len(single):
        alone = single.loc[single["mean"].idxmax()]
        text += f"; the best single entity, “{alone['regime']}”, has {alone['mean']:.3f}"
    if fitted.any():
        beside = cells[fitted]
        text += f"; the fitted baseline {beside['regime'].iloc[0]} has {beside['mean'].mean():.3f}"
    return text


def is_baseline_row(cells: pd.DataFrame) -> "pd.Series[bool]":
    """Say which rows of Table IX are those of the fitted baseline."""
    return cells["regime"].str.endswith("-shot)")


def complexity(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ6 from Table X: the easiest and the hardest level, at the largest k."""
    shown = cells[cells["k"] == cells["k"].max()]
    means = {str(level): part["mean"].mean() for level, part in shown.groupby("level")}
    levels = sorted(means, key=level_number)
    text = (
        f"With {n_examples(cells['k'].max())}, mean ROC-AUC{whose(shown, models)} is "
        f"{means[levels[0]]:.3f} on {levels[0]}, the easiest level that ran"
    )
    if len(levels) > 1:
        text += f", and {means[levels[-1]]:.3f} on {levels[-1]}, the hardest"
    highest = cells.sort_values("mean").iloc[-1]
    return (
        f"{text} ({n_datasets(cells['n_datasets'])} per level); the highest value anywhere is "
        f"{value(highest)} ({models[highest['model']]}, {highest['level']}, "
        f"{n_examples(highest['k'])})"
    )


def modes(cells: pd.DataFrame, models: Mapping[str, str]) -> str:
    """RQ7 from Table XI: quality and time of forward scoring against generation."""
    del models
    deltas = cells[cells["mode"] == "forward - generation"]
    if deltas.empty:
        return ""
    generation = cells[cells["mode"] == "generation"]
    ratio = generation["time_ratio"].dropna()
    text = (
        f"Forward scoring instead of generation changes mean ROC-AUC by "
        f"{low_to_high(deltas['mean'], signed)} ({plural(len(deltas), 'pair')} of model and "
        f"number of examples, {n_datasets(deltas['n_datasets'])})"
    )
    if len(ratio):
        text += f"; generation takes {low_to_high(ratio, times)} times as long per prompt"
    invalid = generation["invalid_rate"].max()
    if invalid > 0:
        text += f", and up to {invalid:.1%} of its answers are invalid"
    return f"{text}; datasets without a ROC-AUC in both modes are left out"


_SENTENCES: dict[str, Callable[[pd.DataFrame, Mapping[str, str]], str]] = {
    "rq1": zero_shot,
    "rq2": prompt,
    "rq3": examples,
    "rq4": context,
    "rq5": entities,
    "rq6": complexity,
    "rq7": modes,
}
