"""SciTaRC's figures, from complexity and scores."""


rule scitarc_figure2:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure2"),
    log:
        "logs/scitarc_figure2.log",
    benchmark:
        "results/benchmarks/scitarc_figure2.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_difficulty",
        name="figure2",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_difficulty"]),
    message:
        "SciTaRC, Figure 2: who answered which question"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure3:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
        scitarc_complexity="results/scitarc/complexity.parquet",
    output:
        figure_files("scitarc", "figure3"),
    log:
        "logs/scitarc_figure3.log",
    benchmark:
        "results/benchmarks/scitarc_figure3.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_difficulty",
        name="figure3",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_difficulty"]),
    message:
        "SciTaRC, Figure 3: accuracy by complexity of the plan"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure4:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure4"),
    log:
        "logs/scitarc_figure4.log",
    benchmark:
        "results/benchmarks/scitarc_figure4.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_planning",
        name="figure4",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_planning"]),
    message:
        "SciTaRC, Figure 4: failures of plan and of execution"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure5:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure5"),
    log:
        "logs/scitarc_figure5.log",
    benchmark:
        "results/benchmarks/scitarc_figure5.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_planning",
        name="figure5",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_planning"]),
    message:
        "SciTaRC, Figure 5: gain curves"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure6:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
        scitarc_complexity="results/scitarc/complexity.parquet",
    output:
        figure_files("scitarc", "figure6"),
    log:
        "logs/scitarc_figure6.log",
    benchmark:
        "results/benchmarks/scitarc_figure6.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_difficulty",
        name="figure6",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_difficulty"]),
    message:
        "SciTaRC, Figure 6: accuracy by size of the tables"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure7:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure7"),
    log:
        "logs/scitarc_figure7.log",
    benchmark:
        "results/benchmarks/scitarc_figure7.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_gains",
        name="figure7",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_gains"]),
    message:
        "SciTaRC, Figure 7: what the own plan changes"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure8:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure8"),
    log:
        "logs/scitarc_figure8.log",
    benchmark:
        "results/benchmarks/scitarc_figure8.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_gains",
        name="figure8",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_gains"]),
    message:
        "SciTaRC, Figure 8: what the gold plan mends"
    script:
        "../workflow/scripts/figure.py"


rule scitarc_figure9:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        figure_files("scitarc", "figure9"),
    log:
        "logs/scitarc_figure9.log",
    benchmark:
        "results/benchmarks/scitarc_figure9.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.scitarc_gains",
        name="figure9",
        arguments=dict(models=scitarc_titles()),
        code=code("figure.py", "core", ["tabbench.figures.scitarc_gains"]),
    message:
        "SciTaRC, Figure 9: what the gold plan changes"
    script:
        "../workflow/scripts/figure.py"
