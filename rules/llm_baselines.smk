"""Baselines whose logic a language model writes: FeatLLM's rules and zero-shot decision trees.

The model is asked in one job per dataset, its code runs in another that needs no model. What was
answered stands in a response log, which is no declared output, as in inference.smk.
"""


rule llm_logic:
    input:
        **model_input(named_model),
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        shots=llm_baseline_shot_files,
    output:
        answers="results/llm_baselines/{model}/{dataset}/answers.parquet",
    log:
        "logs/llm_logic/{model}_{dataset}.log",
    priority: ASKS_MODEL
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("llm_logic.py", named_model),
        benchmark="results/benchmarks/llm_logic/{model}_{dataset}.tsv",
        responses="results/responses/{model}/llm_baselines/{dataset}.jsonl",
        task=dataset_task,
        methods=llm_methods(),
        zero_shot=llm_zero_shot,
        queries=llm_query_counts(),
    message:
        "Let {wildcards.model} write rules and trees for {wildcards.dataset}"
    script:
        "../workflow/scripts/llm_logic.py"


rule llm_baseline:
    input:
        answers="results/llm_baselines/{model}/{dataset}/answers.parquet",
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        shots=llm_baseline_shot_files,
    output:
        predictions="results/llm_baselines/{model}/{dataset}/predictions.parquet",
        queries="results/llm_baselines/{model}/{dataset}/queries.parquet",
    log:
        "logs/llm_baseline/{model}_{dataset}.log",
    benchmark:
        "results/benchmarks/llm_baseline/{model}_{dataset}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        zero_shot=llm_zero_shot,
        sandbox=config.get("sandbox"),
        code=code("llm_baseline.py", "core"),
    message:
        "Run the rules and trees that {wildcards.model} wrote for {wildcards.dataset}"
    script:
        "../workflow/scripts/llm_baseline.py"
