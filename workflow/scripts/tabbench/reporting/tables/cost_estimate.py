"""The cost estimate as a table: per model the open prompts, their cost and time."""

from collections.abc import Mapping
from typing import cast

import pandas as pd

from tabbench.inference.cost_estimate import BORROWED, ESTIMATED, EXACT, Terms
from tabbench.inference.token_counts import CHARACTERS_PER_TOKEN
from tabbench.reporting.writer import DASH, Table, plural

HEADER = (
    *("Model", "Prompts", "Answered", "Too long", "To ask", "Prompt tokens", "To compute"),
    *("Completion tokens", "Cost", "GPU hours"),
)


def plan_table(
    lines: pd.DataFrame,
    terms: Mapping[str, Terms],
    titles: Mapping[str, str],
    gaps: Mapping[str, str],
) -> Table:
    """Sum the lines of each model.

    Parameters
    ----------
    lines : what `plan.plan_lines` gives
    terms, titles : by model
    gaps : parts that are not counted, with the reason
    """
    rows = [
        _row(titles[name], lines[lines["model"] == name], terms[name])
        for name in terms
        if name in set(lines["model"])
    ]
    return Table(
        "Cost estimate of this configuration",
        HEADER,
        tuple(rows),
        lines,
        _notes(lines, terms, titles, gaps),
    )


def _row(title: str, lines: pd.DataFrame, terms: Terms) -> tuple[str, ...]:
    total = lines.sum(numeric_only=True)
    about = "" if set(lines["tokens_from"]) == {EXACT} else "≈ "

    def number(name: str, mark: str = "") -> str:
        return f"{mark}{int(total[name]):,}"

    cost = DASH
    if terms.model.prices:
        low, high = total["cost_at_least"], total["cost_at_most"]
        cost = f"≈ {low:,.2f} to {high:,.2f} {terms.model.prices.currency}"
    hours = f"≈ {total['hours'] * terms.resources.gpus:.1f}" if terms.resources.gpus else DASH
    return (
        title,
        *(number(name) for name in ("prompts", "answered")),
        number("too_long", about if total["too_long"] else ""),
        number("to_ask"),
        number("prompt_tokens_to_ask", about),
        number("prompt_tokens_to_compute", about),
        number("completion_tokens_at_most", "≤ "),
        cost,
        hours,
    )


def _notes(
    lines: pd.DataFrame,
    terms: Mapping[str, Terms],
    titles: Mapping[str, str],
    gaps: Mapping[str, str],
) -> tuple[str, ...]:
    notes = [
        "Equal prompts are counted once. Prompt tokens: of the open prompts, as sent; to compute: "
        "text that prompts share counted once, as the engines in process do. Completion tokens: "
        "every answer at its full length",
    ]
    notes += _too_long(lines, titles)
    guessed = _models(lines, ESTIMATED, titles)
    if guessed:
        notes.append(
            f"≈: estimated. The tokenizer of {guessed} is not on this machine: "
            f"{CHARACTERS_PER_TOKEN} characters per token"
        )
    borrowed = lines.loc[lines["tokens_from"] == BORROWED, "dataset"].nunique()
    if borrowed:
        notes.append(
            f"{borrowed} LLM-synthetic tables are not made yet; their prompts are counted like "
            "those of the real datasets that they mirror, and their dialogues are not counted"
        )
    rates: dict[str, list[str]] = {}
    for name, (model, resources) in terms.items():
        prices = model.prices
        if prices:
            notes.append(
                f"{titles[name]}: {prices.input:g} {prices.currency} per million prompt tokens, "
                f"{prices.output:g} for completion tokens (as of {prices.as_of}); at least: what "
                f"prompts share as cached input, answers empty"
            )
        if resources.gpus:
            rate = "stated in its entry" if resources.tokens_per_second else "an assumption"
            said = (
                f"{plural(resources.gpus, 'GPU')} per job, {resources.planned_rate:,.0f} tokens "
                f"per second ({rate})"
            )
            rates.setdefault(said, []).append(titles[name])
    notes += [f"{', '.join(names)}: {said}" for said, names in rates.items()]
    notes += [f"Not counted: {name}: {reason}" for name, reason in gaps.items()]
    return tuple(notes)


def _too_long(lines: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """List by model, dataset and k the prompts that do not fit into the model's context."""
    notes = []
    long = lines[lines["too_long"] > 0]
    for key, part in long.groupby(["model", "context", "tokens_from"]):
        name, limit, source = cast(tuple[str, float, str], key)
        sums = part.groupby(["dataset", "k"])[["too_long", "prompts"]].sum()
        listed = ", ".join(
            f"{dataset} at k = {k}: {row.too_long:,} of {row.prompts:,}"
            for (dataset, k), row in zip(sums.index, sums.itertuples(), strict=True)
        )
        fate = (
            "they are not sent, and their rows are in no score"
            if source == EXACT
            else "by an estimate, so that they are sent unless the exact count says otherwise"
        )
        notes.append(
            f"too long for {titles[name]} (prompt and answer exceed {int(limit):,} tokens): "
            f"{listed}; {fate}"
        )
    return notes


def _models(lines: pd.DataFrame, tokens_from: str, titles: Mapping[str, str]) -> str:
    names = lines.loc[lines["tokens_from"] == tokens_from, "model"].unique()
    return ", ".join(titles[name] for name in names)
