"""Nothing of a user dataset is sent to an endpoint that its owner has not allowed."""

import pandas as pd
import pytest
import yaml
from workflow_copy import WorkflowCopy

from tabbench.config.dataset_entry import parse_dataset
from tabbench.config.sharing import addresses, sharing_refusal, stays_here
from tabbench.data.own_data import sharing

PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://localhost:8080/v1",
        "http://LOCALHOST./v1",
        "https://[::1]:8000/v1",
        "http://127.8.9.1/v1",
    ],
)
def test_loopback_addresses_stay_here(url):
    assert stays_here(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://127.0.0.1.example.org/v1",
        "http://localhost.example.org/v1",
        "http://localhost@example.org/v1",
        "http://example.org/localhost",
        "http://example.org#127.0.0.1",
        "http://10.0.0.7:8000/v1",
        "http://192.168.1.2/v1",
        "http://gpu-server:8000/v1",
        "http://0.0.0.0:8000/v1",
        "http://2130706433/v1",
        "",
    ],
)
def test_everything_else_leaves(url):
    assert not stays_here(url)


def test_a_proxy_takes_requests_away(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.example.org:3128")
    assert not stays_here("http://localhost:8000/v1")
    assert stays_here("https://localhost:8000/v1")
    monkeypatch.setenv("no_proxy", "localhost")
    assert stays_here("http://localhost:8000/v1")


def test_models_without_an_endpoint_have_no_address():
    models = {"here": {"engine": "vllm"}, "there": {"endpoint": {"url": "https://x.org/v1"}}}
    assert addresses(models) == {"there": "https://x.org/v1"}


def test_the_refusal_names_dataset_address_columns_and_remedy():
    text = sharing_refusal("loans", "own/loans.yaml", {"gpt": "https://x.org"}, {"mail": "e-mail"})
    for words in (
        "'loans'",
        "https://x.org (gpt)",
        "'mail' (e-mail)",
        "share: true into own/loans",
    ):
        assert words in text
    assert "none found" in sharing_refusal("loans", "y", {"gpt": "https://x.org"}, {})


def test_the_table_says_which_cells_leave():
    entry = {
        "sources": [],
        "target": {"column": "out", "positive": "yes"},
        "groups": "person",
        "features": {"age": "numeric"},
        "drop": ["mail"],
    }
    found = sharing(
        ["age", "mail", "person", "out"],
        ["age"],
        parse_dataset("loans", entry),
        {"here": ("", False), "there": ("https://x.org/v1", True)},
        {"mail": "e-mail addresses"},
    )
    there = found[found["model"] == "there"].set_index("column")
    assert there["role"].to_dict() == {
        "age": "feature", "mail": "dropped", "person": "groups", "out": "target",
    }  # fmt: skip
    assert there.index[there["sent"]].tolist() == ["age", "out"]
    assert there["personal"]["mail"] == "e-mail addresses"
    assert not found.loc[found["model"] == "here", "sent"].any()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A workflow with a user dataset and a model behind an address that nobody answers."""
    made = WorkflowCopy.create(tmp_path_factory.mktemp("share") / "copy")
    own = made.folder / "config/own"
    own.mkdir()
    rows = range(30)
    pd.DataFrame({
        "mail": [f"a{at}@example.org" for at in rows],
        "age": [20 + at % 9 for at in rows],
        "out": [("no", "yes")[at % 2] for at in rows],
    }).to_csv(own / "loans.csv", index=False)  # fmt: skip
    server = yaml.safe_load((made.folder / "resources/models/own_server.yaml").read_text())
    for name, url in (("far", "http://far.invalid/v1"), ("near", "http://127.0.0.1:9/v1")):
        entry = {**server, "endpoint": {"url": url}}
        (made.folder / f"resources/models/{name}.yaml").write_text(yaml.safe_dump(entry))
    return made


def write(copy, **keys):
    task = {"entity": "a row", "task": "what it is", "negative": "no", "positive": "yes"}
    entry = {"target": {"column": "out", "positive": "yes"}, "task": task, "drop": ["mail"], **keys}
    (copy.folder / "config/own/loans.yaml").write_text(yaml.safe_dump(entry))


REFUSED = "dataset 'loans' would be sent to http://far.invalid/v1 (far)"


@pytest.mark.parametrize(
    "target",
    [
        "results/own/loans/summary.md",
        "results/predictions/far/own_loans/k0.parquet",
        "results/inference/far/own_loans/k4.json",
    ],
)
def test_before_any_job_a_run_ends_that_would_send_rows(copy, target):
    write(copy, ask={"models": ["far", "smollm2_135m"]})
    output = copy.run(target, fails=True)
    assert REFUSED in output
    assert "'mail' (e-mail addresses, by the column's name)" in output
    assert "write share: true into config/own/loans.yaml" in output
    assert not (copy.folder / "results").exists()


def test_the_probes_are_refused_as_well(copy):
    write(copy)
    probes = {"datasets": ["loans"], "models": ["far"], "rows": 5, "cells": 2, "reconstruct": "all"}
    copy.configure(probes=probes)
    assert REFUSED in copy.run("results/scores.parquet", "-n", fails=True)
    copy.configure()


def test_what_needs_no_answer_of_the_model_is_made(copy):
    write(copy, ask={"models": ["far"]})
    assert "own_data" in copy.planned("results/own/loans/evidence/sharing.parquet")
    assert "baseline" in copy.planned("results/baselines/loans.parquet")


def test_what_is_allowed_is_planned_and_told_with_what_looks_personal(copy):
    write(copy, ask={"models": ["far", "near"]}, share=True)
    output = copy.run("results/own/loans/summary.md", "-n")
    assert "are sent to http://far.invalid/v1 (far), as its entry allows" in output
    assert "'mail' (e-mail addresses" in output
    assert "are sent to http://127.0.0.1" not in output


def test_an_endpoint_on_this_machine_needs_no_leave(copy):
    write(copy, ask={"models": ["near"]})
    assert "infer" in copy.planned("results/own/loans/summary.md")
