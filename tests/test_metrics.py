"""metrics: against a count of pairs, scikit-learn, and by hand on a small table."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_frames import predictions
from sklearn.metrics import roc_auc_score

from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.scores import SCORES
from tabbench.scoring.metrics import JOINED_LATER, score_cells
from tabbench.statistics.roc_auc import fold, roc_auc

# Few distinct values, so that ties are common.
LABELLED_SCORES = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 1.0])),
    max_size=40,
)


@given(LABELLED_SCORES)
def test_roc_auc_is_the_share_of_ordered_pairs(rows: list[tuple[int, float]]) -> None:
    positives = [score for label, score in rows if label]
    negatives = [score for label, score in rows if not label]
    auc = roc_auc([label for label, _ in rows], [score for _, score in rows])
    if not positives or not negatives:
        assert math.isnan(auc)
        return
    pairs = [(p > n) + 0.5 * (p == n) for p in positives for n in negatives]
    assert auc == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
    labels, scores = zip(*rows, strict=True)
    assert auc == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


@given(LABELLED_SCORES)
def test_negated_scores_give_the_complement_and_the_same_folded_auc(
    rows: list[tuple[int, float]],
) -> None:
    labels = [label for label, _ in rows]
    scores = np.array([score for _, score in rows])
    auc, negated = roc_auc(labels, scores), roc_auc(labels, -scores)
    if not math.isnan(auc):
        assert auc + negated == pytest.approx(1)
        assert fold(auc) == pytest.approx(fold(negated))
        assert fold(auc) >= 0.5


def test_cell_uses_ok_rows_alone_and_counts_the_others() -> None:
    frame = predictions(
        y_true=[0, 0, 1, 1, 1],
        p_1=[0.1, 0.6, 0.8, 0.4, float("nan")],
        y_pred=pd.array([0, 1, 1, 0, None], dtype="Int8"),
        status=["ok", "ok", "ok", "ok", "invalid"],
        seconds=[1.0, 1.0, 1.0, 1.0, 6.0],
        label_mass=[0.9, 0.9, 0.9, 0.9, float("nan")],
    )
    (row,) = score_cells(frame).to_dict("records")
    assert (row["n"], row["n_positive"], row["n_scored"]) == (5, 3, 4)
    assert row["invalid_rate"] == pytest.approx(0.2)
    assert row["roc_auc"] == pytest.approx(3 / 4)
    assert row["accuracy"] == pytest.approx(0.5)
    assert row["seconds"] == pytest.approx(2.0)
    assert row["label_mass"] == pytest.approx(0.9)


def test_labels_alone_count_for_accuracy_and_errors_and_bounds_are_counted() -> None:
    frame = predictions(
        y_true=[0, 1, 1, 0, 1],
        p_1=[0.1, 0.6, float("nan"), float("nan"), float("nan")],
        y_pred=pd.array([0, 1, 1, None, None], dtype="Int8"),
        status=["ok", "ok", "label_only", "invalid", "error"],
        bounded=[False, True, False, False, False],
        prompt_tokens=pd.array([8, 8, 8, 8, None], dtype="Int64"),
    )
    (row,) = score_cells(frame).to_dict("records")
    assert (row["n"], row["n_scored"], row["n_errors"]) == (5, 2, 1)
    assert row["invalid_rate"] == pytest.approx(2 / 5)
    assert row["bounded_rate"] == pytest.approx(1 / 2)
    assert row["accuracy"] == pytest.approx(1)
    assert row["prompt_tokens"] == pytest.approx(8)


def test_many_cells_score_like_each_alone_and_have_the_declared_columns() -> None:
    random = np.random.default_rng(0)
    frame = pd.concat(
        [
            predictions(
                k=k, seed=seed, y_true=list(random.integers(0, 2, 30)), p_1=list(random.random(30))
            )
            for k, seed in ((4, 2), (4, 1), (0, 0))
        ],
        ignore_index=True,
    ).sample(frac=1, random_state=0)
    scores = score_cells(frame)
    assert list(scores.columns) == [n for n in SCORES.names if n not in JOINED_LATER]
    assert list(zip(scores["k"], scores["seed"], strict=True)) == [(0, 0), (4, 1), (4, 2)]
    for row in scores.itertuples():
        cell = frame[(frame["k"] == row.k) & (frame["seed"] == row.seed)]
        assert row.roc_auc == pytest.approx(roc_auc_score(cell["y_true"], cell["p_1"]), abs=1e-12)


@pytest.mark.parametrize("status", ["ok", "invalid"])
def test_cell_without_both_classes_or_without_answers_is_undefined(status: str) -> None:
    frame = predictions(y_true=[1, 1], p_1=[0.2, 0.9], status=[status] * 2)
    (row,) = score_cells(frame).to_dict("records")
    assert math.isnan(row["roc_auc"])
    assert math.isnan(row["roc_auc_folded"])
    assert row["invalid_rate"] == (status == "invalid")
    assert math.isnan(row["accuracy"]) == (status == "invalid")


@given(LABELLED_SCORES.filter(bool), st.data())
def test_invalid_answers_count_as_a_half_in_the_auc_of_all_rows(
    rows: list[tuple[int, float]], data: st.DataObject
) -> None:
    y, p_1 = (list(column) for column in zip(*rows, strict=True))
    kinds = st.sampled_from(["ok", "invalid", "error"])
    status = data.draw(st.lists(kinds, min_size=len(rows), max_size=len(rows)))
    (scores,) = score_cells(predictions(y_true=y, p_1=p_1, status=status)).to_dict("records")
    guessed = [p if one == "ok" else 0.5 for p, one in zip(p_1, status, strict=True)]
    expected = roc_auc_score(y, guessed) if len(set(y)) == 2 else math.nan
    assert scores["roc_auc_all_rows"] == pytest.approx(expected, nan_ok=True)


def test_labels_without_probabilities_are_no_guesses() -> None:
    frame = predictions(y_true=[0, 1, 1], p_1=[0.1, 0.2, math.nan], status=["ok", "ok", "ok"])
    frame.loc[2, ["status", "y_pred"]] = ["label_only", 1]
    (row,) = score_cells(frame).to_dict("records")
    assert row["roc_auc"] == 1
    assert math.isnan(row["roc_auc_all_rows"])


@pytest.mark.parametrize("column", ["engine", "style", "dtype", "template"])
def test_mixed_provenance_names_the_cell(column: str) -> None:
    frame = predictions(y_true=[0, 1], p_1=[0.1, 0.2], **{column: ["one", "two"]})
    with pytest.raises(TabBenchError, match=f"dataset=diabetes.*{column}: one, two"):
        score_cells(frame)


def test_row_given_twice_and_ok_answer_without_probability_are_errors() -> None:
    with pytest.raises(TabBenchError, match=r"k=0.*1 test rows occur twice"):
        score_cells(predictions(y_true=[0, 1], p_1=[0.1, 0.2], row_id=[7, 7]))
    with pytest.raises(TabBenchError, match="status 'ok'"):
        score_cells(predictions(y_true=[0, 1], p_1=[0.1, float("nan")]))


def test_the_label_mass_is_a_median_and_only_scored_answers_count_as_bounds() -> None:
    frame = predictions(
        y_true=[0, 1, 1],
        p_1=[0.1, 0.6, float("nan")],
        y_pred=pd.array([0, 1, 1], dtype="Int8"),
        status=["ok", "ok", "label_only"],
        bounded=[True, False, True],
        label_mass=[0.9, 0.8, 0.1],
    )
    (row,) = score_cells(frame).to_dict("records")
    assert row["label_mass"] == pytest.approx(0.8)
    assert row["bounded_rate"] == pytest.approx(1 / 2)
