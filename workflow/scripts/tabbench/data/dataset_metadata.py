"""Dataset metadata of scores and tests: suite, domain, test rows, and whether capped."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from tabbench.core.frames import read_table
from tabbench.core.schemas.split import SPLIT


def with_metadata(
    frame: pd.DataFrame,
    suites_and_domains: Mapping[str, Sequence[str]],
    splits: Iterable[str] = (),
) -> pd.DataFrame:
    """Join ``suite`` and ``domain`` by dataset; with splits also ``test_rows`` and ``capped``.

    Rows of other datasets are left out.

    Parameters
    ----------
    frame : DataFrame with a column ``dataset``
    suites_and_domains : dataset id to (suite, domain)
    splits : files of the datasets' splits, each in a folder of the dataset's name
    """
    metadata = pd.DataFrame.from_dict(
        dict(suites_and_domains), orient="index", columns=["suite", "domain"]
    )
    parts = {Path(path).parent.name: read_table(path, SPLIT)["part"] for path in splits}
    if parts:
        metadata["test_rows"] = {name: int((part != "train").sum()) for name, part in parts.items()}
        metadata["capped"] = {name: bool((part == "unused").any()) for name, part in parts.items()}
    return frame.merge(metadata, left_on="dataset", right_index=True)
