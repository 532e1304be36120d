"""RQ4, Figures 2 and 14 to 18: the four context configurations, over shots and at each k."""

from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.figures.contexts import context_bars, context_curves
from tabbench.reporting.style import Figure, styled


@styled
def figure2(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw four lines per model on the classic suite; see `contexts.context_curves`."""
    return context_curves(scores, models, mode, "core")


@styled
def figure_of_contexts(
    scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation", k: int = 4
) -> Figure:
    """Draw Figures 14 to 18: four bars per model at ``k`` examples; see `contexts.context_bars`."""
    return context_bars(scores, models, mode, "core", k)
