"""Ask the language models: infer fills the response logs, predict reads them.

Both serve one model, suite and k. For more GPUs than such jobs, `shards` of a model's entry cuts
infer into parts of whole datasets; a log then still has one writer, and the parts' markers make the
suite's. The logs are no declared outputs: Snakemake removes outputs when
a job fails or runs again, and answers cost money.
"""


rule model_entry:
    output:
        entry="results/models/{model}/entry.json",
    log:
        "logs/model_entry/{model}.log",
    benchmark:
        "results/benchmarks/model_entry/{model}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        entry=model_entry,
        code=code("model_entry.py", "core"),
    message:
        "Record what identifies the responses of {wildcards.model}"
    script:
        "../workflow/scripts/model_entry.py"


rule convert_model:
    input:
        local_weight_files,
    output:
        directory("results/models/{model}/weights"),
    log:
        "logs/convert_model/{model}.log",
    benchmark:
        "results/benchmarks/convert_model/{model}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/transformers.yaml"
    resources:
        mem_mb=lambda w: convert_mb(weights_mb(w.model, "float32")),
    params:
        weights=lambda w: MODELS[w.model]["weights"],
        code=code("convert_model.py", "transformers"),
    message:
        "Check and convert the weights of {wildcards.model}, once"
    script:
        "../workflow/scripts/convert_model.py"


SHARDED = [name for name, entry in MODELS.items() if "shards" in entry]
"""Models whose jobs are cut into parts."""


rule infer:
    input:
        **model_input(named_model),
        prompts=infer_prompts,
    output:
        marker=infer_marker("{model}", "{suite}", "{k}"),
    log:
        "logs/infer/{model}_{suite}_k{k}.log",
    wildcard_constraints:
        model=one_of(name for name in MODELS if name not in SHARDED),
    priority: infer_priority
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("infer.py", named_model),
        benchmark="results/benchmarks/infer/{model}_{suite}_k{k}.tsv",
        logs=infer_logs,
        # How answers are read decides nothing here but a count in the progress line, and mending
        # it must not start jobs on GPUs: it is in no hash of this rule.
        valid="tabbench.scoring.predict:is_valid",
    message:
        "Run {wildcards.model} on the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/infer.py"


use rule infer as infer_part with:
    output:
        marker=infer_marker("{model}", "{suite}", "{k}", "{part}"),
    log:
        "logs/infer_part/{model}_{suite}_k{k}_part{part}.log",
    wildcard_constraints:
        model=one_of(SHARDED),
        part=r"\d+of\d+",
    params:
        benchmark="results/benchmarks/infer_part/{model}_{suite}_k{k}_part{part}.tsv",
    message:
        "Run {wildcards.model} on part {wildcards.part} of the {wildcards.suite} suite at k = {wildcards.k}"


rule infer_parts:
    input:
        part_markers,
    output:
        marker=infer_marker("{model}", "{suite}", "{k}"),
    log:
        "logs/infer_parts/{model}_{suite}_k{k}.log",
    benchmark:
        "results/benchmarks/infer_parts/{model}_{suite}_k{k}.tsv"
    wildcard_constraints:
        model=one_of(SHARDED),
    conda:
        "../envs/core.yaml"
    params:
        code=code("infer_parts.py", "core"),
    message:
        "Count what {wildcards.model} was asked about the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/infer_parts.py"


rule predict:
    input:
        prompts=infer_prompts,
        model="results/models/{model}/entry.json",
        marker=infer_marker("{model}", "{suite}", "{k}"),
    output:
        predictions="results/predictions/{model}/{suite}/k{k}.parquet",
    log:
        "logs/predict/{model}_{suite}_k{k}.log",
    benchmark:
        "results/benchmarks/predict/{model}_{suite}_k{k}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        logs=infer_logs,
        code=code("predict.py", "core"),
    message:
        "Read the responses of {wildcards.model} on the {wildcards.suite} suite at k = "
        "{wildcards.k}"
    script:
        "../workflow/scripts/predict.py"
