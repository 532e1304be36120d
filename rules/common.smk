"""What all rules share: the checked configuration and the grid."""

import os
import re
import sys
from itertools import chain, product
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
PAPER = os.path.relpath(ROOT / "resources" / "paper")
DIALOGUES = os.path.relpath(ROOT / "resources" / "dialogues")
PAGES = os.path.relpath(SCRIPTS / "tabbench" / "reporting" / "page" / "templates")
OWN_FOLDER = Path("config/own")
# Priorities. What models wait for, then the models by their size (infer_priority), then the rest:
# a run ends with short jobs, which keep every core busy.
FIRST = 2_000_000
TO_MODELS = 1_000_000
ASKS_MODEL = 1
sys.path[:0] = [str(SCRIPTS), str(ROOT / "workflow")]

from checked_dag import plan_checked
from dead_locks import forget_dead_locks
from tabbench.core.code_hash import code_hash
from tabbench.config.checks import (
    check_budget,
    check_judges,
    check_llm_baselines,
    check_names,
    check_pairing,
    check_scitarc_seeds,
    placing_baselines,
)
from tabbench.inference.engines import ENGINES
from tabbench.core.errors import TabBenchError
from tabbench.core.files import folder_hash
from tabbench.config.grid import OWN, REAL_SUITES, SUITES, Grid
from tabbench.core.baseline_names import BASELINES, LLM_METHODS, llm_baseline_id
from tabbench.reporting import registry
from tabbench.reporting.artifact import Run
from tabbench.reporting.titles import domain_title
from tabbench.config.sharing import (
    addresses,
    sharing_notice,
    sharing_refusal,
    stays_here,
)
from tabbench.config.user_datasets import user_entries
from tabbench.core.suites import level_number
from tabbench.data.complexity_grid.levels import DEFAULT_RECIPE, LEVELS
from tabbench.config.dataset_entry import REST, parse_dataset
from tabbench.config.model_entry import model_card
from tabbench.config.registry import load_entries
from tabbench.config.released import AUTHORS, missing, read_released, released_entry
from tabbench.reporting.page.questions import artifact_title, section
from tabbench.inference.job_resources import LIGHT, convert_mb, parse_resources
from tabbench.inference.shards import cut, expected_tokens, part_names
from tabbench.inference.local_weights import are_local, loaded_mb, weight_files
from tabbench.scitarc.judge import MATCHER, judge_name, judging_model
from tabbench.scitarc.registry import ARTIFACTS as SCITARC_ARTIFACTS
from tabbench.scitarc.registry import CORRECTED, JUDGES, TABLE_3
from tabbench.scitarc.names import judge_title
from tabbench.scitarc.prompts import FAITHFUL
from tabbench.scitarc.scores import (
    AUTONOMOUS,
    DIRECT,
    FEW_SHOT_DIRECT,
    FEW_SHOT_ORACLE,
    ORACLE,
)
from tabbench.scitarc.tokenizers import GPT2
from tabbench.core.baseline_names import reference_shots
from tabbench.core.schemas.decision import EVIDENCE
from tabbench.core.transcripts import read_turn
from tabbench.config.validation import load_yaml, validate

RELEASED = read_released(ROOT / "resources" / "released" / "llm_tables.csv")


def generators():
    """Settings of each generator of the LLM-synthetic suite."""
    return (config.get("llm_synthetic") or {}).get("generators", {})


def turn_files(folder):
    return [f"{folder}/turn{number}.md" for number in (1, 2, 3)]


def published_dialogue(dataset, generator):
    """The dialogue that ships with the workflow, where there is one."""
    turns = turn_files(f"{DIALOGUES}/{generator}/{dataset}")
    return turns if all(map(os.path.isfile, turns)) else []


def check_dialogues(grid):
    """Each table has a dialogue that ships with the workflow, or a model to hold one."""
    for table in grid.llm_tables:
        settings = generators()[table.generator]
        if table.generator in grid.unruled:
            continue
        if "model" not in settings and not published_dialogue(*table):
            raise TabBenchError(
                f"configuration: generator '{table.generator}' names no model, and "
                f"resources/dialogues/{table.generator}/{table.dataset} holds no dialogue; "
                f"give it a model, or put turn1.md, turn2.md and turn3.md there"
            )


def probe_settings():
    """What the configuration says of the memorization probes; empty where it asks none."""
    return config.get("probes") or {}


def scitarc_settings():
    """What the configuration says of SciTaRC; empty where nothing of it is asked."""
    return config.get("scitarc") or {}


def scitarc_names():
    """Models that SciTaRC asks, as judge and for their tokenizer too."""
    settings = scitarc_settings()
    asked = [name for run in settings.get("runs", []) for name in run["models"]]
    judges = [
        judging_model(judge_name(settings.get(key, MATCHER)))
        for key in ("judge", "second_judge")
    ]
    others = [*judges, settings.get("tokenizer")]
    return asked + [name for name in others if name not in (None, GPT2)]


def llm_baseline_settings():
    """What the configuration says of FeatLLM and LLM trees, results of RQ3; empty without it."""
    asked = "rq3" in config["research_questions"]
    return (config.get("llm_baselines") if asked else None) or {}


def load_configuration():
    """Check configuration and registry entries before any job is planned."""
    schemas = {
        name: load_yaml(ROOT / "config" / "schemas" / f"{name}.schema.yaml")
        for name in ("config", "dataset", "model")
    }
    # `own` has the keys of an entry's `ask`.
    schemas["config"]["$defs"]["ask"] = schemas["dataset"]["$defs"]["ask"]
    validate(config, schemas["config"], "configuration")
    resources = ROOT / "resources"
    datasets = load_entries(
        resources / "datasets", config["datasets"], schemas["dataset"], "dataset"
    )
    asked = [one["model"] for one in generators().values() if "model" in one]
    asked += probe_settings().get("models", [])
    asked += llm_baseline_settings().get("models", [])
    check_judges(
        config, MATCHER, [path.stem for path in (resources / "models").glob("*.yaml")]
    )
    check_scitarc_seeds(config, FAITHFUL.temperature)
    registered = [path.stem for path in (resources / "datasets").glob("*.yaml")]
    own = user_entries(OWN_FOLDER, schemas["dataset"], registered)
    datasets |= own
    settings = {name: entry.get("ask", {}) for name, entry in own.items()}
    for one in (config.get("own") or {}, *settings.values()):
        asked += one.get("models", [])
    names = list(dict.fromkeys([*config["models"], *asked, *scitarc_names()]))
    models = load_entries(resources / "models", names, schemas["model"], "model")
    grid = Grid.from_config(
        config,
        {name: entry["suite"] for name, entry in datasets.items()},
        {
            name: entry["max_shots"]
            for name, entry in datasets.items()
            if "max_shots" in entry
        },
        RELEASED,
        settings,
    )
    check_names("probes.datasets", probe_settings().get("datasets", []), datasets)
    check_llm_baselines(config, grid.in_suites(REAL_SUITES))
    check_pairing(config, {name: entry.get("family") for name, entry in models.items()})
    check_dialogues(grid)
    check_budget(config, models)
    placing_baselines(config)
    return datasets, models, grid


try:
    DATASETS, MODELS, GRID = load_configuration()
except TabBenchError as error:
    raise WorkflowError(str(error))

MIRROR = os.environ.get("TABBENCH_MIRROR") or config.get("mirror")


def one_of(names):
    """A pattern that matches these names and nothing else."""
    return "|".join(map(re.escape, map(str, names))) or "(?!)"


RELEASED_TABLES = {
    table.id: released_entry(
        *table, generators()[table.generator]["released"], RELEASED[table]
    )
    for table in GRID.llm_tables
    if table.generator in GRID.unruled
}
"""Entries of the LLM-written tables that are taken as they were released."""
USER_DATASETS = [name for name, entry in DATASETS.items() if entry["suite"] == OWN]


# Names that the configuration does not know make no job.
wildcard_constraints:
    dataset=one_of([*DATASETS, *GRID.in_suites(("llm_synthetic", "mlp"))]),
    model=one_of(MODELS),
    suite=one_of([*SUITES, *map(GRID.inference_batch, USER_DATASETS)]),
    k=one_of(GRID.all_shots),
    rq=one_of(GRID.questions),
