"""The tables of the decision page as the workflow makes them, from predictions to files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from decision_frames import SEEDS, asked, fits, table

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.runs import run_baselines
from tabbench.config.dataset_entry import TaskText
from tabbench.core.cells import Variant
from tabbench.core.contexts import CONTEXTS, POOREST, RICHEST
from tabbench.core.draws import held_out, of_test_rows
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.decision import (
    AS_ANSWERED,
    EVIDENCE,
    NO_ANSWERS,
    OK,
    PLATT,
)
from tabbench.data.split import draw_shots
from tabbench.decision.evidence import evidence
from tabbench.decision.sides import main_context, read_answers
from tabbench.prompts.prompts import DatasetFiles, build

PRICES = {"good": {"input": 2.0, "output": 8.0, "currency": "USD", "as_of": "2026-11-29"}}


@pytest.fixture(scope="module")
def made():
    rows, split = table()
    predicted = asked(rows, split)
    return evidence(predicted, fits(predicted), rows, split, PRICES, 32, 5000)


def test_every_table_is_made_and_can_be_written(made, tmp_path):
    assert list(made) == list(EVIDENCE)
    for name, frame in made.items():
        write_table(frame, tmp_path / f"{name}.parquet", EVIDENCE[name])
        assert len(read_table(tmp_path / f"{name}.parquet", EVIDENCE[name])) == len(frame) > 0


def test_numbers_rest_on_test_rows_alone(made):
    assert set(made["curves"]["n"]) == {250}
    assert set(made["power"]["rows_there"]) == {1000 - 666}


def test_known_learning_curves_are_found(made):
    curves = made["curves"].set_index(["model", "k"])["roc_auc"]
    assert curves["good", 0] > curves["poor", 0] + 0.1
    assert curves["knn"].is_monotonic_increasing
    crossed = made["crossings"].set_index(["model", "comparison", "model_k"])
    good, poor = (crossed.loc[(model, "fixed", 0), "labels"] for model in ("good", "poor"))
    assert 4 < poor < 32 < good < 666


def test_a_context_that_tells_less_is_found_to_do_worse(made):
    effects = made["context_effects"].set_index(["model", "configuration"])
    masked = effects.loc[("good", "NoCols-Context")]
    assert masked["difference"] > 0.1 > masked["p_holm"]
    assert effects.loc[("good", RICHEST.name), "difference"] == 0
    assert set(effects["k"]) == {0}


def test_labels_behind_a_recalibration_are_counted(made):
    counted = made["calibrations"].set_index(["model", "k", "method"])[["labels", "labelled_rows"]]
    assert counted.loc[("good", 0, PLATT)].tolist() == [32, 32]
    assert counted.loc[("good", 4, PLATT)].tolist() == [32, 28]
    assert counted.loc[("knn", 64, PLATT)].tolist() == [64, 64]  # out of fold
    assert counted.loc[("knn", 666, PLATT)].tolist() == [666, 666]
    assert counted.loc[("good", 4, AS_ANSWERED)].tolist() == [4, 0]


def test_costs_are_per_1000_rows_and_for_the_file(made):
    costs = made["costs"].set_index(["model", "k"])
    good = costs.loc[("good", 0)]
    assert (good["prompt_tokens"], good["seconds"]) == (10_000, 500)
    assert good["cost"] == pytest.approx(10_000 * 2 / 1e6)
    assert (good["file_rows"], good["file_seconds"]) == (5000, 2500)
    assert np.isnan(costs.loc[("poor", 0), "cost"])
    fitted = costs.loc[("knn", 4)]
    assert (fitted["fit_seconds"], fitted["seconds"]) == (0.75, 1000 * 0.25 / 250)
    assert fitted["file_seconds"] == pytest.approx(5000 * 0.25 / 250 + 0.75)
    gone = costs.loc[("tabpfn", 4)]
    assert (gone["reason"], gone["status"]) == ("it has no weights", NO_ANSWERS)


def broken(predicted, mask):
    """Make the marked answers invalid."""
    nothing = {"status": "invalid", "p_1": np.nan}
    return predicted.assign(**{
        name: predicted[name].mask(mask, value) for name, value in nothing.items()
    })  # fmt: skip


def test_a_model_that_answers_nothing_is_said_to():
    rows, split = table(300)
    predicted = asked(rows, split)
    found = evidence(
        broken(predicted, predicted["model"] == "poor"), fits(predicted), rows, split, {}, 32, 300
    )
    for name in ("curves", "calibrations", "thresholds"):
        of_model = found[name][found[name]["model"] == "poor"]
        assert set(of_model["status"]) == {NO_ANSWERS}, name
    for name in ("differences", "power"):
        involved = found[name][(found[name][["model", "reference"]] == "poor").any(axis=1)]
        assert set(involved["status"]) == {NO_ANSWERS}, name
    crossed = found["crossings"]
    assert set(crossed.loc[crossed["model"] == "poor", "status"]) == {"undefined"}
    assert (found["curves"].loc[found["curves"]["model"] == "good", "status"] == OK).all()


def test_rows_that_one_draw_lacks_are_left_out_and_counted():
    rows, split = table(300)
    predicted = asked(rows, split)
    test = split.loc[split["part"] == "test", "row_id"]
    mask = (predicted["model"] == "good") & (predicted["k"] == 4) & (predicted["seed"] == SEEDS[1])
    mask &= predicted["row_id"].isin(test[:5])
    found = evidence(broken(predicted, mask), fits(predicted), rows, split, {}, 32, len(rows))
    curves = found["curves"].set_index(["model", "k"])
    assert curves.loc[("good", 4), ["n", "n_dropped"]].tolist() == [70, 5]
    assert curves.loc[("good", 0), ["n", "n_dropped"]].tolist() == [75, 0]


def test_models_alone_and_baselines_alone_have_tables(tmp_path):
    rows, split = table(300)
    predicted = asked(rows, split)
    for keep in (predicted["prompt"] != "none", predicted["prompt"] == "none"):
        found = evidence(predicted[keep], fits(predicted[keep]), rows, split, {}, 32, len(rows))
        for name, frame in found.items():
            write_table(frame, tmp_path / f"{name}.parquet", EVIDENCE[name])
        assert found["crossings"].empty
        assert not found["curves"].empty


def test_two_modes_of_a_model_are_refused():
    rows, split = table(300)
    predicted = main_context(asked(rows, split))
    again = predicted[(predicted["model"] == "good") & (predicted["k"] == 0)]
    both = pd.concat([predicted, again.assign(mode="generation")])
    with pytest.raises(TabBenchError, match="dataset 'loans': a model was asked in several modes"):
        read_answers(both)


def test_labelled_rows_are_asked_outside_the_prompt_and_in_the_main_context_alone():
    rows, split = table(90)
    shots, larger = (draw_shots(rows, split, k, SEEDS[:2], "loans") for k in (4, 10))
    texts = [(-1, "head"), *((row, f"row {row}: ") for row in rows["row_id"])]
    serialized = pd.concat(
        pd.DataFrame(texts, columns=["row_id", "text"]).assign(serialization=one.serialization)
        for one in (POOREST, RICHEST)
    )
    variants = [Variant("forward", *one.pair) for one in CONTEXTS]
    task = TaskText("a loan", "what it is", "no", "yes")
    test = split.loc[split["part"] == "test", "row_id"].tolist()
    for k, drawn, seeds in ((4, shots, SEEDS[:2]), (0, None, (0,))):
        files = DatasetFiles(rows, split, serialized, drawn, larger)
        prompts = build("loans", k, seeds, variants, task, files)
        for (prompt, serialization, seed), part in prompts.groupby(
            ["prompt", "serialization", "seed"]
        ):
            shown = drawn[drawn["seed"] == seed]["row_id"].tolist() if k else []
            further = held_out(larger, seed if k else SEEDS[0], shown)
            assert len(further) == 10 - k
            expected = further if (prompt, serialization) == RICHEST.pair else []
            assert part["row_id"].tolist() == test + expected
            assert all(f"row {row}: " not in part["prefix"].iloc[0] for row in further)
            assert set(of_test_rows(part, {"loans": split})["row_id"]) == set(test)


def untuned(name):
    """A baseline without the search of its settings, which takes most of its time."""
    return replace(CLASSICAL[name], space=lambda _: {})


@pytest.mark.parametrize("name", ["logistic_regression", "knn", "majority"])
def test_a_baseline_predicts_labelled_rows_that_its_fit_lacks(name):
    rows, split = table(240)
    shots = pd.concat(draw_shots(rows, split, k, SEEDS[:2], "loans") for k in (4, 20, 40))
    larger = shots[shots["k"] == 20]
    given = ("loans", [untuned(name)], rows, split, shots)
    predicted, fitted = run_baselines(*given, full_seed=1, labelled=larger)
    alone, _ = run_baselines(*given, full_seed=1)
    same = of_test_rows(predicted, {"loans": split})
    timeless = [column for column in alone if column != "seconds"]
    pd.testing.assert_frame_equal(
        same[timeless].reset_index(drop=True), alone[timeless], check_dtype=False
    )
    train = split.loc[split["part"] == "train", "row_id"]
    further = predicted[predicted["row_id"].isin(train)]
    for (mode, k, seed), part in further.groupby(["mode", "k", "seed"]):
        shown = shots[(shots["k"] == k) & (shots["seed"] == seed)]["row_id"]
        if mode == "fit_full":
            assert part["row_id"].tolist() == train.tolist()
        elif k == 4:
            assert part["row_id"].tolist() == held_out(larger, seed, shown.tolist())
        else:
            assert sorted(part["row_id"]) == sorted(shown)
    assert (fitted["fit_seconds"] <= fitted["seconds"]).all()


def test_out_of_fold_predictions_know_no_label_of_their_own():
    """A nearest neighbour that finds the row itself would be right everywhere, on noise as well."""
    random = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"row_id": range(240), "y": random.integers(0, 2, 240), "x": random.normal(size=240)}
    )
    parts = ["train"] * 200 + ["test"] * 40
    split = pd.DataFrame({"row_id": range(240), "part": parts, "position": range(240)})
    shots = draw_shots(rows, split, 4, (1,), "noise")
    predicted, _ = run_baselines("noise", [untuned("random_forest")], rows, split, shots, 1, shots)
    own = predicted[(predicted["mode"] == "fit_full") & (predicted["row_id"] < 200)]
    assert len(own) == 200
    assert (own["y_pred"] == own["y_true"]).mean() < 0.65
