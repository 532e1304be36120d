"""The driver that runs a model's rules or tree on rows, inside the sandbox.

Its text is given to `tabbench.sandbox.sandbox` as the driver; it imports nothing of this
package. What it returns is data for `tabbench.baselines.llm_written.running` to judge.
"""

import importlib
import math
import random
from typing import Any

# What models import: once privileges are gone, Python's own folder may be closed.
for _name in (
    *("bisect", "collections", "dataclasses", "datetime", "enum", "fractions", "functools"),
    *("itertools", "numpy", "operator", "re", "statistics", "string", "typing"),
):
    importlib.import_module(_name)


def outcome(function: Any, row: dict[str, Any], convert: Any) -> float:
    value = float(convert(function(row)))
    if not math.isfinite(value):
        raise ValueError(f"returned {value}")
    return value


def main(inputs: dict[str, Any]) -> dict[str, Any]:
    """Call each function with each row.

    The code is loaded anew for each row and random numbers are seeded, so that no row sees another.

    ``inputs``: ``code``, ``functions`` (names), ``gives`` (``truth`` or ``number``), ``columns``,
    ``rows`` (cells in the order of the columns). Returned are ``values``, a list for each function
    with a number for each row, None where its call failed, and ``fault``, the first failure.
    """
    code = compile(inputs["code"], "answer", "exec")
    convert = {"truth": bool, "number": float}[inputs["gives"]]
    values: list[list[float | None]] = [[] for _ in inputs["functions"]]
    fault = ""
    for cells in inputs["rows"]:
        random.seed(0)
        namespace: dict[str, Any] = {"__name__": "answer"}
        exec(code, namespace)
        for name, column in zip(inputs["functions"], values, strict=True):
            row = dict(zip(inputs["columns"], cells, strict=True))
            try:
                column.append(outcome(namespace[name], row, convert))
            except MemoryError:
                raise  # a limit of the whole query, which the sandbox reports
            except Exception as error:
                fault = fault or f"{name}: {type(error).__name__}: {error}"[:300]
                column.append(None)
    return {"values": values, "fault": fault}
