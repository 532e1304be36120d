"""The reference baseline of a table or a figure."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from tabbench.core.baseline_names import is_tabpfn, reference_shots
from tabbench.scoring.aggregate import over_seeds


@dataclass(frozen=True)
class Baseline:
    """The baseline compared with the models: id, display name, number of shots it was fitted on."""

    model: str
    name: str
    k: int

    @property
    def title(self) -> str:
        return f"{self.name} ({self.k}-shot)"


def strongest_baseline(
    scores: pd.DataFrame, baselines: Mapping[str, str], k: int = 16
) -> Baseline | None:
    """Return the fitted baseline with the best mean ROC-AUC at ``k`` shots.

    Baselines that cover more of the datasets come first. When no baseline was fitted at ``k``
    shots, the largest number of shots is used.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``, of the suites in question
    baselines : display name by id; order breaks ties

    Returns
    -------
    Baseline or None
        None when no baseline was fitted on any example.
    """
    fitted = scores[
        (scores["mode"] == "fit") & scores["model"].isin(list(baselines)) & (scores["k"] > 0)
    ]
    if fitted.empty:
        return None
    shots = reference_shots(fitted["k"], k)
    datasets = over_seeds(fitted[fitted["k"] == shots])
    summary = datasets.groupby("model")["mean"].agg(["count", "mean"])
    best = max(
        (model for model in baselines if model in summary.index),
        key=lambda model: (summary.loc[model, "count"], summary.loc[model, "mean"]),
    )
    return Baseline(best, baselines[best], shots)


def tabpfn_or_strongest(
    scores: pd.DataFrame, baselines: Mapping[str, str], k: int = 16
) -> Baseline | None:
    """Return TabPFN, the paper's reference, or where it was not fitted the strongest baseline.

    Parameters and None as in `strongest_baseline`.
    """
    tabpfn = {name: title for name, title in baselines.items() if is_tabpfn(name)}
    return strongest_baseline(scores, tabpfn, k) or strongest_baseline(scores, baselines, k)
