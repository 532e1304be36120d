"""Predictions on disk: a file per model, suite and k, with row groups of one dataset each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pandas as pd
import pyarrow.dataset as pads

from tabbench.core.frames import check_columns
from tabbench.core.schemas.predictions import PREDICTIONS


def read_cells(
    paths: Iterable[str | Path], shots: Mapping[str, Sequence[int]]
) -> Iterator[pd.DataFrame]:
    """Yield the predictions of each dataset and k, those of all models together.

    A file holds every dataset of its suite, also those that a research question does not use at
    that k; only the wanted ones are read.

    Parameters
    ----------
    paths : files with the columns of ``schemas.PREDICTIONS``
    shots : dataset id to the k that are wanted of it

    Raises
    ------
    TabBenchError
        When a file does not hold the declared columns.
    """
    files = _open(paths)
    for dataset, wanted in shots.items():
        for k in wanted:
            yield _read(files, dataset, [k])


def read_models(
    paths: Iterable[str | Path], shots: Mapping[str, Sequence[int]]
) -> Iterator[pd.DataFrame]:
    """Yield the predictions of each dataset and k, each model's by themselves, by models' ids.

    See `read_cells`, in whose order the cells are.
    """
    files = sorted(_open(paths).get_fragments(), key=_model)
    for dataset, wanted in shots.items():
        for k in wanted:
            for file in files:
                frame = _read(file, dataset, [k])
                if len(frame):
                    yield frame


def _model(file: pads.ParquetFileFragment) -> str:
    """The one model of a file."""
    return str(file.row_groups[0].statistics["model"]["min"])


def read_datasets(
    paths: Iterable[str | Path], shots: Mapping[str, Sequence[int]]
) -> Iterator[pd.DataFrame]:
    """Yield the predictions of each dataset, all k that are wanted together; see `read_cells`."""
    files = _open(paths)
    for dataset, wanted in shots.items():
        yield _read(files, dataset, wanted)


def _open(paths: Iterable[str | Path]) -> pads.Dataset:
    files = pads.dataset(list(map(str, paths)), format="parquet")
    for fragment in files.get_fragments():
        check_columns(fragment.path, fragment.physical_schema, PREDICTIONS)
    return files


def _read(files: pads.Dataset | pads.Fragment, dataset: str, shots: Sequence[int]) -> pd.DataFrame:
    wanted = (pads.field("dataset") == dataset) & pads.field("k").isin(list(shots))
    table = files.to_table(filter=wanted)
    return cast(pd.DataFrame, table.to_pandas(split_blocks=True, self_destruct=True))
