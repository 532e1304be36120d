"""Which scores enter a table or a figure, and which baseline stands beside the models."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from tabbench.aggregate import over_seeds
from tabbench.errors import TabBenchError
from tabbench.names import CONFIGURATIONS, RICHEST


def select(
    frame: pd.DataFrame,
    *,
    models: Collection[str],
    suites: Collection[str],
    modes: Collection[str],
    prompts: Collection[str] | None = None,
    serializations: Collection[str] | None = None,
    shots: Collection[int] | None = None,
) -> pd.DataFrame:
    """Return the rows of a SCORES or TESTS table that match; None matches everything.

    Raises
    ------
    TabBenchError
        When nothing matches, so that a mistyped name cannot give an empty table.
    """
    wanted = {
        "model": models,
        "suite": suites,
        "mode": modes,
        "prompt": prompts,
        "serialization": serializations,
        "k": shots,
    }
    keep = pd.Series(True, index=frame.index)
    for name, values in wanted.items():
        if values is not None:
            keep &= frame[name].isin(list(values))
    if not keep.any():
        asked = ", ".join(
            f"{name} in {sorted(values)}" for name, values in wanted.items() if values is not None
        )
        raise TabBenchError(f"no scored cell has {asked}; run those cells or change the request")
    return frame[keep]


def select_main(
    frame: pd.DataFrame,
    *,
    models: Collection[str],
    suites: Collection[str],
    modes: Collection[str],
    shots: Collection[int] | None = None,
) -> pd.DataFrame:
    """Return the rows under the main prompt and serialization: task text, named columns.

    Raises
    ------
    TabBenchError
        When nothing matches.
    """
    return select(
        frame,
        models=models,
        suites=suites,
        modes=modes,
        prompts=[RICHEST.prompt],
        serializations=[RICHEST.serialization],
        shots=shots,
    )


def select_configurations(
    scores: pd.DataFrame,
    models: Collection[str],
    mode: str,
    shots: Collection[int] | None = None,
    suite: str = "core",
) -> pd.DataFrame:
    """Return a suite's rows under the four context configurations (RQ2, RQ4, RQ5)."""
    rows = select(scores, models=models, suites=[suite], modes=[mode], shots=shots)
    named = with_configuration(rows)
    if named.empty:
        raise TabBenchError(
            f"no scored cell of the {suite} suite in mode {mode} has one of the context "
            f"configurations {', '.join(one.name for one in CONFIGURATIONS)}; run those cells"
        )
    return named.drop(columns="configuration")


def with_configuration(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the context configuration of each row as ``configuration``; drop rows of none."""
    pairs = pd.DataFrame(CONFIGURATIONS).rename(columns={"name": "configuration"})
    return frame.merge(pairs, on=["prompt", "serialization"])


@dataclass(frozen=True)
class Baseline:
    """The baseline that stands beside the models: id, display name, shots it was fitted on."""

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
    the largest number of shots there is takes its place.

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
    shots = shots_beside(fitted["k"], k)
    datasets = over_seeds(fitted[fitted["k"] == shots])
    summary = datasets.groupby("model")["mean"].agg(["count", "mean"])
    best = max(
        (model for model in baselines if model in summary.index),
        key=lambda model: (summary.loc[model, "count"], summary.loc[model, "mean"]),
    )
    return Baseline(best, baselines[best], shots)


def shots_beside(fitted: Iterable[int], wanted: int = 16) -> int:
    """Return the examples of the baselines beside zero-shot models: ``wanted``, or the most."""
    shots = {int(k) for k in fitted if k > 0}
    return wanted if wanted in shots else max(shots, default=wanted)


def zero_shot_and_fitted(
    frame: pd.DataFrame,
    models: Collection[str],
    baselines: Collection[str],
    mode: str,
    shots: int,
) -> pd.DataFrame:
    """Return the models' main zero-shot cells and the baselines fitted on ``shots`` examples.

    Parameters
    ----------
    frame : DataFrame with the columns of a cell, such as PREDICTIONS or SCORES
    models, baselines : ids
    mode : of the models
    """
    zero_shot = (
        frame["model"].isin(list(models))
        & (frame["k"] == 0)
        & (frame["mode"] == mode)
        & (frame["prompt"] == RICHEST.prompt)
        & (frame["serialization"] == RICHEST.serialization)
    )
    fitted = frame["model"].isin(list(baselines)) & (frame["k"] == shots) & (frame["mode"] == "fit")
    return frame[zero_shot | fitted]


def tabpfn_or_strongest(
    scores: pd.DataFrame, baselines: Mapping[str, str], k: int = 16
) -> Baseline | None:
    """Return TabPFN, the paper's reference, or where it was not fitted the strongest baseline.

    Parameters and None as in `strongest_baseline`.
    """
    tabpfn = {name: title for name, title in baselines.items() if is_tabpfn(name)}
    return strongest_baseline(scores, tabpfn, k) or strongest_baseline(scores, baselines, k)


def choice_note(baseline: Baseline, scores: pd.DataFrame, baselines: Mapping[str, str]) -> str:
    """Say why this baseline stands beside the models.

    Parameters
    ----------
    baseline : what `tabpfn_or_strongest` returned for ``scores`` and ``baselines``
    """
    if is_tabpfn(baseline.model):
        return f"{baseline.title} stands beside as in the paper, whatever other baselines reach"
    there = set(scores.loc[scores["mode"] == "fit", "model"])
    among = ", ".join(name for model, name in baselines.items() if model in there)
    return (
        f"{baseline.title} is the fitted baseline with the highest mean ROC-AUC on these datasets, "
        f"chosen afterwards among {among}"
    )


def is_tabpfn(model: str) -> bool:
    """Whether a baseline's id is that of a TabPFN; they come in versions."""
    return model.lower().startswith("tabpfn")


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
    """Name each dataset's test rows, or say it once when all are alike.

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
