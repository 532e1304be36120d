"""RQ7: whether forward scoring and generation compare alike on new datasets and in all formats."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.contexts import RICHEST
from tabbench.core.suites import GROUPS
from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.tables.rq7 import MODES
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table, p_value, plus_minus
from tabbench.scoring.aggregate import over_seeds
from tabbench.scoring.select import select
from tabbench.statistics.multiplicity import holm
from tabbench.statistics.signed_rank import signed_rank_p

_CELL = ["model", "k", "serialization"]
_ROW = [*_CELL, "group"]
_MEAN = "mean of "
_NUMBERS = (
    *("n_datasets", *MODES, *(f"{mode}_std" for mode in MODES), "difference", "difference_std"),
    *("p", *(f"{mode}_seconds" for mode in MODES), "time_ratio"),
)


def robustness(scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make the table of both modes: a row per model, k, group of datasets and format.

    A format is shown where both modes were asked in it; several also have their mean. Both modes of
    a row cover the same datasets, and in that mean the same formats of each dataset; a ratio of
    times is given for nothing else.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select(
        scores,
        models=models,
        suites=GROUPS["All"],
        modes=MODES,
        prompts=[RICHEST.prompt],
    )
    used = used[used.groupby(_CELL, observed=True)["mode"].transform("nunique") == len(MODES)]
    used = used[used["k"].isin({0, used["k"].max()})]
    seconds = over_seeds(used, "seconds").rename(columns={"mean": "seconds"})
    key = ["dataset", *_CELL, "mode"]
    datasets = over_seeds(used).merge(seconds[[*key, "seconds"]], on=key)
    defined = datasets[datasets["mean"].notna()]
    modes = defined.groupby([*_CELL, "dataset"], observed=True)["mode"].transform("nunique")
    datasets = defined[modes == len(MODES)]
    datasets = pd.concat([datasets, _mean_of_formats(datasets)])
    numbers = pd.DataFrame(
        [
            dict(zip(_ROW, (*cell, group), strict=True)) | _compared(part)
            for group, suites in GROUPS.items()
            for cell, part in datasets[datasets["suite"].isin(suites)].groupby(_CELL)
        ],
        columns=[*_ROW, *_NUMBERS],
    )
    numbers["p_holm"] = holm(numbers["p"])
    for name, order in (
        ("model", list(models)),
        ("group", list(GROUPS)),
        ("serialization", sorted(set(numbers["serialization"]), key=_order)),
    ):
        numbers[name] = pd.Categorical(numbers[name], order)
    numbers = numbers.sort_values(["model", "k", "group", "serialization"], ignore_index=True)
    rows = [_texts(row, models) for row in numbers.itertuples()]
    rows += [
        (name, *[DASH] * 9) for model, name in models.items() if model not in set(numbers["model"])
    ]
    return Table(
        caption="Forward scoring and generation by group of datasets and serialization",
        header=(
            *("Model", "Shots", "Format", "Datasets", "n", "Generation", "Forward", "Δ"),
            *("Wilcoxon, Holm", "Time ratio"),
        ),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "Δ = forward − generation, per dataset, on the n datasets that both modes have",
            "Wilcoxon, Holm: two-sided signed-rank test of Δ over datasets, corrected over the "
            "rows of the table",
            "time ratio: seconds per prompt of generation / forward, of the same datasets and "
            "formats in both modes",
            *_left_out(used, datasets, models),
            *foundation_notes(used, models, spread="over_datasets"),
        ),
    )


def _left_out(
    used: pd.DataFrame, datasets: pd.DataFrame, models: Mapping[str, str]
) -> tuple[str, ...]:
    """Name the rows that were asked in both modes but have no dataset with a value in both."""
    asked, shown = (
        set(frame[_CELL].itertuples(index=False, name=None)) for frame in (used, datasets)
    )
    names = [f"{models[model]} {shots_title(k)} {name}" for model, k, name in sorted(asked - shown)]
    return (f"no dataset with a ROC-AUC in both modes: {', '.join(names)}",) if names else ()


def _order(serialization: str) -> tuple[bool, bool, str]:
    """Order formats: the main one first, means over formats last."""
    mean = serialization.startswith(_MEAN)
    return mean, serialization != RICHEST.serialization, serialization


def _mean_of_formats(datasets: pd.DataFrame) -> pd.DataFrame:
    """Average the formats of each dataset that has all of its model's at that k; none of one."""
    asked = datasets.groupby(["model", "k"], observed=True)["serialization"].transform("nunique")
    by = ["suite", "dataset", "model", "mode", "k"]
    means = (
        datasets.assign(asked=asked)
        .groupby(by, observed=True, as_index=False)
        .agg(
            mean=("mean", "mean"),
            seconds=("seconds", "mean"),
            formats=("serialization", "nunique"),
            asked=("asked", "first"),
        )
    )
    whole = means[(means["formats"] == means["asked"]) & (means["asked"] > 1)]
    return whole.assign(serialization=_MEAN + whole["formats"].astype(str))


def _compared(part: pd.DataFrame) -> dict[str, float]:
    by_mode = {mode: part[part["mode"] == mode].set_index("dataset") for mode in MODES}
    generation, forward = (by_mode[mode] for mode in MODES)
    delta = forward["mean"] - generation["mean"]
    seconds = {mode: by_mode[mode]["seconds"].mean() for mode in MODES}
    return {
        "n_datasets": int(delta.count()),
        **{mode: by_mode[mode]["mean"].mean() for mode in MODES},
        **{f"{mode}_std": by_mode[mode]["mean"].std() for mode in MODES},
        "difference": delta.mean(),
        "difference_std": delta.std(),
        "p": signed_rank_p(delta),
        **{f"{mode}_seconds": value for mode, value in seconds.items()},
        "time_ratio": seconds["generation"] / seconds["forward"],
    }


def _texts(row: Any, models: Mapping[str, str]) -> tuple[str, ...]:
    return (
        models[row.model],
        shots_title(row.k),
        row.serialization,
        row.group,
        str(row.n_datasets),
        plus_minus(row.generation, row.generation_std),
        plus_minus(row.forward, row.forward_std),
        plus_minus(row.difference, row.difference_std, signed=True),
        p_value(row.p_holm, float("nan")),
        plus_minus(row.time_ratio, digits=2),
    )
