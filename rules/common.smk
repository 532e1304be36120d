"""What all rules share: the checked configuration, the grid, paths and parameters."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
PAPER = os.path.relpath(ROOT / "resources" / "paper")
OWN_FOLDER = Path("config/own")
sys.path.insert(0, str(SCRIPTS))

from tabbench.codehash import code_hash
from tabbench.engines import ENGINES
from tabbench.errors import TabBenchError
from tabbench.grid import Grid
from tabbench.names import BASELINES
from tabbench.own import own_entries
from tabbench.registry import load_entries
from tabbench.validation import load_yaml, validate


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
    models = load_entries(
        resources / "models", config["models"], schemas["model"], "model"
    )
    registered = [path.stem for path in (resources / "datasets").glob("*.yaml")]
    datasets |= own_entries(OWN_FOLDER, schemas["dataset"], registered)
    grid = Grid.from_config(
        config,
        {name: entry["suite"] for name, entry in datasets.items()},
        {
            name: entry["max_shots"]
            for name, entry in datasets.items()
            if "max_shots" in entry
        },
    )
    return datasets, models, grid


try:
    DATASETS, MODELS, GRID = load_configuration()
except TabBenchError as error:
    raise WorkflowError(str(error))

MIRROR = os.environ.get("TABBENCH_MIRROR") or config.get("mirror")


wildcard_constraints:
    dataset="[A-Za-z0-9_]+",
    model="[A-Za-z0-9_.-]+",
    suite="core|new|mlp|own_[A-Za-z0-9_]+",
    k=r"\d+",
    rq=r"rq\d",


# Parameters. Each comes from the one entry that it concerns: editing another reruns nothing.


def code(script, env, modules=()):
    """Hash of a rule's script, of the package modules behind it and of its environment file."""
    environment = (ROOT / "envs" / f"{env}.yaml").read_bytes()
    return code_hash(SCRIPTS, SCRIPTS / script, modules, environment)


SHOWN = ("title", "licence", "homepage", "notes")
"""Keys of an entry that only tables, figures and documentation show."""


def dataset_sources(wildcards):
    return DATASETS[wildcards.dataset]["sources"]


def dataset_entry(wildcards):
    """A dataset's entry as far as it makes the table."""
    other = (*SHOWN, "suite", "domain", "task", "openml_task", "max_shots")
    return {
        key: value
        for key, value in DATASETS[wildcards.dataset].items()
        if key not in other
    }


def dataset_split(wildcards):
    """How the configuration wants the dataset split; the default needs no arguments."""
    wanted = config.get("split", {})
    if "openml_task" in wanted:
        task = DATASETS.get(wildcards.dataset, {}).get("openml_task")
        return {"openml_task": task} if wanted["openml_task"] and task else {}
    return wanted


def dataset_task(wildcards):
    """Task text of a real dataset; None for a table of the complexity grid."""
    entry = DATASETS.get(wildcards.dataset)
    return entry and entry["task"]


def model_entry(wildcards):
    """A model's entry as far as it makes the answers."""
    return {
        key: value for key, value in MODELS[wildcards.model].items() if key not in SHOWN
    }


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
    return {name: entry["title"] for name, entry in MODELS.items()}


def baseline_titles():
    """Baseline id to the name that tables and figures show, in order."""
    return {name: BASELINES[name] for name in GRID.baselines}


def dataset_facts(datasets):
    """Suite and domain of each dataset, as scores carry them."""
    return {
        name: (
            [GRID.suite(name), DATASETS[name]["domain"]]
            if name in DATASETS
            else ["mlp", GRID.mlp_table(name).domain]
        )
        for name in datasets
    }


def inference_priority(wildcards):
    """Number of cells: the largest jobs first, so that none is left to run alone at the end."""
    k = int(wildcards.k)
    seeds = len(GRID.draw_seeds(k))
    datasets = GRID.inference_datasets(wildcards.suite, k)
    return 1 + seeds * sum(len(GRID.variants(name, k)) for name in datasets)


def engine_code(wildcards):
    engine = MODELS[wildcards.model]["engine"]
    return code("infer.py", "transformers", [ENGINES[engine].module])


REGISTERED = [name for name, entry in DATASETS.items() if entry["suite"] != "own"]


def shown_entries():
    """What the dataset tables show of each entry."""
    keys = ("suite", "domain", "licence", "notes")
    return {
        name: {key: DATASETS[name][key] for key in keys if key in DATASETS[name]}
        for name in REGISTERED
    }


def suite_counts():
    return {suite: len(GRID.in_suites([suite])) for suite in ("core", "new", "mlp")}
