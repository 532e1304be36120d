"""What each job of the tiny configuration is made from, and ways to edit a copy of the workflow."""

import re
import shutil
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain

import pytest
import yaml
from module_reach import NO_MODEL, reach
from sample_run import SAMPLE_RUN

from tabbench.reporting import registry
from tabbench.scitarc.registry import ARTIFACTS as SCITARC_ARTIFACTS

# What the tiny configuration has of the registry.
TINY_RUN = replace(
    SAMPLE_RUN,
    shots={question: frozenset({0, 4, 6}) for question in SAMPLE_RUN.questions}
    | {"rq1": frozenset({0}), "rq2": frozenset({0})}
    | {question: frozenset({0, 6}) for question in ("rq5", "rq7")},
    suites=frozenset({"core", "llm_synthetic", "mlp"}),
    full_training=False,
    ruled=False,
    formats={"rq1": ("feat_val", "html")},
    systems={"direct": 2, "plans": 1, "own_plans": 1, "decomposed": 1, "few_shot": 0},
    annotated=False,
    labelled=False,
)
ARTIFACTS = {
    artifact.rule: artifact
    for artifact in [
        *chain(*registry.QUESTIONS.values()),
        *registry.COMPLEXITY,
        *registry.PROBES,
        *SCITARC_ARTIFACTS,
        *registry.BASELINES,
        *registry.PAPER,
    ]
    if artifact.function and artifact.exists(TINY_RUN)
}
MAKERS = {
    r"results/(rq\d)/scores": r"score \1",
    r"results/scores": "score_all",
    r"results/(rq\d)/gains": r"gains \1",
    r"results/rq1/chance": "chance",
    r"results/rq1/(mean_)?intervals": "intervals",
    r"results/rq4/contrasts": "contrasts",
    r"results/rq6/intrinsic": "intrinsic",
    r"results/rq7/(calibration|reliability)": "calibration",
    r"results/complexity/(placement|scale)": "placement",
    r"results/paper/(published|discrepancies)": "published",
    r"results/recognition": "probe_recognition",
    r"results/lifts": "probe_reconstruction",
    r"results/completions": "probe_completion",
    r"results/llm_queries": "llm_baseline",
    r"results/scitarc/questions": "scitarc_questions",
    r"results/scitarc/scores": "scitarc_scores",
    r"results/scitarc/complexity": "scitarc_complexity",
    r"results/scitarc_responses": "scitarc_responses",
}
"""The job that makes each input of the registry."""
FITTED = {
    f"{rule} {suite}"
    for rule in ("baseline", "baseline_pretrained")
    for suite in ("real", "llm", "mlp")
}


def makers(path):
    """The jobs that make an input; none makes what the repository holds."""
    name = path.partition(".")[0]
    if name == "results/fits":
        return FITTED
    if name.startswith("resources/"):
        return set()
    return {
        re.sub(pattern, maker, name)
        for pattern, maker in MAKERS.items()
        if re.fullmatch(pattern, name)
    } or pytest.fail(f"no maker of {path} is known")


MADE_FROM = {
    rule: {
        maker
        for files in artifact.inputs(TINY_RUN).values()
        for path in ([files] if isinstance(files, str) else files)
        for maker in makers(path)
    }
    for rule, artifact in ARTIFACTS.items()
} | {
    "scitarc_error_sheet": {"scitarc_questions", "scitarc_answers", "scitarc_scores"},
    "scitarc_judges": {"scitarc_scores"},
}
"""What each table and figure is made from."""
UNTITLED = {
    *(rule for rule, artifact in ARTIFACTS.items() if "models" not in artifact.arguments(TINY_RUN)),
    "scitarc_error_sheet",
}
"""Artifacts that show no language model's name."""
QUESTIONS = {"real": ("rq1", "rq2", "rq3", "rq4", "rq7"), "llm": ("rq5",), "mlp": ("rq6",)}
WITH_BASELINES = ("rq1", "rq3", "rq5", "rq6")
DATASETS = {"dataset_table", "dataset_audit"}
PROBES = {"probe_recognition", "probe_reconstruction", "probe_completion"}
SCITARC = {
    *("scitarc_questions", "scitarc_complexity", "scitarc_responses", "scitarc_answers"),
    *("scitarc_scores",),
}
WRITTEN = {"llm_logic", "llm_baseline"}
"""Asked of a model of their own, whose entry is another."""
LONE = {
    *("convert_model", "model_entry", "baseline_weights", "score_all"),
    *("chance", "intervals", "contrasts", "calibration", "intrinsic"),
    *("placement", "domain_cells", "domain_page", "published", "index"),
    *DATASETS,
    *PROBES,
    *SCITARC,
    *WRITTEN,
    *MADE_FROM,
}


def every(*rules):
    """The jobs of rules that run for real, LLM-synthetic and complexity-grid datasets."""
    return {f"{rule} {suite}" for rule in rules for suite in QUESTIONS}


SERVING = {*every("infer"), *PROBES, "scitarc_responses"}
"""Jobs that load the model."""

# Direct consumers of what each job makes, the three kinds of datasets apart.
CONSUMERS = {
    "download real": {"prepare real", "dataset_table"},
    "dialogue llm": {"llm_table llm"},
    "convert_model": set(SERVING),
    "model_entry": every("predict") | SERVING,
    "mlp_table mlp": {"intrinsic"},
    "prepare real": DATASETS | PROBES | WRITTEN | {"dimension real"},
    "split real": DATASETS | WRITTEN | {"placement"},
    "shots real": set(WRITTEN),
    "llm_logic": {"llm_baseline"},
    "llm_baseline": {"score rq3", "score_all"},
    "predict real": {"chance", "intervals", "contrasts", "calibration"},
    "baseline_weights": every("baseline_pretrained"),
    "baseline real": {"intervals", "placement"},
    "baseline_pretrained real": {"intervals", "placement"},
    "baseline mlp": {"placement"},
    "baseline_pretrained mlp": {"placement"},
    "intrinsic": {"placement"},
    "dimension real": {"placement"},
    "score_all": {"domain_cells"},
    "domain_cells": {"domain_page"},
    "scitarc_questions": {"scitarc_complexity", "scitarc_responses", "scitarc_scores"},
    "scitarc_responses": {"scitarc_answers"},
    "scitarc_answers": {"scitarc_scores"},
}


def consumed(maker, *consumers):
    CONSUMERS.setdefault(maker, set()).update(consumers)


for suite, maker in (("real", "prepare"), ("llm", "llm_table"), ("mlp", "mlp_table")):
    asked = QUESTIONS[suite]
    scored = {f"score {rq}" for rq in asked} | {"score_all"}
    tested = {f"gains {rq}" for rq in asked if rq in ("rq3", "rq6")}
    tested |= {"contrasts", "calibration"} if suite == "real" else set()
    fits = {f"baseline {suite}", f"baseline_pretrained {suite}"}
    rows = {f"shots {suite}", f"prompts {suite}", *fits}
    consumed(f"{maker} {suite}", f"split {suite}", f"serialize {suite}", *rows)
    consumed(f"split {suite}", *rows, *scored, *tested)
    consumed(f"shots {suite}", f"prompts {suite}", *fits)
    consumed(f"serialize {suite}", f"prompts {suite}")
    consumed(f"prompts {suite}", f"infer {suite}", f"predict {suite}")
    consumed(f"infer {suite}", f"predict {suite}")
    consumed(f"predict {suite}", *scored, *tested)
    fitted = [f"score {rq}" for rq in asked if rq in WITH_BASELINES]
    for job in fits:
        consumed(job, *fitted, "score_all")
for artifact, makers in MADE_FROM.items():
    for maker in makers:
        consumed(maker, artifact)
for shown in ("score_all", "domain_cells", "domain_page", *DATASETS, *MADE_FROM):
    consumed(shown, "index")
ALL = {*CONSUMERS, "index"}


def closure(jobs):
    """The jobs and all that consumes what they make."""
    found, todo = set(), list(jobs)
    while todo:
        job = todo.pop()
        if job not in found:
            found.add(job)
            todo += CONSUMERS.get(job, ())
    return found


def suite_of(path):
    if "_ls_" in path or "llm_synthetic" in path:
        return "llm"
    return "mlp" if "mlp" in path else "real"


def jobs(plan):
    """A plan's rules, with the suite or the research question where a rule serves several."""
    found = set()
    for rule, paths in plan.items():
        for path in paths:
            if rule in LONE:
                found.add(rule)
            elif rule in ("score", "gains"):
                found.add(f"{rule} {path.split('/')[1]}")
            else:
                found.add(f"{rule} {suite_of(path)}")
    return found


@contextmanager
def edited(copy, *paths):
    """Undo edits of files, their times of change included."""
    kept = {}
    for path in paths:
        backup = copy.folder / f".kept{len(kept)}"
        shutil.copy2(copy.folder / path, backup)
        kept[path] = backup
    try:
        yield
    finally:
        for path, backup in kept.items():
            shutil.move(backup, copy.folder / path)


def append(copy, path, text):
    with (copy.folder / path).open("a") as file:
        file.write(text)


def rewrite(copy, path, change):
    content = yaml.safe_load((copy.folder / path).read_text())
    change(content)
    (copy.folder / path).write_text(yaml.safe_dump(content, sort_keys=False))


# Which hashes each module is in: module_reach.csv. That they cover what is imported:
# test_code_hash_of_rules.py. Here, for modules on each stretch of the road, that Snakemake acts on
# them.
SAMPLE = (
    *("config/grid", "core/labels", "core/schemas/scores"),
    *("data/audit", "data/complexity_grid/tables", "data/sources/url", "synthetic/llm_table"),
    *("prompts/prompts", "inference/engines/packing", "inference/engines/replay"),
    *("inference/engines/vllm", "scoring/label_parser", "statistics/gains"),
    *("baselines/classical", "baselines/foundation"),
    *("baselines/llm_written/prompts", "baselines/llm_written/scoring"),
    *("complexity/dimension", "complexity/placement", "complexity/rank_agreement"),
    *("probes/windows", "reporting/figures/rq6", "reporting/tables/rq7"),
    *("scitarc/extraction", "scitarc/figures/gains", "scitarc/matcher_items"),
    *("scitarc/responses", "scitarc/tables/judges", "scitarc/tokenizers"),
)
ENGINES = {"llm_logic": "replay", "dialogue": NO_MODEL, "scitarc_scores": NO_MODEL}
"""Of the tiny configuration's models; all others are run by transformers."""


def hashed_jobs():
    """For each module of the sample the jobs whose hash it is in."""
    reached = reach()
    return {
        module: {
            job
            for one in reached[f"tabbench.{module.replace('/', '.')}"]
            if one.engine in ("", ENGINES.get(one.rule, "transformers"))
            for job in ALL
            if job.split()[0] == one.rule
        }
        for module in SAMPLE
    }


MODULES = hashed_jobs()
