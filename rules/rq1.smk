"""RQ1: How competitive are language models in zero-shot classification?"""


rule rq1_table2:
    input:
        scores="results/rq1/scores.parquet",
        chance="results/rq1/chance.parquet",
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


rule rq1_chance:
    input:
        scores="results/rq1/scores.parquet",
        chance="results/rq1/chance.parquet",
    output:
        table_files("rq1", "chance"),
    log:
        "logs/rq1_chance.log",
    benchmark:
        "results/benchmarks/rq1_chance.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq1_chance",
        name="chance_summary",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq1_chance"]),
    message:
        "Zero-shot models against chance"
    script:
        "../workflow/scripts/table.py"


rule rq1_datasets:
    input:
        scores="results/rq1/scores.parquet",
        chance="results/rq1/chance.parquet",
        intervals="results/rq1/intervals.parquet",
    output:
        table_files("rq1", "datasets"),
    log:
        "logs/rq1_datasets.log",
    benchmark:
        "results/benchmarks/rq1_datasets.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq1_chance",
        name="datasets",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq1_chance"]),
    message:
        "Zero-shot ROC-AUC of each dataset, with intervals"
    script:
        "../workflow/scripts/table.py"


rule rq1_differences:
    input:
        scores="results/rq1/scores.parquet",
        mean_intervals="results/rq1/mean_intervals.parquet",
    output:
        table_files("rq1", "differences"),
    log:
        "logs/rq1_differences.log",
    benchmark:
        "results/benchmarks/rq1_differences.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq1_differences",
        name="differences",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("table.py", "core", ["tabbench.tables.rq1_differences"]),
    message:
        "Differences between zero-shot models and fitted baselines"
    script:
        "../workflow/scripts/table.py"


rule rq1_ranks:
    input:
        scores="results/rq1/scores.parquet",
    output:
        figure_files("rq1", "ranks"),
    log:
        "logs/rq1_ranks.log",
    benchmark:
        "results/benchmarks/rq1_ranks.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.ranks",
        name="ranks",
        arguments=dict(
            models=titles(), baselines=baseline_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.ranks"]),
    message:
        "Ranks of zero-shot models and fitted baselines"
    script:
        "../workflow/scripts/figure.py"


rule rq1_folding:
    input:
        scores="results/rq1/scores.parquet",
    output:
        table_files("rq1", "folding"),
    log:
        "logs/rq1_folding.log",
    benchmark:
        "results/benchmarks/rq1_folding.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.folding",
        name="folding",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.folding"]),
    message:
        "Plain ROC-AUC beside the folded one"
    script:
        "../workflow/scripts/table.py"


rule rq1_folding_conclusions:
    input:
        unpack(folding_inputs),
    output:
        table_files("rq1", "folding_conclusions"),
    log:
        "logs/rq1_folding_conclusions.log",
    benchmark:
        "results/benchmarks/rq1_folding_conclusions.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.conclusions",
        name="folding_conclusions",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.conclusions"]),
    message:
        "Conclusions that folding the ROC-AUC changes"
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
