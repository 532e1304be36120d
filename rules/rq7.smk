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
