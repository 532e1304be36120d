"""The cost estimate as a table: per model the open prompts, their cost and time."""

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from tabbench.inference.cost_estimate import BORROWED, ESTIMATED, EXACT, ONE_BY_ONE, OWN_ROWS, Terms
from tabbench.inference.token_counts import CHARACTERS_PER_TOKEN
from tabbench.reporting.writer import DASH, Table, plural

HEADER = (
    *(
        "Model",
        "Prompts about",
        "Prompts",
        "Answered",
        "Too long",
        "To ask",
        "Prompt tokens",
        "To compute",
    ),
    *("Completion tokens", "Cost", "GPU hours"),
)


EVERYTHING = "everything"


def plan_table(
    lines: pd.DataFrame,
    terms: Mapping[str, Terms],
    titles: Mapping[str, str],
    gaps: Mapping[str, str],
    budget: float | None = None,
    spent: float = 0.0,
) -> Table:
    """Sum the lines of each model and kind of prompts, of each model, and of all.

    Parameters
    ----------
    lines : what `text_lines.in_one` gives
    terms, titles : by model
    gaps : parts that are not counted, with the reason
    budget : of all models together; None where there is none
    spent : money charged until now, of all models
    """
    rows = []
    asked = [name for name in terms if name in set(lines["model"])]
    for name in asked:
        own = lines[lines["model"] == name]
        kinds = own["kind"].unique()
        for kind in kinds:
            rows.append(_row(titles[name], kind, own[own["kind"] == kind], terms))
        if len(kinds) > 1:
            rows.append(_row(titles[name], EVERYTHING, own, terms))
    if len(asked) > 1:
        rows.append(_row("All models", EVERYTHING, lines, terms))
    notes = [*_notes(lines, terms, titles, gaps), *_money(lines, budget, spent)]
    return Table("Cost estimate of this configuration", HEADER, tuple(rows), lines, tuple(notes))


def _row(title: str, kind: str, lines: pd.DataFrame, terms: Mapping[str, Terms]) -> tuple[str, ...]:
    total = lines.sum(numeric_only=True)
    about = "" if set(lines["tokens_from"]) == {EXACT} else "≈ "
    most = "≤ " if lines.loc[lines["prompts"] > 0, "at_most"].any() else ""

    def number(name: str, mark: str = "") -> str:
        return f"{mark}{int(total[name]):,}"

    sums = lines.dropna(subset="currency").groupby("currency")[["cost_at_least", "cost_at_most"]]
    cost = "; ".join(
        f"≈ {row.cost_at_least:,.2f} to {row.cost_at_most:,.2f} {currency}"
        for currency, row in zip(sums.groups, sums.sum().itertuples(), strict=True)
    )
    names = lines["model"].unique()
    if cost and len(names) == 1 and not lines["kind"].isin(ONE_BY_ONE).any():
        cost += _other_way(terms[names[0]], total["cost_at_least"], total["cost_at_most"])
    on_gpus = sum(
        part["hours"].sum() * terms[str(name)].resources.gpus
        for name, part in lines.groupby("model", sort=False)
    )
    return (
        title,
        kind,
        number("prompts", most),
        number("answered"),
        number("too_long", about if total["too_long"] else ""),
        number("to_ask", most),
        number("prompt_tokens_to_ask", most or about),
        number("prompt_tokens_to_compute", most or about),
        number("completion_tokens_at_most", "≤ "),
        cost or DASH,
        f"≈ {on_gpus:.1f}" if lines["gpus"].any() else DASH,
    )


def _other_way(terms: Terms, low: float, high: float) -> str:
    """What the prompts would cost the other way: in batches, or one by one."""
    model = terms.model
    share = model.prices.batch if model.prices else None
    if not share:
        return ""
    if model.batch:
        return f" in batches ({low / share:,.2f} to {high / share:,.2f} one by one)"
    return f" ({share * low:,.2f} to {share * high:,.2f} in batches)"


def _money(lines: pd.DataFrame, budget: float | None, spent: float) -> list[str]:
    """What is left of the budget of all models, and whether it is enough."""
    if budget is None:
        return []
    most = lines["cost_at_most"].sum()
    left = max(budget - spent, 0.0)
    enough = "is enough in any case" if most <= left else "may not be enough"
    return [
        f"Budget of all models: {budget:,.2f}, of which {spent:,.2f} is charged; what is left, "
        f"{left:,.2f}, {enough}: the rest costs at most {most:,.2f}. When the budget does not hold "
        "the next request, jobs end and keep all answers"
    ]


def _notes(
    lines: pd.DataFrame,
    terms: Mapping[str, Terms],
    titles: Mapping[str, str],
    gaps: Mapping[str, str],
) -> tuple[str, ...]:
    notes = [
        "Equal prompts are counted once. Prompt tokens: of the open prompts, as sent; to compute: "
        "text that prompts share counted once, as the engines in process do. Completion tokens: "
        "every answer at its full length"
    ]
    if lines["at_most"].any():
        notes.append(
            "≤: at most. There may be fewer: probes of rows follow recognition, dialogues end with "
            "the first that makes a table, and a verdict is asked for again where it cannot be read"
        )
    if (lines["mode"] == "text").any():
        notes.append(
            "a text that is part of a later prompt, such as a plan, counts there with the most "
            "tokens that it may have. 'Rules and trees' are FeatLLM's and LLM trees'"
        )
    if (lines["kind"] == OWN_ROWS).any():
        notes.append(
            "own tables are asked about for `snakemake results/own/<name>/index.html` alone"
        )
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
            f"{borrowed} LLM-synthetic tables do not exist yet; their prompts are counted like "
            "those of the real datasets that they mirror"
        )
    rates: dict[str, list[str]] = {}
    for name in lines["model"].unique():
        model, resources = terms[name]
        prices = model.prices
        if prices:
            notes.append(
                f"{titles[name]}: {prices.input:g} {prices.currency} per million prompt tokens, "
                f"{prices.output:g} for completion tokens (as of {prices.as_of}); at least: what "
                f"prompts share as cached input, answers empty"
                + ("" if prices.batch is None else f"; in batches {prices.batch:g} of these prices")
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
        about = [_about(row) for row in part.itertuples()]
        sums = part.groupby(about, sort=False)[["too_long", "prompts"]].sum()
        listed = ", ".join(
            f"{row.Index}: {row.too_long:,} of {row.prompts:,}" for row in sums.itertuples()
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


def _about(row: Any) -> str:
    """What prompts are about: a dataset at k, or the kind of a free text."""
    if row.mode == "text":
        return f"{row.kind} {row.dataset}".strip()
    return f"{row.dataset} at k = {row.k}"


def _models(lines: pd.DataFrame, tokens_from: str, titles: Mapping[str, str]) -> str:
    names = lines.loc[lines["tokens_from"] == tokens_from, "model"].unique()
    return ", ".join(titles[name] for name in names)
