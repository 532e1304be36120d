"""Cells that a server may take as control tokens of its model: named before they are sent."""

import re
from collections import Counter
from collections.abc import Iterable

from tabbench.inference.requests import CellRequest

# How chat models spell control tokens. Which of them a server's model has is not known here.
_CONTROL = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</?s>|<(?:start|end)_of_(?:turn|text)>|\[/?INST\]|</?think>"
    r"|<(?:bos|eos|pad|unk)>"
)
_COLUMN = re.compile(r"([^=,|<>\n]{1,80}?) = [^=\n]{0,200}\Z")
"""The name before a cell, in the serializations that write it."""


def warnings(requests: Iterable[CellRequest]) -> list[str]:
    """One sentence for each dataset, column and control token in the query rows of requests.

    The column is named where the row's text names it; else the text around is quoted.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    for one in requests:
        query = one.request.prompt.query
        for token in _CONTROL.finditer(query):
            before = query[: token.start()]
            column = _COLUMN.search(before)
            place = (
                f"column '{column[1].removeprefix('Features are: ').strip()}'"
                if column
                else f"'...{before[-30:]}'"
            )
            found[one.cell.dataset, place, token[0]] += 1
    return [
        f"WARNING: {dataset}, {place}: {count} prompts hold {token!r}, which the endpoint's server "
        "may take as a control token; compare its answers, or replace it in the data"
        for (dataset, place, token), count in found.items()
    ]
