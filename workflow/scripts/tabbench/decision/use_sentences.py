"""What the decision page says of what a model uses: column names, task text, text format."""

import math
from collections.abc import Sequence
from typing import Any

from tabbench.core.contexts import RICHEST
from tabbench.decision.phrases import bracket, digits, joined, p_text, series, signed, with_labels
from tabbench.decision.sentences import Evidence, each
from tabbench.reporting.writer import plus_minus
from tabbench.statistics.multiplicity import LEVEL


def context_sentences(evidence: Evidence) -> list[str]:
    """Say what a model loses without column names, without the task text and without both."""
    rows = evidence.context_effects
    texts = []
    for model, name in evidence.models.items():
        mine = each(rows[(rows["model"] == model) & rows["configuration"].isin(list(_LOSSES))])
        tested = [row for row in mine if not math.isnan(row.p)]
        for k in dict.fromkeys(int(row.k) for row in tested):
            part = [row for row in tested if row.k == k]
            listed = series(
                f"{_LOSSES[row.configuration]} {plus_minus(row.difference, signed=True)}"
                f"{bracket((row.low, row.high, True))} ({p_text(row.p_holm)})"
                for row in part
            )
            found = [row for row in part if row.p_holm < LEVEL]
            texts.append(
                f"{name}, {with_labels(k)}: what parts of the prompt bring to the ROC-AUC is "
                f"{listed}. {_use(found)}"
            )
    return texts


def format_sentences(evidence: Evidence) -> list[str]:
    """Say how much the text format of a row changes, where a model was asked in several.

    Formats are said to differ only where one is told apart from the main one, by Holm over all
    contexts and formats.
    """
    rows = evidence.context_effects
    alike = rows["prompt"].eq(RICHEST.prompt) & ~rows["serialization"].str.endswith(_MASKED)
    texts = []
    for model, name in evidence.models.items():
        mine = rows[alike & rows["model"].eq(model) & rows["roc_auc"].notna()]
        for k in mine["k"].unique().tolist():
            part = each(mine[mine["k"] == k].sort_values("roc_auc"))
            others = [row for row in part if not math.isnan(row.p)]
            if not others:
                continue
            low, high = part[0], part[-1]
            most = min(others, key=lambda row: (row.p_holm, -abs(row.difference)))
            verdict = "differ" if most.p_holm < LEVEL else "cannot be told apart"
            texts.append(
                f"{name}, {with_labels(k)}: over {len(part)} text formats the ROC-AUC goes from "
                f"{digits(low.roc_auc)} ({low.serialization}) to {digits(high.roc_auc)} "
                f"({high.serialization}); formats {verdict} ({RICHEST.serialization} less "
                f"{most.serialization} {signed(most)}, {p_text(most.p_holm)})."
            )
    return texts


_MASKED = "_mask"
"""Ending of the formats without column names."""
_LOSSES = {
    "NoCols-Context": "column names",
    "Cols-NoContext": "the task text",
    "NoCols-NoContext": "both",
}


def _use(found: Sequence[Any]) -> str:
    """What the differences that are told from none say of the model."""
    helps = {_LOSSES[row.configuration] for row in found if row.difference > 0}
    harms = {_LOSSES[row.configuration] for row in found if row.difference < 0}
    if not helps and not harms:
        return "None of them can be told from nothing on these rows."
    texts = []
    if helps:
        texts.append(f"It uses {joined(sorted(helps - {'both'}) or ['both together'])}.")
    if harms:
        texts.append(f"It does better without {joined(sorted(harms - {'both'}) or ['either'])}.")
    return " ".join(texts)
