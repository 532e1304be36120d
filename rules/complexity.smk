"""Complexity in practice: where real datasets lie on the scale of the complexity grid (RQ6)."""


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
        facts=dataset_facts(REAL),
        code=code("placement.py", "core"),
    message:
        "Place the real datasets on the scale of the complexity grid"
    script:
        "../workflow/scripts/placement.py"


rule complexity_placement:
    input:
        placement="results/complexity/placement.parquet",
        scale="results/complexity/scale.parquet",
    output:
        table_files("complexity", "placement"),
    log:
        "logs/complexity_placement.log",
    benchmark:
        "results/benchmarks/complexity_placement.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.placement",
        name="placement",
        arguments=dict(baselines=baseline_titles(), rows=config["mlp"]["rows"]),
        code=code("table.py", "core", ["tabbench.tables.placement"]),
    message:
        "Table of the real datasets on the complexity grid"
    script:
        "../workflow/scripts/table.py"


rule complexity_correlations:
    input:
        unpack(placed_gains),
        placement="results/complexity/placement.parquet",
    output:
        table_files("complexity", "correlations"),
    log:
        "logs/complexity_correlations.log",
    benchmark:
        "results/benchmarks/complexity_correlations.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.placement",
        name="correlations",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("table.py", "core", ["tabbench.tables.placement"]),
    message:
        "Rank correlations of complexity and of what examples gain"
    script:
        "../workflow/scripts/table.py"


rule complexity_placement_figure:
    input:
        unpack(placed_gains),
        placement="results/complexity/placement.parquet",
        scale="results/complexity/scale.parquet",
    output:
        PLACEMENT_FIGURE[0],
        marked(PLACEMENT_FIGURE[1], "complexity", "placement", "Figures"),
        PLACEMENT_FIGURE[2],
    log:
        "logs/complexity_placement_figure.log",
    benchmark:
        "results/benchmarks/complexity_placement_figure.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.placement",
        name="placement",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.placement"]),
    message:
        "Figure of the real datasets on the complexity grid"
    script:
        "../workflow/scripts/figure.py"
