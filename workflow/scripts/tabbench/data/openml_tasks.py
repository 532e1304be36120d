"""Splits of OpenML tasks (the optional package openml)."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabbench.core.errors import TabBenchError


def task_split(task_id: int, y: NDArray[np.int64], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row numbers of train and test of an OpenML task's fold 0, repeat 0.

    The task's rows count as the table's when both have equally many rows and their labels agree row
    by row, up to the labels' names.

    Raises
    ------
    TabBenchError
        When the package openml is absent, the task cannot be loaded, or its rows differ from the
        table's.
    """
    try:
        import openml
    except ImportError as error:
        raise TabBenchError(
            f"dataset '{name}': the split of OpenML task {task_id} needs the package openml: "
            "pip install -r requirements-optional.txt (with conda, add it to envs/core.yaml), or "
            "remove `split: {openml_task: true}` from the configuration"
        ) from error
    page = f"https://www.openml.org/t/{task_id}"
    try:
        task = openml.tasks.get_task(task_id)
        train, test = task.get_train_test_split_indices(fold=0, repeat=0)
        labels = pd.Series(task.get_X_and_y()[1])
    except Exception as error:
        raise TabBenchError(f"dataset '{name}': {page} cannot be loaded: {error}") from error
    pairs = set(zip(labels.astype(str), y, strict=False))
    if len(labels) != len(y) or len(pairs) != 2:
        raise TabBenchError(
            f"dataset '{name}': the rows of {page} are not those of the table ({len(labels)} "
            f"against {len(y)} rows, or labels in another order); use the default split"
        )
    return np.asarray(train), np.asarray(test)
