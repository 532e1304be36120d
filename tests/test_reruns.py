"""What reruns when: per edit, exactly the affected jobs; per real rerun, only the new prompts."""

import pytest
from rerun_expectations import (
    ALL,
    MADE_FROM,
    MODULES,
    PROBES,
    SERVING,
    UNTITLED,
    append,
    closure,
    edited,
    every,
    jobs,
    rewrite,
)
from workflow_copy import TINY, TINY_WEIGHTS, WorkflowCopy, copy_run

pytestmark = pytest.mark.slow


def test_nothing_changed_nothing_runs(finished):
    assert finished.planned() == {}


def test_every_rule_ran(finished):
    logs = finished.folder / "logs"
    ran = {path.relative_to(logs).parts[0].removesuffix(".log") for path in logs.rglob("*.log")}
    assert ran == {job.split()[0] for job in ALL}


@pytest.mark.parametrize("change", [{"positive": "rated very high"}, {"entity": "a tutor"}])
def test_task_text_of_one_dataset(finished, change):
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry["task"].update(change))
        plan = finished.planned()
    assert jobs(plan) == closure({"prompts real", "llm_table llm", "llm_logic", "dataset_audit"})
    assert {path.split("/")[2] for path in plan["prompts"]} == {"tae", "tae_ls_repository"}
    assert {path.split("/")[3] for path in plan["predict"]} == {"core", "llm_synthetic"}


def test_what_only_tables_show_makes_only_tables_and_figures_anew(finished):
    path = "resources/models/smollm2_135m.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(title="Small model"))
        assert jobs(finished.planned()) == closure({*MADE_FROM, "domain_page"} - UNTITLED)
    path = "resources/datasets/tae.yaml"
    with edited(finished, path):
        rewrite(finished, path, lambda entry: entry.update(notes=["A note."]))
        assert jobs(finished.planned()) == closure({"dataset_table"})


@pytest.mark.parametrize("part", ["index.html", "index.css", "index.js", "macros.html"])
def test_the_page_follows_its_template(finished, part):
    path = f"workflow/scripts/tabbench/reporting/page/templates/{part}"
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
    new = ("download", "prepare", "split", "shots", "serialize", "prompts", "baseline")
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
        *("convert_model", "model_entry", "infer mlp", "predict mlp"),
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
    path = "workflow/scripts/tabbench/reporting/page/templates/cells.html"
    with edited(finished, path):
        append(finished, path, "<!-- edited -->\n")
        assert jobs(finished.planned()) == closure({"domain_page"})


def test_an_edited_transcript_is_asked_for_anew(finished):
    path = "resources/transcripts/repository/llm_tree/tae/query1.md"
    with edited(finished, path):
        append(finished, path, "\n")
        assert jobs(finished.planned()) == {"model_entry"} | closure({"llm_logic"})


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
            ALL - {"mlp_table mlp", "convert_model", "intrinsic", "baseline_weights"},
        ),
        ("tabular", closure({"baseline_weights"})),
        ("complexity", closure({"intrinsic", "dimension real"})),
        (
            "transformers",
            closure({"mlp_table mlp", "convert_model", *SERVING, "scitarc_complexity"}),
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
        append(finished, "workflow/scripts/baseline.py", "EDITED = True\n")
        assert jobs(finished.planned()) == closure(every("baseline"))


PROSE = '\n\n# A comment.\n"""A string that stands alone."""\n'


@pytest.mark.parametrize(
    "path",
    [
        *(
            "scoring/metrics.py",
            "prompts/prompts.py",
            "inference/engines/transformers.py",
            "../infer.py",
            "../predict.py",
        ),
        *("synthetic/driver.py", "reporting/tables/rq1.py"),
    ],
)
def test_prose_reruns_nothing(finished, path):
    path = f"workflow/scripts/tabbench/{path}"
    with edited(finished, path):
        append(finished, path, PROSE)
        assert finished.planned() == {}


def test_a_comment_in_an_environment_reruns_nothing(finished):
    with edited(finished, "envs/core.yaml"):
        append(finished, "envs/core.yaml", "# A comment.\n")
        assert finished.planned() == {}


def test_a_renamed_checkout_reruns_nothing(finished, tmp_path):
    moved = WorkflowCopy(tmp_path / "moved")
    finished.folder.rename(moved.folder)
    try:
        assert moved.planned() == {}
    finally:
        moved.folder.rename(finished.folder)


def test_a_real_rerun_asks_only_what_is_new(finished, tmp_path):
    """A new entity of one dataset, then a parser fix, then a new seed, each really run."""
    copy = WorkflowCopy(tmp_path / "copy")
    copy_run(finished.folder, copy.folder)
    before = copy.log_lines()

    path = "resources/datasets/tae.yaml"
    rewrite(copy, path, lambda entry: entry["task"].update(entity="a tutor"))
    target = "results/predictions/smollm2_135m/core/k4.parquet"
    copy.run(target)
    # 6 rows x (feat_val, feat_val_mask) under the contextual prompt; context-free is untouched.
    assert copy.log_lines() - before == 12

    append(copy, "workflow/scripts/tabbench/scoring/label_parser.py", "\nEDITED = True\n")
    copy.run(target)
    assert copy.log_lines() - before == 12

    copy.configure(seeds=[864, 460])
    copy.run(target)
    # 6 rows x 4 contexts of the new seed, for both datasets of the job; tae has its text asked
    # above for the old seed only.
    assert copy.log_lines() - before == 12 + 48
