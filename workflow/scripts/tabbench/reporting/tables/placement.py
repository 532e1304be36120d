"""RQ6 in practice: real datasets on the scale of the complexity grid, and rank agreement."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.complexity.estimators import ESTIMATORS
from tabbench.complexity.rank_agreement import DIFFICULTY, DIMENSION, compare_orders, gains_at
from tabbench.reporting.notes import PLAIN_AUC
from tabbench.reporting.remarks import WHY_ABSENT, rows_remark
from tabbench.reporting.writer import DASH, Table, p_value, plus_minus
from tabbench.statistics.rank_correlation import FEWEST

_EXACT_N = 7
"""Largest number of datasets for which all pairings are counted."""


def placement(
    placement: pd.DataFrame, scale: pd.DataFrame, baselines: Mapping[str, str], rows: int
) -> Table:
    """Make the table of each real dataset's level by ROC-AUC and by intrinsic dimension.

    Parameters
    ----------
    placement : DataFrame with the columns of ``schemas.PLACEMENT``
    scale : DataFrame with the columns of ``schemas.COMPLEXITY_SCALE``
    baselines : display name by id
    rows : rows of an MLP table
    """
    first = placement.iloc[0]
    name, k = baselines[first["model"]], int(first["k"])
    low, high = int(scale["level"].min()), int(scale["level"].max())
    fitted = bool(scale["n_tables"].any())
    return Table(
        caption=f"Real datasets on the MLP grid's scale: ROC-AUC of {name} with {k} examples, and "
        "intrinsic dimension",
        header=(
            *("Dataset", "ROC-AUC", "Level by ROC-AUC", f"{first['coverage']:.0%} interval"),
            *("Dimension", "Level by dimension", "By single estimators", "Rows"),
        ),
        rows=tuple(_placed(line, low, high) for line in placement.itertuples()),
        numbers=placement,
        notes=(
            *(_by_auc(first, scale, name) if fitted else (_not_fitted(k),)),
            f"dimension: mean of {', '.join(ESTIMATORS.values())} (Table XVI) on at most "
            f"{rows:,} distinct rows; columns scaled to a variance of 1, the indicators of a "
            "category together; rows with a missing number left out; by single estimators: the "
            "lowest and highest level given by any one of them",
            f"level by dimension: where the same estimators' mean on MLP tables is that of the "
            f"dataset; linear between levels: {_dimensions(scale)}",
            *_coverage(placement if fitted else placement.assign(undefined=""), scale, rows),
            PLAIN_AUC,
        ),
    )


def correlations(
    placement: pd.DataFrame,
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
    tests: pd.DataFrame | None = None,
) -> Table:
    """Make the table of rank correlations between both complexities and each model's gain.

    Parameters
    ----------
    placement : DataFrame with the columns of ``schemas.PLACEMENT``
    models, baselines : display name by id
    mode : of the gains, generation or forward
    tests : DataFrame with the columns of ``schemas.TESTS``; None where no gain was asked
    """
    name, k = baselines[placement["model"].iloc[0]], int(placement["k"].iloc[0])
    gains = gains_at(tests, models, mode, k)
    numbers = compare_orders(placement, gains)
    titles = {DIFFICULTY: f"difficulty for {name}", DIMENSION: "intrinsic dimension"}
    titles |= {model: f"gain of {title}" for model, title in models.items()}
    missing = [title for model, title in models.items() if model not in gains]
    return Table(
        caption="Rank correlations of real datasets' complexity and the gain of examples",
        header=("Measures", "n", "Spearman's ρ", "p", "Kendall's τ", "p", "Without"),
        rows=tuple(_correlated(line, titles) for line in numbers.itertuples()),
        numbers=numbers,
        notes=(
            f"difficulty: ROC-AUC of {name} with {k} examples, negated; dimension: see the table "
            f"of placements; gain: ROC-AUC with {k} examples less zero-shot ROC-AUC, task text and "
            f"named columns, {mode} mode; n: datasets that have both",
            *(() if placement["n_draws"].any() else (_not_fitted(k),)),
            *([f"no gain of {k} examples: {', '.join(missing)}"] if missing else []),
            f"p: two-sided, over all pairings up to n = {_EXACT_N}, else over 9,999 random ones; "
            "not corrected for several comparisons",
            *_few(numbers),
        ),
    )


def _by_auc(first: pd.Series, scale: pd.DataFrame, name: str) -> tuple[str, ...]:
    """Explain the placement by ROC-AUC."""
    low, high = int(scale["level"].min()), int(scale["level"].max())
    return (
        f"level by ROC-AUC: where the mean ROC-AUC of {name} on MLP tables, fitted on "
        f"{first['k']} examples as well, is that of the dataset; linear between levels: "
        f"{_aucs(scale)}",
        *_pooled(scale),
        f"interval: percentiles of {first['resamples']:,} bootstrap resamples of the dataset's "
        "test rows within each class, its draws of examples, and the MLP tables within each "
        f"level (< {low}: easier than level {low}, > {high}: harder than level {high}); few "
        "draws or tables make it too narrow; where it spans the whole scale, the level is "
        "undetermined",
    )


def _not_fitted(k: int) -> str:
    return f"no placing baseline was fitted on {k} examples, so there is no ROC-AUC; {WHY_ABSENT}"


def _placed(line: Any, low: int, high: int) -> tuple[str, ...]:
    return (
        line.dataset,
        plus_minus(line.roc_auc),
        level_text(line.level_auc, low, high) if line.determined else "undetermined",
        _range(line.level_auc_low, line.level_auc_high, low, high),
        plus_minus(line.dimension, digits=1),
        level_text(line.level_dimension, low, high),
        _range(line.level_dimension_low, line.level_dimension_high, low, high),
        f"{line.n_rows:,}",
    )


def _correlated(line: Any, titles: Mapping[str, str]) -> tuple[str, ...]:
    return (
        f"{titles[line.first]} and {titles[line.second]}",
        str(line.n),
        plus_minus(line.rho, digits=2, signed=True),
        _p(line.p_rho),
        plus_minus(line.tau, digits=2, signed=True),
        _p(line.p_tau),
        line.without or "none",
    )


def level_text(level: float, low: int, high: int) -> str:
    """Return a placed level in words.

    Examples
    --------
    >>> level_text(2.34, 0, 9), level_text(-math.inf, 0, 9), level_text(math.inf, 0, 9)
    ('2.3', 'easier than 0', 'harder than 9')
    """
    if math.isinf(level):
        return f"harder than {high}" if level > 0 else f"easier than {low}"
    return plus_minus(level, digits=1)


def _range(start: float, end: float, low: int, high: int) -> str:
    def bound(level: float) -> str:
        if math.isinf(level):
            return f"> {high}" if level > 0 else f"< {low}"
        return f"{level:.1f}"

    if math.isnan(start):
        return f"[{DASH}]"
    return f"[{bound(start)}, {bound(end)}]"


def _aucs(scale: pd.DataFrame) -> str:
    known = scale[scale["n_tables"] > 0]
    return ", ".join(
        f"MLP-{line.level} {line.roc_auc:.3f} (n = {line.n_tables})" for line in known.itertuples()
    )


def _dimensions(scale: pd.DataFrame) -> str:
    means = scale[list(ESTIMATORS)].mean(axis=1)
    return ", ".join(
        f"MLP-{level} {mean:.1f}" for level, mean in zip(scale["level"], means, strict=True)
    )


def _pooled(scale: pd.DataFrame) -> tuple[str, ...]:
    """Name the levels that isotonic regression could not tell apart."""
    known = scale[scale["n_tables"] > 0]
    texts = []
    for value in known["roc_auc_fitted"].unique().tolist():
        levels = known.loc[known["roc_auc_fitted"] == value, "level"]
        if len(levels) > 1:
            texts.append(f"{', '.join(f'MLP-{level}' for level in levels)} at {value:.3f}")
    if not texts:
        return ()
    note = (
        "ROC-AUC does not fall from each level to the next, these are pooled (isotonic "
        f"regression): {'; '.join(texts)}"
    )
    if len(known["roc_auc_fitted"].unique()) == 1:
        note += "; so the scale only separates datasets above all levels from those below"
    return (note,)


def _coverage(placement: pd.DataFrame, scale: pd.DataFrame, rows: int) -> tuple[str, ...]:
    """Name missing values, estimators left out, and datasets with fewer rows."""
    broken = [name for name in ESTIMATORS if scale[name].isna().any()]
    notes = [
        f"{line.dataset}: no ROC-AUC, {line.undefined}" for line in _with(placement, "undefined")
    ]
    notes += [
        f"{line.dataset}: dimension over {line.n_estimators} of {len(ESTIMATORS)} estimators, "
        f"{line.failures}"
        for line in _with(placement, "failures")
    ]
    if broken:
        notes.append(f"not used, since they failed on an MLP table: {', '.join(broken)}")
    notes += [
        f"{line.dataset}: columns left out of the dimension, {line.columns_left_out}"
        for line in _with(placement, "columns_left_out")
    ]
    fewer = placement[placement["n_rows"] < rows]
    if len(fewer):
        listed = (f"{line.dataset} {line.n_rows:,}" for line in fewer.itertuples())
        notes.append(
            f"fewer distinct complete rows than the {rows:,} of an MLP table, on which estimates "
            f"depend: {', '.join(listed)}"
        )
    fitted = placement[placement["n_draws"] > 0]
    if len(fitted):
        draws = sorted({int(fitted["n_draws"].min()), int(fitted["n_draws"].max())})
        notes.append(f"draws of examples: {' to '.join(map(str, draws))}; {rows_remark(fitted)}")
    return tuple(notes)


def _with(placement: pd.DataFrame, column: str) -> list[Any]:
    return list(placement[placement[column] != ""].itertuples())


def _p(p: float) -> str:
    return DASH if math.isnan(p) else p_value(p, math.nan).removeprefix("p = ")


def _few(numbers: pd.DataFrame) -> tuple[str, ...]:
    """State the limits of few datasets."""
    notes = []
    for n in sorted(set(numbers["n"])):
        if n < FEWEST:
            notes.append(f"n = {n}: too few for a rank correlation")
        elif 2 / math.factorial(n) > 0.01:
            notes.append(f"n = {n}: no p-value can be below {2 / math.factorial(n):.2g}")
    return tuple(notes)
