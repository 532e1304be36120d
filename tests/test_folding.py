"""Folding: what it does to random rankings, and which conclusions it changes."""

import numpy as np
import pandas as pd
import pytest
from score_frames import scores_frame

from tabbench.reporting.tables.conclusions import folding_conclusions
from tabbench.reporting.tables.folding import folding
from tabbench.statistics.chance import null_aucs
from tabbench.statistics.folding import expected_folded_auc
from tabbench.statistics.roc_auc import fold

MODELS = {"small": "Small-1B", "large": "Large-14B", "absent": "Absent-9B"}


@pytest.mark.parametrize(("positives", "negatives"), [(8, 16), (12, 12), (30, 200), (400, 1200)])
def test_random_rankings_fold_to_the_expected_value(positives: int, negatives: int) -> None:
    y = np.r_[np.ones(positives), np.zeros(negatives)]
    drawn = fold(null_aucs(y, draws=20_000)).mean()
    assert expected_folded_auc(positives, negatives) == pytest.approx(drawn, abs=0.002)


def test_a_missing_class_has_no_value() -> None:
    assert np.isnan(expected_folded_auc(0, 10))


def scores(values: dict[tuple[str, str, int], list[float]]) -> pd.DataFrame:
    """Return scores of (model, dataset, k) to the AUCs of its draws."""
    return scores_frame(
        {
            "model": model,
            "dataset": dataset,
            "k": k,
            "seed": seed if k else 0,
            "roc_auc": auc,
            "roc_auc_folded": float(fold(auc)),
        }
        for (model, dataset, k), aucs in values.items()
        for seed, auc in enumerate(aucs)
    )


WRONG_WAY = {
    ("small", "diabetes", 0): [0.2],
    ("small", "credit", 0): [0.55],
    ("large", "diabetes", 0): [0.7],
    ("large", "credit", 0): [0.6],
}
SHOTS = {
    ("small", "diabetes", 4): [0.5, 0.4],
    ("small", "credit", 4): [0.5, 0.5],
    ("large", "diabetes", 4): [0.8, 0.8],
    ("large", "credit", 4): [0.7, 0.7],
}


def test_both_forms_stand_side_by_side_with_their_means() -> None:
    table = folding(scores(WRONG_WAY), MODELS)
    rows = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}
    assert rows["diabetes"]["Small-1B, plain"] == "0.200"
    assert rows["diabetes"]["Small-1B, folded"] == "0.800"
    assert rows["diabetes"]["Small-1B, difference"] == "+0.600"
    mean = rows["Mean (n = 2)"]
    assert (mean["Small-1B, plain"], mean["Small-1B, folded"]) == ("0.375", "0.675")
    assert mean["Absent-9B, plain"] == "–"
    expected = expected_folded_auc(40, 60)
    assert mean["Random, folded"] == f"{expected:.3f}"


def test_draws_are_folded_one_by_one() -> None:
    table = folding_conclusions(scores(WRONG_WAY), MODELS, few_shot=scores(WRONG_WAY | SHOTS))
    rows = {row[0]: row for row in table.rows}
    # Folded draws of diabetes: (0.5 + 0.6) / 2 = 0.55 against 0.8; credit 0.5 against 0.55.
    assert rows["Small-1B: 4-shot better than zero-shot, mean"][2:] == (
        "yes (+0.100)",
        "no (−0.150)",
        "yes",
    )
    assert rows["Small-1B: 4-shot better than zero-shot, datasets"][2:4] == ("1 of 2", "0 of 2")
    assert rows["Large-14B: 4-shot better than zero-shot, mean"][-1] == "no"


def test_conclusions_change_where_a_model_ranks_the_wrong_way_round() -> None:
    table = folding_conclusions(scores(WRONG_WAY), MODELS)
    changes = dict(zip(table.numbers["conclusion"], table.numbers["changes"], strict=True))
    assert changes == {
        "Order of the models by mean zero-shot AUC": True,
        "Small-1B: mean zero-shot AUC above 0.5": True,
        "Small-1B: mean zero-shot AUC above that of random rankings": True,
        "Small-1B: datasets ranked the wrong way round (AUC below 0.5)": True,
        "Large-14B: mean zero-shot AUC above 0.5": False,
        "Large-14B: mean zero-shot AUC above that of random rankings": False,
        "Large-14B: datasets ranked the wrong way round (AUC below 0.5)": False,
    }
    assert table.rows[0][2:4] == ("Large-14B > Small-1B", "Small-1B > Large-14B")
    assert table.notes[0] == "4 of 7 conclusions change when nothing is folded"
    assert "gains are missing: the configuration has no RQ3" in table.notes


def test_undefined_values_are_left_out_and_models_ordered_on_shared_datasets() -> None:
    values = WRONG_WAY | {("small", "tae", 0): [float("nan")], ("large", "tae", 0): [0.1]}
    table = folding_conclusions(scores(values), MODELS)
    assert table.rows[0][:3] == (
        "Order of the models by mean zero-shot AUC",
        "2",
        "Large-14B > Small-1B",
    )
    plain = folding(scores(values), MODELS)
    assert "Small-1B: mean over 2 datasets" in plain.notes
