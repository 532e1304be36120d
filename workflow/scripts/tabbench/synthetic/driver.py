"""The driver that runs a model's data-generating function and rules inside the sandbox.

Its text is given to `tabbench.sandbox.sandbox` as the driver; it imports nothing of this
package. What it returns is data for `tabbench.synthetic.llm_table` to judge.
"""

import ast
import importlib
import inspect
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

# What models import: once privileges are gone, Python's own folder may be closed.
for _name in (
    "collections",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "itertools",
    "math",
    "statistics",
    "string",
    "typing",
    "uuid",
    "warnings",
):
    importlib.import_module(_name)

_COUNT = re.compile(
    r"^(n|m|k|num|size|count|rows|length|total|n_.+|num_?.+|number_?.*|.*(samples?|rows|records|"
    r"size|count|patients|entries|points|observations))$"
)
_SEED = re.compile(r"^(seed|random_?(state|seed)|rng|.*_seed|generator)$")
_FRAME = re.compile(r"^(df|data|dataset|frame|dataframe|.*_df|df_.*|x)$")


def normal(name: Any) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def load(code: str, namespace: dict[str, Any], faults: list[str]) -> None:
    """Run top-level statements one by one; a failure is noted and the rest still runs."""
    for node in ast.parse(code).body:
        try:
            exec(compile(ast.Module([node], []), "answer", "exec"), namespace)
        except Exception as error:
            faults.append(f"line {node.lineno}: {type(error).__name__}: {error}")


def seed_everything(seed: int) -> None:
    """Make unseeded generators repeatable too, each with a stream of its own."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    streams = np.random.SeedSequence(seed)
    original = np.random.default_rng
    np.random.default_rng = lambda given=None: original(  # type: ignore[assignment]
        streams.spawn(1)[0] if given is None else given
    )


def arguments(function: Callable[..., Any], rows: int, seed: int) -> tuple[dict[str, Any], bool]:
    """Keyword arguments that a generating function needs, and whether it takes a number of rows."""
    given: dict[str, Any] = {}
    counted = False
    parameters = inspect.signature(function).parameters.values()
    required = [one for one in parameters if one.default is one.empty]
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        name = one.name.lower()
        if _SEED.match(name):
            if one.default in (one.empty, None):  # None would draw the seed from the system
                given[one.name] = (
                    seed if "seed" in name or "state" in name else np.random.default_rng()
                )
        elif not counted and (_COUNT.match(name) or (len(required) == 1 and one is required[0])):
            given[one.name] = rows
            counted = True
        elif one.default is one.empty:
            raise TypeError(f"no value for its parameter '{one.name}'")
    return given, counted


def to_frame(made: Any) -> pd.DataFrame | None:
    if isinstance(made, tuple) and made:
        return to_frame(made[0])
    if isinstance(made, pd.DataFrame):
        return made
    if isinstance(made, dict) and not any(np.ndim(value) for value in made.values()):
        return None  # one row
    if isinstance(made, dict) or (isinstance(made, list) and made and isinstance(made[0], dict)):
        return pd.DataFrame(made)
    return None


def make_frame(inputs: dict[str, Any], namespace: dict[str, Any]) -> tuple[pd.DataFrame, bool]:
    """The table of the first function that makes one, and whether it was told how many rows.

    Real numbers are rounded to three decimals before the rules see them, so that a table that is
    written as text is the table that was labelled. A function without a number of rows may make
    more than asked; the first are kept.
    """
    faults = []
    for name in inputs["table_functions"]:
        try:
            given, counted = arguments(namespace[name], inputs["rows"], inputs["seed"])
            made = namespace[name](**given)
            if isinstance(made, dict) and to_frame(made) is None:
                made = [made, *(namespace[name](**given) for _ in range(inputs["rows"] - 1))]
                counted = False
            frame = to_frame(made)
            if frame is None or frame.shape[1] < 2:
                raise TypeError(f"returned {type(made).__name__}, not a table")
        except Exception as error:
            faults.append(f"{name}: {type(error).__name__}: {error}")
            continue
        frame = frame.reset_index(drop=True)
        frame = frame if counted else frame.head(inputs["rows"])
        frame.columns = [str(column).strip() for column in frame.columns]
        frame = frame.drop(columns=target_columns(frame, set(inputs["targets"])))
        reals = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name])]
        rounded = {column: frame[column].round(3) + 0.0 for column in reals}
        return frame.assign(**rounded), counted
    raise RuntimeError(f"no function made a table: {'; '.join(faults)}")


def target_columns(frame: pd.DataFrame, targets: set[str]) -> list[str]:
    return [
        name for name in frame.columns if normal(name) in targets and frame[name].nunique() <= 2
    ]


def ways(rule: Callable[..., Any], frame: pd.DataFrame) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ways to call a rule, the likeliest first: with features, a table, a row, a row as dict."""
    names = list(frame.columns)
    columns = {normal(name): name for name in names}
    parameters = inspect.signature(rule).parameters.values()
    needed = [one.name for one in parameters if one.default is one.empty]
    features = {
        one.name: columns[normal(one.name)] for one in parameters if normal(one.name) in columns
    }
    if features and set(needed) <= set(features):
        cells = [frame[column].tolist() for column in features.values()]
        yield (
            "features",
            lambda: [
                rule(**dict(zip(features, row, strict=True))) for row in zip(*cells, strict=True)
            ],
        )
    by_row = [
        ("row", lambda: [said(rule, row, names) for _, row in frame.iterrows()]),
        ("dict", lambda: [said(rule, row, names) for row in frame.to_dict("records")]),
    ]
    first = next(iter(parameters)).name.lower() if parameters else ""
    by_frame = ("table", lambda: column_of(rule, frame))
    yield from [by_frame, *by_row] if _FRAME.match(first) else [*by_row, by_frame]


def said(rule: Callable[..., Any], row: Any, names: list[str]) -> Any:
    """What a rule over a row says; when it gives or changes the row, the last entry it added."""
    result = rule(row)
    if result is None and len(row) > len(names):
        result = row
    if isinstance(result, tuple) and result:
        return result[0]
    if isinstance(result, pd.Series | dict):
        *_, key = [key for key in result.keys() if key not in names]  # noqa: SIM118
        return result[key]
    return result


def column_of(rule: Callable[..., Any], frame: pd.DataFrame) -> list[Any]:
    """What a rule over a table says; when it gives or changes the table, its last new column."""
    copy = frame.copy()
    result = rule(copy)
    if result is None:
        result = copy
    if isinstance(result, pd.DataFrame):
        *_, name = [name for name in result.columns if name not in frame.columns]
        result = result[name]
    if np.ndim(result) != 1 or len(result) != len(frame):
        raise TypeError("no value for each row")
    return list(result)


def outcomes(name: str, rule: Callable[..., Any], frame: pd.DataFrame) -> list[Any]:
    faults = []
    for way, call in ways(rule, frame):
        try:
            return [scalar(value) for value in call()]
        except Exception as error:
            faults.append(f"called with a {way}: {type(error).__name__}: {error}")
    raise RuntimeError(f"rule {name} fails: {'; '.join(faults)}")


def scalar(value: Any) -> Any:
    """A cell as JSON: number, text, truth value, or None where missing."""
    if np.ndim(value):
        raise TypeError(f"a value of type {type(value).__name__} in place of one cell")
    if value is None or pd.isna(value):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, bool | int | float) else str(value)[:200]


def main(inputs: dict[str, Any]) -> dict[str, Any]:
    """The table's columns and what each rule says of each row.

    ``inputs``: ``table_code``, ``table_functions``, ``rule_code``, ``rules``, ``targets`` (column
    names, normalised, that are the label when they have two values), ``rows``, ``seed``.
    """
    seed_everything(inputs["seed"])
    faults: list[str] = []
    namespace: dict[str, Any] = {"__name__": "answer"}
    try:
        load(inputs["table_code"], namespace, faults)
        frame, counted = make_frame(inputs, namespace)
        load(inputs["rule_code"], namespace, faults)
        fired = {name: outcomes(name, namespace[name], frame) for name in inputs["rules"]}
    except Exception as error:
        raise RuntimeError("; ".join([str(error), *faults])[:1500]) from error
    columns = {name: [scalar(value) for value in frame[name]] for name in frame.columns}
    return {"columns": list(columns.items()), "rules": fired, "counted": counted}
