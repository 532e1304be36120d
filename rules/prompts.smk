"""Rows as text. Prompts themselves are built where they are used, by one function."""


rule serialize:
    input:
        table="results/datasets/{dataset}/table.parquet",
    output:
        serialized="results/datasets/{dataset}/serialized.parquet",
    log:
        "logs/serialize/{dataset}.log",
    benchmark:
        "results/benchmarks/serialize/{dataset}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        code=code("serialize.py", "core"),
    message:
        "Write the rows of {wildcards.dataset} as text, in all formats"
    script:
        "../workflow/scripts/serialize.py"
