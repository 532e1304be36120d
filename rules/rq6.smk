"""RQ6: How does the complexity of a dataset limit language models?"""


rule rq6_table10:
    input:
        scores="results/rq6/scores.parquet",
    output:
        table_files("rq6", "table10"),
    log:
        "logs/rq6_table10.log",
    benchmark:
        "results/benchmarks/rq6_table10.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq6",
        name="table10",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq6"]),
    message:
        "Table X: ROC-AUC on the complexity grid"
    script:
        "../workflow/scripts/table.py"


rule rq6_figure30:
    input:
        scores="results/rq6/scores.parquet",
    output:
        figure_files("rq6", "figure30"),
    log:
        "logs/rq6_figure30.log",
    benchmark:
        "results/benchmarks/rq6_figure30.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq6",
        name="figure30",
        arguments=dict(baselines=baseline_titles()),
        code=code("figure.py", "core", ["tabbench.figures.rq6"]),
    message:
        "Figure 30: the strongest baseline on the complexity grid"
    script:
        "../workflow/scripts/figure.py"


rule rq6_figure31:
    input:
        tests="results/rq6/gains.parquet",
    output:
        figure_files("rq6", "figure31"),
    log:
        "logs/rq6_figure31.log",
    benchmark:
        "results/benchmarks/rq6_figure31.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq6",
        name="figure31",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.rq6"]),
    message:
        "Figure 31: significance of the gain over zero-shot by level"
    script:
        "../workflow/scripts/figure.py"


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


rule rq6_table15:
    input:
        table15=f"{PAPER}/table15.csv",
    output:
        table_files("rq6", "table15"),
    log:
        "logs/rq6_table15.log",
    benchmark:
        "results/benchmarks/rq6_table15.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.complexity",
        name="table15",
        arguments=dict(tables=tables_by_level(), rows=config["mlp"]["rows"]),
        code=code("table.py", "core", ["tabbench.tables.complexity"]),
    message:
        "Table XV: the levels of the complexity grid"
    script:
        "../workflow/scripts/table.py"


rule rq6_table16:
    input:
        intrinsic="results/rq6/intrinsic.parquet",
        table16=f"{PAPER}/table16.csv",
    output:
        table_files("rq6", "table16"),
    log:
        "logs/rq6_table16.log",
    benchmark:
        "results/benchmarks/rq6_table16.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.complexity",
        name="table16",
        arguments=dict(rows=config["mlp"]["rows"]),
        code=code("table.py", "core", ["tabbench.tables.complexity"]),
    message:
        "Table XVI: intrinsic dimension of the complexity grid"
    script:
        "../workflow/scripts/table.py"
