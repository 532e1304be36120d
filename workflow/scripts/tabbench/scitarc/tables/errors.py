"""SciTaRC's error taxonomy, from sheets that people filled in: Table 3."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.reporting.writer import DASH, Table, plural, plus_minus
from tabbench.scitarc.agreement import RESAMPLES, agreement
from tabbench.scitarc.names import system_title
from tabbench.scitarc.prompts import PLAN_TITLES
from tabbench.scitarc.scores import CONDITION, SYSTEM, each, judged
from tabbench.scitarc.tables.text import INTERVAL_NOTE, percent, percent_interval
from tabbench.scitarc.taxonomy import CATEGORIES, error_table


def table3(
    scores: pd.DataFrame,
    sheets: Sequence[pd.Series],
    published: pd.DataFrame,
    models: Mapping[str, str],
) -> Table:
    """Make Table 3: shares of the categories among the wrong answers that were annotated.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    sheets : one or two Series of `taxonomy.read_sheet`, the first of which counts
    published : ``resources/paper/scitarc_table3.csv``
    models : display name by id

    Raises
    ------
    TabBenchError
        When no annotated answer is wrong in ``scores``.
    """
    kept = judged(scores)
    wrong = kept[~kept["correct"]]
    annotated = wrong[wrong["id"].isin(sheets[0].index)]
    if annotated.empty:
        raise TabBenchError(
            "SciTaRC, Table 3: none of the annotated answers is wrong by the verdicts of this run; "
            "annotate the sheet that it wrote"
        )
    shares = error_table(sheets[0][annotated["id"]]).merge(
        published.rename(columns={"percent": "published_percent"}), on="category", how="left"
    )
    return Table(
        caption=f"Why answers are wrong, as annotated (n = {len(annotated)})",
        header=("Category", "Count", "Share %", "95 % interval", "Published %"),
        rows=tuple(
            (
                row.category.capitalize(),
                f"{row.count:.0f}",
                percent(row.share),
                percent_interval(row.low, row.high),
                DASH if pd.isna(row.published_percent) else f"{row.published_percent:.0f}",
            )
            for row in each(shares)
        ),
        numbers=shares,
        notes=(
            _whose(wrong, annotated, models),
            *_left_out(sheets[0], annotated),
            "each answer has one category, that of the first mistake that cannot be mended: "
            + "; ".join(f"{name}: {meaning}" for name, meaning in CATEGORIES.items()),
            "published: of 98 wrong answers of DeepSeek-V3.2 (thinking), CoT, in four categories",
            INTERVAL_NOTE,
            *_second(sheets, annotated),
        ),
    )


def _whose(wrong: pd.DataFrame, annotated: pd.DataFrame, models: Mapping[str, str]) -> str:
    """Say which share of whose wrong answers was annotated."""
    kinds = [*SYSTEM, *CONDITION, "seed"]
    asked = annotated[kinds].drop_duplicates()
    n_wrong = len(wrong.merge(asked, on=kinds))
    whose = "; ".join(
        f"{system_title({row.model: row.model, **models}, row.model, row.execution)} "
        f"({PLAN_TITLES[row.plan_mode].lower()})"
        for row in each(asked)
    )
    share = percent(len(annotated) / n_wrong)
    return (
        f"annotated: {len(annotated)} of {plural(n_wrong, 'wrong answer')} ({share} %) of {whose}"
    )


def _left_out(categories: pd.Series, annotated: pd.DataFrame) -> Iterator[str]:
    others = len(categories) - len(annotated)
    if others:
        yield f"annotated, but not wrong or not there in this run, and left out: {others}"


def _second(sheets: Sequence[pd.Series], annotated: pd.DataFrame) -> Iterator[str]:
    """Agreement with a second annotator, and where the two disagree."""
    if len(sheets) == 1:
        return
    row_of = annotated.set_index("id")["row"]
    first, second = (one[one.index.isin(row_of.index)] for one in sheets)
    found = agreement(first, second)
    kappa, low, high = (plus_minus(one, digits=2) for one in (found.kappa, found.low, found.high))
    yield (
        f"a second annotator agrees on {percent(found.percent / 100)} % of the n = {found.n} "
        f"answers that both annotated; Cohen's kappa {kappa}, 95 % interval [{low}, {high}] "
        f"(percentiles of {RESAMPLES:,} resamples of the answers); the table counts the first"
    )
    both = pd.concat([first, second], axis=1, keys=["first", "second"]).dropna()
    other = both[both["first"] != both["second"]].assign(row=row_of)
    if len(other):
        yield "they disagree (first / second, and the rows of the questions): " + "; ".join(
            f"{' / '.join(map(str, pair))}: {', '.join(map(str, sorted(rows)))}"
            for pair, rows in other.groupby(["first", "second"])["row"]
        )
