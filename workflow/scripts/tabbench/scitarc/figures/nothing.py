"""Figures of right and wrong answers where no answer is right."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import pandas as pd

from tabbench.reporting.style import Figure


def empty_if_all_wrong(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Let the caption begin with it, and the figure count as empty, when no answer is right.

    The first argument are rows with the columns of ``schemas.SCITARC_SCORES``.
    """

    @wraps(draw)
    def wrapper(scitarc_scores: pd.DataFrame, *args: Any, **kwargs: Any) -> Figure:
        drawn = draw(scitarc_scores, *args, **kwargs)
        verdicts = scitarc_scores["correct"].dropna().astype(bool)
        if verdicts.empty or verdicts.any():
            return drawn
        sentence = (
            f"Nothing to compare: none of the answers that were judged, {len(verdicts):,} over all "
            "conditions, is right."
        )
        return replace(drawn, caption=f"{sentence} {drawn.caption}", empty=True)

    return wrapper
