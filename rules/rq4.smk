"""RQ4: How does context trade off against examples?"""


rule rq4_table8:
    input:
        scores="results/rq4/scores.parquet",
    output:
        table_files("rq4", "table8"),
    log:
        "logs/rq4_table8.log",
    benchmark:
        "results/benchmarks/rq4_table8.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq4",
        name="table8",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.rq4"]),
    message:
        "Table VIII: gap between most and least context by number of examples"
    script:
        "../workflow/scripts/table.py"


rule rq4_figure2:
    input:
        scores="results/rq4/scores.parquet",
    output:
        figure_files("rq4", "figure2"),
    log:
        "logs/rq4_figure2.log",
    benchmark:
        "results/benchmarks/rq4_figure2.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq4",
        name="figure2",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("figure.py", "core", ["tabbench.figures.rq4"]),
    message:
        "Figure 2: ROC-AUC by context and number of examples"
    script:
        "../workflow/scripts/figure.py"


rule contrasts:
    input:
        predictions=prediction_files("rq4"),
        splits=splits_of(GRID.question_suites("rq4")),
    output:
        contrasts="results/rq4/contrasts.parquet",
    log:
        "logs/contrasts.log",
    benchmark:
        "results/benchmarks/contrasts.tsv"
    conda:
        "../envs/core.yaml"
    params:
        facts=dataset_facts(GRID.in_suites(GRID.question_suites("rq4"))),
        ends=contrast_shots(),
        shots=GRID.asked_shots("rq4"),
        code=code("contrasts.py", "core"),
    message:
        "Test much context with few examples against little context with many"
    script:
        "../workflow/scripts/contrasts.py"


rule rq4_contrasts:
    input:
        contrasts="results/rq4/contrasts.parquet",
    output:
        table_files("rq4", "contrasts"),
    log:
        "logs/rq4_contrasts.log",
    benchmark:
        "results/benchmarks/rq4_contrasts.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.contrasts",
        name="contrasts",
        arguments=dict(models=titles(), mode=GRID.main_mode),
        code=code("table.py", "core", ["tabbench.tables.contrasts"]),
    message:
        "Planned contrasts of context and examples"
    script:
        "../workflow/scripts/table.py"


rule rq4_contexts:
    input:
        scores="results/rq4/scores.parquet",
    output:
        figure_files("rq4", "figure{number}"),
    log:
        "logs/rq4_contexts/figure{number}.log",
    benchmark:
        "results/benchmarks/rq4_contexts/figure{number}.tsv"
    wildcard_constraints:
        number="1[4-8]",
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.rq4",
        name="figure_of_contexts",
        arguments=lambda w: dict(
            models=titles(),
            mode=GRID.main_mode,
            k=CONTEXT_FIGURES["rq4"][f"figure{w.number}"],
        ),
        code=code("figure.py", "core", ["tabbench.figures.rq4"]),
    message:
        "Figure {wildcards.number}: ROC-AUC by context at one number of examples"
    script:
        "../workflow/scripts/figure.py"
