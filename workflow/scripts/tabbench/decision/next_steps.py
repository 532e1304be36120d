"""How to go on after the decision page: what each step would cost, from what was measured."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tabbench.core.schemas import decision as schema
from tabbench.decision.sentences import Evidence, each

MORE_LABELS = 4
"""How many times as many labels as the most that were asked the next step asks."""


@dataclass(frozen=True)
class Step:
    """A step: what it is for, its estimated cost, and what it changes under the entry's ``ask``."""

    title: str
    text: str
    change: Mapping[str, Any] = field(default_factory=dict)


def next_steps(
    evidence: Evidence, shots: Sequence[int], contexts: Mapping[int, int], most_labels: int
) -> list[Step]:
    """Return the steps that are left: all test rows, more labels, another model.

    Parameters
    ----------
    shots : numbers of examples that models were asked with
    contexts : contexts and formats that a row was asked in, by number of examples; others: one
    most_labels : largest number of examples that the training rows allow
    """
    costs = [
        row for row in each(evidence.costs) if row.kind == "model" and not math.isnan(row.seconds)
    ]
    steps = []
    there = max((int(row.rows_there) for row in each(evidence.power)), default=0)
    curves = evidence.curves
    asked = max((int(row.n + row.n_dropped) for row in each(curves)), default=0)
    if there > asked:
        needed = [
            int(row.rows_needed)
            for row in each(evidence.power)
            if row.status == schema.OK and row.rows_needed
        ]
        enough = sum(rows <= there for rows in needed)
        told = (
            f"; all of them are enough for {enough} of {len(needed)} comparisons to tell a "
            "difference of 0.05"
            if needed
            else ""
        )
        more = there - asked
        cost = _cost([(row, more * contexts.get(row.k, 1)) for row in costs])
        steps.append(
            Step(
                "More test rows",
                f"{asked:,} of {there:,} test rows were asked{told}. The other {more:,} take "
                f"{cost}.",
                {"test_rows": there},
            )
        )
    wanted = min(MORE_LABELS * max(shots, default=0), most_labels)
    if shots and wanted > max(shots):
        steps.append(
            Step(
                "More labels in the prompt",
                f"With {wanted:,} labels the same test rows take "
                f"{_cost(_longer(costs, wanted, asked))}, if time grows as the prompt does. A "
                "prompt that does not fit the model's context has no answer and is counted.",
                {"shots": [*shots, wanted]},
            )
        )
    if costs:
        first = costs[0].model
        tokens = sum(
            (row.prompt_tokens + row.completion_tokens) / 1000
            * asked * row.draws * contexts.get(row.k, 1)
            for row in costs
            if row.model == first
        )  # fmt: skip
        steps.append(
            Step(
                "Another model",
                f"The same questions are about {_two_digits(tokens / 1e6)} million tokens for one "
                "more model; multiply by its price per million. Its time is known only when it "
                "runs.",
                {"models": [*evidence.models, "another_model"]},
            )
        )
    return steps


def _cost(asked: Sequence[tuple[Any, float]]) -> str:
    """Seconds and money of rows of ``schemas.COSTS``, each for a number of rows and every draw."""
    seconds = sum(row.seconds / 1000 * rows * row.draws for row, rows in asked)
    text = f"about {_duration(seconds)}"
    money: dict[str, float] = {}
    for row, rows in asked:
        if row.currency:
            spent = row.cost / 1000 * rows * row.draws
            money[row.currency] = money.get(row.currency, 0.0) + spent
    return " and ".join([text, *(f"at most {value:,.2f} {name}" for name, value in money.items())])


def _longer(costs: Sequence[Any], k: int, rows: int) -> list[tuple[Any, float]]:
    """The costs of the most labels, as if for more rows by as much as the prompt is longer."""
    asked = []
    for model in dict.fromkeys(row.model for row in costs):
        mine = sorted((row for row in costs if row.model == model), key=lambda row: row.k)
        least, most = mine[0], mine[-1]
        if most.k == least.k:
            asked.append((most, float(rows)))
            continue
        by_label = (most.prompt_tokens - least.prompt_tokens) / (most.k - least.k)
        factor = (most.prompt_tokens + by_label * (k - most.k)) / most.prompt_tokens
        asked.append((most, rows * factor))
    return asked


def _duration(seconds: float) -> str:
    """Two digits: ``9.4 s``, ``3.5 min``, ``12 h``."""
    for unit, size in (("s", 1), ("min", 60)):
        if seconds / size < 100:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds / 3600)} h"


def _two_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
