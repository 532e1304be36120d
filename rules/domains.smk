"""Appendix F: every cell by domain, as a table and as a page to search."""


rule domain_cells:
    input:
        scores="results/scores.parquet",
    output:
        cells="results/domains/cells.parquet",
    log:
        "logs/domain_cells.log",
    benchmark:
        "results/benchmarks/domain_cells.tsv"
    conda:
        "../envs/core.yaml"
    params:
        code=code("domain_cells.py", "core"),
    message:
        "Appendix F: every cell, averaged over seeds"
    script:
        "../workflow/scripts/domain_cells.py"


rule domain_page:
    input:
        cells="results/domains/cells.parquet",
        template=f"{PAGES}/cells.html",
    output:
        page="results/domains/cells.html",
    log:
        "logs/domain_page.log",
    benchmark:
        "results/benchmarks/domain_page.tsv"
    conda:
        "../envs/core.yaml"
    params:
        names=titles() | baseline_titles() | llm_baseline_titles(),
        code=code("domain_page.py", "core"),
    message:
        "Appendix F: a searchable page of all cells"
    script:
        "../workflow/scripts/domain_page.py"
