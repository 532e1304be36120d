"""What reruns when: per edit, exactly the affected jobs; per real rerun, only the new prompts."""

import shutil
from contextlib import contextmanager

import pytest
import yaml
from workflow_copy import ROOT, TINY, WorkflowCopy

pytestmark = pytest.mark.slow

# Direct consumers of each rule's output. infer's marker is no consumer's trigger: predict takes
# it as ancient.
RQ_ARTIFACTS = {
    "rq1": {"rq1_table2", "rq1_figure6"},
    "rq2": {"rq2_table6", "rq2_figure9"},
    "rq3": {"rq3_table7", "rq3_figure10"},
    "rq4": {"rq4_table8", "rq4_figure2"},
    "rq6": {"rq6_table10", "rq6_figure30", "rq6_figure31"},
    "rq7": {"rq7_table11"},
}
TABLES = {"rq1_table2", "rq2_table6", "rq3_table7", "rq4_table8", "rq6_table10", "rq7_table11"}
ARTIFACTS = set().union(*RQ_ARTIFACTS.values())
FIGURES = ARTIFACTS - TABLES
DATASETS = {"dataset_table", "dataset_audit"}
CONSUMERS = {
    "download": {"prepare", "dataset_table"},
    "prepare": {"split", "shots", "serialize", "baseline", "infer", "predict", *DATASETS},
    "mlp_table": {"split", "shots", "serialize", "baseline", "infer", "predict"},
    "split": {"shots", "baseline", "infer", "predict", "score", "score_all", "gains", *DATASETS},
    "shots": {"baseline", "infer", "predict"},
    "serialize": {"infer", "predict"},
    "convert_model": {"infer"},
    "infer": set(),
    "predict": {"score", "score_all", "gains"},
    "baseline": {"score", "score_all"},
    "score": ARTIFACTS - {"rq6_figure31"},
    "gains": {"rq3_table7", "rq6_figure31"},
}
ALL = {*CONSUMERS, "score_all", *DATASETS, *ARTIFACTS}


def closure(*rules):
    found, todo = set(), list(rules)
    while todo:
        rule = todo.pop()
        if rule not in found:
            found.add(rule)
            todo += CONSUMERS.get(rule, ())
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


def test_every_rule_ran_once(finished):
    logs = {
        path.relative_to(finished.folder / "logs").parts[0]
        for path in (finished.folder / "logs").rglob("*.log")
    }
    assert {name.removesuffix(".log") for name in logs} == ALL


def test_task_text_of_one_dataset(finished):
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["task"].update(positive="rated very high"))
        plan = finished.planned()
    expected = closure("infer", "predict") - {"rq6_table10", "rq6_figure30", "rq6_figure31"}
    assert set(plan) == expected
    assert {path.split("/")[3] for path in plan["predict"]} == {"tae"}
    assert {path.split("/")[3] for path in plan["infer"]} == {"core"}
    assert "results/rq6/scores.parquet" not in plan["score"]


def test_what_only_tables_show_makes_only_tables_and_figures_anew(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(title="Small model"))
        assert set(finished.planned()) == ARTIFACTS - {"rq6_figure30"}
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(notes=["A note."]))
        assert set(finished.planned()) == {"dataset_table"}


def test_decoding_of_a_model(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["generation"].update(max_new_tokens=5))
        assert set(finished.planned()) == closure("infer", "predict")


def test_a_new_seed(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(seeds=[864, 460])
        plan = finished.planned()
    assert set(plan) == closure("shots", "infer", "predict")
    assert not any("k0" in path for path in plan["infer"] | plan["predict"])


def test_a_new_k(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(shots=[0, 2, 4, 6])
        plan = finished.planned()
    assert set(plan) == closure("shots", "infer", "predict")
    for rule in ("shots", "infer", "predict"):
        assert all("k4" in path for path in plan[rule])


def test_a_new_dataset(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(datasets=[*TINY["datasets"], "credit"])
        plan = finished.planned()
    assert set(plan) == closure("download", "infer") - {
        "rq6_table10",
        "rq6_figure30",
        "rq6_figure31",
    }
    for rule in ("download", "prepare", "split", "shots", "serialize", "baseline", "predict"):
        assert all("credit" in path for path in plan[rule]), rule


def test_a_larger_cap_on_test_rows_leaves_the_text_alone(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(test_rows=8)
        assert set(finished.planned()) == closure("split")


def test_one_artifact_needs_only_its_own_road(tmp_path):
    fresh = WorkflowCopy.create(tmp_path / "fresh")
    plan = fresh.planned("results/rq6/figure31.pdf")
    assert set(plan) == {
        "mlp_table", "split", "shots", "serialize", "convert_model", "infer", "predict", "gains",
        "rq6_figure31",
    }  # fmt: skip
    assert all("mlp" in path for path in plan["predict"] | plan["infer"])


MODULES = {
    "aggregate": ARTIFACTS,
    "audit": {"dataset_audit", "dataset_table"},
    "answers": {"predict"},
    "asks": {"infer", "predict"},
    "baseline_runs": {"baseline"},
    "baselines": {"baseline"},
    "cells": {"infer", "predict"},
    "codehash": set(),
    "derive": {"prepare"},
    "description": {"dataset_audit", "dataset_table"},
    "draft": set(),
    "engines/attention": {"infer"},
    "engines/base": {"infer", "predict"},
    "engines/decoding": {"infer"},
    "engines/packed_model": {"infer"},
    "engines/packing": {"infer"},
    "engines/rendering": {"infer"},
    "engines/scoring": {"infer"},
    "engines/transformers": {"infer"},
    "figures/rq1": {"rq1_figure6"},
    "figures/rq2": {"rq2_figure9"},
    "figures/rq3": {"rq3_figure10"},
    "figures/rq4": {"rq4_figure2"},
    "figures/rq6": {"rq6_figure30", "rq6_figure31"},
    "figures/style": FIGURES,
    "errors": ALL,
    "facts": {"score", "score_all", "gains"},
    "files": {"download", "convert_model"},
    "gguf": {"convert_model"},
    "grid": set(),
    "infer": {"infer"},
    "labels": {"predict"},
    "metrics": {"score", "score_all"},
    "mlp_prior": {"mlp_table"},
    "models": {"infer", "predict"},
    "names": ARTIFACTS,
    "openml_tasks": {"split", "shots"},
    "own": set(),
    "predict": {"predict"},
    "prepare": {"prepare"},
    "progress": {"infer"},
    "prompts": {"infer", "predict"},
    "readers": {"prepare"},
    "registry": {"download", "prepare", "infer", "predict"},
    "responses": {"infer", "predict"},
    "schemas": ALL - {"convert_model", "download"},
    "script": ALL,
    "selection": ARTIFACTS,
    "serialize": {"serialize", "infer", "predict"},
    "sources/fetch": {"download"},
    "sources/kaggle": {"download"},
    "sources/local": {"download"},
    "sources/openml": {"download"},
    "sources/url": {"download"},
    "split": {"split", "shots"},
    "statistics/combine": {"rq3_table7", "rq6_figure31"},
    "statistics/delong": {"gains"},
    "statistics/gains": {"gains"},
    "tables/datasets": {"dataset_audit", "dataset_table"},
    "tables/own": set(),
    "tables/rq1": {"rq1_table2"},
    "tables/rq2": {"rq2_table6"},
    "tables/rq3": {"rq3_table7"},
    "tables/rq4": {"rq4_table8"},
    "tables/rq6": {"rq6_table10"},
    "tables/rq7": {"rq7_table11"},
    "tables/layout": TABLES,
    "tables/notes": TABLES,
    "tables/writer": {*TABLES, *DATASETS},
    "transforms": {"prepare"},
    "validation": {"download", "prepare", "infer", "predict"},
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
        assert set(finished.planned()) == closure(*MODULES[module])


@pytest.mark.parametrize(
    ("environment", "rules"),
    [
        ("core", ALL - {"mlp_table", "convert_model"}),
        ("transformers", closure("mlp_table", "convert_model", "infer")),
    ],
)
def test_an_edited_environment_reruns_what_runs_in_it(finished, environment, rules):
    path = f"envs/{environment}.yaml"
    with edited(finished, path):
        append(finished, path, "  - tzdata\n")
        assert set(finished.planned()) == rules


def test_an_edited_script_reruns_its_rule(finished):
    with edited(finished, "workflow/scripts/baseline.py"):
        append(finished, "workflow/scripts/baseline.py", "\n")
        assert set(finished.planned()) == closure("baseline")


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
