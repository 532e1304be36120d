"""What reruns when: per edit, exactly the affected jobs; per real rerun, only the new prompts."""

import shutil
from contextlib import contextmanager

import pytest
import yaml
from workflow_copy import ROOT, TINY, WorkflowCopy

pytestmark = pytest.mark.slow

RQ_ARTIFACTS = {
    "rq1": {"rq1_table2", "rq1_figure6"},
    "rq2": {"rq2_table6", "rq2_figure9"},
    "rq3": {"rq3_table7", "rq3_figure10"},
    "rq4": {"rq4_table8", "rq4_figure2"},
    "rq5": {"rq5_table9", "rq5_contexts", *(f"rq5_figure{number}" for number in range(19, 24))},
    "rq6": {"rq6_table10", "rq6_figure30"},
    "rq7": {"rq7_table11"},
}
TABLES = {
    *("rq1_table2", "rq2_table6", "rq3_table7", "rq4_table8"),
    *("rq5_table9", "rq6_table10", "rq7_table11"),
}
ARTIFACTS = {"rq6_figure31", *(name for made in RQ_ARTIFACTS.values() for name in made)}
FIGURES = ARTIFACTS - TABLES
QUESTIONS = {"real": ("rq1", "rq2", "rq3", "rq4", "rq7"), "llm": ("rq5",), "mlp": ("rq6",)}
DATASETS = {"dataset_table", "dataset_audit"}
LONE = {
    *("convert_model", "model_entry", "predict_code", "score_all"),
    *DATASETS,
    *ARTIFACTS,
}


def every(*rules):
    """The jobs of rules that run for real, LLM-synthetic and complexity-grid datasets."""
    return {f"{rule} {suite}" for rule in rules for suite in QUESTIONS}


# Direct consumers of what each job makes, the three kinds of datasets apart. The marker
# of infer triggers nothing: predict takes it as ancient.
CONSUMERS = {
    "download real": {"prepare real", "dataset_table"},
    "dialogue llm": {"llm_table llm"},
    "convert_model": every("infer"),
    "model_entry": every("infer", "predict"),
    "predict_code": every("predict"),
    "gains rq3": {"rq3_table7"},
    "gains rq6": {"rq6_figure31"},
}
for maker, suite in (("prepare", "real"), ("llm_table", "llm"), ("mlp_table", "mlp")):
    asked = QUESTIONS[suite]
    tested = {f"gains {rq}" for rq in asked if rq in ("rq3", "rq6")}
    scored = {f"score {rq}" for rq in asked} | {"score_all"}
    rows = {f"{rule} {suite}" for rule in ("shots", "prompts", "baseline")}
    shown = DATASETS if suite == "real" else set()
    CONSUMERS |= {
        f"{maker} {suite}": {f"split {suite}", f"serialize {suite}"} | rows | shown,
        f"split {suite}": rows | scored | tested | shown,
        f"shots {suite}": {f"prompts {suite}", f"baseline {suite}"},
        f"serialize {suite}": {f"prompts {suite}"},
        f"prompts {suite}": {f"infer {suite}", f"predict {suite}"},
        f"predict {suite}": scored | tested,
        f"baseline {suite}": {f"score {rq}" for rq in asked if rq in ("rq1", "rq5", "rq6")}
        | {"score_all"},
    }
for rq, made in RQ_ARTIFACTS.items():
    CONSUMERS[f"score {rq}"] = made
ALL = {*CONSUMERS, *every("infer"), "score_all", *DATASETS, *ARTIFACTS}
SCORES = {"score_all", *(f"score {rq}" for rq in RQ_ARTIFACTS)}
GAINS = {"gains rq3", "gains rq6"}


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


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    copy = WorkflowCopy.create(tmp_path_factory.mktemp("finished") / "copy")
    copy.run()
    return copy


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


def test_nothing_changed_nothing_runs(finished):
    assert finished.planned() == {}


def test_every_rule_ran(finished):
    logs = finished.folder / "logs"
    ran = {path.relative_to(logs).parts[0].removesuffix(".log") for path in logs.rglob("*.log")}
    assert ran == {job.split()[0] for job in ALL}


def test_task_text_of_one_dataset(finished):
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["task"].update(positive="rated very high"))
        plan = finished.planned()
    assert jobs(plan) == closure({"prompts real", "llm_table llm"})
    assert {path.split("/")[2] for path in plan["prompts"]} == {"tae", "tae_ls_repository"}
    assert {path.split("/")[3] for path in plan["predict"]} == {"tae", "tae_ls_repository"}


def test_what_only_tables_show_makes_only_tables_and_figures_anew(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(title="Small model"))
        assert jobs(finished.planned()) == ARTIFACTS - {"rq6_figure30"}
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(notes=["A note."]))
        assert jobs(finished.planned()) == {"dataset_table"}


def test_decoding_of_a_model(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["generation"].update(max_new_tokens=5))
        assert jobs(finished.planned()) == closure({"model_entry"})


def test_a_new_seed(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(seeds=[864, 460])
        plan = finished.planned()
    # RQ2 is zero-shot only; RQ1 shows baselines with examples.
    assert jobs(plan) == closure(every("shots")) - closure({"score rq2"})
    assert not any("k0" in path for rule in ("prompts", "infer", "predict") for path in plan[rule])


def test_a_new_k(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(shots=[0, 2, 4, 6])
        plan = finished.planned()
    # RQ7 asks the two ends, which are the same, RQ5 those that it names.
    unasked = {"prompts llm", "infer llm", "predict llm"}
    assert jobs(plan) == closure(every("shots")) - closure({"score rq2", "score rq7"}) - unasked
    for rule in ("shots", "prompts", "infer", "predict"):
        assert all("k4" in path for path in plan[rule])


def test_a_new_dataset(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(datasets=[*TINY["datasets"], "credit"])
        plan = finished.planned()
    assert jobs(plan) == closure({"download real"})
    new = ("download", "prepare", "split", "shots", "serialize", "prompts", "baseline", "predict")
    for rule in new:
        assert all("credit" in path for path in plan[rule]), rule


def test_a_larger_cap_on_test_rows_leaves_the_rows_as_text_alone(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(test_rows=8)
        assert jobs(finished.planned()) == closure(every("split"))


def test_one_artifact_needs_only_its_own_road(tmp_path):
    fresh = WorkflowCopy.create(tmp_path / "fresh")
    assert jobs(fresh.planned("results/rq6/figure31.pdf")) == {
        *("mlp_table mlp", "split mlp", "shots mlp", "serialize mlp", "prompts mlp"),
        *("convert_model", "model_entry", "predict_code", "infer mlp", "predict mlp"),
        *("gains rq6", "rq6_figure31"),
    }


INFERENCE = every("infer") | {"predict_code"}
DIALOGUES = {"dialogue llm", "llm_table llm"}
ENTRIES = {
    *("download real", "prepare real"),
    *every("prompts"),
    *INFERENCE,
    *DIALOGUES,
}
RQ5_FIGURES = RQ_ARTIFACTS["rq5"] - TABLES
TESTED = {*GAINS, "rq3_table7", "rq6_figure30", "rq6_figure31"}
MODULES = {
    "aggregate": ARTIFACTS,
    "audit": DATASETS,
    "answers": {"predict_code"},
    "asks": INFERENCE,
    "baseline_runs": every("baseline"),
    "baselines": every("baseline"),
    "cells": every("prompts") | INFERENCE,
    "codehash": set(),
    "derive": {"prepare real"},
    "description": DATASETS,
    "draft": set(),
    "engines/attention": every("infer"),
    "configuration": set(),
    "dialogue": DIALOGUES,
    "endpoints": ENTRIES,
    "engines/client": set(),
    "engines/label_forms": set(),
    "engines/openai": set(),
    "engines/pace": set(),
    "engines/probe": set(),
    "engines/replies": set(),
    "engines/retrying": set(),
    "engines/spending": set(),
    "failures": INFERENCE,
    "engines/base": INFERENCE | {"dialogue llm"},
    "engines/decoding": every("infer"),
    "engines/packed_model": every("infer"),
    "engines/packing": every("infer"),
    "engines/rendering": every("infer"),
    "engines/scoring": every("infer"),
    "engines/transformers": every("infer"),
    "errors": ALL,
    "facts": SCORES | GAINS,
    "figures/contexts": {"rq2_figure9", "rq4_figure2", *RQ5_FIGURES},
    "figures/radar": RQ5_FIGURES,
    "figures/rq1": {"rq1_figure6"},
    "figures/rq2": {"rq2_figure9"},
    "figures/rq3": {"rq3_figure10"},
    "figures/rq4": {"rq4_figure2"},
    "figures/rq5": RQ5_FIGURES,
    "figures/rq6": {"rq6_figure30", "rq6_figure31"},
    "figures/style": FIGURES,
    "files": {"download real", "convert_model"},
    "gguf": {"convert_model"},
    "grid": set(),
    "infer": every("infer"),
    "intrinsic": set(),
    "labels": {"predict_code"},
    "llm_table": DIALOGUES,
    "llm_table_driver": DIALOGUES,
    "metrics": SCORES,
    "mlp_prior": {"mlp_table mlp"},
    "model_code": DIALOGUES,
    "models": INFERENCE | {"dialogue llm"},
    "names": ARTIFACTS,
    "openml_tasks": every("split", "shots"),
    "own": set(),
    "plan": set(),
    "predict": {"predict_code"},
    "prepare": {"prepare real"},
    "progress": every("infer"),
    "prompts": every("prompts"),
    "readers": {"prepare real"},
    "registry": ENTRIES,
    "resources": set(),
    "responses": INFERENCE | {"dialogue llm"},
    "sandbox": DIALOGUES,
    "sandbox_harness": DIALOGUES,
    "schemas": ALL - {"download real", "convert_model", "model_entry", "dialogue llm"},
    "script": ALL,
    "selection": ARTIFACTS,
    "serialize": every("serialize", "prompts"),
    "sources/fetch": {"download real"},
    "sources/kaggle": {"download real"},
    "sources/local": {"download real"},
    "sources/openml": {"download real"},
    "sources/url": {"download real"},
    "split": every("split", "shots"),
    "statistics/bootstrap": set(),
    "statistics/chance": set(),
    "statistics/combine": TESTED,
    "statistics/delong": TESTED,
    "statistics/gains": TESTED,
    "tables/datasets": DATASETS,
    "statistics/multiplicity": set(),
    "statistics/ranks": set(),
    "tables/layout": TABLES - {"rq7_table11"},
    "tables/notes": TABLES,
    "tables/own": set(),
    "tables/plan": set(),
    "tables/rq1": {"rq1_table2"},
    "tables/rq2": {"rq2_table6"},
    "tables/rq3": {"rq3_table7"},
    "tables/rq4": {"rq4_table8"},
    "tables/rq5": {"rq5_table9"},
    "tables/rq6": {"rq6_table10"},
    "tables/rq7": {"rq7_table11"},
    "tables/writer": TABLES | DATASETS,
    "token_counts": set(),
    "transforms": {"prepare real"},
    "validation": ENTRIES,
}


def test_every_module_has_an_expectation():
    package = ROOT / "workflow/scripts/tabbench"
    modules = {
        str(path.relative_to(package).with_suffix(""))
        for path in package.rglob("*.py")
        if path.name != "__init__.py"
    }
    assert modules == set(MODULES)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_an_edited_module_reruns_what_uses_it(finished, module):
    path = f"workflow/scripts/tabbench/{module}.py"
    with edited(finished, path):
        append(finished, path, "\nEDITED = True\n")
        assert jobs(finished.planned()) == closure(MODULES[module])


@pytest.mark.parametrize(
    ("environment", "affected"),
    [
        ("core", ALL - {"mlp_table mlp", "convert_model", "dialogue llm"}),
        (
            "transformers",
            closure({"mlp_table mlp", "convert_model", "dialogue llm", *every("infer")}),
        ),
    ],
)
def test_an_edited_environment_reruns_what_runs_in_it(finished, environment, affected):
    path = f"envs/{environment}.yaml"
    with edited(finished, path):
        append(finished, path, "  - tzdata\n")
        assert jobs(finished.planned()) == affected


def test_an_edited_script_reruns_its_rule(finished):
    with edited(finished, "workflow/scripts/baseline.py"):
        append(finished, "workflow/scripts/baseline.py", "\n")
        assert jobs(finished.planned()) == closure(every("baseline"))


def test_two_edits_at_once_rerun_both(finished):
    """A changed engine must not hide that the parser changed as well (see inference.smk)."""
    paths = [f"workflow/scripts/tabbench/{name}.py" for name in ("engines/packing", "answers")]
    with edited(finished, *paths):
        for path in paths:
            append(finished, path, "\nEDITED = True\n")
        assert jobs(finished.planned()) == closure({"predict_code", *every("infer")})


def test_a_real_rerun_asks_only_what_is_new(finished, tmp_path):
    """A new text of one dataset, then a parser fix, then a new seed, each really run."""
    copy = WorkflowCopy(tmp_path / "copy")
    shutil.copytree(finished.folder, copy.folder)
    before = copy.log_lines()

    path = "resources/datasets/tae.yaml"
    rewrite(copy, path, lambda entry: entry["task"].update(positive="rated very high"))
    target = "results/predictions/smollm2_135m/tae/k2.parquet"
    copy.run(target)
    # 6 rows x (feat_val, feat_val_mask) under the contextual prompt; context-free is untouched.
    assert copy.log_lines() - before == 12

    append(copy, "workflow/scripts/tabbench/answers.py", "\nEDITED = True\n")
    copy.run(target)
    assert copy.log_lines() - before == 12

    copy.configure(seeds=[864, 460])
    copy.run("results/predictions/smollm2_135m/diabetes/k2.parquet")
    # 6 rows x 4 contexts of the new seed, for both datasets of the job; tae has its text asked
    # above for the old seed only.
    assert copy.log_lines() - before == 12 + 48
