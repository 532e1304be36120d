"""No secret is anywhere in a checkout in which Snakemake ran, whatever the endpoint did."""

import base64
from urllib.parse import quote

import pytest
import yaml
from endpoint_run import entry
from fault_server import always, fault_server
from workflow_copy import WorkflowCopy

pytestmark = pytest.mark.slow

KEY = "sk-toy/checkout+key=="
TARGET = "results/predictions/faulty/core/k0.parquet"
SETTINGS = {
    **{"datasets": ["tae"], "models": ["faulty"], "baselines": ["majority"], "shots": [0]},
    **{"llm_synthetic": None, "probes": None, "scitarc": None, "llm_baselines": None},
    "baseline_weights": None,
    "research_questions": {"rq1": {"modes": ["forward"], "serializations": ["feat_val"]}},
}
BEHAVIOUR = [
    ("http_500", "sk-toy\rcheckout+key", "cannot be sent"),
    ("key_in_error", KEY, "prompts have no response"),
    ("redirect_307", KEY, "it sends requests on to"),
    ("reset", f"{KEY}\r\n", "prompts have no response"),
    ("key_in_text", f"{KEY}\n", None),
]
"""Fault, key as it stands in the environment, what the run says; None where it ends well."""


def found(folder, printed, secret):
    """Where a secret is, in any of its forms."""
    forms = {secret, repr(secret)[1:-1], quote(secret, safe=""), quote(secret)}
    forms = {form.encode() for form in forms} | {base64.b64encode(secret.encode())}
    places = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return [
        place
        for place, content in {**places, "terminal": printed.encode()}.items()
        if any(form in content for form in forms)
    ]


def test_a_key_is_nowhere_in_the_checkout(tmp_path, monkeypatch):
    copy = WorkflowCopy.create(tmp_path / "copy")
    copy.configure(**SETTINGS)
    for fault, key, message in BEHAVIOUR:
        monkeypatch.setenv("TOY_KEY", key)
        with fault_server(fault, always) as server:
            endpoint = {"url": server.url, "api_key_env": "TOY_KEY"}
            model = {"title": "Faulty", "licence": "none", **entry(server.url, endpoint=endpoint)}
            model["limits"] |= {"retries": 0}
            (copy.folder / "resources/models/faulty.yaml").write_text(yaml.safe_dump(model))
            printed = copy.run(TARGET, fails=message is not None)
        assert message is None or message in printed, printed
        for secret in {key, key.strip(), "checkout+key"}:
            assert found(copy.folder, printed, secret) == [], f"{fault}: the key is shown"
    # A password in an address is refused before it reaches anything that Snakemake keeps.
    entry_path = copy.folder / "resources/models/faulty.yaml"
    model["endpoint"]["url"] = "http://me:opensesame7@127.0.0.1:9/v1"
    entry_path.write_text(yaml.safe_dump(model))
    printed = copy.run(TARGET, fails=True)
    assert "api_key_env" in printed
    assert found(copy.folder, printed, "opensesame7") == [entry_path]
