"""Tables that are made, not downloaded: the MLP-prior complexity grid (Table XV)."""


rule mlp_table:
    output:
        table="results/datasets/{dataset}/table.parquet",
    log:
        "logs/mlp_table/{dataset}.log",
    benchmark:
        "results/benchmarks/mlp_table/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(table.id for table in GRID.mlp_tables),
    priority: TO_MODELS
    conda:
        "../envs/transformers.yaml"
    params:
        table=mlp_table,
        rows=config["mlp"]["rows"],
        recipe=mlp_recipe(),
        code=code("mlp_table.py", "transformers"),
    message:
        "Generate table {wildcards.dataset} of the complexity grid"
    script:
        "../workflow/scripts/mlp_table.py"
