"""The page of results: answers, figures, tables and how the run went."""


rule index:
    input:
        scores="results/scores.parquet",
        artifacts=all_artifacts(),
        template=multiext(f"{PAGES}/index", ".html", ".css", ".js"),
    output:
        report("results/index.html", category="All on one page"),
    log:
        "logs/index.log",
    benchmark:
        "results/benchmarks/index.tsv"
    conda:
        "../envs/core.yaml"
    params:
        questions=list(GRID.questions),
        models=titles(),
        prices=model_prices(),
        settings=run_settings(),
        code=code("index.py", "core"),
    message:
        "The page of results"
    script:
        "../workflow/scripts/index.py"
