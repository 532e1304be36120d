"""What all rules share: the checked configuration, the grid, paths and parameters."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from tabbench.codehash import code_hash
from tabbench.engines import ENGINES
from tabbench.dialogue import read_turn
from tabbench.errors import TabBenchError
from tabbench.grid import SUITES, Grid, check_pairing
from tabbench.names import BASELINES
from tabbench.registry import load_entries
from tabbench.validation import load_yaml, validate


def generators():
    """Settings of each generator of the LLM-synthetic suite."""
    return (config.get("llm_synthetic") or {}).get("generators", {})


def load_configuration():
    """Check configuration and registry entries before any job is planned."""
    schemas = {
        name: load_yaml(ROOT / "config" / "schemas" / f"{name}.schema.yaml")
        for name in ("config", "dataset", "model")
    }
    validate(config, schemas["config"], "configuration")
    resources = ROOT / "resources"
    datasets = load_entries(
        resources / "datasets", config["datasets"], schemas["dataset"], "dataset"
    )
    asked = [one["model"] for one in generators().values() if "model" in one]
    names = list(dict.fromkeys([*config["models"], *asked]))
    models = load_entries(resources / "models", names, schemas["model"], "model")
    grid = Grid.from_config(
        config, {name: entry["suite"] for name, entry in datasets.items()}
    )
    check_pairing(config, {name: entry.get("family") for name, entry in models.items()})
    return datasets, models, grid


try:
    DATASETS, MODELS, GRID = load_configuration()
except TabBenchError as error:
    raise WorkflowError(str(error))

MIRROR = os.environ.get("TABBENCH_MIRROR") or config.get("mirror")


wildcard_constraints:
    dataset="[A-Za-z0-9_]+",
    model="[A-Za-z0-9_.-]+",
    suite="|".join(SUITES),
    k=r"\d+",
    rq=r"rq\d",


# Parameters. Each comes from the one entry that it concerns: editing another reruns nothing.


def code(script, env, modules=()):
    """Hash of a rule's script, of the package modules behind it and of its environment file."""
    environment = (ROOT / "envs" / f"{env}.yaml").read_bytes()
    return code_hash(SCRIPTS, SCRIPTS / script, modules, environment)


SHOWN = ("title", "family", "licence", "homepage", "notes")
"""Keys of an entry that make neither a table nor an answer."""


def dataset_sources(wildcards):
    return DATASETS[wildcards.dataset]["sources"]


def dataset_entry(wildcards):
    """A dataset's entry as far as it makes the table."""
    other = (*SHOWN, "suite", "domain", "task")
    return {
        key: value
        for key, value in DATASETS[wildcards.dataset].items()
        if key not in other
    }


def task_text(dataset):
    """Task text of a dataset; None for a table of the complexity grid."""
    entry = real_entry(dataset)
    return entry and entry["task"]


def real_entry(dataset):
    """Entry of a dataset, or of the real one that an LLM-synthetic dataset mirrors."""
    if GRID.suite(dataset) == "llm_synthetic":
        return DATASETS[GRID.llm_table(dataset).dataset]
    return DATASETS.get(dataset)


def dataset_task(wildcards):
    return task_text(wildcards.dataset)


def model_entry(wildcards):
    return model_entry_of(wildcards.model)


def model_entry_of(name):
    """A model's entry as far as it makes the answers."""
    return {key: value for key, value in MODELS[name].items() if key not in SHOWN}


def draw_seeds(wildcards):
    return list(GRID.draw_seeds(int(wildcards.k)))


def dataset_variants(wildcards):
    return [
        list(variant) for variant in GRID.variants(wildcards.dataset, int(wildcards.k))
    ]


def mlp_table(wildcards):
    return list(GRID.mlp_table(wildcards.dataset))


def titles():
    """Model id to the name that tables and figures show, in order."""
    return {name: MODELS[name]["title"] for name in GRID.models}


def baseline_titles():
    """Baseline id to the name that tables and figures show, in order."""
    return {name: BASELINES[name] for name in GRID.baselines}


def dataset_facts(datasets):
    """Suite and domain of each dataset, as scores carry them."""
    return {
        name: [
            GRID.suite(name),
            (real_entry(name) or {"domain": None})["domain"]
            or GRID.mlp_table(name).domain,
        ]
        for name in datasets
    }


def inference_cells(wildcards):
    """What is asked of each dataset of the job: its variants and its task text."""
    k = int(wildcards.k)
    return {
        name: {
            "variants": [list(variant) for variant in GRID.variants(name, k)],
            "task": task_text(name),
            "files": dataset_files(name, k),
            "log": response_log(wildcards.model, name, k),
        }
        for name in GRID.inference_datasets(wildcards.suite, k, wildcards.model)
    }


def inference_priority(wildcards):
    """Number of cells: the largest jobs first, so that none is left to run alone at the end."""
    k = int(wildcards.k)
    seeds = len(GRID.draw_seeds(k))
    datasets = GRID.inference_datasets(wildcards.suite, k, wildcards.model)
    return 1 + seeds * sum(len(GRID.variants(name, k)) for name in datasets)


def engine_code(wildcards):
    engine = MODELS[wildcards.model]["engine"]
    return code("infer.py", "transformers", [ENGINES[engine].module])
