"""What each job of the tiny configuration is made from, and ways to edit a copy of the workflow."""

import shutil
from contextlib import contextmanager

import yaml

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


ASKING = {*every("infer"), *PROBES, "scitarc_responses"}
"""Jobs that load the model."""

# Direct consumers of what each job makes, the three kinds of datasets apart.
CONSUMERS = {
    "download real": {"prepare real", "dataset_table"},
    "dialogue llm": {"llm_table llm"},
    "convert_model": set(ASKING),
    "model_entry": every("predict") | ASKING,
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


# That a rule's hash covers exactly what it imports: test_codehash_of_rules.py. Here, for modules
# on each stretch of the road, that Snakemake acts on it.
MODULES = {
    "answers": every("predict"),
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
    "labels": every("predict"),
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
