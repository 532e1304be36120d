"""Rows of the plan about free texts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tabbench.inference.context import Context
from tabbench.inference.cost_estimate import ESTIMATED, EXACT, Line, Terms, priced
from tabbench.inference.models import identity
from tabbench.planning.dry_run import DryModel
from tabbench.planning.kinds import KINDS


class TextJob(NamedTuple):
    """Free texts that a job asks of a model.

    Attributes
    ----------
    kind : a key of `kinds.KINDS`
    dataset : empty where the job is about several
    log : its response log, which may not exist; empty where answers are kept as files
    at_most : whether there may be fewer of them, as they depend on answers
    given : arguments of the kind
    """

    model: str
    kind: str
    dataset: str
    log: str
    at_most: bool
    given: Mapping[str, Any]


def text_lines(
    jobs: Iterable[TextJob], terms: Mapping[str, Terms], contexts: Mapping[str, Context]
) -> pd.DataFrame:
    """Count the texts of all jobs; columns as `cost_estimate.plan_lines` gives them.

    Parameters
    ----------
    terms, contexts : by model
    """
    return pd.DataFrame([_row(one, terms[one.model], contexts[one.model]) for one in jobs])


_TYPES = {"k": "Int64", "context": "Int64", "cost_at_least": "float", "cost_at_most": "float"}
"""Of columns that are empty in some lines, or in all."""


def in_one(rows: pd.DataFrame, texts: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Lines about rows, then those about texts, model by model."""
    both = pd.concat([frame for frame in (rows, texts) if len(frame)], ignore_index=True)
    both = both.astype(_TYPES)
    places = both["model"].map({name: place for place, name in enumerate(models)})
    return both.loc[places.sort_values(kind="stable").index].reset_index(drop=True)


def _row(one: TextJob, terms: Terms, context: Context) -> dict[str, object]:
    dry = DryModel(identity(terms.model), Path(one.log) if one.log else None)
    KINDS[one.kind](dry, **one.given)
    found = dry.count(context)
    line = Line(
        one.kind,
        one.dataset,
        None,
        "text",
        found.prompts,
        found.answered,
        found.too_long,
        found.open,
        found.read,
        found.open_read,
        found.open_known,
        0,
        found.written,
        one.at_most,
    )
    source = EXACT if context.counter.exact else ESTIMATED
    return {"suite": "", **priced(one.model, line, source, terms, context.limit)}
