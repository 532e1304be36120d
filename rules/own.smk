"""A user's own dataset: every model and baseline of the configuration on it."""


rule own_summary:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        predictions=own_predictions,
    output:
        csv="results/own/{dataset}/summary.csv",
        md="results/own/{dataset}/summary.md",
        tex="results/own/{dataset}/summary.tex",
    log:
        "logs/own_summary/{dataset}.log",
    benchmark:
        "results/benchmarks/own_summary/{dataset}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        title=lambda w: DATASETS[w.dataset]["title"],
        models=titles(),
        baselines=baseline_titles(),
        code=code("own_summary.py", "core"),
    message:
        "Every model and baseline on {wildcards.dataset}"
    script:
        "../workflow/scripts/own_summary.py"
