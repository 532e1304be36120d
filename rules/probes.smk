"""Memorization probes (section IV-A1): does a model know the datasets' columns, or their rows?

Each test of a model is one job. It asks what its response log lacks and grades all answers, so
that a changed grading loads no model. The logs are no declared outputs, as in inference.smk.
"""


rule probe_recognition:
    input:
        **model_input(named_model),
        tables=probe_inputs(),
    output:
        recognition="results/rq1/probes/{model}/recognition.parquet",
    log:
        "logs/probe_recognition/{model}.log",
    priority: ASKS_MODEL
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("probe_recognition.py", named_model),
        benchmark="results/benchmarks/probe_recognition/{model}.tsv",
        responses=probe_log("recognition"),
        metadata=probe_metadata(),
        canary=probe_settings().get("canary", True),
        thresholds=probe_thresholds("recognition"),
    message:
        "Ask {wildcards.model} for column names, given only titles"
    script:
        "../workflow/scripts/probe_recognition.py"


rule probe_reconstruction:
    input:
        **model_input(named_model),
        tables=probe_inputs(),
        recognition=probe_flags,
    output:
        cells="results/rq1/probes/{model}/cells.parquet",
        lifts="results/rq1/probes/{model}/lifts.parquet",
    log:
        "logs/probe_reconstruction/{model}.log",
    priority: ASKS_MODEL
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("probe_reconstruction.py", named_model),
        benchmark="results/benchmarks/probe_reconstruction/{model}.tsv",
        responses=probe_log("reconstruction"),
        metadata=probe_metadata(),
        canary=probe_settings().get("canary", True),
        sizes={key: probe_settings().get(key) for key in ("rows", "cells")},
    message:
        "Ask {wildcards.model} for hidden cells of real and shuffled rows"
    script:
        "../workflow/scripts/probe_reconstruction.py"


rule probe_completion:
    input:
        **model_input(named_model),
        tables=probe_inputs(),
        recognition=probe_flags,
    output:
        completions="results/rq1/probes/{model}/completions.parquet",
    log:
        "logs/probe_completion/{model}.log",
    priority: ASKS_MODEL
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("probe_completion.py", named_model),
        benchmark="results/benchmarks/probe_completion/{model}.tsv",
        responses=probe_log("completion"),
        metadata=probe_metadata(),
        canary=probe_settings().get("canary", True),
        rows=probe_rows(),
    message:
        "Ask {wildcards.model} to continue rows verbatim"
    script:
        "../workflow/scripts/probe_completion.py"
