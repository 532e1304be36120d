from snakemake.utils import min_version

min_version("9.27")


report: "workflow/report/workflow.rst"


# A configuration given on the command line stands alone: merged with the default, keys that it
# leaves out would silently come from there.
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/parameters.smk"
include: "rules/paths.smk"
include: "rules/model_jobs.smk"
include: "rules/scitarc_parameters.smk"
include: "rules/scitarc_artifacts.smk"
include: "rules/artifacts.smk"
include: "rules/data.smk"
include: "rules/datasets.smk"
include: "rules/synthesis.smk"
include: "rules/dialogues.smk"
include: "rules/prompts.smk"
include: "rules/inference.smk"
include: "rules/baselines.smk"
include: "rules/llm_baselines.smk"
include: "rules/scoring.smk"
include: "rules/probes.smk"
include: "rules/complexity.smk"
include: "rules/domains.smk"
include: "rules/paper.smk"
include: "rules/own.smk"
include: "rules/scitarc.smk"
include: "rules/scitarc_tables.smk"
include: "rules/report.smk"
include: "rules/planning.smk"
include: "rules/plan.smk"
include: "rules/targets.smk"


# On a cluster, what takes seconds runs where Snakemake runs; a job costs more than that.
SUBMITTED = (
    *("convert_model", "infer", "infer_part", "dialogue", "baseline"),
    "baseline_pretrained",
    *("probe_recognition", "probe_reconstruction", "probe_completion"),
    *("scitarc_responses", "scitarc_answers", "scitarc_scores", "scitarc_second_judge"),
    *("llm_logic", "llm_baseline"),
)
workflow.localrules(
    *(rule.name for rule in workflow.rules if rule.name not in SUBMITTED)
)


rule all:
    default_target: True
    input:
        "results/scores.parquet",
        all_artifacts(),
        scitarc_results(),
        "results/index.html",


# Needs no language model, and nothing else needs it.
rule replication:
    input:
        [path for artifact in REPLICATION for path in artifact.paths],


rule scitarc:
    input:
        scitarc_results(),
        scitarc_artifacts(),


onsuccess:
    if os.path.exists("results/index.html"):
        print(
            "\nDone. Open results/index.html; tables and figures: results/rq*/ and results/scitarc/, all scores: results/scores.parquet\n"
        )
