"""Ask the language models: infer fills the response logs, predict reads them."""


rule convert_model:
    output:
        directory("results/models/{model}"),
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
        files=inference_inputs,
        weights=weights_folder,
    output:
        marker="results/inference/{model}/{suite}/k{k}.json",
    log:
        "logs/infer/{model}_{suite}_k{k}.log",
    benchmark:
        "results/benchmarks/infer/{model}_{suite}_k{k}.tsv"
    priority: inference_priority
    conda:
        "../envs/transformers.yaml"
    resources:
        mem_mb=2000,
    params:
        entry=model_entry,
        cells=inference_cells,
        seeds=draw_seeds,
        code=engine_code,
    message:
        "Ask {wildcards.model} about the {wildcards.suite} suite at k = {wildcards.k}"
    script:
        "../workflow/scripts/infer.py"


rule predict:
    input:
        files=lambda w: dataset_files(w.dataset, w.k),
        marker=lambda w: ancient(inference_marker(w)),
    output:
        predictions="results/predictions/{model}/{dataset}/k{k}.parquet",
    log:
        "logs/predict/{model}_{dataset}_k{k}.log",
    benchmark:
        "results/benchmarks/predict/{model}_{dataset}_k{k}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        entry=model_entry,
        variants=dataset_variants,
        seeds=draw_seeds,
        task=dataset_task,
        responses=lambda w: response_log(w.model, w.dataset, w.k),
        code=code("predict.py", "core"),
    message:
        "Read the answers of {wildcards.model} about {wildcards.dataset} at k = {wildcards.k}"
    script:
        "../workflow/scripts/predict.py"
