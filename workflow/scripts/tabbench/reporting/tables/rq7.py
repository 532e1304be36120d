"""RQ7, Table XI: forward scoring against generation, in quality and in measured time."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table, plus_minus
from tabbench.scoring.aggregate import (
    CONDITION,
    DATASET,
    difference,
    over_datasets,
    over_seeds,
    paired,
)
from tabbench.scoring.select import select_main

MODES = ("generation", "forward")
_HEADER = (
    "Model",
    "Shots",
    "n",
    "Generation",
    "Forward",
    "Δ",
    "Generation (s/prompt)",
    "Forward (s/prompt)",
    "Ratio",
    "Completion tokens",
)
_CELL = ["dataset", "prompt", "serialization", "seed"]
_COST_NOTE = (
    "s/prompt: measured wall-clock seconds, mean over datasets; a shared prefix is spread over the "
    "rows that use it; ratio: generation / forward; completion tokens: mean per prompt of "
    "generation"
)
_PAPER_NOTE = (
    "the paper's ratios, about 4.5 (0-shot) and 1.4 (64-shot), compare forward scoring with "
    "generation that may write a JSON answer of up to 600 tokens; here generation is asked only "
    "for the label, so a smaller ratio is no contradiction"
)


def table11(scores: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make Table XI: a row per model at k = 0 and at the largest k that both modes have.

    Both modes of a row cover the same datasets (classic and new suites).

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the rows

    Raises
    ------
    TabBenchError
        When no cell matches, or a model's results mix set-ups.
    """
    used = select_main(
        scores,
        models=models,
        suites=GROUPS["All"],
        modes=MODES,
    )
    shots = sorted({0, _largest_shared(used)})
    used = used[used["k"].isin(shots)]
    datasets = paired(over_seeds(used), across=["mode"], within=["model", "k"])
    cells = over_datasets(datasets, ["model", "k", "mode"], spread="over_datasets")
    numbers = cells.merge(_costs(used, datasets), on=["model", "k", "mode"])
    by_mode = {mode: datasets[datasets["mode"] == mode] for mode in MODES}
    deltas = over_datasets(
        difference(by_mode["forward"], by_mode["generation"], on=["model", "k"]),
        ["model", "k"],
        spread="over_datasets",
    ).assign(mode="forward - generation")
    numbers = pd.concat([numbers, deltas], ignore_index=True)
    numbers = numbers.sort_values(["model", "k"], kind="stable", ignore_index=True)
    rows = tuple(
        (name, shots_title(k), *_row(numbers[(numbers["model"] == model) & (numbers["k"] == k)]))
        for model, name in models.items()
        for k in shots
    )
    return Table(
        caption="ROC-AUC and time of forward scoring and generation, classic and new suites",
        header=_HEADER,
        rows=rows,
        numbers=numbers,
        notes=(
            "Δ = forward − generation, per dataset, on the n datasets that both modes have",
            _COST_NOTE,
            _PAPER_NOTE,
            *_refused(numbers, models),
            dataset_note(
                cells, lambda cell: f"{models[cell.model]} {shots_title(cell.k)} {cell.mode}"
            ),
            *foundation_notes(used, models, spread="over_datasets"),
        ),
    )


def _largest_shared(used: pd.DataFrame) -> int:
    """Return the largest k for which some model has both modes; 0 when there is none."""
    modes = used.groupby(["model", "k"], observed=True)["mode"].nunique()
    shared = modes[modes == len(MODES)]
    return int(shared.index.get_level_values("k").max()) if len(shared) else 0


def _costs(used: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Return mean seconds and completion tokens per prompt over the datasets that enter.

    Rows of generation have ``time_ratio``, its seconds over those of forward scoring: NaN where
    the modes did not ask the same cells.
    """
    key = ["model", "k"]
    kept = used.merge(datasets[DATASET + CONDITION], on=DATASET + CONDITION)
    costs = ["seconds", "completion_tokens"]
    per_dataset = kept.groupby([*key, "mode", "dataset"], as_index=False)[costs].mean()
    means = per_dataset.groupby([*key, "mode"], as_index=False)[costs].mean()
    modes = kept.groupby([*key, *_CELL])["mode"].nunique().groupby(key).min()
    wide = means.pivot_table(index=key, columns="mode", values="seconds").reindex(
        columns=list(MODES)
    )
    ratio = (wide[MODES[0]] / wide[MODES[1]]).where(modes == len(MODES))
    ratios = ratio.rename("time_ratio").reset_index().assign(mode=MODES[0])
    return means.merge(ratios, on=[*key, "mode"], how="left")


def _refused(numbers: pd.DataFrame, models: Mapping[str, str]) -> tuple[str, ...]:
    """Name the rows whose modes did not ask the same cells, and so have no ratio of times."""
    timed = numbers.pivot_table(index=["model", "k"], columns="mode", values="seconds")
    both = timed.dropna().index if set(MODES) <= set(timed.columns) else timed.index[:0]
    given = numbers.dropna(subset=["time_ratio"]).set_index(["model", "k"]).index
    names = [f"{models[model]} {shots_title(k)}" for model, k in both.difference(given)]
    if not names:
        return ()
    return (
        f"no ratio for {', '.join(names)}: the modes did not ask the same draws of the same "
        "datasets",
    )


def _row(numbers: pd.DataFrame) -> tuple[str, ...]:
    """Return the texts after model and shots."""
    by_mode: dict[str, Any] = {str(row.mode): row for row in numbers.itertuples()}
    generation, forward = by_mode.get("generation"), by_mode.get("forward")
    delta = by_mode.get("forward - generation")
    seconds = [mode.seconds if mode else np.nan for mode in (generation, forward)]
    ratio = generation.time_ratio if generation else np.nan
    return (
        str(max(numbers["n_datasets"])) if by_mode else DASH,
        plus_minus(generation.mean, generation.std) if generation else DASH,
        plus_minus(forward.mean, forward.std) if forward else DASH,
        plus_minus(delta.mean, delta.std, signed=True) if delta else DASH,
        *(plus_minus(second) for second in seconds),
        plus_minus(ratio, digits=2),
        plus_minus(generation.completion_tokens, digits=1) if generation else DASH,
    )
