"""SciTaRC's questions: Table 1, and accuracy in bins of each complexity metric."""

import math
from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.writer import DASH, Table, plural, plus_minus
from tabbench.scitarc.complexity import dataset_statistics
from tabbench.scitarc.difficulty import accuracy_in_bins, asked_questions
from tabbench.scitarc.names import (
    INPUT_METRICS,
    REASONING_METRICS,
    bin_title,
    bins_sentence,
    metric_title,
    short_title,
    system_title,
)
from tabbench.scitarc.scores import SYSTEM, each
from tabbench.scitarc.tables.text import INTERVAL_NOTE, judged_note, named, percent


def table1(scitarc_complexity: pd.DataFrame, scitarc_table1: pd.DataFrame) -> Table:
    """Make Table 1: mean and maximum of each metric, and the published values.

    Parameters
    ----------
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    scitarc_table1 : DataFrame with the columns of ``schemas.SCITARC_TABLE_1``
    """
    # The paper's S_cell is the released counter's.
    published = scitarc_table1.replace({"metric": {"s_cell": "s_cell_released"}})
    numbers = dataset_statistics(scitarc_complexity).merge(
        published.rename(columns={"mean": "published_mean", "max": "published_max"}),
        on="metric",
        how="left",
    )
    tokenizers = ", ".join(sorted(scitarc_complexity["tokenizer"].unique()))
    planless = int(scitarc_complexity["l_plan"].isna().sum())
    faulty = int(scitarc_complexity["s_cell"].isna().sum())
    odd = int((scitarc_complexity["plan_fault"] != "").sum())
    return Table(
        caption=f"Complexity of the file's {len(scitarc_complexity):,} questions, and as published",
        header=("Metric", "n", "Mean", "Mean as released", "Published", "Max", "Published max"),
        rows=tuple(
            (
                metric_title(row.metric),
                f"{row.n:,}",
                plus_minus(row.mean, digits=2),
                plus_minus(row.mean_as_released, digits=2),
                _printed(row.published_mean),
                f"{row.max:,.0f}",
                f"{row.published_max:,.0f}" if pd.notna(row.published_max) else DASH,
            )
            for row in each(numbers)
        ),
        numbers=numbers,
        notes=(
            "published: the paper's numbers, of its 371 questions; equal numbers can be expected "
            "only for the same questions",
            "n: questions that have the metric; as released: a question without a plan counts as "
            f"zeros; here {planless} of {len(scitarc_complexity):,} have no plan",
            "S_cell of the released counter has its quirks: a last row without its line end is not "
            "counted, a break inside a cell is; the second S_cell counts the grid that LaTeX sets"
            + (
                f" and is missing for {plural(faulty, 'question')} whose LaTeX is broken or holds "
                "no known grid"
                if faulty
                else ""
            ),
            f"S_tok: tokens of {tokenizers}; the paper's are GPT-2's",
            "I_retr counts IF lines too: the paper's text names SELECT alone, its printed numbers "
            "need both",
            f"plans are counted line by line, as released; {odd} of "
            f"{len(scitarc_complexity) - planless:,} leave the paper's plan language somewhere (an "
            "indented line below a step, say)",
        ),
    )


def _printed(mean: float) -> str:
    """As Table 1 prints it: one decimal, none from a thousand on."""
    if math.isnan(mean):
        return DASH
    return f"{mean:,.1f}" if mean < 1000 else f"{mean:,.0f}"


def by_complexity(
    scitarc_scores: pd.DataFrame,
    scitarc_complexity: pd.DataFrame,
    scitarc_edges: pd.DataFrame,
    models: Mapping[str, str],
) -> Table:
    """Make the table behind Figures 3 and 6: accuracy of each system in bins of each metric.

    Parameters
    ----------
    scitarc_scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    scitarc_complexity : DataFrame with the columns of ``schemas.SCITARC_COMPLEXITY``
    scitarc_edges : DataFrame with the columns of ``schemas.SCITARC_EDGES``
    models : display name by id

    Returns
    -------
    Table
        ``numbers`` hold the intervals, and the change from a metric's first bin.
    """
    metrics = (*REASONING_METRICS, *INPUT_METRICS)
    bins = accuracy_in_bins(scitarc_scores, scitarc_complexity, metrics)
    systems = list(bins[SYSTEM].drop_duplicates().itertuples(index=False, name=None))
    rows = []
    for (metric, _), cells in bins.groupby(["metric", "bin"], sort=False):
        found = cells.set_index(SYSTEM)["accuracy"]
        edges = cells.iloc[0]
        rows.append(
            (
                metric_title(str(metric)),
                bin_title(edges["lower"], edges["upper"]),
                str(cells["n"].max()),
                *(percent(found[system]) for system in systems),
            )
        )
    return Table(
        caption="Accuracy (%) by complexity of the question, zero-shot without a plan",
        header=("Metric", "Bin", "n", *(system_title(models, *one) for one in systems)),
        rows=tuple(rows),
        numbers=named(bins, models),
        notes=(
            judged_note(scitarc_scores, models),
            f"bins: {bins_sentence(metrics)}",
            *_edge_notes(asked_questions(scitarc_complexity, scitarc_scores), scitarc_edges),
            "n: answers in the bin, the most of any system; with few answers an accuracy is "
            "uncertain. Intervals: in the .csv. Whether accuracy falls with a metric is tested in "
            "the model of complexity",
            INTERVAL_NOTE,
        ),
    )


def _edge_notes(asked: pd.DataFrame, published: pd.DataFrame) -> tuple[str, ...]:
    """Compare the edges that the paper's text names with the quantiles of the questions here."""
    compared = [
        f"{short_title(one.metric)}, {100 * one.quantile:.0f} %: here "
        f"{asked[one.metric].quantile(one.quantile):,.0f}, published questions "
        f"{one.in_questions:,.0f}, text {one.in_text:,.0f}"
        for one in each(published)
    ]
    return (
        "edges that the paper's text names are rounded quintiles of its 371 questions: "
        + "; ".join(compared),
    )
