"""RQ4, Figure 2: the four context configurations against shots, a panel per model."""

from collections.abc import Mapping

import pandas as pd

from tabbench.figures.contexts import context_curves
from tabbench.figures.style import Figure, styled


@styled
def figure2(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw four lines per model on the classic suite; see `contexts.context_curves`."""
    return context_curves(scores, models, mode, "core")
