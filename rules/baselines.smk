"""Models that are fitted on the same splits, examples and seeds, without any language.

Pretrained ones have jobs and an environment of their own, so that other weights rerun only them.
"""


rule baseline:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        shots=baseline_shots,
        labelled=labelled_shots,
    output:
        predictions="results/baselines/{dataset}.parquet",
        fits="results/baselines/fits/{dataset}.parquet",
    log:
        "logs/baseline/{dataset}.log",
    benchmark:
        "results/benchmarks/baseline/{dataset}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=lambda w: GRID.classical_of(w.dataset),
        full_seed=dataset_full_seed,
        code=code("baseline.py", "core"),
    message:
        "Fit the baselines of {wildcards.dataset}"
    script:
        "../workflow/scripts/baseline.py"


# First of all jobs: missing weights end a run before it has cost anything.
rule baseline_weights:
    input:
        baseline_weights_file,
    output:
        "results/baselines/{model}/weights.json",
    log:
        "logs/baseline_weights/{model}.log",
    benchmark:
        "results/benchmarks/baseline_weights/{model}.tsv"
    wildcard_constraints:
        model=one_of(GRID.all_pretrained),
    priority: FIRST
    conda:
        "../envs/tabular.yaml"
    params:
        wanted=wanted_weights,
        on_missing=config.get("on_missing_weights", "error"),
        code=code("baseline_weights.py", "tabular"),
    message:
        "Find the weights of {wildcards.model}"
    script:
        "../workflow/scripts/baseline_weights.py"


rule baseline_pretrained:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        shots=baseline_shots,
        labelled=labelled_shots,
        weights="results/baselines/{model}/weights.json",
    output:
        predictions="results/baselines/{model}/{dataset}.parquet",
        fits="results/baselines/{model}/fits/{dataset}.parquet",
    log:
        "logs/baseline_pretrained/{model}/{dataset}.log",
    benchmark:
        "results/benchmarks/baseline_pretrained/{model}/{dataset}.tsv"
    wildcard_constraints:
        model=one_of(GRID.all_pretrained),
    conda:
        "../envs/tabular.yaml"
    resources:
        gpu=baseline_gpus(),
        mem_mb=8000,
        runtime=240,
    params:
        device=baseline_device(),
        full_seed=dataset_full_seed,
        code=code("baseline_pretrained.py", "tabular"),
    message:
        "Predict {wildcards.dataset} with {wildcards.model}"
    script:
        "../workflow/scripts/baseline_pretrained.py"


rule replicate:
    input:
        table="results/datasets/{dataset}/table.parquet",
        released=f"{PAPER}/released_cells.csv",
    output:
        fits="results/replication/{dataset}.parquet",
    log:
        "logs/replicate/{dataset}.log",
    benchmark:
        "results/benchmarks/replicate/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(REAL),
    conda:
        "../envs/core.yaml"
    params:
        split=split_settings,
        metadata=lambda w: dataset_metadata([w.dataset]),
        code=code("replicate.py", "core"),
    message:
        "Refit the released logistic regression on {wildcards.dataset}"
    script:
        "../workflow/scripts/replicate.py"
