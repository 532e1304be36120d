"""The workflow through a real Slurm of one node: the GPU partition, and the same results."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from slurm.one_node import missing
from workflow_copy import ROOT, TINY, WorkflowCopy

LACKING = missing()
if os.geteuid() != 0:
    LACKING.append("root")
if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
    LACKING.append("snakemake-executor-plugin-slurm")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"Slurm cannot run here: lacks {', '.join(LACKING)}"),
]

SETTINGS = {
    "datasets": ["tae"],
    "mlp": {"levels": [], "tables": 1, "rows": 60},
    "llm_synthetic": None,
    "shots": [0, 2],
    "test_rows": 4,
    "baselines": ["majority"],
    "research_questions": {name: TINY["research_questions"][name] for name in ("rq1", "rq7")},
}
LIMIT = 900  # seconds


def test_a_cluster_gives_the_results_of_this_machine(tmp_path):
    here, there = (WorkflowCopy.create(tmp_path / name) for name in ("here", "there"))
    for copy in (here, there):
        copy.configure(**SETTINGS)
        entry = copy.folder / "resources/models/smollm2_135m.yaml"
        needs = {"resources": {"gpus": 1, "mem_mb": 1500, "runtime": 10}}
        entry.write_text(yaml.safe_dump(yaml.safe_load(entry.read_text()) | needs))
    target = "results/scores.parquet"
    here.run(target)
    done = subprocess.run(
        [
            *(sys.executable, str(ROOT / "tests/slurm/one_node.py"), "--limit", str(LIMIT), "--"),
            *(sys.executable, "-m", "snakemake", target, "--configfile", "config/tiny.yaml"),
            *("--workflow-profile", "profiles/slurm", "--slurm-no-account"),
            *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5"),
            *("--default-resources", "mem_mb=500", "runtime=10"),
        ],
        cwd=there.folder,
        env=there.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT + 120,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    submitted = re.findall(
        r"Job \d+ has been submitted with SLURM jobid", done.stdout + done.stderr
    )
    assert len(submitted) == 4  # convert_model, two of infer, one baseline
    for k in (0, 2):
        log = (there.folder / f"logs/infer/smollm2_135m_core_k{k}.log").read_text()
        assert "CUDA_VISIBLE_DEVICES=0 " in log
        assert "SLURM_JOB_PARTITION=gpu" in log
    assert not Path("/etc/slurm/slurm.conf").exists()

    results = sorted(
        path.relative_to(here.folder)
        for pattern in ("prompts/**/*", "datasets/*/*", "baselines/*", "predictions/**/*", "*")
        for path in (here.folder / "results").glob(pattern)
        if path.suffix in (".parquet", ".json")
    )
    assert len(results) > 10
    for path in results:
        assert content(there.folder / path) == content(here.folder / path), path


def content(path):
    """The bytes of a file; of a table those without the seconds, which are measured anew."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    frame = pd.read_parquet(path)
    return frame.drop(columns="seconds").to_parquet() if "seconds" in frame else path.read_bytes()
