"""Ask the language models: infer fills the response logs, predict reads them.

predict takes infer's marker as ancient: one dataset's new text reruns infer, which serves a whole
suite, and must not rerun the predictions of all other datasets. But Snakemake looks for changed
code and parameters only in jobs that no rerunning job precedes, and an ancient file passes no
rerun on. So all that can change a prediction reaches predict as a file of its own: the prompts,
the model's entry, and the code that reads answers. Where such a file is newer than the prediction
already, as after an interrupted run, the marker counts in full (answered_before).
"""


rule model_entry:
    output:
        entry="results/models/{model}/entry.json",
    log:
        "logs/model_entry/{model}.log",
    benchmark:
        "results/benchmarks/model_entry/{model}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        entry=model_entry,
        code=code("model_entry.py", "core"),
    message:
        "Write down what makes the answers of {wildcards.model}"
    script:
        "../workflow/scripts/model_entry.py"


rule predict_code:
    output:
        "results/predictions/code.json",
    log:
        "logs/predict_code.log",
    benchmark:
        "results/benchmarks/predict_code.tsv"
    conda:
        "../envs/core.yaml"
    params:
        reading=code("predict.py", "core"),
        code=code("predict_code.py", "core"),
    message:
        "Write down the code that reads answers"
    script:
        "../workflow/scripts/predict_code.py"


rule convert_model:
    output:
        directory("results/models/{model}/weights"),
    log:
        "logs/convert_model/{model}.log",
    benchmark:
        "results/benchmarks/convert_model/{model}.tsv"
    conda:
        "../envs/transformers.yaml"
    resources:
        mem_mb=2000,
    params:
        weights=lambda w: MODELS[w.model]["weights"],
        code=code("convert_model.py", "transformers"),
    message:
        "Convert the weights of {wildcards.model}, once"
    script:
        "../workflow/scripts/convert_model.py"


rule infer:
    input:
        prompts=inference_prompts,
        model="results/models/{model}/entry.json",
        weights=weights_folder,
    output:
        marker="results/inference/{model}/{suite}/k{k}.json",
    log:
        "logs/infer/{model}_{suite}_k{k}.log",
    benchmark:
        "results/benchmarks/infer/{model}_{suite}_k{k}.tsv"
    priority: inference_priority
    conda:
        engine_environment
    resources:
        gpu=infer_resource("gpus"),
        mem_mb=infer_resource("mem_mb"),
        runtime=infer_resource("runtime"),
        endpoint=engine_endpoints,
    params:
        logs=inference_logs,
        asking=model_asking,
        code=engine_code("infer.py"),
    message:
        "Ask {wildcards.model} about the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/infer.py"


rule predict:
    input:
        prompts="results/prompts/{dataset}/k{k}.parquet",
        model="results/models/{model}/entry.json",
        code="results/predictions/code.json",
        marker=answered_before,
    output:
        predictions="results/predictions/{model}/{dataset}/k{k}.parquet",
    log:
        "logs/predict/{model}_{dataset}_k{k}.log",
    benchmark:
        "results/benchmarks/predict/{model}_{dataset}_k{k}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        responses=lambda w: response_log(w.model, w.dataset, w.k),
    message:
        "Read the answers of {wildcards.model} about {wildcards.dataset} at k = {wildcards.k}"
    script:
        "../workflow/scripts/predict.py"
