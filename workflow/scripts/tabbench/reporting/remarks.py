"""Remarks that tables and captions share: test rows, and why a baseline is there or absent."""

from collections.abc import Collection, Mapping

import pandas as pd

from tabbench.core.baseline_names import is_tabpfn
from tabbench.scoring.reference_baseline import Baseline


def choice_note(baseline: Baseline, scores: pd.DataFrame, baselines: Mapping[str, str]) -> str:
    """Say why this baseline is compared with the models.

    Parameters
    ----------
    baseline : from `tabpfn_or_strongest`, for ``scores`` and ``baselines``
    """
    if is_tabpfn(baseline.model):
        return f"{baseline.title} is the reference as in the paper, whatever other baselines reach"
    there = set(scores.loc[scores["mode"] == "fit", "model"])
    among = ", ".join(name for model, name in baselines.items() if model in there)
    return (
        f"{baseline.title} is the fitted baseline with the highest mean ROC-AUC on these datasets, "
        f"chosen afterwards among {among}"
    )


def tabpfn_absence(scores: pd.DataFrame, baselines: Collection[str]) -> str:
    """Return a remark that TabPFN is absent, or nothing when it was fitted.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``, of the suites in question
    baselines : ids of the configuration
    """
    fitted = scores.loc[scores["mode"] == "fit", "model"].map(is_tabpfn)
    if fitted.any():
        return ""
    if any(map(is_tabpfn, baselines)):
        return f"TabPFN is absent: {WHY_ABSENT}"
    return "TabPFN is absent: the configuration does not name it"


WHY_ABSENT = "results/baselines/fitted.md says why"


def not_fitted(scores: pd.DataFrame, baselines: Mapping[str, str]) -> str:
    """Name the baselines of the configuration that have no score, or return nothing.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``, of the suites in question
    baselines : display name by id
    """
    there = set(scores.loc[scores["mode"] == "fit", "model"])
    absent = [name for model, name in baselines.items() if model not in there]
    # Where nothing was fitted at all there were no examples to fit on.
    return f"not fitted: {', '.join(absent)}; {WHY_ABSENT}" if absent and there else ""


def rows_remark(frame: pd.DataFrame) -> str:
    """State each dataset's test rows, once when all are alike.

    Parameters
    ----------
    frame : DataFrame with the columns of ``schemas.SCORES`` or ``schemas.TESTS``
    """
    rows = frame.groupby("dataset", observed=True).agg(
        n=("n", "max"), of=("test_rows", "max"), capped=("capped", "max")
    )
    texts = [
        f"{row.n} of {row.of} (capped)" if row.capped else f"{row.n}" for row in rows.itertuples()
    ]
    if len(set(texts)) == 1:
        return f"test rows: {texts[0]} in every dataset"
    listed = (f"{name} {text}" for name, text in zip(rows.index, texts, strict=True))
    return f"test rows: {', '.join(listed)}"


def rows_sentence(frame: pd.DataFrame) -> str:
    """Return `rows_remark` as a sentence for the end of a caption."""
    remark = rows_remark(frame)
    return f" {remark[0].upper()}{remark[1:]}."
