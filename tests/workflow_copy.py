"""A copy of the workflow in a folder of its own, to run, edit and break."""

import csv
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "rules", "workflow", "config", "envs", "resources", "profiles")

TINY_WEIGHTS = "tiny_tabicl.ckpt"
TINY = {
    "datasets": ["tae", "diabetes"],
    "mlp": {"levels": [0], "tables": 1, "rows": 60},
    "llm_synthetic": {
        "datasets": ["tae"],
        "generators": {"repository": {"evaluate": ["smollm2_135m"]}},
        "rows": 60,
        "attempts": 1,
        "cross_evaluation": True,
    },
    "sandbox": "process",
    "models": ["smollm2_135m"],
    "baselines": ["majority", "logistic_regression", "tabicl"],
    "baseline_weights": {"tabicl": TINY_WEIGHTS},
    "main_mode": "forward",
    "shots": [0, 4, 6],
    "seeds": [864],
    "test_rows": 6,
    "probes": {
        "datasets": ["tae"],
        "rows": 10,
        "cells": 2,
        "reconstruct": "all",
        "canary": False,
    },
    "scitarc": {
        "rows": 1,
        "runs": [
            {
                "models": ["smollm2_135m"],
                "plan_modes": ["none", "self", "gold"],
                "executions": ["language"],
            },
            {"models": ["smollm2_135m"], "plan_modes": ["none"], "executions": ["code"]},
        ],
        "decoding": {"max_new_tokens": 8},
        "judge": "matcher",
    },
    "llm_baselines": {
        "models": ["repository"],
        "methods": ["featllm", "llm_tree"],
        "queries": 1,
        "trees": 2,
    },
    "research_questions": {
        "rq1": {"modes": ["forward"], "serializations": ["feat_val", "html"]},
        "rq2": {"modes": ["forward"]},
        "rq3": {"modes": ["forward"]},
        "rq4": {"modes": ["forward"]},
        "rq5": {"modes": ["forward"], "shots": [0, 6]},
        "rq6": {"modes": ["forward"]},
        "rq7": {},
    },
}


def copy_run(source: Path, folder: Path) -> None:
    """Copy a run, weights as further links to the same half gigabyte: nothing writes into them."""

    def copy(file: str, to: str) -> None:
        if file.endswith(".safetensors"):
            os.link(file, to)
        else:
            shutil.copy2(file, to)

    shutil.copytree(source, folder, symlinks=True, copy_function=copy)


class WorkflowCopy:
    """The workflow in ``folder``; ``config/tiny.yaml`` is its configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path) -> "WorkflowCopy":
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "own")  # config/own is the user's
                shutil.copytree(source, folder / part, ignore=ignored)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, folder / part)
        # Not above: pytest loads that module, which holds fixtures, by itself.
        from fixtures_tabular import tabicl_checkpoint

        tabicl_checkpoint(folder / TINY_WEIGHTS)
        copy = cls(folder)
        copy.configure()
        return copy

    def configure(self, **changes: object) -> None:
        """Write the configuration; a key that is None is left out."""
        settings = {key: value for key, value in {**TINY, **changes}.items() if value is not None}
        text = yaml.safe_dump(settings)
        (self.folder / "config/tiny.yaml").write_text(text)

    def command(self, *arguments: str) -> list[str]:
        options = ["--cores", "2", "--configfile", "config/tiny.yaml"]
        return [sys.executable, "-m", "snakemake", *arguments, *options]

    def environment(self) -> dict[str, str]:
        hidden = ("TABBENCH_MIRROR", "SNAKEMAKE_PROFILE")
        return {key: value for key, value in os.environ.items() if key not in hidden}

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Run Snakemake and give what it printed; ``fails`` says what exit code is expected."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=2400,
        )
        output = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, output
        return output

    def planned(self, *targets: str) -> dict[str, set[str]]:
        """What a dry run would make: rule to output files."""
        done = subprocess.run(
            self.command(*targets, "--summary"),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert not done.returncode, done.stderr
        rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
        assert rows, "an empty summary"
        plan: dict[str, set[str]] = {}
        for row in rows:
            if row["plan"] != "no update":
                plan.setdefault(row["rule"], set()).add(row["output_file"])
        return plan

    def log_lines(self) -> int:
        """Answers in all response logs."""
        logs = (self.folder / "results/responses").rglob("*.jsonl")
        return sum(len(path.read_bytes().splitlines()) for path in logs)
