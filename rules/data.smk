"""Raw files, prepared tables, splits and draws of examples."""


rule download:
    output:
        directory("results/datasets/{dataset}/raw"),
    log:
        "logs/download/{dataset}.log",
    benchmark:
        "results/benchmarks/download/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of([*DATASETS, *RELEASED_TABLES]),
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        sources=download_sources,
        mirror=str(MIRROR) if MIRROR else None,
        code=code("download.py", "core"),
    message:
        "Download the raw files of {wildcards.dataset}"
    script:
        "../workflow/scripts/download.py"


rule prepare:
    input:
        raw="results/datasets/{dataset}/raw",
    output:
        table="results/datasets/{dataset}/table.parquet",
    log:
        "logs/prepare/{dataset}.log",
    benchmark:
        "results/benchmarks/prepare/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of([*DATASETS, *RELEASED_TABLES]),
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        entry=prepare_entry,
        code=code("prepare.py", "core"),
    message:
        "Prepare the table of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule split:
    input:
        table="results/datasets/{dataset}/table.parquet",
        rows=own_sides,
    output:
        split="results/datasets/{dataset}/split.parquet",
        hash="results/datasets/{dataset}/split.json",
    log:
        "logs/split/{dataset}.log",
    benchmark:
        "results/benchmarks/split/{dataset}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        test_rows=split_rows,
        split=split_settings,
        given=lambda w: given_split(w.dataset),
        code=code("split.py", "core"),
    message:
        "Split {wildcards.dataset} into training and test rows"
    script:
        "../workflow/scripts/split.py"


rule shots:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
    output:
        shots="results/datasets/{dataset}/shots_k{k}.parquet",
    log:
        "logs/shots/{dataset}_k{k}.log",
    benchmark:
        "results/benchmarks/shots/{dataset}_k{k}.tsv"
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        seeds=draw_seeds,
        code=code("shots.py", "core"),
    message:
        "Draw {wildcards.k} examples of {wildcards.dataset} for each seed"
    script:
        "../workflow/scripts/shots.py"
