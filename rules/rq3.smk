"""RQ3: Do language models use labelled examples?"""


rule rq3_table7:
    input:
        scores="results/rq3/scores.parquet",
        tests="results/rq3/gains.parquet",
    output:
        table_files("rq3", "table7"),
    log:
        "logs/rq3_table7.log",
    benchmark:
        "results/benchmarks/rq3_table7.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq3",
        name="table7",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq3"]),
    message:
        "Table VII: ROC-AUC by number of examples"
    script:
        "../workflow/scripts/table.py"


rule rq3_figure10:
    input:
        scores="results/rq3/scores.parquet",
    output:
        figure_files("rq3", "figure10"),
    log:
        "logs/rq3_figure10.log",
    benchmark:
        "results/benchmarks/rq3_figure10.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq3",
        name="figure10",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.rq3"]),
    message:
        "Figure 10: ROC-AUC by number of examples"
    script:
        "../workflow/scripts/figure.py"


rule rq3_table17:
    input:
        scores="results/rq3/scores.parquet",
    output:
        table_files("rq3", "table17"),
    log:
        "logs/rq3_table17.log",
    benchmark:
        "results/benchmarks/rq3_table17.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.new_datasets",
        name="table17",
        arguments=dict(
            models=titles(),
            methods=llm_baseline_titles(),
            baselines=baseline_titles(),
            mode=GRID.main_mode,
        ),
        code=code("table.py", "core", ["tabbench.tables.new_datasets"]),
    message:
        "Table XVII: zero-shot ROC-AUC on the new datasets"
    script:
        "../workflow/scripts/table.py"


rule rq3_table18:
    input:
        scores="results/rq3/scores.parquet",
    output:
        table_files("rq3", "table18"),
    log:
        "logs/rq3_table18.log",
    benchmark:
        "results/benchmarks/rq3_table18.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.new_datasets",
        name="table18",
        arguments=dict(
            models=titles(),
            methods=llm_baseline_titles(),
            baselines=baseline_titles(),
            mode=GRID.main_mode,
        ),
        code=code("table.py", "core", ["tabbench.tables.new_datasets"]),
    message:
        "Table XVIII: ROC-AUC over the new datasets by number of examples"
    script:
        "../workflow/scripts/table.py"


rule rq3_llm_baselines:
    input:
        scores="results/rq3/scores.parquet",
        llm_queries=llm_baseline_files("queries"),
    output:
        table_files("rq3", "llm_baselines"),
    log:
        "logs/rq3_llm_baselines.log",
    benchmark:
        "results/benchmarks/rq3_llm_baselines.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.llm_baselines",
        name="llm_baselines",
        arguments=dict(
            methods=llm_baseline_titles(),
            models=titles(),
            baselines=baseline_titles(),
            mode=GRID.main_mode,
        ),
        code=code("table.py", "core", ["tabbench.tables.llm_baselines"]),
    message:
        "FeatLLM and LLM trees by number of examples, beside the models asked directly"
    script:
        "../workflow/scripts/table.py"


rule rq3_figure11:
    input:
        scores="results/rq3/scores.parquet",
    output:
        figure_files("rq3", "figure11"),
    log:
        "logs/rq3_figure11.log",
    benchmark:
        "results/benchmarks/rq3_figure11.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.gains",
        name="figure11",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.gains"]),
    message:
        "Figure 11: gain over zero-shot by number of examples"
    script:
        "../workflow/scripts/figure.py"


rule rq3_figure12:
    input:
        scores="results/rq3/scores.parquet",
    output:
        figure_files("rq3", "figure12"),
    log:
        "logs/rq3_figure12.log",
    benchmark:
        "results/benchmarks/rq3_figure12.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.gains",
        name="figure12",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.gains"]),
    message:
        "Figure 12: gain over zero-shot by domain and number of examples"
    script:
        "../workflow/scripts/figure.py"


rule rq3_figure13:
    input:
        tests="results/rq3/gains.parquet",
    output:
        figure_files("rq3", "figure13"),
    log:
        "logs/rq3_figure13.log",
    benchmark:
        "results/benchmarks/rq3_figure13.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.gains",
        name="figure13",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.gains"]),
    message:
        "Figure 13: significance of each gain over zero-shot"
    script:
        "../workflow/scripts/figure.py"
