"""OpenML data sets, by id."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from tabbench.config.dataset_entry import Source
from tabbench.data.sources.local import Unavailable
from tabbench.data.sources.url import WAIT, retried


def _text(value: Any) -> str:
    if pd.isna(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def from_openml(
    source: Source,
    out: Path,
    fetch: Callable[..., Any] | None = None,
    wait: float = WAIT,
) -> None:
    """Fetch a data set by id and write it as csv, missing cells empty.

    scikit-learn checks the content against the md5 that OpenML states. ``fetch`` stands for
    ``fetch_openml`` in tests.
    """
    if fetch is None:
        from sklearn.datasets import fetch_openml

        fetch = fetch_openml
    get = fetch
    found: list[pd.DataFrame] = []

    def call() -> None:
        found.append(get(data_id=source.id, as_frame=True, parser="liac-arff").frame)

    try:
        retried(call, lambda error: isinstance(error, OSError), wait)
    except (OSError, ValueError) as error:
        raise Unavailable(f"https://www.openml.org/d/{source.id}: {error}") from error
    frame = found[-1]
    text = pd.DataFrame({str(name): [_text(value) for value in frame[name]] for name in frame})
    text.to_csv(out / source.files[0].name, index=False)
