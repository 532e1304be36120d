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
        for name in ("config", "dataset", "model", "own")
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
    datasets |= own_entries(OWN_FOLDER, schemas["own"], registered)
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
    return {key: value for key, value in DATASETS[wildcards.dataset].items() if key not in other}


def dataset_split(wildcards):
    """How the configuration wants the dataset split; the default needs no arguments."""
    wanted = config.get("split", {})
    if "openml_task" in wanted:
        task = DATASETS.get(wildcards.dataset, {}).get("openml_task")
        return {"openml_task": task} if wanted["openml_task"] and task else {}
    return wanted


def task_text(dataset):
    """Task text of a real dataset; None for a table of the complexity grid."""
    entry = DATASETS.get(dataset)
    return entry and entry["task"]


def dataset_task(wildcards):
    return task_text(wildcards.dataset)


def model_entry(wildcards):
    """A model's entry as far as it makes the answers."""
    return {key: value for key, value in MODELS[wildcards.model].items() if key not in SHOWN}


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


# Paths


def shots_file(dataset, k):
    """The draws of examples; none at k = 0."""
    return [f"results/datasets/{dataset}/shots_k{k}.parquet"] if int(k) else []


def dataset_files(dataset, k):
    """Everything that the prompts of a dataset at k are built from."""
    folder = f"results/datasets/{dataset}"
    return [
        f"{folder}/table.parquet",
        f"{folder}/split.parquet",
        f"{folder}/serialized.parquet",
        *shots_file(dataset, k),
    ]


def inference_inputs(wildcards):
    datasets = GRID.inference_datasets(wildcards.suite, int(wildcards.k))
    return [path for name in datasets for path in dataset_files(name, wildcards.k)]


def weights_folder(wildcards):
    """Folder of converted weights; models of the hub have none."""
    if "package" in MODELS[wildcards.model]["weights"]:
        return [f"results/models/{wildcards.model}"]
    return []


def response_log(model, dataset, k):
    return f"results/responses/{model}/{dataset}/k{k}.jsonl"


def inference_marker(wildcards):
    batch = GRID.inference_batch(wildcards.dataset)
    return f"results/inference/{wildcards.model}/{batch}/k{wildcards.k}.json"


def prediction_paths(predictions):
    return [
        f"results/predictions/{model}/{dataset}/k{k}.parquet"
        for model, dataset, k in predictions
    ]


def prediction_files(question=None):
    """Predictions that a research question needs, or all."""
    return prediction_paths(GRID.predictions(question))


def baseline_shots(wildcards):
    """The draws that baselines are fitted on."""
    ks = GRID.baseline_shots(wildcards.dataset)
    return [path for k in ks for path in shots_file(wildcards.dataset, k)]


def baseline_files(suites):
    if not GRID.baselines:
        return []
    return [f"results/baselines/{name}.parquet" for name in GRID.in_suites(suites)]


def question_predictions(wildcards):
    """Predictions behind a research question's scores; some compare with baselines."""
    question = wildcards.rq
    with_baselines = question in ("rq1", "rq6")
    suites = GRID.question_suites(question) if with_baselines else ()
    return prediction_files(question) + baseline_files(suites)


def all_predictions(wildcards):
    return prediction_files() + baseline_files(("core", "new", "mlp"))


def own_predictions(wildcards):
    """Predictions and baselines behind the summary of an own dataset."""
    if DATASETS.get(wildcards.dataset, {}).get("suite") != "own":
        raise WorkflowError(
            f"no own dataset '{wildcards.dataset}': write {OWN_FOLDER}/{wildcards.dataset}.yaml "
            "(config/README.md shows how)"
        )
    baselines = [f"results/baselines/{wildcards.dataset}.parquet"] if GRID.baselines else []
    return prediction_paths(GRID.own_predictions(wildcards.dataset)) + baselines


REGISTERED = [name for name, entry in DATASETS.items() if entry["suite"] != "own"]


def dataset_paths(name):
    """A file of every dataset of the configuration that has raw files."""
    return [f"results/datasets/{dataset}/{name}" for dataset in REGISTERED]


def shown_entries():
    """What the dataset tables show of each entry."""
    keys = ("suite", "domain", "licence", "notes")
    return {
        name: {key: DATASETS[name][key] for key in keys if key in DATASETS[name]}
        for name in REGISTERED
    }


def suite_counts():
    return {suite: len(GRID.in_suites([suite])) for suite in ("core", "new", "mlp")}


def splits_of(suites):
    return [f"results/datasets/{name}/split.parquet" for name in GRID.in_suites(suites)]


TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "md")
ARTIFACTS = {
    "rq1": {"tables": ["table2"], "figures": ["figure6"]},
    "rq2": {"tables": ["table6"], "figures": ["figure9"]},
    "rq3": {"tables": ["table7"], "figures": ["figure10"]},
    "rq4": {"tables": ["table8"], "figures": ["figure2"]},
    "rq6": {"tables": ["table10"], "figures": ["figure30", "figure31"]},
    "rq7": {"tables": ["table11"], "figures": []},
}


def table_files(question, name):
    return multiext(
        f"results/{question}/{name}", *(f".{form}" for form in TABLE_FORMATS)
    )


def figure_files(question, name):
    return multiext(
        f"results/{question}/{name}", *(f".{form}" for form in FIGURE_FORMATS)
    )


def artifacts(question):
    """All tables and figures of a research question."""
    made = ARTIFACTS[question]
    return [table_files(question, name) for name in made["tables"]] + [
        figure_files(question, name) for name in made["figures"]
    ]
