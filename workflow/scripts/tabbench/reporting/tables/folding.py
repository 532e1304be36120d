"""RQ1, beyond the paper: plain and folded ROC-AUC."""

from collections.abc import Mapping, Sequence
from itertools import chain

import pandas as pd

from tabbench.core.suites import GROUPS
from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.writer import DASH, Table, plus_minus
from tabbench.scoring.aggregate import over_seeds
from tabbench.scoring.select import select_main
from tabbench.statistics.folding import expected_folded_auc

FORMS = {"plain": "roc_auc", "folded": "roc_auc_folded"}
FOLDED_NOTE = (
    "folded: max(AUC, 1 − AUC) of each dataset and draw, what the paper's released code reports; "
    "it is never below 0.5"
)
_RANDOM_NOTE = (
    "random, folded: expected folded AUC of random rankings of the dataset's test rows "
    "(half-normal approximation to the Mann-Whitney distribution); plain it is 0.5"
)


def folding(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Table:
    """Make the table of zero-shot plain and folded ROC-AUC: rows datasets, then their mean.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    models : display name by id, in the order of the columns
    mode : generation or forward

    Raises
    ------
    TabBenchError
        When no model has a zero-shot score, or a model's results mix set-ups.
    """
    used = main_scores(scores, models, mode, [0])
    numbers = both_forms(used)
    random = numbers.groupby("dataset", sort=False)["random_folded"].mean()
    shown = {model: numbers[numbers["model"] == model].set_index("dataset") for model in models}
    rows = [
        (
            str(name),
            plus_minus(float(value)),
            *chain(*(_cells(shown[m], str(name)) for m in models)),
        )
        for name, value in random.items()
    ]
    means = [_cells(_mean_row(frame), "Mean") for frame in shown.values()]
    rows.append((f"Mean (n = {len(random)})", plus_minus(random.mean()), *chain(*means)))
    fewer = [
        f"{models[model]}: mean over {int(frame['plain'].count())} datasets"
        for model, frame in shown.items()
        if 0 < frame["plain"].count() < len(random)
    ]
    columns = (f"{name}, {form}" for name in models.values() for form in (*FORMS, "difference"))
    return Table(
        caption=f"Zero-shot ROC-AUC, plain and folded, {mode} mode",
        header=("Dataset", "Random, folded", *columns),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            FOLDED_NOTE,
            _RANDOM_NOTE,
            f"datasets, n = {len(random)}",
            *fewer,
            *foundation_notes(used, models, spread=None),
        ),
    )


def main_scores(
    scores: pd.DataFrame, models: Mapping[str, str], mode: str, shots: Sequence[int] | None = None
) -> pd.DataFrame:
    return select_main(
        scores,
        models=models,
        suites=GROUPS["All"],
        modes=[mode],
        shots=shots,
    )


def both_forms(used: pd.DataFrame) -> pd.DataFrame:
    """Return both forms per dataset, model and k, mean over draws; undefined AUCs left out."""
    key = ["suite", "domain", "dataset", "model", "k"]
    defined = used[used["roc_auc"].notna()]
    negatives = defined["n"] - defined["n_positive"]
    expected = [
        expected_folded_auc(*counts)
        for counts in zip(defined["n_positive"], negatives, strict=True)
    ]
    frame = over_seeds(defined)[key]
    for form, metric in (*FORMS.items(), ("random_folded", "random_folded")):
        means = over_seeds(defined.assign(random_folded=expected), metric)
        frame = frame.merge(means[[*key, "mean"]].rename(columns={"mean": form}), on=key)
    frame["difference"] = frame["folded"] - frame["plain"]
    return frame


def _mean_row(frame: pd.DataFrame) -> pd.DataFrame:
    means = frame[["plain", "folded", "difference"]].mean()
    return means.to_frame("Mean").T


def _cells(frame: pd.DataFrame, dataset: str) -> tuple[str, ...]:
    if dataset not in frame.index:
        return (DASH,) * 3
    plain, folded, difference = (float(frame[form].loc[dataset]) for form in (*FORMS, "difference"))
    return plus_minus(plain), plus_minus(folded), plus_minus(difference, signed=True)
