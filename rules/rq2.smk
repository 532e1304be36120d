"""RQ2: How much of zero-shot performance comes from the prompt?"""


rule rq2_table6:
    input:
        scores="results/rq2/scores.parquet",
    output:
        table_files("rq2", "table6"),
    log:
        "logs/rq2_table6.log",
    benchmark:
        "results/benchmarks/rq2_table6.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq2",
        name="table6",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq2"]),
    message:
        "Table VI: zero-shot ROC-AUC by context"
    script:
        "../workflow/scripts/table.py"


rule rq2_figure9:
    input:
        scores="results/rq2/scores.parquet",
    output:
        figure_files("rq2", "figure9"),
    log:
        "logs/rq2_figure9.log",
    benchmark:
        "results/benchmarks/rq2_figure9.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq2",
        name="figure9",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.rq2"]),
    message:
        "Figure 9: zero-shot ROC-AUC by context"
    script:
        "../workflow/scripts/figure.py"


rule rq2_table5:
    output:
        table_files("rq2", "table5"),
    log:
        "logs/rq2_table5.log",
    benchmark:
        "results/benchmarks/rq2_table5.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.configurations",
        name="table5",
        arguments=dict(),
        code=code("table.py", "core", ["tabbench.tables.configurations"]),
    message:
        "Table V: the context configurations"
    script:
        "../workflow/scripts/table.py"
