"""Every number in the columns of Tables II and VI to XI, computed another way (`by_hand`)."""

import math
import statistics
from itertools import product

import pandas as pd
import pytest
from by_hand import CONFIGURATIONS, Row, by_dataset, datasets, main, mean, rows_of, spread, text
from scipy.stats import norm
from score_frames import chance_frame, gains_frame, grid

from tabbench.reporting.tables import rq1, rq2, rq3, rq4, rq5, rq6, rq7
from tabbench.reporting.writer import p_value

MODELS = {"small": "Small-1B", "large": "Large-14B"}
BASELINES = {"logistic": "Logistic regression", "forest": "Random forest"}
GENERATORS = {"qwen": "Qwen3-14B", "gpt": "GPT-4o-mini"}
SHOTS = (0, 4, 16)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Return two models on all suites, with gaps: tae stops at 4 shots, and large lacks some."""
    models = list(MODELS)
    core = grid(models, ["diabetes", "credit", "kc1", "tae"], shots=SHOTS)
    core = core[(core["dataset"] != "tae") | (core["k"] <= 4)]
    gap = (core["model"] == "large") & (core["dataset"] == "kc1") & (core["prompt"] == "contextual")
    core = core[~(gap & (core["k"] == 0))]
    mlp = [f"mlp{level}_t{t}" for level in (0, 9, 2) for t in range(2)]
    llm = [f"{name}_ls_qwen" for name in ("diabetes", "tae", "kc1")]
    parts = [
        core,
        grid(models, ["reading", "stars"], suite="new", shots=SHOTS, seed=5),
        grid(models, mlp, suite="mlp", shots=SHOTS, seed=2),
        grid(models, llm, suite="llm_synthetic", shots=SHOTS, seed=3),
        grid(["large"], ["diabetes_ls_gpt"], suite="llm_synthetic", shots=SHOTS, seed=4),
    ]
    frame = pd.concat(parts, ignore_index=True)
    slower = frame["model"] == "large"
    frame["seconds"] *= 1 + 2 * slower + frame["dataset"].str.len() / 10
    frame["completion_tokens"] += frame["dataset"].str.len() * (frame["mode"] == "generation")
    return frame


def configured(scores: pd.DataFrame, model: str, name: str, **wanted: object) -> list[Row]:
    return main(scores, model, suite="core", **CONFIGURATIONS[name], **wanted)


def test_table2(scores: pd.DataFrame) -> None:
    table = rq1.table2(scores, chance_frame(scores), MODELS, BASELINES)
    suites = {"All": ("core", "new"), "Classic": ("core",), "New": ("new",)}
    for row, (group, members) in zip(table.rows, suites.items(), strict=True):
        here = scores[scores["suite"].isin(members)]
        columns = [main(here, model, k=0) for model in MODELS]
        columns.append(rows_of(here, model="logistic", k=16))
        shared = set.intersection(*map(datasets, columns))
        assert row[0] == f"{group} (n = {len(shared)})"
        assert row[1:] == tuple(text(mean(one, shared), spread(one, shared)) for one in columns)


def test_table6(scores: pd.DataFrame) -> None:
    table = rq2.table6(scores, MODELS)
    assert [row[0] for row in table.rows] == list(CONFIGURATIONS)
    for at, model in enumerate(MODELS, start=1):
        cells = [configured(scores, model, name, k=0) for name in CONFIGURATIONS]
        shared = set.intersection(*map(datasets, cells))
        assert [row[at] for row in table.rows] == [text(mean(one, shared)) for one in cells]


def test_table7(scores: pd.DataFrame) -> None:
    tests = gains_frame(scores)
    table = rq3.table7(scores, tests, MODELS)
    assert table.header == ("Model", *(f"{k}-shot" for k in SHOTS))
    for place, (model, name) in enumerate(MODELS.items()):
        values, gains = table.rows[2 * place : 2 * place + 2]
        cells = [main(scores, model, k=k, suite="core") for k in SHOTS]
        assert values == (name, *(text(mean(one), spread(one)) for one in cells))
        shown = [f"{name}, gain", "–"]
        for k in SHOTS[1:]:
            made = main(tests, model, k=k, suite="core")
            z = sum(one["z"] for one in made) / math.sqrt(len(made))
            gain = statistics.fmean(one["difference"] for one in made)
            p = p_value(float(norm.sf(z)), float(norm.logsf(z)) / math.log(10))
            shown.append(f"{text(gain, signed=True)} ({p}, n = {len(made)})")
        assert gains == tuple(shown)


def test_table8(scores: pd.DataFrame) -> None:
    table = rq4.table8(scores, MODELS)
    for row, (model, name) in zip(table.rows, MODELS.items(), strict=True):
        shown = [name]
        for k in SHOTS:
            rich, poor = (
                by_dataset(configured(scores, model, one, k=k))
                for one in ("Cols-Context", "NoCols-NoContext")
            )
            shared = rich.keys() & poor.keys()
            delta = [statistics.fmean(rich[one]) - statistics.fmean(poor[one]) for one in shared]
            squares = [
                statistics.variance(rich[one]) + statistics.variance(poor[one])
                for one in shared
                if k
            ]
            std = math.sqrt(statistics.fmean(squares)) if squares else math.nan
            shown.append(text(statistics.fmean(delta), std, signed=True))
        assert row == tuple(shown)


REGIMES = {
    "Few-shot (16)": ("context_free", "feat_val_mask", 16, 1),
    "Expert": ("knowledge", "feat_val_mask", 0, 1),
    "Prior": ("contextual", "feat_val", 0, 1),
    "Few-shot (16) + expert": ("knowledge", "feat_val_mask", 16, 2),
    "Few-shot (16) + prior": ("contextual", "feat_val", 16, 2),
    "Expert + prior": ("knowledge", "feat_val", 0, 2),
    "Few-shot (16) + expert + prior": ("knowledge", "feat_val", 16, 3),
}


def test_table9(scores: pd.DataFrame) -> None:
    gap = (scores["dataset"] == "kc1_ls_qwen") & (scores["prompt"] == "knowledge")
    scores = scores[~(gap & (scores["model"] == "small"))]
    table = rq5.table9(scores, MODELS, BASELINES, GENERATORS)
    columns = [("small", "qwen"), ("large", "qwen"), ("large", "gpt")]
    assert table.header[1:] == tuple(f"{MODELS[model]} on {one}" for model, one in columns)
    assert [row[0] for row in table.rows] == [*REGIMES, "Logistic regression (16-shot)"]
    for at, (model, generator) in enumerate(columns, start=1):
        here = scores[scores["dataset"].str.endswith(f"_ls_{generator}")]
        cells = [
            main(here, model, prompt=prompt, serialization=serialization, k=k)
            for prompt, serialization, k, _ in REGIMES.values()
        ]
        shared = set.intersection(*map(datasets, cells))
        cells.append(rows_of(here, model="logistic", k=16))
        assert [row[at] for row in table.rows] == [
            text(mean(one, shared), spread(one, shared)) for one in cells
        ]
        means = [mean(one, shared) for one in cells[: len(REGIMES)]]
        single = [number for number, one in enumerate(REGIMES.values()) if one[3] == 1]
        best = max(single, key=means.__getitem__)
        assert [row for row, column in table.bold if column == at] == [best]
        assert [row for row, column in table.underlined if column == at] == [
            means.index(max(means))
        ]


def test_table9_marks_every_regime_that_ties_for_the_best(scores: pd.DataFrame) -> None:
    table = rq5.table9(scores.assign(roc_auc=0.75), MODELS, BASELINES, GENERATORS)
    columns = range(1, len(table.header))
    single = [number for number, one in enumerate(REGIMES.values()) if one[3] == 1]
    assert table.bold == set(product(single, columns))
    assert table.underlined == set(product(range(len(REGIMES)), columns))


def test_table10(scores: pd.DataFrame) -> None:
    table = rq6.table10(scores, MODELS, shots=SHOTS)
    masked = {"prompt": "context_free", "serialization": "feat_val_mask", "suite": "mlp"}
    assert [row[0] for row in table.rows] == ["MLP-0", "MLP-2", "MLP-9"]
    for row in table.rows:
        cells = [
            main(scores, model, k=k, domain=row[0], **masked) for model, k in product(MODELS, SHOTS)
        ]
        assert row[1:] == tuple(text(mean(one), spread(one)) for one in cells)


def test_table11(scores: pd.DataFrame) -> None:
    gap = (scores["dataset"] == "credit") & (scores["mode"] == "forward") & (scores["k"] == 16)
    scores = scores[~gap]
    table = rq7.table11(scores, MODELS)
    both = scores[scores["suite"].isin(["core", "new"])]
    for row, (model, k) in zip(table.rows, product(MODELS, (0, 16)), strict=True):
        sides = [main(both, model, k=k, mode=mode) for mode in ("generation", "forward")]
        shared = set.intersection(*map(datasets, sides))
        means = [
            {name: statistics.fmean(by_dataset(one)[name]) for name in shared} for one in sides
        ]
        delta = [means[1][name] - means[0][name] for name in shared]
        seconds = [mean(one, shared, "seconds") for one in sides]
        assert dict(zip(table.header, row, strict=True)) == {
            "Model": MODELS[model],
            "Shots": f"{k}-shot",
            "n": str(len(shared)),
            "Generation": text(mean(sides[0], shared), statistics.stdev(means[0].values())),
            "Forward": text(mean(sides[1], shared), statistics.stdev(means[1].values())),
            "Δ": text(statistics.fmean(delta), statistics.stdev(delta), signed=True),
            "Generation (s/prompt)": text(seconds[0]),
            "Forward (s/prompt)": text(seconds[1]),
            "Ratio": f"{seconds[0] / seconds[1]:.2f}",
            "Completion tokens": f"{mean(sides[0], shared, 'completion_tokens'):.1f}",
        }
