"""The page that searches and sorts every cell: its data as JSON, put into the template."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.errors import TabBenchError
from tabbench.reporting.titles import domain_title

PLACE = "{{cells}}"
"""Mark in the template that the data replace."""

_TEXTS = ("suite", "domain", "dataset", "model", "mode", "prompt", "serialization")
_COUNTS = ("k", "n_seeds", "n_undefined", "n", "n_too_long", "test_rows")
_REALS = ("roc_auc", "roc_auc_std", "roc_auc_all_rows", "invalid_rate", "label_mass")
_DIGITS = 6


def domain_page(cells: pd.DataFrame, template: str, names: Mapping[str, str]) -> str:
    """Return the page as HTML that needs no other file.

    Parameters
    ----------
    cells : DataFrame with the columns of ``schemas.CELLS``
    template : HTML that has `PLACE` once, inside a script element of type application/json
    names : display name by id of models and baselines

    Raises
    ------
    TabBenchError
        When the template has no such place, or several.
    """
    if template.count(PLACE) != 1:
        raise TabBenchError(
            f"template of the page of cells: {PLACE} stands there {template.count(PLACE)} times; "
            "write it once, where the data go"
        )
    shown = cells.assign(
        domain=cells["domain"].map(domain_title), model=cells["model"].replace(dict(names))
    )
    data = {
        "texts": {name: _coded(shown[name]) for name in _TEXTS},
        "numbers": {name: shown[name].tolist() for name in _COUNTS}
        | {name: [_rounded(value) for value in shown[name]] for name in _REALS},
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # "</script" inside the data would end their element, and "<!--" could hide its end.
    return template.replace(PLACE, text.replace("<", "\\u003c"))


def _coded(column: "pd.Series[str]") -> dict[str, list[Any]]:
    """Each distinct value once, in order, and the index of each row's value."""
    codes, values = pd.factorize(column, sort=True)
    return {"values": values.tolist(), "codes": codes.tolist()}


def _rounded(value: float) -> float | None:
    return None if pd.isna(value) else round(value, _DIGITS)
