"""RQ2, Figure 9: zero-shot ROC-AUC under the four context configurations."""

from collections.abc import Mapping

import pandas as pd

from tabbench.reporting.figures.contexts import context_bars
from tabbench.reporting.style import Figure, styled


@styled
def figure9(scores: pd.DataFrame, models: Mapping[str, str], mode: str = "generation") -> Figure:
    """Draw four bars per model on the classic suite; see `contexts.context_bars`."""
    return context_bars(scores, models, mode, "core", k=0)
