"""The numbers that the paper prints: what does not add up in them, and ours beside them."""


rule published:
    input:
        tables=PAPER_COMPARED,
        discrepancies=f"{PAPER}/discrepancies.csv",
    output:
        published="results/paper/published.parquet",
        discrepancies="results/paper/discrepancies.parquet",
    log:
        "logs/published.log",
    benchmark:
        "results/benchmarks/published.tsv"
    conda:
        "../envs/core.yaml"
    params:
        code=code("published.py", "core"),
    message:
        "Read and check the published numbers"
    script:
        "../workflow/scripts/published.py"


rule paper_discrepancies:
    input:
        discrepancies="results/paper/discrepancies.parquet",
    output:
        table_files("paper", "discrepancies"),
    log:
        "logs/paper_discrepancies.log",
    benchmark:
        "results/benchmarks/paper_discrepancies.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.paper",
        name="discrepancies",
        arguments=dict(),
        code=code("table.py", "core", ["tabbench.tables.paper"]),
    message:
        "Numbers of the paper that do not add up"
    script:
        "../workflow/scripts/table.py"


rule paper_comparison:
    input:
        scores="results/scores.parquet",
        published="results/paper/published.parquet",
    output:
        table_files("paper", "comparison"),
    log:
        "logs/paper_comparison.log",
    benchmark:
        "results/benchmarks/paper_comparison.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.paper",
        name="comparison",
        arguments=dict(models=titles(), generators=generator_titles()),
        code=code("table.py", "core", ["tabbench.tables.paper"]),
    message:
        "Our numbers beside the published"
    script:
        "../workflow/scripts/table.py"


rule paper_comparison_figure:
    input:
        scores="results/scores.parquet",
        published="results/paper/published.parquet",
    output:
        COMPARISON_FIGURE[0],
        marked(COMPARISON_FIGURE[1], "paper", "comparison", "Figures"),
        COMPARISON_FIGURE[2],
    log:
        "logs/paper_comparison_figure.log",
    benchmark:
        "results/benchmarks/paper_comparison_figure.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.paper",
        name="comparison",
        arguments=dict(models=titles()),
        code=code("figure.py", "core", ["tabbench.figures.paper"]),
    message:
        "Figure of our numbers against the published"
    script:
        "../workflow/scripts/figure.py"
