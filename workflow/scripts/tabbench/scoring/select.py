"""Selection of the scores of a table or a figure."""

from collections.abc import Collection

import pandas as pd

from tabbench.core.contexts import CONTEXTS, RICHEST, with_configuration
from tabbench.core.errors import TabBenchError


def select(
    frame: pd.DataFrame,
    *,
    models: Collection[str],
    suites: Collection[str],
    modes: Collection[str],
    prompts: Collection[str] | None = None,
    serializations: Collection[str] | None = None,
    shots: Collection[int] | None = None,
) -> pd.DataFrame:
    """Return the rows of a SCORES or TESTS table that match; None matches everything.

    Raises
    ------
    TabBenchError
        When nothing matches, so that a mistyped name cannot give an empty table.
    """
    wanted = {
        "model": models,
        "suite": suites,
        "mode": modes,
        "prompt": prompts,
        "serialization": serializations,
        "k": shots,
    }
    keep = pd.Series(True, index=frame.index)
    for name, values in wanted.items():
        if values is not None:
            keep &= frame[name].isin(list(values))
    if not keep.any():
        asked = ", ".join(
            f"{name} in {sorted(values)}" for name, values in wanted.items() if values is not None
        )
        raise TabBenchError(f"no scored cell has {asked}; run those cells or change the selection")
    return frame[keep]


def select_main(
    frame: pd.DataFrame,
    *,
    models: Collection[str],
    suites: Collection[str],
    modes: Collection[str],
    shots: Collection[int] | None = None,
) -> pd.DataFrame:
    """Return the rows under the main prompt and serialization: task text, named columns.

    Raises
    ------
    TabBenchError
        When nothing matches.
    """
    return select(
        frame,
        models=models,
        suites=suites,
        modes=modes,
        prompts=[RICHEST.prompt],
        serializations=[RICHEST.serialization],
        shots=shots,
    )


def select_configurations(
    scores: pd.DataFrame,
    models: Collection[str],
    mode: str,
    shots: Collection[int] | None = None,
    suite: str = "core",
) -> pd.DataFrame:
    """Return a suite's rows under the four context configurations (RQ2, RQ4, RQ5)."""
    rows = select(scores, models=models, suites=[suite], modes=[mode], shots=shots)
    named = with_configuration(rows)
    if named.empty:
        raise TabBenchError(
            f"no scored cell of the {suite} suite in mode {mode} has one of the context "
            f"configurations {', '.join(one.name for one in CONTEXTS)}; run those cells"
        )
    return named.drop(columns="configuration")


def zero_shot_and_fitted(
    frame: pd.DataFrame,
    models: Collection[str],
    baselines: Collection[str],
    mode: str,
    shots: int,
) -> pd.DataFrame:
    """Return the models' main zero-shot cells and the baselines fitted on ``shots`` examples.

    Parameters
    ----------
    frame : DataFrame with the columns of a cell, such as PREDICTIONS or SCORES
    models, baselines : ids
    mode : of the models
    """
    zero_shot = (
        frame["model"].isin(list(models))
        & (frame["k"] == 0)
        & (frame["mode"] == mode)
        & (frame["prompt"] == RICHEST.prompt)
        & (frame["serialization"] == RICHEST.serialization)
    )
    fitted = frame["model"].isin(list(baselines)) & (frame["k"] == shots) & (frame["mode"] == "fit")
    return frame[zero_shot | fitted]
