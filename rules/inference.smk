"""Ask the language models: infer fills the response logs, predict reads them.

Both serve one model, suite and k. The logs are no declared outputs: Snakemake removes outputs when
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
        "Write down what makes the answers of {wildcards.model}"
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


rule infer:
    input:
        **model_input(named_model),
        prompts=infer_prompts,
    output:
        marker="results/inference/{model}/{suite}/k{k}.json",
    log:
        "logs/infer/{model}_{suite}_k{k}.log",
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
        "Ask {wildcards.model} about the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/infer.py"


rule predict:
    input:
        prompts=infer_prompts,
        model="results/models/{model}/entry.json",
        marker="results/inference/{model}/{suite}/k{k}.json",
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
        "Read the answers of {wildcards.model} about the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/predict.py"
