"""LLM-synthetic tables (section A-D): a dialogue writes their schema, code and rules."""


rule dialogue:
    input:
        **model_input(dialogue_model),
        published=dialogue_inputs,
    output:
        turn_files("results/dialogues/{dataset}"),
    log:
        "logs/dialogue/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(filter(GRID.has_rules, GRID.in_suites(["llm_synthetic"]))),
    priority: TO_MODELS
    conda:
        model_conda(dialogue_model)
    resources:
        **model_resources(dialogue_model),
    params:
        **model_params("dialogue.py", dialogue_model),
        benchmark="results/benchmarks/dialogue/{dataset}.tsv",
        settings=dialogue_settings,
    message:
        "Hold or replay the dialogue of {wildcards.dataset}"
    script:
        "../workflow/scripts/dialogue.py"


rule llm_table:
    input:
        turns=turn_files("results/dialogues/{dataset}"),
    output:
        table="results/datasets/{dataset}/table.parquet",
        rules="results/datasets/{dataset}/rules.txt",
    log:
        "logs/llm_table/{dataset}.log",
    benchmark:
        "results/benchmarks/llm_table/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(filter(GRID.has_rules, GRID.in_suites(["llm_synthetic"]))),
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        task=dataset_task,
        rows=config.get("llm_synthetic", {}).get("rows"),
        sandbox=config.get("sandbox"),
        code=code("llm_table.py", "core"),
    message:
        "Build the table and the rules of {wildcards.dataset} from its dialogue"
    script:
        "../workflow/scripts/llm_table.py"
