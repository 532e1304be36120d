"""Memorization probes (section IV-A1): does a model know the datasets' columns, or their rows?

Each test of a model is one job. It asks what its response log lacks and grades all answers, so
that a changed grading loads no model. The logs are no declared outputs, as in inference.smk.
"""


rule probe_recognition:
    input:
        tables=probe_inputs(),
        model="results/models/{model}/entry.json",
        weights=weights_folder,
    output:
        recognition="results/rq1/probes/{model}/recognition.parquet",
    log:
        "logs/probe_recognition/{model}.log",
    conda:
        engine_environment
    resources:
        gpu=infer_resource("gpus"),
        mem_mb=infer_resource("mem_mb"),
        runtime=infer_resource("runtime"),
        endpoint=engine_endpoints,
    params:
        benchmark="results/benchmarks/probe_recognition/{model}.tsv",
        asking=model_asking,
        responses=probe_log("recognition"),
        facts=probed_facts(),
        canary=probe_settings().get("canary", True),
        thresholds=probe_thresholds("recognition"),
        code=engine_code("probe_recognition.py"),
    message:
        "Ask {wildcards.model} which columns it knows, by titles alone"
    script:
        "../workflow/scripts/probe_recognition.py"


rule probe_reconstruction:
    input:
        tables=probe_inputs(),
        recognition=probe_flags,
        model="results/models/{model}/entry.json",
        weights=weights_folder,
    output:
        cells="results/rq1/probes/{model}/cells.parquet",
        lifts="results/rq1/probes/{model}/lifts.parquet",
    log:
        "logs/probe_reconstruction/{model}.log",
    conda:
        engine_environment
    resources:
        gpu=infer_resource("gpus"),
        mem_mb=infer_resource("mem_mb"),
        runtime=infer_resource("runtime"),
        endpoint=engine_endpoints,
    params:
        benchmark="results/benchmarks/probe_reconstruction/{model}.tsv",
        asking=model_asking,
        responses=probe_log("reconstruction"),
        facts=probed_facts(),
        canary=probe_settings().get("canary", True),
        sizes={key: probe_settings().get(key) for key in ("rows", "cells")},
        code=engine_code("probe_reconstruction.py"),
    message:
        "Ask {wildcards.model} for hidden cells of real and shuffled rows"
    script:
        "../workflow/scripts/probe_reconstruction.py"


rule probe_completion:
    input:
        tables=probe_inputs(),
        recognition=probe_flags,
        model="results/models/{model}/entry.json",
        weights=weights_folder,
    output:
        completions="results/rq1/probes/{model}/completions.parquet",
    log:
        "logs/probe_completion/{model}.log",
    conda:
        engine_environment
    resources:
        gpu=infer_resource("gpus"),
        mem_mb=infer_resource("mem_mb"),
        runtime=infer_resource("runtime"),
        endpoint=engine_endpoints,
    params:
        benchmark="results/benchmarks/probe_completion/{model}.tsv",
        asking=model_asking,
        responses=probe_log("completion"),
        facts=probed_facts(),
        canary=probe_settings().get("canary", True),
        rows=probe_rows(),
        code=engine_code("probe_completion.py"),
    message:
        "Ask {wildcards.model} to go on with rows word for word"
    script:
        "../workflow/scripts/probe_completion.py"


rule rq1_probes_table3:
    input:
        recognition=probe_results("recognition"),
    output:
        table_files("rq1/probes", "table3"),
    log:
        "logs/rq1_probes_table3.log",
    benchmark:
        "results/benchmarks/rq1_probes_table3.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.probes",
        name="table3",
        arguments=dict(models=probe_models()),
        code=code("table.py", "core", ["tabbench.tables.probes"]),
    message:
        "Table III: which datasets are recognized by their titles"
    script:
        "../workflow/scripts/table.py"


rule rq1_probes_table4:
    input:
        recognition=probe_results("recognition"),
        lifts=probe_results("lifts"),
    output:
        table_files("rq1/probes", "table4"),
    log:
        "logs/rq1_probes_table4.log",
    benchmark:
        "results/benchmarks/rq1_probes_table4.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.probes",
        name="table4",
        arguments=dict(models=probe_models(), thresholds=probe_thresholds("lift")),
        code=code("table.py", "core", ["tabbench.tables.probes"]),
    message:
        "Table IV: hidden cells filled, against chance and shuffled rows"
    script:
        "../workflow/scripts/table.py"


rule rq1_probes_completion:
    input:
        completions=probe_results("completions"),
    output:
        table_files("rq1/probes", "completion"),
    log:
        "logs/rq1_probes_completion.log",
    benchmark:
        "results/benchmarks/rq1_probes_completion.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.probes",
        name="completion",
        arguments=dict(models=probe_models()),
        code=code("table.py", "core", ["tabbench.tables.probes"]),
    message:
        "Rows continued word for word"
    script:
        "../workflow/scripts/table.py"


rule rq1_probes_answers:
    input:
        recognition=probe_results("recognition"),
    output:
        table_files("rq1/probes", "answers"),
    log:
        "logs/rq1_probes_answers.log",
    benchmark:
        "results/benchmarks/rq1_probes_answers.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.probes",
        name="answers",
        arguments=dict(models=probe_models()),
        code=code("table.py", "core", ["tabbench.tables.probes"]),
    message:
        "Every answer of the recognition test"
    script:
        "../workflow/scripts/table.py"
