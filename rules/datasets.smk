"""What was loaded: the paper's dataset tables next to our figures, and an audit."""


rule dataset_table:
    input:
        tables=dataset_paths("table.parquet"),
        splits=dataset_paths("split.json"),
        raw=dataset_paths("raw"),
        published=[f"{PAPER}/{name}.csv" for name in ("suites", "datasets")],
    output:
        artifact_files(*registry.DATASET_TABLES),
    log:
        "logs/dataset_table.log",
    benchmark:
        "results/benchmarks/dataset_table.tsv"
    conda:
        "../envs/core.yaml"
    params:
        entries=displayed_entries(),
        suites=suite_counts(),
        code=code("dataset_table.py", "core"),
    message:
        "Tables I, XII, XIII and XIV of the loaded datasets"
    script:
        "../workflow/scripts/dataset_table.py"


rule dataset_audit:
    input:
        tables=dataset_paths("table.parquet"),
        splits=dataset_paths("split.parquet"),
    output:
        artifact_files(registry.AUDIT),
    log:
        "logs/dataset_audit.log",
    benchmark:
        "results/benchmarks/dataset_audit.tsv"
    conda:
        "../envs/core.yaml"
    params:
        tasks={name: DATASETS[name]["task"] for name in REGISTERED},
        code=code("dataset_audit.py", "core"),
    message:
        "Check for leaks, identifiers, duplicates and task texts that name columns"
    script:
        "../workflow/scripts/dataset_audit.py"
