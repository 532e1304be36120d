"""Tables and figures, a rule for each of the registry, and the page of results."""

for artifact in [*ARTIFACTS, *REPLICATION]:
    if artifact.function:

        rule:
            name:
                artifact.rule
            input:
                **artifact.inputs(RUN),
            output:
                reported(artifact),
            log:
                f"logs/{artifact.rule}.log",
            benchmark:
                f"results/benchmarks/{artifact.rule}.tsv"
            conda:
                "../envs/core.yaml"
            params:
                kind=artifact.kind,
                function=artifact.function,
                schemas=artifact.schemas,
                arguments=artifact.arguments(RUN),
                code=code(f"{artifact.kind}.py", "core", artifact.modules),
            message:
                artifact.title
            script:
                "../workflow/scripts/{params.kind}.py"


rule index:
    input:
        scores="results/scores.parquet",
        artifacts=all_artifacts(),
        template=multiext(f"{PAGES}/index", ".html", ".css", ".js")
        + [f"{PAGES}/macros.html"],
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
        prices=model_prices(GRID.models),
        settings=run_settings(),
        root=os.path.relpath(ROOT),
        code=code("index.py", "core"),
    message:
        "Build the page of results"
    script:
        "../workflow/scripts/index.py"
