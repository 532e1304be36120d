"""Cost estimate of a run: prompts and tokens, counted before anything is spent."""

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tabbench.config.model_entry import Model
from tabbench.core.frames import read_table
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.inference.context import Context
from tabbench.inference.engines import ENGINES
from tabbench.inference.engines.base import Mode, Request
from tabbench.inference.job_resources import Resources
from tabbench.inference.models import identity
from tabbench.inference.requests import read_requests
from tabbench.inference.responses import Identity, read_responses, request_keys

EXACT, ESTIMATED, BORROWED = "tokenizer", "characters", "mirrored dataset"
"""Origin of a number of tokens."""


class Part(NamedTuple):
    """A model's prompts about one dataset at k in one mode."""

    model: str
    dataset: str
    k: int
    mode: str


class Counts(NamedTuple):
    """Distinct prompts: all, and those without a cached response (``open``).

    ``read`` are prompt tokens as sent, ``computed`` those to compute when the text that prompts
    share is computed once. ``too_long`` are those of the prompts that have no response as they do
    not fit into the model's context: they are not sent and are not open. Where tokens are estimated
    they are open nevertheless: the endpoint decides.
    """

    prompts: int = 0
    read: int = 0
    computed: int = 0
    open: int = 0
    open_read: int = 0
    open_computed: int = 0
    too_long: int = 0


class PromptsFile(NamedTuple):
    """A file of prompts (``schemas.PROMPTS``) and the response log of each model asked."""

    path: Path
    logs: Mapping[str, Path]


class Unmade(NamedTuple):
    """Prompts about a table that a language model has yet to write.

    They are counted like those about the real dataset ``like``, which the table mirrors.
    """

    part: Part
    prompts: int
    like: str


class Terms(NamedTuple):
    """Prices and rates that turn a model's tokens into money and hours."""

    model: Model
    resources: Resources


def count_prompts(
    prompts: pd.DataFrame,
    identity: Identity,
    log: Container[str],
    context: Context,
    repeats: int = 1,
) -> dict[str, Counts]:
    """Count the prompts of a file for one model, by mode.

    Parameters
    ----------
    prompts : columns of ``schemas.PROMPTS``
    log : keys of the cached responses
    repeats : how often each prompt is sent
    """
    requests = [ask.request for ask in read_requests(prompts, identity.model, repeats)]
    first: dict[str, Request] = {}
    for key, request in zip(request_keys(identity, requests), requests, strict=True):
        first.setdefault(key, request)  # equal prompts are asked once

    def group(item: tuple[str, Request]) -> tuple[Mode, str, str]:
        prompt = item[1].prompt
        return item[1].mode, prompt.system, prompt.prefix

    counts: dict[str, Counts] = {}
    for (mode, _, _), members in groupby(first.items(), group):
        asked = list(members)
        tokens, shared = context.counter.count([request.prompt for _, request in asked])
        unanswered = [n for (key, _), n in zip(asked, tokens, strict=True) if key not in log]
        long = [n for n in unanswered if context.misfit(mode, n)]
        missing = unanswered
        if context.counter.exact:
            missing = [n for n in unanswered if not context.misfit(mode, n)]
        whole = (len(tokens), sum(tokens), _computed(tokens, shared))
        new = (*whole, len(missing), sum(missing), _computed(missing, shared), len(long))
        before = counts.get(mode, Counts())
        counts[mode] = Counts(*map(sum, zip(before, new, strict=True)))
    return counts


def _computed(tokens: list[int], shared: int) -> int:
    return sum(tokens) - shared * (len(tokens) - 1) if tokens else 0


def borrow(unmade: Iterable[Unmade], counted: Mapping[Part, Counts]) -> dict[Part, Counts]:
    """Counts for tables that do not exist yet; none where the mirrored dataset has none."""
    found = {}
    for part, prompts, like in unmade:
        mirrored = counted.get(part._replace(dataset=like))
        if mirrored:
            read, computed = (
                round(prompts * tokens / mirrored.prompts)
                for tokens in (mirrored.read, mirrored.computed)
            )
            long = round(prompts * mirrored.too_long / mirrored.prompts)
            found[part] = Counts(prompts, read, computed, prompts, read, computed, long)
    return found


def count_files(
    files: Iterable[PromptsFile], terms: Mapping[str, Terms], contexts: Mapping[str, Context]
) -> dict[Part, Counts]:
    """Count all prompts for all models; each file is read once.

    Parameters
    ----------
    terms, contexts : by model
    """
    counted = {}
    for path, logs in files:
        prompts = read_table(path, PROMPTS)
        dataset, k = prompts["dataset"].iloc[0], int(prompts["k"].iloc[0])
        for name, log in logs.items():
            model, answers = terms[name].model, read_responses(Path(log))
            by_mode = count_prompts(
                prompts, identity(model), answers, contexts[name], model.repeats(k)
            )
            for mode, counts in by_mode.items():
                counted[Part(name, dataset, k, mode)] = counts
    return counted


class Line(NamedTuple):
    """One row of the plan before its money; see `plan_lines`.

    ``known`` are those of the ``open_read`` tokens that are surely sent, ``shared`` those of them
    that prompts have in common.
    """

    kind: str
    dataset: str
    k: int | None
    mode: str
    prompts: int
    answered: int
    too_long: int
    open: int
    read: int
    open_read: int
    known: int
    shared: int
    written: int
    at_most: bool = False


def plan_lines(
    counted: Mapping[Part, Counts],
    unmade: Sequence[Unmade],
    terms: Mapping[str, Terms],
    contexts: Mapping[str, Context],
    suites: Mapping[str, str],
) -> pd.DataFrame:
    """Rows of the plan about table rows: a model, a dataset, k and a mode each.

    ``too_long`` prompts do not fit into the model's context of ``context`` tokens and are not to be
    asked. ``tokens_from`` says where the numbers of tokens come from; ``completion_tokens_at_most``
    takes every answer to be as long as it may be; ``cost_at_least`` takes what prompts share for
    cached input and answers for empty; ``hours`` are those of one job after the other, on
    ``gpus`` GPUs.

    Parameters
    ----------
    suites : by dataset
    """
    rows = []
    for part, counts in counted.items():
        source = EXACT if contexts[part.model].counter.exact else ESTIMATED
        rows.append((part, counts, source))
    rows += [(part, counts, BORROWED) for part, counts in borrow(unmade, counted).items()]
    order = list(terms)
    rows.sort(key=lambda row: order.index(row[0].model))
    return pd.DataFrame(
        [
            {
                "suite": suites[part.dataset],
                **priced(
                    part.model,
                    _row_line(part, counts, source, terms[part.model].model, suites[part.dataset]),
                    source,
                    terms[part.model],
                    contexts[part.model].limit,
                ),
            }
            for part, counts, source in rows
        ]
    )


ROWS, OWN_ROWS = "rows", "rows of own tables"
"""Kinds of prompts about table rows."""


ONE_BY_ONE = ("dialogues",)
"""Kinds of prompts that follow one another, so that they are in no batch."""


def _row_line(part: Part, counts: Counts, source: str, model: Model, suite: str) -> Line:
    label_tokens = ENGINES[model.engine].label_tokens
    each = model.max_new_tokens if part.mode == "generation" else label_tokens
    return Line(
        OWN_ROWS if suite == "own" else ROWS,
        part.dataset,
        part.k,
        part.mode,
        counts.prompts,
        counts.prompts - counts.open - (source == EXACT) * counts.too_long,
        counts.too_long,
        counts.open,
        counts.read,
        counts.open_read,
        counts.open_read,
        counts.open_read - counts.open_computed,
        counts.open * each,
    )


def priced(
    name: str, line: Line, source: str, terms: Terms, limit: int | None
) -> dict[str, object]:
    """A row of the plan: see `plan_lines`; of what is asked ``at_most``, nothing need be paid."""
    model, resources = terms
    prices = model.prices if line.kind in ONE_BY_ONE else model.paid_prices
    known = 0 if line.at_most else line.known
    return {
        "model": name,
        "kind": line.kind,
        "dataset": line.dataset,
        "k": line.k,
        "mode": line.mode,
        "at_most": line.at_most,
        "prompts": line.prompts,
        "answered": line.answered,
        "too_long": line.too_long,
        "context": limit,
        "to_ask": line.open,
        "tokens_from": source,
        "prompt_tokens": line.read,
        "prompt_tokens_to_ask": line.open_read,
        "prompt_tokens_to_compute": line.open_read - line.shared,
        "completion_tokens_at_most": line.written,
        "cost_at_least": prices.cost(known, line.shared, 0) if prices else None,
        "cost_at_most": prices.cost(line.open_read, 0, line.written) if prices else None,
        "currency": prices.currency if prices else None,
        "hours": (line.open_read - line.shared + line.written) / resources.planned_rate / 3600,
        "gpus": resources.gpus,
    }
