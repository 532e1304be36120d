"""RQ7: Does forward scoring match generation at a lower cost?"""


rule rq7_table11:
    input:
        scores="results/rq7/scores.parquet",
    output:
        table_files("rq7", "table11"),
    log:
        "logs/rq7_table11.log",
    benchmark:
        "results/benchmarks/rq7_table11.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.rq7",
        name="table11",
        arguments=dict(models=titles()),
        code=code("table.py", "core", ["tabbench.tables.rq7"]),
    message:
        "Table XI: forward scoring against generation, and their cost"
    script:
        "../workflow/scripts/table.py"


rule calibration:
    input:
        predictions=prediction_files("rq7"),
        splits=splits_of(GRID.question_suites("rq7")),
    output:
        calibration="results/rq7/calibration.parquet",
        reliability="results/rq7/reliability.parquet",
    log:
        "logs/calibration.log",
    benchmark:
        "results/benchmarks/calibration.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=GRID.asked_shots("rq7"),
        facts=dataset_facts(GRID.in_suites(GRID.question_suites("rq7"))),
        code=code("calibration.py", "core"),
    message:
        "Score the probabilities of both modes"
    script:
        "../workflow/scripts/calibration.py"


rule rq7_calibration:
    input:
        calibration="results/rq7/calibration.parquet",
    output:
        table_files("rq7", "calibration"),
    log:
        "logs/rq7_calibration.log",
    benchmark:
        "results/benchmarks/rq7_calibration.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.calibration",
        name="calibration",
        arguments=dict(models=titles()),
        code=code("table.py", "core", ["tabbench.tables.calibration"]),
    message:
        "Calibration of forward scoring and generation"
    script:
        "../workflow/scripts/table.py"


rule rq7_reliability:
    input:
        bins="results/rq7/reliability.parquet",
    output:
        figure_files("rq7", "reliability"),
    log:
        "logs/rq7_reliability.log",
    benchmark:
        "results/benchmarks/rq7_reliability.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.figures.reliability",
        name="reliability",
        arguments=dict(models=titles()),
        code=code("figure.py", "core", ["tabbench.figures.reliability"]),
    message:
        "Reliability of the probabilities"
    script:
        "../workflow/scripts/figure.py"
