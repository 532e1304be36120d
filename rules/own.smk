"""A user's own dataset: every model and baseline on it, and its place on the complexity grid."""


rule own_rows:
    input:
        raw="results/datasets/{dataset}/raw",
    output:
        rows="results/own/{dataset}/rows.parquet",
    log:
        "logs/own_rows/{dataset}.log",
    benchmark:
        "results/benchmarks/own_rows/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        entry=prepare_entry,
        code=code("own_rows.py", "core"),
    message:
        "Say what became of each row of {wildcards.dataset}"
    script:
        "../workflow/scripts/own_rows.py"


rule own_data:
    input:
        raw="results/datasets/{dataset}/raw",
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        rows="results/own/{dataset}/rows.parquet",
    output:
        **{
            name: f"results/own/{{dataset}}/evidence/{name}.parquet"
            for name in OWN_DATA
        },
    log:
        "logs/own_data/{dataset}.log",
    benchmark:
        "results/benchmarks/own_data/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        entry=prepare_entry,
        task=dataset_task,
        models=lambda w: own_addresses(w.dataset),
        code=code("own_data.py", "core"),
    message:
        "Look at the data of {wildcards.dataset}, and at what would leave this machine"
    script:
        "../workflow/scripts/own_data.py"


rule own_summary:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        predictions=own_summary_predictions,
        fits=lambda w: own_baselines(w.dataset, "fits/"),
    output:
        csv="results/own/{dataset}/summary.csv",
        md="results/own/{dataset}/summary.md",
        tex="results/own/{dataset}/summary.tex",
    log:
        "logs/own_summary/{dataset}.log",
    benchmark:
        "results/benchmarks/own_summary/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        title=lambda w: DATASETS[w.dataset]["title"],
        task=dataset_task,
        models=lambda w: own_titles(w.dataset),
        baselines=lambda w: own_baseline_titles(w.dataset),
        code=code("own_summary.py", "core"),
    message:
        "Every model and baseline on {wildcards.dataset}"
    script:
        "../workflow/scripts/own_summary.py"


rule own_evidence:
    input:
        table="results/datasets/{dataset}/table.parquet",
        split="results/datasets/{dataset}/split.parquet",
        rows="results/own/{dataset}/rows.parquet",
        predictions=own_summary_predictions,
        fits=lambda w: own_baselines(w.dataset, "fits/"),
    output:
        expand("results/own/{{dataset}}/evidence/{table}.parquet", table=EVIDENCE),
    log:
        "logs/own_evidence/{dataset}.log",
    benchmark:
        "results/benchmarks/own_evidence/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        prices=lambda w: model_prices(GRID.models_of(w.dataset)),
        labelled=lambda w: GRID.own[w.dataset].labelled,
        code=code("own_evidence.py", "core"),
    message:
        "Compare what models and baselines say of {wildcards.dataset}"
    script:
        "../workflow/scripts/own_evidence.py"


rule own_page:
    input:
        evidence=expand(
            "results/own/{{dataset}}/evidence/{table}.parquet",
            table=[*EVIDENCE, *OWN_DATA],
        ),
        summary=multiext("results/own/{dataset}/summary", ".csv", ".md"),
        prompts=own_page_prompts,
        placement=own_page_placement,
        recognition=own_page_probes("recognition"),
        lifts=own_page_probes("lifts"),
        completions=own_page_probes("completions"),
        template=multiext(f"{PAGES}/own", ".html", ".css")
        + multiext(f"{PAGES}/index", ".css", ".js")
        + [f"{PAGES}/macros.html"],
    output:
        page=report("results/own/{dataset}/index.html", category="User datasets"),
    log:
        "logs/own_page/{dataset}.log",
    benchmark:
        "results/benchmarks/own_page/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        title=lambda w: DATASETS[w.dataset]["title"],
        task=dataset_task,
        models=lambda w: own_titles(w.dataset),
        baselines=lambda w: own_baseline_titles(w.dataset),
        asked=own_page_asked,
        probed=own_page_probed,
        root=os.path.relpath(ROOT),
        code=code("own_page.py", "core"),
    message:
        "The decision page of {wildcards.dataset}"
    script:
        "../workflow/scripts/own_page.py"


rule own_placement:
    input:
        predictions=own_placement_predictions,
        intrinsic="results/rq6/intrinsic.parquet",
        dimensions=["results/complexity/dimensions/{dataset}.parquet"],
        splits=["results/datasets/{dataset}/split.parquet"],
    output:
        placement="results/own/{dataset}/placement.parquet",
        scale="results/own/{dataset}/scale.parquet",
    log:
        "logs/own_placement/{dataset}.log",
    benchmark:
        "results/benchmarks/own_placement/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        models=PLACING,
        shots=placing_shots(),
        metadata=lambda w: dataset_metadata([w.dataset]),
        code=code("placement.py", "core"),
    message:
        "Place {wildcards.dataset} on the scale of the complexity grid"
    script:
        "../workflow/scripts/placement.py"


PLACEMENT_TABLE = registry.COMPLEXITY[0]


rule own_placement_table:
    input:
        placement="results/own/{dataset}/placement.parquet",
        scale="results/own/{dataset}/scale.parquet",
    output:
        csv="results/own/{dataset}/placement.csv",
        md="results/own/{dataset}/placement.md",
        tex="results/own/{dataset}/placement.tex",
    log:
        "logs/own_placement_table/{dataset}.log",
    benchmark:
        "results/benchmarks/own_placement_table/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(USER_DATASETS),
    conda:
        "../envs/core.yaml"
    params:
        function=PLACEMENT_TABLE.function,
        schemas=PLACEMENT_TABLE.schemas,
        arguments=PLACEMENT_TABLE.arguments(RUN),
        code=code("table.py", "core", PLACEMENT_TABLE.modules),
    message:
        "Table of {wildcards.dataset} on the complexity grid"
    script:
        "../workflow/scripts/table.py"
