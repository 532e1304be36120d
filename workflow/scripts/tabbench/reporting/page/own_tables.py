"""The decision page's tables: the evidence, rounded, with its reasons in words."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from tabbench.core.schemas import decision as schema
from tabbench.decision.sentences import EQUAL, WHY, Evidence, each, outcome, place_bound
from tabbench.reporting.reader import Cell, Readable
from tabbench.reporting.writer import DASH, interval, p_value, plus_minus

_METHODS = {
    schema.AS_ANSWERED: "as answered",
    schema.PLATT: "Platt",
    schema.ISOTONIC: "isotonic",
}


def readable(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Sequence[str] = (),
    bold: Iterable[int] = (),
) -> Readable:
    """Return a table of texts; ``bold`` are the rows that are set off."""
    marked = set(bold)
    cells = tuple(
        tuple(Cell(text, bold=at in marked) for text in row) for at, row in enumerate(rows)
    )
    return Readable(caption, tuple(header), cells, tuple(notes))


def curves_table(evidence: Evidence) -> Readable:
    """Every point of the learning curves."""
    rows = _ordered(evidence, evidence.curves)
    return readable(
        "ROC-AUC and PR-AUC of every model and baseline",
        (
            *("Model", "Labels", "ROC-AUC", "95 % interval", "Better than guessing"),
            *("PR-AUC", "95 % interval", "Test rows", "Left out", "Draws", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row)),
                *(plus_minus(row.roc_auc), interval(row.roc_auc_low, row.roc_auc_high)),
                _p(row.p_chance_holm),
                *(plus_minus(row.pr_auc), interval(row.pr_auc_low, row.pr_auc_high)),
                *(f"{row.n:,}", f"{row.n_dropped:,}", str(row.draws), WHY[row.status]),
            )
            for row in rows
        ],
        (
            "better than guessing: p of a random ranking that is as good, corrected by Holm over "
            "the table",
            "PR-AUC: average precision; guessing has the share of class 1, "
            f"{_shares(evidence.curves)}",
            "left out: test rows that were asked and have an invalid answer under some draw",
            "intervals cover the test rows and, with two draws or more, the labelled examples",
        ),
    )


def crossings_table(evidence: Evidence) -> Readable:
    """From how many labels on each baseline is better."""
    rows = [row for row in each(evidence.crossings) if row.model in evidence.models]
    return readable(
        "Labels from which on a baseline is better than a model",
        (
            *("Model", "Its labels", "Baseline", "Better from", "95 % interval"),
            *("Ahead from the first", "Never ahead", "Remark"),
        ),
        [
            (
                evidence.name(row.model),
                f"{row.model_k:,}"
                if row.comparison == schema.FIXED
                else f"same, ≤ {row.model_k:,}",
                evidence.name(row.baseline),
                DASH if math.isnan(row.labels) else f"{row.labels:,.0f}",
                _places(row),
                *(_percent(row.share_before), _percent(row.share_beyond)),
                WHY[row.status],
            )
            for row in rows
        ],
        (
            "where the learning curves cross, between the numbers of labels that were tried (log "
            "axis)",
            "ahead from the first, never ahead: share of resamples of test rows and draws in which "
            "the baseline is better with the fewest labels already, or not with the most either",
        ),
    )


def differences_table(evidence: Evidence) -> Readable:
    """Every paired difference with its test."""
    rows = [row for row in each(evidence.differences) if row.model in evidence.models]
    return readable(
        "Differences of ROC-AUC on the same test rows",
        (
            *("Model", "Labels", "Less", "Its labels", "Difference", "Interval"),
            *("p", "p (Holm)", "Test rows", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row)),
                evidence.name(row.reference) if row.reference != row.model else "itself",
                f"all {row.reference_k:,}" if row.reference_full else f"{row.reference_k:,}",
                plus_minus(row.difference, signed=True),
                interval(row.low, row.high, signed=True),
                *(_p(row.p), _p(row.p_holm), f"{row.n:,}", WHY[row.status]),
            )
            for row in rows
        ],
        (
            "p: DeLong's test of the mean over draws, two-sided; Holm's correction within each "
            "kind of comparison: same labels, all labels, examples against none, two models",
            "interval: at the level at which Holm's method judges the difference, 95 % or more, so "
            "that it leaves out 0 exactly where the difference is told",
            "bold: p (Holm) below 0.05",
        ),
        bold=[at for at, row in enumerate(rows) if outcome(row) != EQUAL],
    )


def power_table(evidence: Evidence) -> Readable:
    """How many test rows would tell a small difference."""
    rows = [row for row in each(evidence.power) if row.model in evidence.models]
    return readable(
        "Test rows that it takes to tell a difference of 0.05",
        (
            *("Model", "Labels", "Against", "Its labels", "Rows needed", "Rows asked"),
            *("Rows there", "Chance now", "Told now", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row)),
                evidence.name(row.reference) if row.reference != row.model else "itself",
                f"all {row.reference_k:,}" if row.reference_full else f"{row.reference_k:,}",
                f"{row.rows_needed:,}" if row.rows_needed else DASH,
                *(f"{row.n:,}", f"{row.rows_there:,}", _percent(row.power_now)),
                "> 1" if row.detectable > 1 else plus_minus(row.detectable),
                WHY[row.status],
            )
            for row in rows
        ],
        (
            "rows needed: with them the test tells a true difference of 0.05 in 80 of 100 cases or "
            "more, from DeLong's variance on these rows; at the level that Holm's method asks of "
            f"the smallest p of a comparison, 0.05 over its tests: {_alphas(evidence.power)}",
            "chance now: the same chance with the rows asked; told now: the difference that they "
            "tell in 80 of 100 cases",
        ),
    )


def contexts_table(evidence: Evidence) -> Readable:
    """What a model does without names or task text, and in other formats."""
    rows = [row for row in each(evidence.context_effects) if row.model in evidence.models]
    return readable(
        "ROC-AUC with and without column names and task text",
        (
            *("Model", "Labels", "Column names", "Task text", "Format", "ROC-AUC"),
            *("Lost", "Interval", "p (Holm)", "Test rows", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), f"{row.k:,}"),
                "masked" if row.serialization.endswith("_mask") else "yes",
                "yes" if row.prompt == "contextual" else "no",
                row.serialization.removesuffix("_mask"),
                plus_minus(row.roc_auc),
                plus_minus(row.difference, signed=True),
                interval(row.low, row.high, signed=True),
                *(_p(row.p_holm), f"{row.n:,}", WHY[row.status]),
            )
            for row in rows
        ],
        (
            "lost: ROC-AUC with names and task text less that of this prompt, on the same rows",
            "interval: 95 % or more, at the level at which Holm's method judges what is lost",
            "a model that needs the names knows something of what the columns mean; one that does "
            "as well without them uses the values and the examples alone",
        ),
    )


def calibration_table(evidence: Evidence) -> Readable:
    """Brier score and log loss, as answered and recalibrated."""
    rows = _ordered(evidence, evidence.calibrations)
    return readable(
        "Probabilities, as answered and recalibrated",
        (
            *("Model", "Labels", "Method", "Brier", "Change", "95 % interval", "Brier, base rate"),
            *("Log loss", "Log loss, base rate", "Calibration error", "If right"),
            *("Rows to recalibrate", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row), _METHODS[row.method]),
                *(plus_minus(row.brier), _change(row)),
                interval(row.brier_change_low, row.brier_change_high, signed=True),
                *(plus_minus(row.brier_base_rate), _real(row.log_loss)),
                *(_real(row.log_loss_base_rate), plus_minus(row.calibration_error)),
                plus_minus(row.calibration_error_if_right),
                *(f"{row.labelled_rows:,}", WHY[row.status]),
            )
            for row in rows
        ],
        (
            "Brier: mean of (p − y)², 0 is perfect; base rate: the share of class 1 in the "
            "training rows as the forecast of every row",
            "change: against the probabilities as answered; negative is better",
            "calibration error: expected, over 10 bins; if right: what it would be if every "
            "probability were right, by chance alone",
            "Platt: a logistic curve, isotonic: a rising step curve, both fitted on labelled rows "
            "that are neither test rows nor in the prompt",
        ),
    )


def thresholds_table(evidence: Evidence) -> Readable:
    """Precision, recall and F1 at thresholds."""
    rows = [row for row in _ordered(evidence, evidence.thresholds) if row.kind == "model"]
    return readable(
        "Precision, recall and F1 of the models by threshold",
        (
            *("Model", "Labels", "Threshold", "Called class 1", "Precision", "95 % interval"),
            *("Recall", "95 % interval", "F1", "95 % interval", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row)),
                f"{_real(row.threshold)}{' (best F1)' if row.chosen else ''}",
                _percent(row.flagged),
                *(plus_minus(row.precision), interval(row.precision_low, row.precision_high)),
                *(plus_minus(row.recall), interval(row.recall_low, row.recall_high)),
                *(plus_minus(row.f1), interval(row.f1_low, row.f1_high), WHY[row.status]),
            )
            for row in rows
        ],
        (
            "a row is called class 1 where its probability is at or above the threshold",
            "best F1: the threshold with the best F1 on labelled rows, never test rows",
        ),
        bold=[at for at, row in enumerate(rows) if row.chosen],
    )


def costs_table(evidence: Evidence) -> Readable:
    """Tokens, seconds and money."""
    rows = _ordered(evidence, evidence.costs)
    return readable(
        "Cost per 1,000 rows, and of the whole file",
        (
            *("Model", "Labels", "Tokens read", "Tokens written", "Seconds", "Money"),
            *("Fit, seconds", "Whole file, seconds", "Whole file, money", "Remark"),
        ),
        [
            (
                *(evidence.name(row.model), _labels(row)),
                *(_count(row.prompt_tokens), _count(row.completion_tokens), _time(row.seconds)),
                _money(row.cost, row.currency),
                _time(row.fit_seconds) if row.kind == "baseline" else DASH,
                _time(row.file_seconds),
                _money(row.file_cost, row.currency),
                "; ".join(filter(None, (WHY[row.status], row.reason))),
            )
            for row in rows
        ],
        (
            "seconds: measured here when the rows were asked or fitted, one after the other; "
            "loading a model is left out",
            "money: at the prices of the model's entry, if the provider caches nothing; "
            f"{DASH}: the entry states none",
            f"whole file: {_files(evidence.costs)}",
        ),
    )


def _ordered(evidence: Evidence, frame: pd.DataFrame) -> list[Any]:
    """Rows of models, then of baselines, each in the configured order."""
    order = {one: at for at, one in enumerate([*evidence.models, *evidence.baselines])}
    known = frame[frame["model"].isin(list(order))]
    return each(known.sort_values("model", key=lambda ids: ids.map(order), kind="stable"))


def _labels(row: Any) -> str:
    return f"all {row.k:,}" if row.full else f"{row.k:,}"


def _p(p: float) -> str:
    return p_value(p, math.nan).removeprefix("p = ").removeprefix("p ")


def _percent(share: float) -> str:
    return DASH if math.isnan(share) else f"{share:.0%}"


def _real(value: float) -> str:
    return "∞" if math.isinf(value) else plus_minus(value)


def _count(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:,.0f}"


def _time(seconds: float) -> str:
    if math.isnan(seconds):
        return DASH
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.3g}"


def _change(row: Any) -> str:
    return DASH if row.method == schema.AS_ANSWERED else plus_minus(row.brier_change, signed=True)


def _places(row: Any) -> str:
    if math.isnan(row.low):
        return DASH
    low, high = (place_bound(row, end, "<", ">") for end in (row.low, row.high))
    return f"[{low}, {high}]"


def _money(cost: float, currency: str) -> str:
    return DASH if math.isnan(cost) else f"≤ {cost:,.2f} {currency}"


def _shares(curves: pd.DataFrame) -> str:
    shares = sorted({f"{share:.3f}" for share in curves["base_rate"].dropna()})
    return " to ".join(dict.fromkeys([shares[0], shares[-1]])) if shares else "unknown here"


def _alphas(power: pd.DataFrame) -> str:
    levels = sorted({f"{alpha:.2g}" for alpha in power["alpha"]}, key=float, reverse=True)
    return ", ".join(levels)


def _files(costs: pd.DataFrame) -> str:
    rows = sorted({int(count) for count in costs["file_rows"]})
    return f"{rows[-1]:,} rows, labelled ones included" if rows else "nothing was asked"
