"""Rows as text, and from them the prompts."""


rule serialize:
    input:
        table="results/datasets/{dataset}/table.parquet",
    output:
        serialized="results/datasets/{dataset}/serialized.parquet",
    log:
        "logs/serialize/{dataset}.log",
    benchmark:
        "results/benchmarks/serialize/{dataset}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        code=code("serialize.py", "core"),
    message:
        "Serialize the rows of {wildcards.dataset}"
    script:
        "../workflow/scripts/serialize.py"


rule prompts:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        serialized="results/datasets/{dataset}/serialized.parquet",
        shots=prompts_shots,
        labelled=labelled_shots,
        rules=prompts_rules,
    output:
        prompts="results/prompts/{dataset}/k{k}.parquet",
    log:
        "logs/prompts/{dataset}_k{k}.log",
    benchmark:
        "results/benchmarks/prompts/{dataset}_k{k}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        variants=prompts_variants,
        seeds=draw_seeds,
        task=dataset_task,
        code=code("prompts.py", "core"),
    message:
        "Build the prompts of {wildcards.dataset} at k = {wildcards.k}"
    script:
        "../workflow/scripts/prompts.py"
