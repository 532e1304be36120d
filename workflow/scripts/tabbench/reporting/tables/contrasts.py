"""RQ4's planned contrasts: can examples replace context?"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.contexts import CONTEXT_NOTE, POOREST, RICHEST
from tabbench.reporting.notes import PLAIN_AUC
from tabbench.reporting.remarks import rows_remark
from tabbench.reporting.writer import DASH, Table, p_value, plus_minus
from tabbench.scoring.select import select
from tabbench.statistics.contrasts import EQUAL, PLANNED, combine_contrasts

_TEST_NOTE = (
    "Δ = maximal context − minimal context: above 0 the maximal context is better; "
    "per dataset a two-sided DeLong test of the mean AUC over draws on shared test rows, combined "
    "over the n datasets by Stouffer's method, unweighted"
)
_INTERVAL_NOTE = (
    "95 % interval of the mean Δ: normal approximation from DeLong's standard errors, datasets "
    "taken as independent; it covers sampling of the test rows, not of the examples, and is not "
    "corrected"
)
_FAMILY_NOTE = (
    "p (Holm) is corrected within a family: the planned contrasts ({planned}), and the "
    "comparisons at equal shots ({equal}), which are descriptive"
)


def contrasts(
    contrasts: pd.DataFrame, models: Mapping[str, str], mode: str = "generation"
) -> Table:
    """Make the table of contrasts: per model the planned one, then both contexts at equal k.

    Parameters
    ----------
    contrasts : DataFrame with the columns of ``schemas.CONTRASTS``
    models : display name by id, in the order of the rows
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no contrast of the classic suite was tested in this mode.
    """
    keyed = contrasts.assign(k=contrasts["k_maximal"])
    used = select(keyed, models=models, suites=["core"], modes=[mode]).drop(columns="k")
    numbers = combine_contrasts(used)
    order = {name: at for at, name in enumerate([PLANNED, EQUAL, *models])}
    numbers = numbers.sort_values(
        ["model", "contrast", "k_maximal"],
        key=lambda column: column.map(order) if column.name != "k_maximal" else column,
        ignore_index=True,
    )
    family = numbers[numbers["p"].notna()]["contrast"].value_counts()
    return Table(
        caption=f"{RICHEST.name} against {POOREST.name}, classic suite, {mode} mode",
        header=(
            *("Model", "Maximal context", "Minimal context", "n", "AUC maximal", "AUC minimal"),
            *("Δ", "95 % interval of Δ", "p", "p (Holm)"),
        ),
        rows=tuple(_row(models, cell) for cell in numbers.itertuples()),
        numbers=numbers,
        notes=(
            _TEST_NOTE,
            _INTERVAL_NOTE,
            _FAMILY_NOTE.format(planned=family.get(PLANNED, 0), equal=family.get(EQUAL, 0)),
            *_datasets(numbers, used),
            *_dropped(numbers),
            f"maximal context: {RICHEST.name}, minimal context: {POOREST.name}",
            CONTEXT_NOTE,
            PLAIN_AUC,
            *(f"{models[m]}: not run ({DASH})" for m in models if m not in set(used["model"])),
            rows_remark(used),
        ),
    )


def _row(models: Mapping[str, str], cell: Any) -> tuple[str, ...]:
    name, planned = models[cell.model], cell.contrast == PLANNED
    ends = (cell.low, cell.high)
    return (
        f"{name}, planned" if planned else name,
        f"{cell.k_maximal}-shot",
        f"{cell.k_minimal}-shot",
        str(cell.n_datasets),
        plus_minus(cell.auc_maximal),
        plus_minus(cell.auc_minimal),
        plus_minus(cell.difference, signed=True),
        DASH if cell.n_datasets == 0 else " to ".join(plus_minus(end, signed=True) for end in ends),
        _p(cell.p, cell.log10_p),
        _p(cell.p_holm, cell.log10_p),
    )


def _p(p: float, log10_p: float) -> str:
    """Return a p-value without its "p ="; ``log10_p`` is used only where p underflows."""
    return p_value(p, log10_p).removeprefix("p ").removeprefix("= ")


def _datasets(numbers: pd.DataFrame, used: pd.DataFrame) -> tuple[str, ...]:
    """Say which datasets each kind of contrast rests on, and which of them it lacks."""
    every = set(used["dataset"])
    notes = [f"datasets of the suite, {len(every)}: {', '.join(sorted(every))}"]
    kinds = numbers.groupby(["contrast", "k_maximal", "k_minimal"], sort=False)["datasets"]
    for (contrast, maximal, minimal), names in kinds:
        title = f"{maximal}-shot against {minimal}-shot"
        for entered in sorted(set(names)):
            absent = every - set(filter(None, entered.split("; ")))
            if absent:
                notes.append(
                    f"{title}{' (planned)' if contrast == PLANNED else ''}: "
                    f"{len(absent)} of {len(every)} datasets do not have both sides, or no "
                    f"defined test, and are left out: {', '.join(sorted(absent))}"
                )
    return tuple(dict.fromkeys(notes))


def _dropped(numbers: pd.DataFrame) -> tuple[str, ...]:
    rows = int(numbers["n_dropped"].sum())
    tests = int(numbers["n_left_out"].sum())
    notes = []
    if rows:
        notes.append(f"left out: {rows:,} comparisons of test rows with an invalid answer")
    if tests:
        notes.append(f"left out: {tests} tests of a dataset that are undefined")
    return tuple(notes)
