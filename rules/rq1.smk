"""RQ1: How competitive are language models in zero-shot classification?"""


rule rq1_table2:
    input:
        scores="results/rq1/scores.parquet",
    output:
        table_files("rq1", "table2"),
    log:
        "logs/rq1_table2.log",
    benchmark:
        "results/benchmarks/rq1_table2.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq1",
        name="table2",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("table.py", "core", ["tabbench.tables.rq1"]),
    message:
        "Table II: zero-shot ROC-AUC by group of datasets"
    script:
        "../workflow/scripts/table.py"


rule rq1_figure1:
    input:
        scores="results/rq1/scores.parquet",
    output:
        figure_files("rq1", "figure1"),
    log:
        "logs/rq1_figure1.log",
    benchmark:
        "results/benchmarks/rq1_figure1.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq1",
        name="figure1",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq1"]),
    message:
        "Figure 1: zero-shot models beside a baseline on few examples, by domain"
    script:
        "../workflow/scripts/figure.py"


rule rq1_figure6:
    input:
        scores="results/rq1/scores.parquet",
    output:
        figure_files("rq1", "figure6"),
    log:
        "logs/rq1_figure6.log",
    benchmark:
        "results/benchmarks/rq1_figure6.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq1",
        name="figure6",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq1"]),
    message:
        "Figure 6: zero-shot ROC-AUC by domain"
    script:
        "../workflow/scripts/figure.py"


rule rq1_figure7:
    input:
        scores="results/rq1/scores.parquet",
    output:
        figure_files("rq1", "figure7"),
    log:
        "logs/rq1_figure7.log",
    benchmark:
        "results/benchmarks/rq1_figure7.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq1",
        name="figure7",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq1"]),
    message:
        "Figure 7: zero-shot ROC-AUC on classic and on new datasets"
    script:
        "../workflow/scripts/figure.py"
