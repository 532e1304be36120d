"""SciTaRC's error taxonomy, from a sheet that people filled in: Table 3."""

from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.writer import Table
from tabbench.scitarc.names import system_title
from tabbench.scitarc.prompts import PLAN_TITLES
from tabbench.scitarc.scores import SYSTEM, each
from tabbench.scitarc.tables.text import INTERVAL_NOTE, percent, percent_interval
from tabbench.scitarc.taxonomy import CATEGORIES, error_table


def table3(sheet: pd.DataFrame, published: pd.DataFrame, models: Mapping[str, str]) -> Table:
    """Make Table 3: shares of the categories among the wrong answers that were annotated.

    Parameters
    ----------
    sheet : DataFrame of `taxonomy.read_sheet`
    published : ``resources/paper/scitarc_table3.csv``
    models : display name by id
    """
    shares = error_table(sheet).merge(
        published.rename(columns={"percent": "published_percent"}), on="category", how="left"
    )
    n, n_open = (int(shares[name].iloc[0]) for name in ("n", "n_open"))
    asked = each(sheet[[*SYSTEM, "plan_mode"]].drop_duplicates())
    whose = "; ".join(
        f"{system_title({row.model: row.model, **models}, row.model, row.execution)} "
        f"({PLAN_TITLES[row.plan_mode].lower()})"
        for row in asked
    )
    return Table(
        caption=f"Why answers are wrong, as annotated (n = {n})",
        header=("Category", "Count", "Share %", "95 % interval", "Published %"),
        rows=tuple(
            (
                row.category.capitalize(),
                f"{row.count:.0f}",
                percent(row.share),
                percent_interval(row.low, row.high),
                f"{row.published_percent:.0f}",
            )
            for row in each(shares)
        ),
        numbers=shares,
        notes=(
            f"wrong answers of {whose}; {n_open} of the sheet are not annotated and not among n",
            "each answer has one category, that of the first mistake that cannot be mended: "
            + "; ".join(f"{name}: {meaning}" for name, meaning in CATEGORIES.items()),
            "published: of 98 wrong answers of DeepSeek-V3.2 (thinking), CoT",
            INTERVAL_NOTE,
        ),
    )
