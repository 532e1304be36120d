"""RQ5: Do examples, prior and decision rules add up, on data that a language model wrote?"""


rule rq5_table9:
    input:
        scores="results/rq5/scores.parquet",
    output:
        table_files("rq5", "table9"),
    log:
        "logs/rq5_table9.log",
    benchmark:
        "results/benchmarks/rq5_table9.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq5",
        name="table9",
        arguments=dict(
            models=titles(),
            baselines=baseline_titles(),
            generators=generator_titles(),
            mode=GRID.main_mode,
            few_shots=few_shots(),
        ),
        code=code("table.py", "core", ["tabbench.tables.rq5"]),
    message:
        "Table IX: ROC-AUC by prompting regime"
    script:
        "../workflow/scripts/table.py"


rule rq5_figure19:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure19"),
    log:
        "logs/rq5_figure19.log",
    benchmark:
        "results/benchmarks/rq5_figure19.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure19",
        arguments=dict(
            models=titles(), generators=generator_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure 19: ROC-AUC by context and number of examples, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"


rule rq5_figure20:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure20"),
    log:
        "logs/rq5_figure20.log",
    benchmark:
        "results/benchmarks/rq5_figure20.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure20",
        arguments=dict(
            models=titles(),
            baselines=baseline_titles(),
            generators=generator_titles(),
            mode=GRID.main_mode,
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure 20: models against number of examples, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"


rule rq5_figure21:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure21"),
    log:
        "logs/rq5_figure21.log",
    benchmark:
        "results/benchmarks/rq5_figure21.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure21",
        arguments=dict(
            models=titles(), generators=generator_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure 21: zero-shot ROC-AUC by domain, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"


rule rq5_figure22:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure22"),
    log:
        "logs/rq5_figure22.log",
    benchmark:
        "results/benchmarks/rq5_figure22.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure22",
        arguments=dict(
            models=titles(),
            generators=generator_titles(),
            mode=GRID.main_mode,
            few_shots=few_shots(),
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure 22: few-shot ROC-AUC by domain, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"


rule rq5_figure23:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure23"),
    log:
        "logs/rq5_figure23.log",
    benchmark:
        "results/benchmarks/rq5_figure23.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure23",
        arguments=dict(
            models=titles(), generators=generator_titles(), mode=GRID.main_mode
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure 23: mean ROC-AUC by domain, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"


rule rq5_contexts:
    input:
        scores="results/rq5/scores.parquet",
    output:
        figure_files("rq5", "figure{number}"),
    log:
        "logs/rq5_contexts/figure{number}.log",
    benchmark:
        "results/benchmarks/rq5_contexts/figure{number}.tsv"
    wildcard_constraints:
        number="2[4-9]",
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq5",
        name="figure_of_contexts",
        arguments=lambda w: dict(
            models=titles(),
            generators=generator_titles(),
            mode=GRID.main_mode,
            k=CONTEXT_FIGURES["rq5"][f"figure{w.number}"],
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq5"]),
    message:
        "Figure {wildcards.number}: ROC-AUC by context at one number of examples, LLM-synthetic suite"
    script:
        "../workflow/scripts/figure.py"
