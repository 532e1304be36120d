"""A model whose weights lie anywhere on the disk: from its entry to predictions."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from workflow_copy import WorkflowCopy

from tabbench.core.files import folder_hash

pytestmark = pytest.mark.slow

MODEL = {
    "title": "$1 / 模型",
    "engine": "transformers",
    "style": "completion",
    "dtype": "float32",
    "licence": "MIT",
    "generation": {"max_new_tokens": 4},
}
PREDICTIONS = "results/predictions/local/core/k0.parquet"


def test_a_folder_by_path_from_entry_to_predictions(tiny_model: Path, tmp_path: Path) -> None:
    copy = WorkflowCopy.create(tmp_path / "copy")
    weights = tmp_path / "some where" / "weights"
    shutil.copytree(tiny_model, weights)

    def configure(place: Path, sha256: str) -> None:
        entry = MODEL | {"weights": {"path": str(place), "sha256": sha256}}
        text = yaml.safe_dump(entry, allow_unicode=True)
        (copy.folder / "resources/models/local.yaml").write_text(text, encoding="utf-8")

    copy.configure(
        datasets=["tae"],
        models=["local"],
        shots=[0],
        baselines=["majority"],
        baseline_weights=None,
        llm_synthetic=None,
        probes=None,
        scitarc=None,
        llm_baselines=None,
        research_questions={"rq1": {"modes": ["forward"], "serializations": ["feat_val"]}},
    )
    configure(tmp_path / "nowhere", "0" * 64)
    output = copy.run(PREDICTIONS, fails=True)
    assert f"model 'local': {tmp_path / 'nowhere'}: no such file or folder" in output
    configure(weights, "0" * 64)
    output = copy.run(PREDICTIONS, fails=True)
    assert f"sha256 is {folder_hash(weights)}, the model's entry says 000" in output
    configure(weights, folder_hash(weights))
    copy.run(PREDICTIONS)
    assert (pd.read_parquet(copy.folder / PREDICTIONS)["status"] == "ok").all()
    asked = copy.log_lines()
    moved = weights.rename(tmp_path / "moved")
    configure(moved, folder_hash(moved))
    copy.run(PREDICTIONS)
    assert copy.log_lines() == asked
