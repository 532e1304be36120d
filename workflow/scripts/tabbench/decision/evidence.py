"""All tables of the decision page, from what was predicted of a user's own dataset."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.core.draws import of_test_rows
from tabbench.core.schemas.decision import (
    CALIBRATIONS,
    CONTEXT_EFFECTS,
    COSTS,
    CROSSINGS,
    CURVES,
    DIFFERENCES,
    POWER,
    RELIABILITY_BINS,
    THRESHOLDS,
)
from tabbench.decision.context_effects import context_effects
from tabbench.decision.costs import costs
from tabbench.decision.crossing import crossings
from tabbench.decision.differences import paired_differences
from tabbench.decision.labelled import labelled_answers
from tabbench.decision.learning_curves import learning_curves
from tabbench.decision.recalibration import calibrations
from tabbench.decision.sides import main_context, read_answers
from tabbench.decision.thresholds import threshold_table


def evidence(
    predictions: pd.DataFrame,
    fits: pd.DataFrame,
    table: pd.DataFrame,
    split: pd.DataFrame,
    prices: Mapping[str, Mapping[str, Any]],
    labelled: int,
    file_rows: int,
    groups: "pd.Series[Any] | None" = None,
) -> dict[str, pd.DataFrame]:
    """Return the tables of ``schemas.decision.EVIDENCE`` by name.

    Parameters
    ----------
    predictions : DataFrame with the columns of ``schemas.PREDICTIONS``: answers about test rows,
        and about labelled rows, which are training rows
    fits, table, split : DataFrames with the columns of ``schemas.FITS``, ``TABLE`` and ``SPLIT``
    prices : model id to its prices, of models that have some
    labelled : size of the draw whose rows outside a prompt or fit were asked too
    file_rows : rows of the file that could be classified, whether in the table or not drawn
    groups : group by row id; None where rows are independent
    """
    test = of_test_rows(predictions, {str(predictions["dataset"].iloc[0]): split})
    further = main_context(predictions.drop(test.index))
    main = main_context(test)
    answers = read_answers(main, groups)
    train = split.loc[split["part"] == "train", "row_id"]
    base_rate = float(table.set_index("row_id").loc[train, "y"].mean())
    to_learn_from = labelled_answers(answers, further, base_rate, labelled)
    differences, power = paired_differences(answers)
    calibrated, bins = calibrations(answers, to_learn_from, base_rate)
    return {
        CURVES.name: learning_curves(answers),
        DIFFERENCES.name: differences,
        CROSSINGS.name: crossings(answers),
        POWER.name: power.assign(rows_there=int(split["part"].isin(["test", "unused"]).sum())),
        CONTEXT_EFFECTS.name: context_effects(test, groups),
        RELIABILITY_BINS.name: bins,
        CALIBRATIONS.name: calibrated,
        THRESHOLDS.name: threshold_table(answers, to_learn_from),
        COSTS.name: costs(main, fits, prices, file_rows),
    }
