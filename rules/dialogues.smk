"""LLM-synthetic tables (section A-D): a dialogue writes their schema, code and rules."""


rule dialogue:
    input:
        published=dialogue_inputs,
        model=dialogue_model,
        weights=dialogue_weights,
    output:
        turn_files("results/dialogues/{dataset}"),
    log:
        "logs/dialogue/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(table.id for table in GRID.llm_tables),
    conda:
        dialogue_environment
    resources:
        gpu=dialogue_resource("gpus"),
        mem_mb=dialogue_resource("mem_mb"),
        runtime=dialogue_resource("runtime"),
        endpoint=dialogue_endpoints,
    params:
        benchmark="results/benchmarks/dialogue/{dataset}.tsv",
        settings=dialogue_settings,
        asking=dialogue_asking,
        code=dialogue_code,
    message:
        "Hold the dialogue of {wildcards.dataset}, or take the one that is there"
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
        dataset=one_of(table.id for table in GRID.llm_tables),
    conda:
        "../envs/core.yaml"
    params:
        task=dataset_task,
        rows=config.get("llm_synthetic", {}).get("rows"),
        sandbox=config.get("sandbox"),
        code=code("llm_table.py", "core"),
    message:
        "Make the table and the rules of {wildcards.dataset} from its dialogue"
    script:
        "../workflow/scripts/llm_table.py"
