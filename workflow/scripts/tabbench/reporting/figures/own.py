"""The decision page's figures: learning curves, differences, reliability and contexts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tabbench.reporting.style import (
    CHANCE,
    PAGE,
    Figure,
    baseline_looks,
    label_at_edge,
    model_looks,
    reference_line,
    styled,
    widen,
)
from tabbench.reporting.writer import plural

_BAND = 0.13
_WHISKER = 0.7
_DODGE = 0.05
"""Sideways step between lines, so that whiskers do not cover each other."""
_ROOM_FOR_A_TICK = 0.06
"""Share of the axis that the label of a number of examples needs."""


@styled
def learning_curves(
    curves: pd.DataFrame, models: Mapping[str, str], baselines: Mapping[str, str], share: float
) -> Figure:
    """Draw ROC-AUC and PR-AUC against the number of labelled examples, a line per model.

    Parameters
    ----------
    curves : DataFrame with the columns of ``schemas.CURVES``
    models, baselines : display name by id, in the configured order
    share : of class 1 among the test rows, the PR-AUC of guessing
    """
    names, looks = _lines(curves, models, baselines)
    places = _places(curves)
    figure = matplotlib.figure.Figure(figsize=(PAGE, 6.0))
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True)
    for axes, metric, chance in ((above, "auc", CHANCE), (below, "pr_auc", share)):
        for index, name in enumerate(names):
            line = curves[curves["model"] == name].sort_values("n_train")
            shift = (index - (len(names) - 1) / 2) * _DODGE
            _curve(axes, line, metric, places, shift, looks[name] | {"label": names[name]})
        reference_line([axes], chance, "guessing")
        widen(axes)
    above.set_ylabel("ROC-AUC")
    below.set_ylabel("PR-AUC (average precision)")
    _example_axis(below, curves, places)
    handles, labels = above.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", title="Highest ROC-AUC first")
    return Figure(figure, _curves_caption(curves))
