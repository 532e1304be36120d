"""Effect of plans and demonstrations on SciTaRC: Tables 4 and 11, and failures by kind."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tabbench.reporting.writer import Table
from tabbench.scitarc.planning import (
    CHANGES,
    CONDITIONS,
    failure_decomposition,
    few_shot_ablation,
    planning_ablation,
)
from tabbench.scitarc.scores import SYSTEM, each
from tabbench.scitarc.tables.text import (
    INTERVAL_NOTE,
    MCNEMAR_NOTE,
    alike_notes,
    exact_p,
    judged_note,
    named,
    p_cell,
    percent,
    percent_interval,
    unchanged_notes,
)
from tabbench.statistics.multiplicity import LEVEL

_SAME = "each row is over the n questions that its system was judged on under all its conditions"


def table4(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make Table 4: accuracy without a plan, with the model's own and with the gold one.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    models : display name by id

    Returns
    -------
    Table
        ``numbers`` have a row per system and quantity, see `planning.planning_ablation`.
    """
    numbers = named(planning_ablation(scitarc_scores), models)
    rows, bold = [], set()
    for at, (_, group) in enumerate(numbers.groupby(SYSTEM, sort=False)):
        cells = {row.quantity: row for row in each(group)}
        first = next(iter(cells.values()))
        rows.append(
            (
                *(first.name, first.method, str(first.n)),
                *(_share(cells[name]) for name in CONDITIONS),
                *(_change(cells[name]) for name in CHANGES),
            )
        )
        bold |= {
            (at, 6 + place) for place, name in enumerate(CHANGES) if cells[name].p_holm < LEVEL
        }
    accuracies = numbers[numbers["quantity"].isin(list(CONDITIONS))]
    return Table(
        caption="Accuracy (%) by whose plan is carried out, zero-shot",
        header=(
            *("Model", "Method", "n", "Direct", "Autonomous", "Oracle"),
            *("Δ Auto", "Δ Max", "Δ Plan"),
        ),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            judged_note(scitarc_scores, models),
            f"direct: no plan; autonomous: the model's own plan; oracle: the data's; {_SAME}",
            "Δ Auto: autonomous − direct; Δ Max: oracle − direct; Δ Plan: oracle − autonomous, in "
            "percentage points",
            INTERVAL_NOTE,
            *alike_notes(accuracies["value"], accuracies["n"]),
            *unchanged_notes(numbers.drop(accuracies.index)),
            f"{MCNEMAR_NOTE}, not corrected; bold: p < {LEVEL} after Holm's correction over all "
            f"{len(rows) * len(CHANGES)} differences",
        ),
        bold=frozenset(bold),
    )


def _share(row: Any) -> str:
    return f"{percent(row.value)} {percent_interval(row.low, row.high)}"


def _change(row: Any) -> str:
    moved = f"{row.gained:.0f} gained, {row.lost:.0f} lost, {exact_p(row.p)}"
    change = f"{percent(row.value, signed=True)} {percent_interval(row.low, row.high, signed=True)}"
    return f"{change} ({moved})"


def failures(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table behind Figure 4: failures that the gold plan rescues, and the others.

    Parameters as in `table4`.
    """
    numbers = named(failure_decomposition(scitarc_scores), models)
    kinds = ("success", "plan_failure", "execution_failure")
    return Table(
        caption="Failures (%) that the gold plan rescues and those that it does not, zero-shot",
        header=(
            *("Model", "Method", "n", "Right with its own plan"),
            *("Plan failure", "Execution failure"),
        ),
        rows=tuple(
            (
                *(row["name"], row["method"], str(row["n"])),
                *(_bounded(row, kind) for kind in kinds),
            )
            for row in numbers.to_dict("records")
        ),
        numbers=numbers,
        notes=(
            judged_note(scitarc_scores, models),
            "plan failure: wrong with the model's own plan and right with the gold one; execution "
            f"failure: wrong with both; the three shares add up to 100 %; {_SAME}",
            INTERVAL_NOTE,
            *alike_notes(
                *_stacked(numbers, kinds), where="a share is 0 or 100 %", counted="questions"
            ),
            "no share here is tested",
        ),
    )


def _bounded(row: Mapping[Any, Any], kind: str) -> str:
    return f"{percent(row[kind])} {percent_interval(row[f'{kind}_low'], row[f'{kind}_high'])}"


def _stacked(numbers: pd.DataFrame, kinds: Sequence[str]) -> tuple[pd.Series, pd.Series]:
    """Shares of all ``kinds`` one below the other, and their n."""
    return pd.concat([numbers[kind] for kind in kinds]), pd.concat([numbers["n"]] * len(kinds))


def table11(scitarc_scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make Table 11: two demonstrations, without and with the gold plan.

    Parameters as in `table4`.
    """
    numbers = named(few_shot_ablation(scitarc_scores), models)
    kinds = ("zs_direct", "fs_direct", "fs_oracle")
    return Table(
        caption="Accuracy (%) with two demonstrations",
        header=(
            *("Model", "Method", "n", "ZS-Direct", "FS-Direct", "FS-Oracle"),
            *("FS-Oracle errors", "Regressions", "FS-Direct, p", "FS-Oracle, p"),
        ),
        rows=tuple(
            (
                *(row["name"], row["method"], str(row["n"])),
                *(_bounded(row, kind) for kind in kinds),
                *(str(row["fs_oracle_errors"]), str(row["regressions"])),
                *(p_cell(row["p_fs_direct"]), p_cell(row["p_fs_oracle"])),
            )
            for row in numbers.to_dict("records")
        ),
        numbers=numbers,
        notes=(
            judged_note(scitarc_scores, models),
            "ZS-Direct: no demonstration and no plan; FS-Direct: two demonstrations; FS-Oracle: "
            f"two demonstrations with their plans, and the gold plan; {_SAME}",
            "regressions: right under ZS-Direct and wrong under FS-Oracle",
            INTERVAL_NOTE,
            *alike_notes(*_stacked(numbers, kinds)),
            f"{MCNEMAR_NOTE}; each against ZS-Direct, not corrected for several comparisons",
        ),
    )
