"""Complexity in practice: where real datasets lie on the scale of the complexity grid (RQ6)."""


rule intrinsic:
    input:
        tables=mlp_tables(),
    output:
        intrinsic="results/rq6/intrinsic.parquet",
    log:
        "logs/intrinsic.log",
    benchmark:
        "results/benchmarks/intrinsic.tsv"
    conda:
        "../envs/complexity.yaml"
    params:
        levels=mlp_levels(),
        code=code("intrinsic.py", "complexity"),
    message:
        "Estimate the intrinsic dimension of the complexity grid"
    script:
        "../workflow/scripts/intrinsic.py"


rule dimension:
    input:
        table="results/datasets/{dataset}/table.parquet",
    output:
        dimension="results/complexity/dimensions/{dataset}.parquet",
    log:
        "logs/dimension/{dataset}.log",
    benchmark:
        "results/benchmarks/dimension/{dataset}.tsv"
    conda:
        "../envs/complexity.yaml"
    params:
        rows=config["mlp"]["rows"],
        code=code("dimension.py", "complexity"),
    message:
        "Estimate the intrinsic dimension of {wildcards.dataset}"
    script:
        "../workflow/scripts/dimension.py"


rule placement:
    input:
        predictions=baseline_files((*REAL_SUITES, "mlp")),
        intrinsic="results/rq6/intrinsic.parquet",
        dimensions=dimension_files(REAL),
        splits=splits_of(REAL_SUITES),
    output:
        placement="results/complexity/placement.parquet",
        scale="results/complexity/scale.parquet",
    log:
        "logs/placement.log",
    benchmark:
        "results/benchmarks/placement.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=PLACING,
        shots=placing_shots(),
        metadata=dataset_metadata(REAL),
        code=code("placement.py", "core"),
    message:
        "Place the real datasets on the complexity grid"
    script:
        "../workflow/scripts/placement.py"
