"""What a run will ask, before anything is spent: snakemake plan

No language model answers for it: tables that one has yet to write are counted like the datasets
that they mirror. A dataset that could not be had fails the first plan, with the reason; the next
one leaves it out and says so.
"""


rule plan:
    input:
        lambda w: prompts_to_make(),
        lambda w: text_inputs(),
    output:
        md="results/plan.md",
        csv="results/plan.csv",
        power="results/plan_power.csv",
    log:
        "logs/plan.log",
    benchmark:
        "results/benchmarks/plan.tsv"
    conda:
        "../envs/transformers.yaml"
    params:
        entries=MODELS,
        asked=lambda w: planned_prompts(),
        logged=lambda w: logged_bytes(),
        unmade=lambda w: unmade_prompts(),
        texts=lambda w: text_jobs(),
        gaps=lambda w: planning_gaps(),
        suites={
            name: GRID.suite(name)
            for name in [*GRID.in_suites(SUITES), *USER_DATASETS]
        },
        budget=config.get("budget"),
        questions=lambda w: planned_questions(),
        pilot=lambda w: pilot(),
        draws=len(GRID.seeds),
        power=config.get("plan", {}),
        code=code("plan.py", "transformers"),
    message:
        "Count the remaining prompts, tokens and cost"
    script:
        "../workflow/scripts/plan.py"


# Without input and output it can be asked while a run holds the folder.
rule status:
    log:
        "logs/status.log",
    conda:
        "../envs/core.yaml"
    params:
        jobs=lambda w: status_jobs(),
        currencies={
            name: MODELS[name]["prices"]["currency"]
            for name in GRID.models
            if "prices" in MODELS[name]
        },
        titles=titles(),
        last="logs/status.json",
        code=code("status.py", "core"),
    message:
        "Count the answered prompts"
    script:
        "../workflow/scripts/status.py"
