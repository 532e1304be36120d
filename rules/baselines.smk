"""Classical models on the same splits, examples and seeds."""


rule baseline:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        shots=baseline_shots,
    output:
        predictions="results/baselines/{dataset}.parquet",
    log:
        "logs/baseline/{dataset}.log",
    benchmark:
        "results/benchmarks/baseline/{dataset}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=list(GRID.baselines),
        code=code("baseline.py", "core"),
    message:
        "Fit the baselines of {wildcards.dataset}"
    script:
        "../workflow/scripts/baseline.py"
