"""RQ2, Table V: the four graded context configurations, from their one definition."""

import pandas as pd

from tabbench.core.contexts import CONTEXTS
from tabbench.reporting.writer import Table

_TITLES = {
    (True, True): "Maximal context",
    (True, False): "Semantic headers only",
    (False, True): "Context prompt only",
    (False, False): "Minimal context",
}
"""The paper's name, by whether columns are named and whether the task is described."""


def table5() -> Table:
    """Make Table V: rows the configurations, richest first."""
    lines = []
    for one in reversed(CONTEXTS):
        named = not one.serialization.endswith("_mask")
        described = one.prompt == "contextual"
        lines.append(
            {
                "title": _TITLES[named, described],
                "configuration": one.name,
                "columns": "semantic" if named else "generic",
                "task": "context" if described else "no context",
                "serialization": one.serialization,
                "prompt": one.prompt,
            }
        )
    return Table(
        caption="The four graded context configurations",
        header=(
            *("Configuration", "Index", "Names of columns", "Prompt"),
            *("Serialization of the cells", "Prompt of the cells"),
        ),
        rows=tuple(tuple(line.values()) for line in lines),
        numbers=pd.DataFrame(lines),
        notes=(
            "semantic: the dataset's real column names; generic: placeholders",
            "context: description of the task; no context: a neutral prompt that names neither "
            "the entity nor the meaning of the labels",
            "serialization and prompt of the cells: their names in scores and predictions",
        ),
    )
