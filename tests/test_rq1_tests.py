"""RQ1's statistics: cells against chance, methods compared, their tables and the rank diagram."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm
from score_frames import chance_frame, grid, predictions, scores_frame
from sklearn.metrics import roc_auc_score

from tabbench.core.baseline_names import reference_shots
from tabbench.core.errors import TabBenchError
from tabbench.core.schemas.chance import CHANCE
from tabbench.core.schemas.intervals import INTERVALS, MEAN_INTERVALS
from tabbench.core.suites import GROUPS
from tabbench.reporting.figures.ranks import ranks
from tabbench.reporting.tables.rq1_chance import chance_summary, datasets
from tabbench.reporting.tables.rq1_differences import differences
from tabbench.reporting.writer import p_value
from tabbench.scoring.select import zero_shot_and_fitted
from tabbench.statistics import against_chance, comparisons
from tabbench.statistics.against_chance import cells_against_chance, combine_cells
from tabbench.statistics.bootstrap import auc_interval, difference_interval
from tabbench.statistics.comparisons import Comparison, compare_methods, planned_comparisons
from tabbench.statistics.delong import gain_test, two_curve_test
from tabbench.statistics.multiplicity import holm

MODELS = {"small": "Small-1B", "large": "Large-14B"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
SIZES = {"diabetes": 60, "tae": 24, "reading": 40}
SUITES = {"diabetes": "core", "tae": "core", "reading": "new"}
GROUP_DATASETS = {
    group: [name for name, suite in SUITES.items() if suite in suites]
    for group, suites in GROUPS.items()
}
SIGNAL = {"small": 0.1, "large": 0.5, "logistic": 0.4, "forest": 0.3}


def cells(dataset: str) -> pd.DataFrame:
    """Return two zero-shot models and two baselines with two draws, on rows of their own."""
    random = np.random.default_rng(len(dataset))
    y = (np.arange(SIZES[dataset]) % 3 == 0).astype(int)
    frames = []
    for model, signal in SIGNAL.items():
        fitted = model in BASELINES
        for seed in (864, 460) if fitted else (0,):
            p_1 = np.clip(signal * y + (1 - signal) * random.random(len(y)), 0, 1)
            condition = {"mode": "fit", "prompt": "none", "serialization": "none", "k": 16}
            frames.append(
                predictions(
                    dataset=dataset,
                    model=model,
                    seed=seed,
                    y_true=list(y),
                    p_1=list(p_1),
                    **(condition if fitted else {}),
                )
            )
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def predicted() -> pd.DataFrame:
    """Return three datasets; small's answers to rows 0 to 4 of diabetes are invalid."""
    frame = pd.concat([cells(name) for name in SIZES], ignore_index=True)
    invalid = (frame["dataset"] == "diabetes") & (frame["model"] == "small")
    frame.loc[invalid & (frame["row_id"] < 5), "status"] = "invalid"
    return frame


@pytest.fixture(scope="module")
def compared(predicted: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    plan = planned_comparisons(list(MODELS), list(BASELINES))
    return compare_methods(predicted, plan, GROUP_DATASETS, resamples=200)


def one(frame: pd.DataFrame, **key: object) -> pd.Series:
    for name, value in key.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def curve(frame: pd.DataFrame, dataset: str, model: str, seed: int = 0) -> pd.DataFrame:
    cell = frame[(frame["dataset"] == dataset) & (frame["model"] == model)]
    return cell[cell["seed"] == seed].set_index("row_id")


def test_cells_against_chance_use_valid_rows_of_zero_shot_cells(predicted: pd.DataFrame) -> None:
    found = cells_against_chance(predicted, draws=500)
    joined = against_chance.JOINED_LATER
    assert list(found.columns) == [name for name in CHANCE.names if name not in joined]
    assert len(found) == len(SIZES) * len(MODELS)
    row = one(found, dataset="diabetes", model="small")
    assert (row["n"], row["n_positive"], row["n_dropped"], row["draws"]) == (55, 18, 5, 500)
    valid = curve(predicted, "diabetes", "small").query("status == 'ok'")
    assert row["roc_auc"] == pytest.approx(roc_auc_score(valid["y_true"], valid["p_1"]))
    assert one(found, dataset="diabetes", model="large")["p_monte_carlo"] == 1 / 501
    # The null of 24 rows is not that of 40, nor its random numbers.
    assert found["null_mean"].nunique() == 4


def test_repeats_of_a_prompt_are_one_test_of_their_mean(predicted: pd.DataFrame) -> None:
    small = predicted[(predicted["dataset"] == "diabetes") & (predicted["model"] == "small")]
    again = small.assign(seed=1, p_1=1 - small["p_1"])
    again.loc[again["row_id"] == 7, "status"] = "error"
    row = one(cells_against_chance(pd.concat([small, again]), draws=500), model="small")
    assert (row["seed"], row["n"], row["n_dropped"]) == (0, 54, 6)
    assert row["roc_auc"] == pytest.approx(0.5)
    assert row["p_monte_carlo"] > 0.3


def test_a_cell_without_a_valid_answer_has_no_test(predicted: pd.DataFrame) -> None:
    found = cells_against_chance(predicted.assign(status="error"), draws=10)
    assert set(found["n"]) == {0}
    assert found["p_monte_carlo"].isna().all()
    (row,) = combine_cells(found[found["model"] == "small"], ["model"]).to_dict("records")
    assert (row["n_datasets"], row["n_left_out"], row["above_monte_carlo"]) == (0, 3, 0)
    assert math.isnan(row["log10_p_fisher_monte_carlo"])


def test_chance_is_counted_and_combined_one_sided() -> None:
    frame = chance_frame(
        scores_frame([{"dataset": f"d{i}", "roc_auc": auc} for i, auc in enumerate([0.9, 0.52])])
    )
    (row,) = combine_cells(frame, ["model"]).to_dict("records")
    assert (row["n_datasets"], row["above_monte_carlo"], row["above_t"]) == (2, 1, 2)
    p = frame["p_monte_carlo"]
    assert row["p_stouffer_monte_carlo"] == pytest.approx(norm.sf(norm.isf(p).sum() / 2**0.5))
    assert row["log10_p_fisher_t"] < row["log10_p_fisher_monte_carlo"] < 0
    below = combine_cells(frame.assign(p_monte_carlo=1 - p), ["model"])
    assert below["p_stouffer_monte_carlo"].iloc[0] > 0.9


def test_intervals_are_the_paired_bootstrap_and_delong(
    predicted: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    intervals, _ = compared
    joined = comparisons.JOINED_LATER
    assert list(intervals.columns) == [name for name in INTERVALS.names if name not in joined]
    assert len(intervals) == len(SIZES) * (2 + 1 + 4)
    seed = comparisons.zlib.crc32(b"diabetes")
    small, large = (curve(predicted, "diabetes", name).iloc[5:] for name in MODELS)
    alone = auc_interval(small["y_true"], small["p_1"], resamples=200, seed=seed)
    row = one(intervals, dataset="diabetes", model="small", reference="")
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx(
        (alone.estimate, alone.low, alone.high)
    )
    assert math.isnan(row["p_two_sided"])
    pair = one(intervals, dataset="diabetes", model="small", reference="large")
    both = (small["y_true"], large["p_1"], small["p_1"])
    expected = difference_interval(*both, resamples=200, seed=seed)
    assert (pair["n"], pair["n_dropped"]) == (55, 5)
    assert (pair["estimate"], pair["low"], pair["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )
    assert pair["p_two_sided"] == pytest.approx(two_curve_test(*both).p_two_sided)


def test_draws_of_a_baseline_are_averaged(
    predicted: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    row = one(compared[0], dataset="tae", model="large", reference="forest")
    model = curve(predicted, "tae", "large")
    draws = [curve(predicted, "tae", "forest", seed)["p_1"] for seed in (864, 460)]
    test = gain_test(model["y_true"], np.stack(draws), model["p_1"])
    assert (row["estimate"], row["z"]) == pytest.approx((test.difference, test.z))
    assert (row["k"], row["reference_k"]) == (0, 16)


def test_means_over_datasets_with_independent_resamples(
    compared: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    intervals, means = compared
    assert list(means.columns) == MEAN_INTERVALS.names
    pair = {"model": "small", "reference": "large"}
    rows = intervals[(intervals["model"] == "small") & (intervals["reference"] == "large")]
    mean = one(means, group="All", **pair)
    assert (mean["n_datasets"], mean["n_tests"], mean["n_left_out"]) == (3, 3, 0)
    assert mean["mean"] == pytest.approx(rows["estimate"].mean())
    z = rows["z"].sum() / math.sqrt(3)
    assert mean["p_two_sided"] == pytest.approx(2 * norm.sf(abs(z)))
    assert mean["log10_p"] == pytest.approx(math.log10(mean["p_two_sided"]))
    # Independent datasets: widths add in squares, and so shrink below the mean width.
    widths = rows["high"] - rows["low"]
    expected = math.sqrt((widths**2).sum()) / 3
    assert mean["high"] - mean["low"] == pytest.approx(expected, rel=0.25)
    new = one(means, group="New", **pair)
    assert new["low"] == one(intervals, dataset="reading", **pair)["low"]


def test_order_of_rows_and_other_datasets_change_nothing(
    predicted: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    plan = planned_comparisons(list(MODELS), list(BASELINES))
    mixed = predicted[predicted["dataset"] == "tae"].sample(frac=1, random_state=0)
    alone, _ = compare_methods(mixed, plan, {"All": ["tae"]}, resamples=200)
    before = compared[0][compared[0]["dataset"] == "tae"]
    pd.testing.assert_frame_equal(alone, before.reset_index(drop=True))


def test_equal_curves_are_no_evidence_and_lone_rows_are_left_out(predicted: pd.DataFrame) -> None:
    frame = predicted[predicted["model"].isin(MODELS)].copy()
    tae = frame["dataset"] == "tae"
    frame.loc[tae, "p_1"] = frame.loc[tae & (frame["model"] == "large"), "p_1"].tolist() * 2
    lone = (frame["dataset"] == "reading") & (frame["y_true"] == 1) & (frame["row_id"] > 0)
    frame.loc[lone, "status"] = "invalid"
    plan = [Comparison("small", "large")]
    intervals, means = compare_methods(frame, plan, {"All": list(SIZES)}, resamples=50)
    same = one(intervals, dataset="tae")
    assert (same["estimate"], same["low"], same["z"], same["p_two_sided"]) == (0, 0, 0, 1)
    alone = one(intervals, dataset="reading")
    assert not math.isnan(alone["estimate"])
    assert math.isnan(alone["low"])
    mean = means.iloc[0]
    assert (mean["n_datasets"], mean["n_left_out"], mean["n_tests"]) == (2, 1, 2)
    kept = intervals[intervals["dataset"] != "reading"]
    assert mean["mean"] == pytest.approx(kept["estimate"].mean())


def test_several_conditions_or_two_labels_are_errors(predicted: pd.DataFrame) -> None:
    plan = [Comparison("small")]
    other = predicted.assign(serialization="html")
    with pytest.raises(TabBenchError, match="'small' has 2 conditions"):
        compare_methods(pd.concat([predicted, other]), plan, {})
    relabelled = predicted.copy()
    relabelled.loc[(predicted["model"] == "small") & (predicted["row_id"] == 7), "y_true"] = 1
    with pytest.raises(TabBenchError, match=r"dataset '\w+'.*change their label"):
        compare_methods(relabelled, plan, {})
    with pytest.raises(TabBenchError, match="occur twice"):
        compare_methods(pd.concat([predicted, predicted]), plan, {})


def test_main_cells_and_the_shots_beside_them(predicted: pd.DataFrame) -> None:
    other = predicted.assign(serialization="html")
    found = zero_shot_and_fitted(pd.concat([predicted, other]), MODELS, BASELINES, "forward", 16)
    assert set(found["serialization"]) == {"feat_val", "none", "html"}
    assert set(found.loc[found["mode"] != "fit", "serialization"]) == {"feat_val"}
    assert [reference_shots(k) for k in ([0, 4, 16, 64], [0, 4, 8], [])] == [16, 8, 16]


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    core = grid(list(MODELS), ["diabetes", "tae"], shots=(0, 16))
    return pd.concat([core, grid(list(MODELS), ["reading"], suite="new", shots=(0, 16), seed=5)])


def test_the_table_of_chance_leads_with_monte_carlo(scores: pd.DataFrame) -> None:
    chance = chance_frame(scores)
    table = chance_summary(scores, chance, {**MODELS, "absent": "Absent-9B"})
    assert [row[:2] for row in table.rows] == [
        (place, mode)
        for mode in ("generation", "forward")
        for place in (
            *(f"{name}, {group}" for name in MODELS.values() for group in GROUPS),
            "Absent-9B",
        )
    ]
    first = dict(zip(table.header, table.rows[0], strict=True))
    main = chance[
        (chance["model"] == "small")
        & (chance["mode"] == "generation")
        & (chance["prompt"] == "contextual")
        & (chance["serialization"] == "feat_val")
    ]
    assert first["Above chance"] == f"{(main['p_monte_carlo'] < 0.05).sum()} of 3"
    assert first["t-test: above chance"] == f"{(main['p_t'] < 0.05).sum()} of 3"
    assert set(table.rows[-1][2:]) == {"–"}
    second = table.numbers[~table.numbers["main"] & (table.numbers["group"] == "All")]
    assert set(second["mode"]) == {"forward"}
    forward = chance[(chance["mode"] == "forward") & (chance["prompt"] == "contextual")]
    forward = forward[forward["serialization"] == "feat_val"]
    means = forward.groupby("model")["roc_auc"].mean()
    assert dict(zip(second["model"], second["roc_auc"], strict=True)) == pytest.approx(dict(means))
    alone = chance_summary(scores, chance[chance["mode"] == "generation"], MODELS)
    assert {row[1] for row in alone.rows} == {"generation"}
    notes = "\n".join(table.notes)
    for word in ("one-sided", "not corrected", "200 random", "FEM", "Stouffer", "t-test takes"):
        assert word in notes
    assert "±" not in notes


def test_the_table_of_datasets_corrects_within_a_model(
    scores: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    facts = scores[["dataset", "suite", "domain"]].drop_duplicates()
    intervals = compared[0].merge(facts, on="dataset")
    table = datasets(scores, chance_frame(scores), intervals, MODELS)
    assert [row[:2] for row in table.rows] == [
        (name, "100 (40)") for name in ("diabetes", "tae", "reading")
    ]
    for _, part in table.numbers.groupby("model"):
        np.testing.assert_array_equal(part["p_holm"], holm(part["p_monte_carlo"]))
    for number, row in enumerate(table.rows):
        for place, model in enumerate(MODELS):
            cell = one(table.numbers, dataset=row[0], model=model)
            assert row[2 + place].startswith(f"{cell['roc_auc']:.3f} [{cell['low']:.3f}, ")
            assert ((number, 2 + place) in table.bold) == (cell["p_holm"] < 0.05)


def test_the_table_of_differences_corrects_over_its_pairs(
    scores: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    table = differences(scores, compared[1], MODELS, BASELINES)
    assert [row[0] for row in table.rows] == [
        "Small-1B − Large-14B",
        *(f"{m} − {b} (16-shot)" for m in MODELS.values() for b in BASELINES.values()),
    ]
    for _, part in table.numbers.groupby("group"):
        np.testing.assert_array_equal(part["p_holm"], holm(part["p_two_sided"]))
    everything = table.numbers[table.numbers["group"] == "All"].reset_index()
    assert {row for row, _ in table.bold} == set(everything.index[everything["p_holm"] < 0.05])
    notes = "\n".join(table.notes)
    for word in ("two-sided", "Holm", "unweighted", "smallest class has 40 rows", "strongest"):
        assert word in notes


def test_an_underflowing_p_is_shown_by_its_logarithm(
    scores: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    means = compared[1].assign(p_two_sided=0.0, log10_p=-400.0)
    row = differences(scores, means, MODELS, BASELINES).rows[0]
    assert row[4:6] == ("p = 1e-400", "p = 1e-399")


def test_ranks_are_drawn_where_every_method_has_a_value(scores: pd.DataFrame) -> None:
    drawn = ranks(scores, MODELS, BASELINES)
    assert "n = 3 datasets" in drawn.caption
    for word in ("Friedman", "Nemenyi", "two-sided", "CD = ", "differ", "16 examples"):
        assert word in drawn.caption
    texts = [text.get_text() for text in drawn.figure.axes[0].texts]
    assert sum("(0-shot)" in text for text in texts) == 2
    assert sum("(16-shot)" in text for text in texts) == 2
    gap = (scores["dataset"] == "tae") & (scores["model"] == "small")
    assert "(without tae)" in ranks(scores[~gap], MODELS, BASELINES).caption


def test_too_few_datasets_to_rank_are_said_not_a_crash(scores: pd.DataFrame) -> None:
    lone = scores.assign(roc_auc=scores["roc_auc"].where(scores["dataset"] == "tae"))
    assert ranks(lone, MODELS, BASELINES).caption.endswith("too few to rank 4 methods.")


def test_nulls_of_different_datasets_are_independent() -> None:
    """With common random numbers the means of similar datasets would all deviate alike."""
    cells_of = [
        predictions(
            dataset=f"d{positives}",
            y_true=[1] * positives + [0] * (60 - positives),
            p_1=np.linspace(0, 1, 60).tolist(),
        )
        for positives in range(25, 36)
    ]
    found = cells_against_chance(pd.concat(cells_of), draws=200)
    deviation = (found["null_mean"] - 0.5) / (found["null_sd"] / math.sqrt(200))
    assert deviation.std() > 0.6
    assert deviation.abs().max() < 4


def chance_of(models: list[str], p: dict[str, float], **changes: object) -> pd.DataFrame:
    """Return CHANCE of zero-shot cells with these Monte-Carlo p-values by dataset."""
    rows = [
        {"dataset": name, "model": model, "suite": SUITES.get(name, "core"), "roc_auc": 0.6}
        for name, model in product(p, models)
    ]
    frame = chance_frame(scores_frame(rows))
    return frame.assign(p_monte_carlo=frame["dataset"].map(p)).assign(**changes)


def test_every_column_of_the_table_of_chance(scores: pd.DataFrame) -> None:
    p = {"diabetes": 0.01, "tae": 0.2, "reading": 0.04}
    chance = chance_of(list(MODELS), p)
    place = chance["dataset"].map({"diabetes": 0.7, "tae": 0.6, "reading": 0.5})
    chance["roc_auc"] = place + 0.1 * (chance["model"] == "large")
    chance["p_t"] = chance["dataset"].map({"diabetes": 0.001, "tae": 0.03, "reading": math.nan})
    chance["log10_p_t"] = np.log10(chance["p_t"])
    chance["z_t"] = norm.isf(chance["p_t"])
    table = chance_summary(scores, chance, MODELS)
    expected = []
    for (model, name), (group, names) in product(MODELS.items(), GROUP_DATASETS.items()):
        shown = [p[one] for one in names]
        t = [one for one in (0.001, 0.03, math.nan)[: len(names)] if not math.isnan(one)]
        t = [] if group == "New" else t
        z = sum(norm.isf(shown)) / math.sqrt(len(names))
        aucs = chance[(chance["model"] == model) & chance["dataset"].isin(names)]["roc_auc"]
        expected.append(
            {
                "Model and datasets": f"{name}, {group}",
                "n": str(len(names)),
                "ROC-AUC": f"{aucs.mean():.3f}",
                "Above chance": f"{sum(one < 0.05 for one in shown)} of {len(names)}",
                "Fisher, log10 p": _fisher(shown),
                "Stouffer": p_value(float(norm.sf(z)), math.nan),
                "t-test: above chance": f"{sum(one < 0.05 for one in t)} of {len(t)}",
                "t-test: Fisher, log10 p": _fisher(t) if t else "–",
            }
        )
    found = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [{name: row[name] for name in expected[0]} for row in found] == expected


def _fisher(p: list[float]) -> str:
    tail = chi2.logsf(-2 * np.log(p).sum(), 2 * len(p)) / math.log(10)
    return f"{tail:.1f}".replace("-", "−")


def test_a_combined_p_that_underflows_is_shown_by_its_logarithm(scores: pd.DataFrame) -> None:
    names = {f"d{number}": 1 / 201 for number in range(300)}
    table = chance_summary(scores, chance_of(["small"], names), {"small": "Small-1B"})
    z = norm.isf(1 / 201) * math.sqrt(300)
    exponent = norm.logsf(z) / math.log(10)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["Stouffer"] == p_value(0.0, exponent)
    assert math.floor(exponent) < -320


def test_only_the_cells_of_the_table_are_counted_as_left_out(scores: pd.DataFrame) -> None:
    chance = chance_of(["small", "large"], {"diabetes": 0.01, "tae": math.nan})
    elsewhere = chance.assign(serialization="html", p_monte_carlo=math.nan)
    both = pd.concat([chance, elsewhere], ignore_index=True)
    for models, count in ((MODELS, 2), ({"small": "Small-1B"}, 1)):
        notes = chance_summary(scores, both, models).notes
        assert [note for note in notes if "left out" in note and note.endswith(f": {count}")]


def test_the_table_of_datasets_prints_and_marks_the_corrected_p(
    scores: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    facts = scores[["dataset", "suite", "domain"]].drop_duplicates()
    intervals = compared[0].merge(facts, on="dataset")
    chance = chance_frame(scores)
    p = {"diabetes": 0.02, "tae": 0.01, "reading": 0.04}  # Holm: 0.04, 0.03, 0.04
    chance["p_monte_carlo"] = chance["dataset"].map(p) * (1 + (chance["model"] == "large"))
    table = datasets(scores, chance, intervals, MODELS)
    corrected = {"small": (0.04, 0.03, 0.04), "large": (0.08, 0.06, 0.08)}
    for place, (model, values) in enumerate(corrected.items(), start=2):
        for number, value in enumerate(values):
            row = table.rows[number]
            bounds = one(intervals, dataset=row[0], model=model, reference="")
            auc = one(table.numbers, dataset=row[0], model=model)["roc_auc"]
            interval = f"[{bounds['low']:.3f}, {bounds['high']:.3f}]"
            assert row[place] == f"{auc:.3f} {interval}, p = {value:.3f}"
            assert ((number, place) in table.bold) == (value < 0.05)


def test_both_tests_against_chance_are_combined_each_from_its_own_column() -> None:
    chance = chance_of(["small"], {"diabetes": 0.01, "tae": 0.2, "reading": 0.04})
    p_t = [0.001, 0.03, 0.5]
    chance = chance.assign(p_t=p_t, log10_p_t=np.log10(p_t), z_t=norm.isf(p_t))
    (row,) = combine_cells(chance, ["model"]).to_dict("records")
    for name, p in (("monte_carlo", [0.01, 0.2, 0.04]), ("t", p_t)):
        z = norm.isf(p).sum() / math.sqrt(3)
        assert row[f"z_stouffer_{name}"] == pytest.approx(z)
        assert row[f"log10_p_stouffer_{name}"] == pytest.approx(norm.logsf(z) / math.log(10))
        fisher = chi2.logsf(-2 * np.log(p).sum(), 6) / math.log(10)
        assert row[f"log10_p_fisher_{name}"] == pytest.approx(fisher)
    assert (row["above_monte_carlo"], row["above_t"], row["n_datasets_t"]) == (2, 2, 3)


def test_every_column_of_the_table_of_differences(
    scores: pd.DataFrame, compared: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    p = [0.004, 0.02, 0.03, 0.2, 0.9]
    means = compared[1][compared[1]["reference"] != ""].copy()
    everything = means["group"] == "All"
    means.loc[everything, "p_two_sided"] = p
    means.loc[~everything, "p_two_sided"] = 1e-6
    means.loc[everything, "n_left_out"] = [0, 1, 0, 2, 0]
    table = differences(scores, means, MODELS, BASELINES)
    names = {**MODELS, **BASELINES}
    rows = zip(table.rows, means[everything].itertuples(), p, holm(p), strict=True)
    for row, pair, plain, corrected in rows:
        shots = f" ({pair.reference_k}-shot)" if pair.reference_k else ""
        low, mean, high = (f"{x:+.3f}".replace("-", "−") for x in (pair.low, pair.mean, pair.high))
        assert dict(zip(table.header, row, strict=True)) == {
            "Difference": f"{names[pair.model]} − {names[pair.reference]}{shots}",
            "n": "3",
            "Mean": mean,
            "95% interval": f"[{low}, {high}]",
            "Stouffer": p_value(plain, math.nan),
            "Holm": p_value(corrected, math.nan),
            "Left out": str(pair.n_left_out),
        }
    smallest = scores.assign(n_positive=scores["n"] - 3)
    notes = differences(smallest, means, MODELS, BASELINES).notes
    assert any("the smallest class has 3 rows" in note for note in notes)


def test_only_main_zero_shot_cells_stand_beside_fits_on_the_asked_shots() -> None:
    asked = {"y_true": [0, 1], "p_1": [0.1, 0.2]}
    fit = {"mode": "fit", "prompt": "none", "serialization": "none", "model": "logistic"}
    kept = [predictions(**asked), predictions(**asked, **fit, k=16)]
    others: list[dict[str, object]] = [
        {"prompt": "context_free"},
        {"serialization": "html"},
        {"mode": "generation"},
        {"k": 4},
        {"model": "other"},
        fit | {"k": 4},
        fit | {"k": 16, "model": "other"},
    ]
    frame = pd.concat([*kept, *(predictions(**asked, **one) for one in others)], ignore_index=True)
    found = zero_shot_and_fitted(frame, MODELS, BASELINES, "forward", 16)
    pd.testing.assert_frame_equal(found, pd.concat(kept, ignore_index=True))
