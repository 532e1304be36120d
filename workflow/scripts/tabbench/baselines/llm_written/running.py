"""From a model's answer to numbers: its code is read here, run in the sandbox, judged here."""

import inspect
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from tabbench.baselines.llm_written import driver
from tabbench.core.arrays import Floats
from tabbench.sandbox import sandbox
from tabbench.sandbox.model_code import Program, UnusableAnswerError, program

FAILURES = {
    "too_long": "prompt too long for the model",
    "refused": "refused by the endpoint",
    "unreadable": "no usable code in the answer",
    "invalid": "no valid value for any row",
    "exception": "its code raised",
    "timeout": "time limit",
    "memory": "memory limit",
    "output": "output limit",
    "killed": "its process ended early",
}
"""Why a query gives no scores, in words; all but the first four are outcomes of the sandbox."""

LIMITS = sandbox.Limits(seconds=30.0, cpu_seconds=30)
_LONGEST = 300
"""Largest number of characters kept of a message."""
_RULE = re.compile(r"class_?([01])_?rule_?\d+", re.IGNORECASE)


class QueryError(Exception):
    """A query that gives no scores; ``status`` is a key of `FAILURES`."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Logic:
    """A model's code and what is called in it.

    Attributes
    ----------
    functions : names, in the answer's order
    classes : of each function the class that it speaks for; a tree's is 1
    gives : truth for rules, a number from 0 to 1 for a tree
    """

    code: str
    functions: tuple[str, ...]
    classes: tuple[int, ...]
    gives: Literal["truth", "number"]


@dataclass(frozen=True)
class Values:
    """Results of a query's functions.

    Attributes
    ----------
    table : (functions, rows); NaN where a call failed or gave no valid value
    fault : the first failure; empty where there was none
    """

    table: Floats
    fault: str

    @property
    def failed(self) -> int:
        """Calls without a valid value."""
        return int(np.isnan(self.table).sum())


def read_rules(answer: str) -> Logic:
    """Read the functions ``class0_rule1``, ..., ``class1_rule1``, ... of an answer.

    Raises
    ------
    QueryError
        When there is no Python, or a class has no rule.
    """
    code = _program(answer)
    found = {name: match for name in code.functions if (match := _RULE.fullmatch(name))}
    classes = tuple(int(match[1]) for match in found.values())
    if set(classes) != {0, 1}:
        raise QueryError(
            "unreadable", f"rules of both classes are needed, found {', '.join(found) or 'none'}"
        )
    return Logic(code.text, tuple(found), classes, "truth")


def read_tree(answer: str) -> Logic:
    """Read the function ``predict`` of an answer, or its only function.

    Raises
    ------
    QueryError
        When there is none.
    """
    code = _program(answer)
    names = list(code.functions)
    if "predict" not in names and len(names) != 1:
        raise QueryError("unreadable", f"no function 'predict' among {', '.join(names)}")
    name = "predict" if "predict" in names else names[0]
    return Logic(code.text, (name,), (1,), "number")


def _program(answer: str) -> Program:
    try:
        return program(answer, "the answer")
    except UnusableAnswerError as error:
        raise QueryError("unreadable", str(error)) from error


def run_logic(
    logic: Logic,
    features: pd.DataFrame,
    kind: sandbox.Kind,
    limits: sandbox.Limits = LIMITS,
) -> Values:
    """Call every function with every row, in the sandbox.

    A row's values depend on that row alone; only code that runs into a limit, or ends its process,
    fails for all rows.

    Parameters
    ----------
    features : DataFrame, shape (rows, columns); labels are no columns of it

    Raises
    ------
    QueryError
        When a limit was reached, the code cannot be loaded, or no call gave a valid value.
    TabBenchError
        When the sandbox cannot be set up.
    """
    inputs = {
        "code": logic.code,
        "functions": list(logic.functions),
        "gives": logic.gives,
        "columns": [str(name) for name in features.columns],
        "rows": [[_cell(cell) for cell in row] for row in features.itertuples(index=False)],
    }
    outcome = sandbox.run(inspect.getsource(driver), inputs, kind, limits)
    if outcome.status != "ok":
        raise QueryError(outcome.status, outcome.message)
    table = _judged(outcome.value, (len(logic.functions), len(features)))
    fault = str(outcome.value["fault"])[:_LONGEST]
    valid = np.isnan(table) | ((table >= 0) & (table <= 1))
    if not valid.all():
        fault = fault or f"returned {table[~valid][0]:g}, which is no number from 0 to 1"
        table[~valid] = np.nan
    if np.isnan(table).all():
        raise QueryError("invalid", fault or "there are no rows")
    return Values(table, fault)


def _judged(value: Any, shape: tuple[int, int]) -> Floats:
    """Check what came back: code that a model wrote ran in the driver's process."""
    try:
        table = np.array(value["values"], dtype=np.float64)
        _ = value["fault"]
    except (TypeError, ValueError, KeyError) as error:
        raise QueryError("invalid", f"the result has an unexpected form: {error}") from error
    if table.shape != shape:
        raise QueryError("invalid", f"the result has shape {table.shape}, expected {shape}")
    return table


def _cell(value: Any) -> Any:
    """A cell as JSON: a float, a text, or None where missing."""
    if value is None or pd.isna(value):
        return None
    return value if isinstance(value, str) else float(value)
