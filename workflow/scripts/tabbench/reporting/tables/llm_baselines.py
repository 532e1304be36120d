"""RQ3: FeatLLM, LLM trees, direct answers and fitted baselines, by number of examples."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS, RULES_PER_CLASS
from tabbench.baselines.llm_written.running import FAILURES, LIMITS
from tabbench.core.baseline_names import FIT_FULL, llm_baseline_id
from tabbench.core.contexts import RICHEST
from tabbench.inference.engines import ENGINES
from tabbench.reporting.layout import grid_row
from tabbench.reporting.notes import dataset_note, foundation_notes
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import DASH, Table
from tabbench.scoring.aggregate import over_datasets, over_seeds

_RECORDED = {name for name, engine in ENGINES.items() if engine.recorded}
_REPLAYED = (
    "recorded texts (engine replay) are the same for every draw of examples and were not sampled; "
    "their scores say nothing about any model"
)


def llm_baselines(
    scores: pd.DataFrame,
    llm_queries: pd.DataFrame,
    methods: Mapping[str, str],
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str = "generation",
) -> Table:
    """Make the table: mean ROC-AUC at each k over the datasets on which the methods were asked.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    llm_queries : DataFrame with the columns of ``schemas.LLM_QUERIES``
    methods, models, baselines : display name by id, in the order of the rows; models and
        baselines without a score on these datasets are left out
    mode : generation or forward, of the models

    Raises
    ------
    TabBenchError
        When a row's results mix set-ups.
    """
    used = _used(scores, llm_queries, methods, models, baselines, mode)
    names = {
        name: title
        for name, title in {**methods, **models, **baselines}.items()
        if name in set(used["model"])
    }
    cells = over_datasets(over_seeds(used), ["model", "k"])
    shots = {int(k): shots_title(k) for k in sorted(cells["k"].unique())}
    counts = _counts(llm_queries)
    rows = tuple(
        (
            title,
            *grid_row(cells[cells["model"] == name], "k", shots),
            *_conduct(used[used["model"] == name], counts[counts["model"] == name]),
        )
        for name, title in names.items()
    )
    return Table(
        caption=(
            "ROC-AUC by shots where a language model writes the classifier, compared with models "
            f"asked directly ({mode} mode) and fitted baselines"
        ),
        header=("Method", *shots.values(), "Failed queries", "Rows without a score"),
        rows=rows,
        numbers=cells.merge(counts, on=["model", "k"], how="left"),
        notes=(
            *_method_notes(llm_queries),
            *_failure_notes(llm_queries),
            *([_REPLAYED] if _RECORDED & set(used["engine"]) else []),
            dataset_note(cells, lambda cell: f"{names[cell.model]} {shots[cell.k]}"),
            *foundation_notes(used, names),
        ),
    )


def _used(
    scores: pd.DataFrame,
    llm_queries: pd.DataFrame,
    methods: Mapping[str, str],
    models: Mapping[str, str],
    baselines: Mapping[str, str],
    mode: str,
) -> pd.DataFrame:
    """The scores of all rows, at each k on the datasets that were queried with so many."""
    asked = scores.merge(llm_queries[["dataset", "k"]].drop_duplicates())
    directly = (
        asked["model"].isin([*models])
        & (asked["mode"] == mode)
        & (asked["prompt"] == RICHEST.prompt)
        & (asked["serialization"] == RICHEST.serialization)
    )
    beside = asked["model"].isin([*methods, *baselines]) & (asked["mode"] != FIT_FULL)
    return asked[directly | beside]


def _counts(llm_queries: pd.DataFrame) -> pd.DataFrame:
    """Queries, failed ones and failed calls of each baseline and k."""
    frame = llm_queries.assign(
        model=[
            llm_baseline_id(method, model)
            for method, model in zip(llm_queries["method"], llm_queries["model"], strict=True)
        ],
        failed=llm_queries["status"] != "ok",
        cut=~llm_queries["ended"],
    )
    return frame.groupby(["model", "k"], as_index=False, sort=False).agg(
        queries=("query", "size"),
        failed_queries=("failed", "sum"),
        cut_answers=("cut", "sum"),
        calls=("calls", "sum"),
        calls_failed=("calls_failed", "sum"),
        prompt_tokens=("prompt_tokens", "sum"),
        completion_tokens=("completion_tokens", "sum"),
    )


def _conduct(rows: pd.DataFrame, counts: pd.DataFrame) -> tuple[str, str]:
    def of(part: Any, whole: Any) -> str:
        return f"{int(part):,} of {int(whole):,}"

    asked = rows["n"].sum()
    failed = of(counts["failed_queries"].sum(), counts["queries"].sum()) if len(counts) else DASH
    return failed, of(asked - rows["n_scored"].sum(), asked)


def _method_notes(llm_queries: pd.DataFrame) -> tuple[str, ...]:
    """Say how each method that was asked works, and how it was decoded."""
    members = llm_queries.groupby("method")["query"].max()
    tree = (
        "the model writes a decision tree of at most {depth} levels from the task text alone; a "
        "row scores the probability that its leaf states. It takes no examples"
    )
    works = {
        "featllm": (
            f"FeatLLM (Han et al. 2024): the model is asked for {RULES_PER_CLASS} conditions for "
            "each class, then for each as a function; a class scores the sum of its conditions "
            "that hold, with non-negative weights: uniform zero-shot, else fitted on the k "
            "examples alone and pulled towards the uniform ones"
        ),
        "llm_tree": f"LLM tree (Knauer et al. 2025): {tree}",
        "llm_tree_ensemble": f"LLM tree ensemble: {tree}",
    }
    notes = []
    for name, text in works.items():
        if name not in members.index:
            continue
        method, count = METHODS[name], int(members[name])
        heat = " and ".join(f"{one.temperature:g}" for one in method.decodings)
        scored = (
            f"{count} trees, each scored alone: ± is over them"
            if method.single
            else f"a score is the mean over {count} queries"
        )
        notes.append(f"{text.format(depth=method.depth)}; {scored}; temperature {heat}")
    return (
        *notes,
        "every query has its own order of columns and examples; no label of a test row is used",
    )


def _failure_notes(llm_queries: pd.DataFrame) -> tuple[str, ...]:
    status = llm_queries["status"].value_counts()
    listed = ", ".join(
        f"{words} {status[name]:,}" for name, words in FAILURES.items() if name in status
    )
    calls, failed = int(llm_queries["calls"].sum()), int(llm_queries["calls_failed"].sum())
    cut = int((~llm_queries["ended"]).sum())
    return (
        f"failed queries give no score ({listed or 'there are none'}); the model's code may run "
        f"{LIMITS.seconds:g} s per query. Where all queries fail, the cell is an error",
        f"of {calls:,} calls of a rule or a tree on a row, {failed:,} failed: such a rule does "
        "not hold, such a tree gives the row no score; answers truncated at the token limit: "
        f"{cut:,}",
    )
