"""The decision page as a user gets it: from a CSV to a browser, with the numbers of the tables."""

import numpy as np
import pandas as pd
import pytest
import yaml
from browser import open_page
from fault_server import MODEL, fault_server
from workflow_copy import WorkflowCopy

PAGE = "results/own/loans/index.html"
PLACED = "results/own/loans/placement.md"
SMALL = "smollm2_135m"


def entry(models, **keys):
    return {
        "target": {"column": "late", "positive": "yes"},
        "groups": "person",
        "max_shots": 8,
        "task": {
            "entity": "a loan",
            "task": "whether it is paid late",
            "negative": "on time",
            "positive": "late",
        },
        "ask": {
            "models": models,
            "baselines": ["logistic_regression"],
            "shots": [0, 2],
            "baseline_shots": [],
            "contexts_at": [0, 2],
            "draws": 2,
            "formats": ["html"],
            "test_rows": 14,
        },
        **keys,
    }


def workflow(folder, **written):
    """A workflow with loans of persons who have two each, one feature of which tells a little."""
    copy = WorkflowCopy.create(folder)
    own = copy.folder / "config/own"
    own.mkdir()
    random = np.random.default_rng(0)
    late = np.arange(60) % 3 == 0
    pd.DataFrame({
        "person": [f"p{at // 2}" for at in range(60)],
        "income": (1000 + 300 * random.random(60) - 150 * late).round(),
        "job": [f"<b>{('clerk', 'nurse')[at % 3 == 0 or at % 4 == 0]}</b>" for at in range(60)],
        "late": np.where(late, "yes", "no"),
    }).to_csv(own / "loans.csv", index=False)  # fmt: skip
    (own / "loans.yaml").write_text(yaml.safe_dump(entry(**written)))
    return copy


def evidence(copy, name):
    return pd.read_parquet(copy.folder / f"results/own/loans/evidence/{name}.parquet")


def groups(copy):
    """Persons among the test rows that were asked, by the file and the split."""
    rows = pd.read_parquet(copy.folder / "results/own/loans/rows.parquet")
    split = pd.read_parquet(copy.folder / "results/datasets/loans/split.parquet")
    asked = split.loc[split["part"] == "test", "row_id"]
    return rows.loc[rows["row_id"].isin(asked), "group"].nunique()


def shown(value, signed=False):
    return f"{value:+.3f}".replace("-", "−") if signed else f"{value:.3f}"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run that asks for everything that the page can show."""
    copy = workflow(tmp_path_factory.mktemp("own") / "copy", models=[SMALL])
    probes = {"rows": 6, "cells": 2, "reconstruct": "all", "canary": True}
    copy.configure(probes={"datasets": ["loans"], "models": [SMALL], **probes})
    copy.run(PLACED)
    copy.run(PAGE)
    return copy


@pytest.mark.slow
def test_sentences_have_the_numbers_of_the_tables(made):
    with open_page(made.folder / PAGE) as opened:
        page, problems = opened.page, opened.problems
        texts = {
            one: page.locator(f"#{one}").inner_text()
            for one in ("answer", "uses", "probabilities", "seen", "grid", "data")
        }
    assert problems == []
    curves = evidence(made, "curves").query("kind == 'model'").set_index("k")
    for k, when in ((0, "without labels"), (2, "with 2 labels")):
        row = curves.loc[k]
        bounds = f" [{shown(row.roc_auc_low)}, {shown(row.roc_auc_high)}]"
        assert f"{when} ROC-AUC {shown(row.roc_auc)}{bounds} on 14 test rows" in texts["answer"]
    assert set(curves["n_groups"]) == {groups(made)}
    differences = evidence(made, "differences").query("comparison == 'all_labels'")
    best = differences.loc[differences["roc_auc"].idxmax()]
    assert shown(abs(best["difference"])) in texts["answer"]
    verdict = "cannot be told apart" if best["p_holm"] >= 0.05 else "is better by"
    assert verdict in texts["answer"]
    costs = evidence(made, "costs").query("kind == 'model' and k == 0").iloc[0]
    tokens = costs["prompt_tokens"] + costs["completion_tokens"]
    assert f"{tokens:,.0f} tokens without labels" in texts["answer"]
    effects = evidence(made, "context_effects").query("configuration == 'NoCols-Context'")
    assert sorted(effects["k"]) == [0, 2]
    for lost in effects["difference"]:
        assert f"column names {shown(lost, signed=True)}" in texts["uses"]
    assert "over 2 text formats" in texts["uses"]
    raw = evidence(made, "calibrations").query("kind == 'model' and method == 'as_answered'")
    assert all(f"Brier score is {shown(one)}" in texts["probabilities"] for one in raw["brier"])
    assert f"{groups(made)} groups" in texts["data"]


@pytest.mark.slow
def test_probes_and_placement_are_told_in_words(made):
    folder = made.folder / f"results/rq1/probes/{SMALL}"
    recognition = pd.read_parquet(folder / "recognition.parquet").set_index("dataset").loc["loans"]
    lift = pd.read_parquet(folder / "lifts.parquet").set_index("dataset").loc["loans"]
    with open_page(made.folder / PAGE) as opened:
        seen = opened.page.locator("#seen").inner_text()
        grid = opened.page.locator("#grid").inner_text()
    assert f"it lists {recognition['found']:,} of {recognition['telling']:,} column names" in seen
    assert f"fills {lift['accuracy']:.0%} of {lift['n']:,} hidden cells right" in seen
    assert "on the planted control: " in seen and "Not asked." not in seen
    placed = pd.read_parquet(made.folder / "results/own/loans/placement.parquet")
    assert "loans" in set(placed["dataset"])
    assert "loans" in grid and "Not placed." not in grid


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_readable(made, width):
    with open_page(made.folder / PAGE, width=width) as opened:
        assert opened.problems == []
        assert opened.overflow() == 0
        assert opened.faint() == []
        assert opened.page.locator("h1").count() == 1
        assert opened.page.locator("b").count() == 0
        assert "job = <b>" in opened.page.locator("#prompt").inner_text()


@pytest.mark.slow
def test_an_endpoint_is_asked_only_with_leave(tmp_path, monkeypatch):
    """The endpoint is elsewhere by its name; a proxy that is the test's server answers for it."""
    copy = workflow(tmp_path / "copy", models=["far"], drop=["job"])
    server_entry = yaml.safe_load((copy.folder / "resources/models/own_server.yaml").read_text())
    far = {
        **server_entry,
        "weights": {"served": MODEL},
        "endpoint": {"url": "http://far.invalid/v1"},
    }
    (copy.folder / "resources/models/far.yaml").write_text(yaml.safe_dump(far))
    written = copy.folder / "config/own/loans.yaml"
    with fault_server() as server:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, server.url.removesuffix("/v1"))
        assert "share: true" in copy.run(PAGE, fails=True)
        assert not server.bodies and not server.asked
        written.write_text(yaml.safe_dump(entry(["far"], drop=["job"], share=True)))
        copy.run(PAGE)
        assert server.bodies
        assert not any("nurse" in str(body) for body in server.bodies)
    with open_page(copy.folder / PAGE) as opened:
        assert opened.problems == []
        data = opened.page.locator("#data").inner_text()
        answer = opened.page.locator("#answer").inner_text()
    assert "are sent to http://far.invalid/v1: income, late." in data
    auc = evidence(copy, "curves").query("kind == 'model' and k == 0")["roc_auc"].iloc[0]
    assert f"without labels ROC-AUC {shown(auc)}" in answer
