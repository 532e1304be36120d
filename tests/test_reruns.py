"""What reruns when: per edit, exactly the affected jobs; per real rerun, only the new prompts."""

import shutil
from contextlib import contextmanager

import pytest
import yaml
from workflow_copy import TINY, TINY_WEIGHTS, WorkflowCopy

pytestmark = pytest.mark.slow

# What each table and figure is made from.
MADE_FROM = {
    "rq1_table2": {"score rq1", "chance"},
    "rq1_chance": {"score rq1", "chance"},
    "rq1_datasets": {"score rq1", "chance", "intervals"},
    "rq1_differences": {"score rq1", "intervals"},
    "rq1_figure1": {"score rq1"},
    "rq1_figure6": {"score rq1"},
    "rq1_ranks": {"score rq1"},
    "rq1_folding": {"score rq1"},
    "rq1_folding_conclusions": {"score rq1", "score rq3"},
    "rq1_probes_table3": {"probe_recognition"},
    "rq1_probes_table4": {"probe_recognition", "probe_reconstruction"},
    "rq1_probes_answers": {"probe_recognition"},
    "rq1_probes_completion": {"probe_completion"},
    "rq2_table5": set(),
    "rq2_table6": {"score rq2"},
    "rq2_figure9": {"score rq2"},
    "rq3_table7": {"score rq3", "gains rq3"},
    "rq3_llm_baselines": {"score rq3", "llm_baseline"},
    "rq3_figure10": {"score rq3"},
    "rq3_figure11": {"score rq3"},
    "rq3_figure12": {"score rq3"},
    "rq3_figure13": {"gains rq3"},
    "rq4_table8": {"score rq4"},
    "rq4_contrasts": {"contrasts"},
    "rq4_figure2": {"score rq4"},
    "rq4_contexts": {"score rq4"},
    "rq5_table9": {"score rq5"},
    "rq5_contexts": {"score rq5"},
    **{f"rq5_figure{number}": {"score rq5"} for number in range(19, 24)},
    "rq6_table10": {"score rq6"},
    "rq6_table15": set(),
    "rq6_table16": {"intrinsic"},
    "rq6_figure30": {"score rq6"},
    "rq6_figure31": {"gains rq6"},
    "complexity_placement": {"placement"},
    "complexity_correlations": {"placement", "gains rq3"},
    "complexity_placement_figure": {"placement", "gains rq3"},
    "rq7_table11": {"score rq7"},
    "rq7_calibration": {"calibration"},
    "rq7_reliability": {"calibration"},
    "scitarc_table1": {"scitarc_complexity"},
    "scitarc_cost": {"scitarc_responses"},
    "scitarc_error_sheet": {"scitarc_questions", "scitarc_answers", "scitarc_scores"},
    **{
        f"scitarc_{name}": {"scitarc_scores"}
        for name in (
            *("table2", "conditions", "differences", "found_answers", "table4", "judges"),
            *("failures", "comparison"),
            *("figure2", "figure4", "figure5", "figure7", "figure8", "figure9"),
        )
    },
    **{
        f"scitarc_{name}": {"scitarc_scores", "scitarc_complexity"}
        for name in ("by_complexity", "figure3", "figure6")
    },
    "baselines_fitted": {
        f"{rule} {suite}"
        for rule in ("baseline", "baseline_pretrained")
        for suite in ("real", "llm", "mlp")
    },
    "paper_discrepancies": {"published"},
    "paper_comparison": {"published", "score_all"},
    "paper_comparison_figure": {"published", "score_all"},
}
UNTITLED = {
    *("rq2_table5", "rq6_table15", "rq6_table16", "rq6_figure30"),
    *("complexity_placement", "baselines_fitted", "paper_discrepancies"),
    *("scitarc_table1", "scitarc_error_sheet"),
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
    *("convert_model", "model_entry", "predict_code", "baseline_weights", "score_all"),
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


ASKING = {*every("infer"), *PROBES, "scitarc_responses"}
"""Jobs that load the model."""

# Direct consumers of what each job makes, the three kinds of datasets apart. The marker
# of infer triggers nothing: predict takes it as ancient.
CONSUMERS = {
    "download real": {"prepare real", "dataset_table"},
    "dialogue llm": {"llm_table llm"},
    "convert_model": set(ASKING),
    "model_entry": every("predict") | ASKING,
    "predict_code": every("predict"),
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
    consumed(f"predict {suite}", *scored, *tested)
    fitted = [f"score {rq}" for rq in asked if rq in WITH_BASELINES]
    for job in fits:
        consumed(job, *fitted, "score_all")
for artifact, makers in MADE_FROM.items():
    for maker in makers:
        consumed(maker, artifact)
for shown in ("score_all", "domain_cells", "domain_page", *DATASETS, *MADE_FROM):
    consumed(shown, "index")
ALL = {*CONSUMERS, *every("infer"), "index"}


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
    assert jobs(plan) == closure({"prompts real", "llm_table llm", "llm_logic"})
    assert {path.split("/")[2] for path in plan["prompts"]} == {"tae", "tae_ls_repository"}
    assert {path.split("/")[3] for path in plan["predict"]} == {"tae", "tae_ls_repository"}


def test_what_only_tables_show_makes_only_tables_and_figures_anew(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(title="Small model"))
        assert jobs(finished.planned()) == closure({*MADE_FROM, "domain_page"} - UNTITLED)
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(notes=["A note."]))
        assert jobs(finished.planned()) == closure({"dataset_table"})


@pytest.mark.parametrize("part", ["html", "css", "js"])
def test_the_page_follows_its_template(finished, part):
    path = f"workflow/scripts/tabbench/pages/index.{part}"
    with edited(finished, path):
        append(finished, path, "\n")
        assert jobs(finished.planned()) == {"index"}


def test_a_published_number_makes_only_what_shows_it_anew(finished):
    path = "resources/paper/table7.csv"
    with edited(finished, path):
        append(finished, path, "Qwen3-8B,128,0.800,0.020\n")
        assert jobs(finished.planned()) == closure({"published"})


def test_decoding_of_a_model(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["generation"].update(max_new_tokens=5))
        assert jobs(finished.planned()) == closure({"model_entry"})


def test_a_new_seed(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(seeds=[864, 460])
        plan = finished.planned()
    # RQ2 is zero-shot only; RQ1 shows baselines with examples, but tests zero-shot against chance.
    unasked = closure({"score rq2"}) - {"index"} | {"chance"}
    assert jobs(plan) == closure(every("shots")) - unasked
    assert not any("k0" in path for rule in ("prompts", "infer", "predict") for path in plan[rule])


def test_a_new_k(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(shots=[0, 2, 4, 6])
        plan = finished.planned()
    # RQ7 asks the two ends, which are the same, RQ5 those that it names.
    unasked = {"prompts llm", "infer llm", "predict llm", "chance"}
    unasked |= closure({"score rq2", "score rq7", "calibration"}) - {"index"}
    assert jobs(plan) == closure(every("shots")) - unasked
    for rule in ("shots", "prompts", "infer", "predict"):
        assert all("k2" in path for path in plan[rule])


def test_a_new_dataset(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(datasets=[*TINY["datasets"], "credit"])
        plan = finished.planned()
    # The probes have datasets of their own.
    unasked = PROBES | {name for name, makers in MADE_FROM.items() if makers & PROBES}
    assert jobs(plan) == closure({"download real"}) - unasked
    new = ("download", "prepare", "split", "shots", "serialize", "prompts", "baseline", "predict")
    for rule in new:
        assert all("credit" in path for path in plan[rule]), rule


def test_a_larger_cap_on_test_rows_leaves_the_rows_as_text_alone(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(test_rows=8)
        assert jobs(finished.planned()) == closure(every("split"))


def test_other_thresholds_of_the_probes_ask_nothing(finished):
    with edited(finished, "config/tiny.yaml"):
        thresholds = {"lift": {"leaked": 0.3}}
        finished.configure(probes=TINY["probes"] | {"thresholds": thresholds})
        assert jobs(finished.planned()) == closure({"rq1_probes_table4"})


def test_only_flagged_datasets_are_probed_further(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(probes=TINY["probes"] | {"reconstruct": "flagged"})
        assert jobs(finished.planned()) == closure({"probe_reconstruction", "probe_completion"})


def test_one_artifact_needs_only_its_own_road(tmp_path):
    fresh = WorkflowCopy.create(tmp_path / "fresh")
    assert jobs(fresh.planned("results/rq6/figure31.pdf")) == {
        *("mlp_table mlp", "split mlp", "shots mlp", "serialize mlp", "prompts mlp"),
        *("convert_model", "model_entry", "predict_code", "infer mlp", "predict mlp"),
        *("gains rq6", "rq6_figure31"),
    }


def test_new_datasets_bring_the_figure_that_compares_them(finished):
    assert not finished.planned()
    with edited(finished, "config/tiny.yaml"):
        finished.configure(datasets=[*TINY["datasets"], "machine"])
        assert "rq1_figure7" in finished.planned()


def test_without_examples_no_gain_is_drawn(finished):
    with edited(finished, "config/tiny.yaml"):
        finished.configure(
            shots=[0],
            research_questions={"rq3": TINY["research_questions"]["rq3"]},
        )
        asked = finished.run("--dry-run", "--forceall")
    assert "figure10.pdf" in asked
    assert "figure11.pdf" not in asked


def test_an_edited_template_makes_its_page_anew(finished):
    path = "workflow/scripts/tabbench/pages/cells.html"
    with edited(finished, path):
        append(finished, path, "<!-- edited -->\n")
        assert jobs(finished.planned()) == closure({"domain_page"})


def test_an_edited_transcript_is_asked_for_anew(finished):
    path = "resources/transcripts/repository/llm_tree/tae/query1.md"
    with edited(finished, path):
        append(finished, path, "\n")
        assert jobs(finished.planned()) == {"model_entry"} | closure({"llm_logic"})


# That a rule's hash covers exactly what it imports: test_codehash_of_rules.py. Here, for modules
# on each stretch of the road, that Snakemake acts on it.
MODULES = {
    "answers": {"predict_code"},
    "audit": DATASETS,
    "baselines/classical": every("baseline"),
    "baselines/foundation": {"baseline_weights", *every("baseline_pretrained")},
    "dimension": {"dimension real"},
    "engines/packing": ASKING,
    "engines/replay": {"llm_logic"},
    "engines/vllm": set(),
    "figures/rq6": {"rq6_figure30", "rq6_figure31"},
    "figures/scitarc_gains": {"scitarc_figure7", "scitarc_figure8", "scitarc_figure9"},
    "grid": set(),
    "labels": {"predict_code"},
    "llm_baselines/prompts": {"llm_logic", "rq3_llm_baselines"},
    "llm_baselines/scoring": {"llm_baseline"},
    "llm_table": {"dialogue llm", "llm_table llm"},
    "mlp_prior": {"mlp_table mlp"},
    "orders": {
        *("complexity_placement", "complexity_correlations", "complexity_placement_figure"),
    },
    "placement": {"placement"},
    "probes/windows": PROBES,
    "prompts": every("prompts"),
    "scitarc/extraction": {"scitarc_responses"},
    "scitarc/matcher_items": {"scitarc_scores", "scitarc_judges"},
    "scitarc/responses": {"scitarc_responses"},
    "scitarc/tokenizers": {"scitarc_complexity"},
    "sources/url": {"download real"},
    "statistics/gains": {
        *("gains rq3", "gains rq6", "rq3_table7"),
        *("rq3_figure11", "rq3_figure12", "rq3_figure13", "rq6_figure30", "rq6_figure31"),
    },
    "tables/rq7": {"rq7_table11"},
    "tables/scitarc_judges": {"scitarc_judges"},
}


@pytest.mark.parametrize("module", MODULES)
def test_an_edited_module_reruns_what_uses_it(finished, module):
    path = f"workflow/scripts/tabbench/{module}.py"
    with edited(finished, path):
        append(finished, path, "\nEDITED = True\n")
        assert jobs(finished.planned()) == closure(MODULES[module])


@pytest.mark.parametrize(
    ("environment", "affected"),
    [
        (
            "core",
            ALL
            - {
                *("mlp_table mlp", "convert_model", "dialogue llm", "intrinsic"),
                "baseline_weights",
            },
        ),
        ("tabular", closure({"baseline_weights"})),
        ("complexity", closure({"intrinsic", "dimension real"})),
        (
            "transformers",
            closure(
                {"mlp_table mlp", "convert_model", "dialogue llm", *ASKING, "scitarc_complexity"}
            ),
        ),
    ],
)
def test_an_edited_environment_reruns_what_runs_in_it(finished, environment, affected):
    path = f"envs/{environment}.yaml"
    with edited(finished, path):
        append(finished, path, "  - tzdata\n")
        assert jobs(finished.planned()) == affected


def test_other_weights_rerun_only_the_baseline_that_has_them(finished):
    with edited(finished, TINY_WEIGHTS):
        append(finished, TINY_WEIGHTS, "another")
        assert jobs(finished.planned()) == closure({"baseline_weights"})


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
        assert jobs(finished.planned()) == closure({"predict_code", *ASKING})


def test_an_interrupted_run_leaves_nothing_out_of_date(finished):
    """The reading code was written down anew, then the run stopped; now infer reruns as well."""
    paths = ["results/predictions/code.json", "workflow/scripts/tabbench/engines/packing.py"]
    with edited(finished, *paths):
        for path in paths:
            append(finished, path, "\n")
        append(finished, paths[1], "EDITED = True\n")
        assert jobs(finished.planned()) == closure({*every("predict"), *ASKING})


def test_a_real_rerun_asks_only_what_is_new(finished, tmp_path):
    """A new text of one dataset, then a parser fix, then a new seed, each really run."""
    copy = WorkflowCopy(tmp_path / "copy")
    shutil.copytree(finished.folder, copy.folder)
    before = copy.log_lines()

    path = "resources/datasets/tae.yaml"
    rewrite(copy, path, lambda entry: entry["task"].update(positive="rated very high"))
    target = "results/predictions/smollm2_135m/tae/k4.parquet"
    copy.run(target)
    # 6 rows x (feat_val, feat_val_mask) under the contextual prompt; context-free is untouched.
    assert copy.log_lines() - before == 12

    append(copy, "workflow/scripts/tabbench/answers.py", "\nEDITED = True\n")
    copy.run(target)
    assert copy.log_lines() - before == 12

    copy.configure(seeds=[864, 460])
    copy.run("results/predictions/smollm2_135m/diabetes/k4.parquet")
    # 6 rows x 4 contexts of the new seed, for both datasets of the job; tae has its text asked
    # above for the old seed only.
    assert copy.log_lines() - before == 12 + 48
