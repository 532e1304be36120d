"""The openai engine against a real server (llama.cpp) that holds the embedded model."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from fault_server import MODEL, PROBE, fault_server, first_time
from llama_server import ALIAS, CONTEXT, llama_server
from test_openai_engine import asks
from workflow_copy import ROOT, TINY, WorkflowCopy

from tabbench.config.model_entry import parse_model
from tabbench.config.validation import load_yaml
from tabbench.core.labels import label_probability
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.engines.transformers import TransformersEngine

pytestmark = pytest.mark.slow

# Measured: |difference| of p_1 up to 0.035, of the label mass up to 0.028, over the 14
# labels of this test. The server computes with rounded activations, and its numbers move with
# what it happens to compute together (by up to 0.07 in a logit for the same prompt).
TOLERANCE = 0.05


@pytest.fixture(scope="module")
def url(smollm2_gguf):
    with llama_server(smollm2_gguf) as address:
        yield address


def entry(url):
    known = load_yaml(ROOT / "resources/models/smollm2_135m.yaml")
    return known | {
        "engine": "openai",
        "dtype": "quantized",
        "server": "llama.cpp",
        "endpoint": {"url": url, "model": ALIAS},
        "limits": {"in_flight": 2},
    }


def real_requests():
    """Rows of a real task, as the workflow words them."""
    head = (
        "For the given input features of a patient you need to predict whether the patient has "
        "diabetes. Your output should be just a single number representing a binary class "
        "prediction: 0 (no) or 1 (yes). Do not predict any other tokens, only 0 or 1.\n"
        "Features are: Glucose = 85, BMI = 26.6, Age = 31. Answer is 0\n"
        "Features are: Glucose = 183, BMI = 33.6, Age = 50. Answer is 1\n"
    )
    changed = []
    for ask in asks(8):
        number = ask.row_id
        query = f"Features are: Glucose = {80 + 15 * number}, BMI = {20 + 2 * number}, Age = "
        prompt = ask.request.prompt
        prompt = type(prompt)("", head, f"{query}{25 + 4 * number}. Answer is ")
        changed.append(type(ask.request)(ask.request.mode, prompt))
    return changed


def answers(engine, requests):
    found = {}
    for batch in engine.batches(requests):
        for outcomes in engine.answer(batch):
            found.update(outcomes)
    return [found[index] for index in range(len(requests))]


def test_a_real_server_agrees_with_the_engine_in_process(url, smollm2: Path, tmp_path):
    requests = real_requests()
    served = OpenAIEngine(parse_model("served", entry(url)), tmp_path)
    there = answers(served, requests)
    engine = TransformersEngine(
        smollm2, style="completion", max_new_tokens=4, stop=["\n"], threads=1
    )
    here = answers(engine, requests)
    differences, together, labels = [], [], 0
    for mine, its in zip(here, there, strict=True):
        assert mine.prompt_tokens == its.prompt_tokens
        assert its.bounded == ()
        if hasattr(its, "text"):
            assert its.text.strip() == mine.text.strip()
            assert its.label_logps.keys() == mine.label_logps.keys()
            pairs = [(mine.label_logps[at], its.label_logps[at]) for at in mine.label_logps]
            labels += len(pairs)
        else:
            pairs = [((mine.logp_0, mine.logp_1), (its.logp_0, its.logp_1))]
        for pair in pairs:
            here_and_there = np.array([label_probability(*logps) for logps in pair])
            differences.append(np.abs(np.diff(here_and_there, axis=0))[0])
            together.append(here_and_there[:, 0])
    largest = np.max(differences, axis=0)
    print(f"largest difference of p_1 {largest[0]:.4f}, of the label mass {largest[1]:.4f}")
    assert labels > 4, "the generated answers hold no labels to compare"
    assert (largest < TOLERANCE).all()
    # Rows differ by more than that: answers of two rows cannot be exchanged unseen.
    assert np.corrcoef(np.array(together).T)[0, 1] > 0.9
    found = json.loads((tmp_path / "capabilities.json").read_text())["found"]
    assert found["logprobs"]
    assert found["single_token_labels"]
    assert not found["thinking"]


def test_a_prompt_longer_than_the_context_is_an_outcome_of_its_own(url, tmp_path):
    engine = OpenAIEngine(parse_model("served", entry(url)), tmp_path)
    request = asks(1, ["forward"])[0].request
    long = type(request)("forward", type(request.prompt)("", "x " * 2 * CONTEXT, "Answer is "))
    good, bad = answers(engine, [request, long])
    assert good.logp_1 < 0
    assert bad.kind == "too_long"
    assert "context" in bad.message


TARGET = "results/predictions/endpoint/core/k0.parquet"


def workflow(folder, address, **changes):
    copy = WorkflowCopy.create(folder)
    served = {
        "title": "A model behind an endpoint",
        "engine": "openai",
        "weights": {"served": MODEL},
        "style": "completion",
        "dtype": "undisclosed",
        "licence": "none",
        "server": "test",
        "endpoint": {"url": address},
        "limits": {"backoff": 0.01, "in_flight": 4, "retries": 2},
    } | changes
    write_entry(copy, served)
    rq1 = {"modes": ["forward", "generation"], "serializations": ["feat_val", "feat_val_mask"]}
    copy.configure(
        datasets=["tae"],
        models=["endpoint"],
        llm_synthetic=evaluated_by("endpoint"),
        shots=[0],
        research_questions={"rq1": rq1},
    )
    return copy, served


def write_entry(copy, content):
    path = copy.folder / "resources/models/endpoint.yaml"
    path.write_text(yaml.safe_dump(content))


def evaluated_by(model):
    return TINY["llm_synthetic"] | {"generators": {"repository": {"evaluate": [model]}}}


def logged(copy):
    lines = (copy.folder / "results/responses/endpoint/tae/k0.jsonl").read_text().splitlines()
    return [json.loads(line)["key"] for line in lines]


def test_a_workflow_on_a_faulty_endpoint_fails_goes_on_and_tolerates(tmp_path):
    def some_fail(text, time):
        return first_time(text, time) and "tae" not in text and len(text) % 5 == 0

    with fault_server("content_filter", some_fail) as server:
        copy, served = workflow(tmp_path / "copy", server.url)
        output = copy.run(TARGET, fails=True)
        assert "prompts have no response. The first: dataset 'tae', model 'endpoint'" in output
        assert "content_filter" in output
        answered = logged(copy)
        assert 0 < len(set(answered)) == len(answered)
        copy.run(TARGET)  # the fault was there once
        assert logged(copy)[: len(answered)] == answered
        paid = sum(times for text, times in server.answered.items() if PROBE not in text)
        assert paid == len(logged(copy)) == len(set(logged(copy)))
        frame = pd.read_parquet(copy.folder / TARGET)
        assert set(frame["status"]) == {"ok"}
        assert (copy.folder / "results/models/endpoint/capabilities.json").exists()

        server.fails = lambda text, _: PROBE not in text and len(text) % 5 == 0
        write_entry(copy, served | {"limits": served["limits"] | {"tolerate_errors": 0.9}})
        shutil.rmtree(copy.folder / "results/responses")
        copy.run(TARGET, "--forcerun", "infer")
        copy.run(TARGET, "--forcerun", "predict")
        frame = pd.read_parquet(copy.folder / TARGET)
        assert set(frame["status"]) == {"ok", "error"}
        assert frame.loc[frame["status"] == "error", "p_1"].isna().all()
