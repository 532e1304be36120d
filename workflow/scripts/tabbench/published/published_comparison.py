"""Our and the published numbers, for each model that ran under the paper's name.

The paper's released code folds every ROC-AUC below 0.5 upwards, so our folded numbers are
comparable with it; the plain ones are given as well.
"""

from collections.abc import Mapping

import pandas as pd

from tabbench.core.contexts import CONTEXTS, EXPERT, EXPERT_PRIOR, context_frame
from tabbench.core.suites import LLM_MARK, generator_of
from tabbench.scoring.aggregate import difference, over_datasets, over_seeds

_CELL = ["model", "suite", "mode", "prompt", "serialization", "k"]
_OURS = ["at", "model", "generator"]
ROW = ["table", "question", "condition", "generator", "model", "name", "mode", "k"]
NUMBERS = [
    *("is_difference", "published", "published_std", "published_n"),
    *("plain", "plain_std", "folded", "folded_std", "n_datasets", "datasets"),
    *("plain_difference", "folded_difference"),
]


def wanted_cells(published: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Return the cells that published numbers of our models are made of.

    Parameters
    ----------
    published : DataFrame with the columns of ``schemas.PUBLISHED``
    models : display name by id; a name that the paper has means the same model

    Returns
    -------
    DataFrame
        For each published number and model one row per suite and side: ``at`` (number of the
        row of ``published``), ``side`` (1; -1 for what is subtracted), ``spread``, ``level``,
        ``only_dataset``, then the cell: model, suite, mode, prompt, serialization, k.
    """
    ours = pd.DataFrame({"model": list(models), "name": list(models.values())}, dtype="str")
    shown = published.assign(at=range(len(published)), side=1).merge(ours, on="name")
    less = shown[shown["minus_configuration"] != ""]
    less = less.assign(mode=less["minus_mode"], configuration=less["minus_configuration"], side=-1)
    sides = pd.concat([shown, less], ignore_index=True)
    known = context_frame(*CONTEXTS, EXPERT, EXPERT_PRIOR)
    cells = sides.merge(known, on="configuration")
    cells = cells.assign(suite=cells["suites"].str.split("; ")).explode("suite")
    return cells[["at", "side", "spread", "level", "only_dataset", *_CELL]]


def compared_scores(scores: pd.DataFrame, wanted: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``scores`` that are among the wanted cells."""
    return scores.merge(wanted[_CELL].drop_duplicates(), on=_CELL)


def compare(
    scores: pd.DataFrame, published: pd.DataFrame, models: Mapping[str, str]
) -> pd.DataFrame:
    """Return a row per published number that a model of ours has scores for.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    published : DataFrame with the columns of ``schemas.PUBLISHED``
    models : display name by id

    Returns
    -------
    DataFrame
        ``ROW`` and ``NUMBERS``, in the order of ``published``; ``generator`` is that of
        LLM-synthetic tables, each apart, and else empty; ``plain`` and ``folded`` are ours over
        ``n_datasets``, and their differences are ours minus published.
    """
    wanted = wanted_cells(published, models)
    used = compared_scores(scores, wanted)
    if used.empty:
        return pd.DataFrame(columns=[*ROW, *NUMBERS])
    plain = _means(over_seeds(used), wanted)
    folded = _means(over_seeds(used, "roc_auc_folded"), wanted)
    ours = plain.rename(columns={"mean": "plain", "std": "plain_std"}).merge(
        folded[[*_OURS, "mean", "std"]].rename(columns={"mean": "folded", "std": "folded_std"}),
        on=_OURS,
    )
    theirs = published.assign(
        at=range(len(published)), is_difference=published["minus_configuration"] != ""
    ).rename(columns={"mean": "published", "std": "published_std", "n_datasets": "published_n"})
    both = theirs.merge(ours, on="at")
    for kind in ("plain", "folded"):
        both[f"{kind}_difference"] = both[kind] - both["published"]
    return both[[*ROW, *NUMBERS]]


def _means(datasets: pd.DataFrame, wanted: pd.DataFrame) -> pd.DataFrame:
    """Mean over the datasets of each published number, those with a defined value."""
    cells = wanted.merge(datasets[datasets["mean"].notna()], on=_CELL)
    cells = cells[cells["level"].isin([""]) | (cells["level"] == cells["domain"])]
    cells = cells[cells["only_dataset"].isin([""]) | (cells["only_dataset"] == cells["dataset"])]
    differs = cells["at"].isin(wanted.loc[wanted["side"] == -1, "at"])
    deltas = difference(
        cells[differs & (cells["side"] == 1)],
        cells[differs & (cells["side"] == -1)],
        on=["at", "model", "spread"],
    )
    values = pd.concat([cells[~differs], deltas], ignore_index=True)
    llm = values["dataset"].str.contains(LLM_MARK)
    values["generator"] = values["dataset"].map(generator_of).where(llm, "")
    return pd.concat(
        [
            over_datasets(values[values["spread"] == spread], _OURS, spread)
            for spread in ("over_seeds", "over_datasets")
        ],
        ignore_index=True,
    )
