"""The numbers that the paper prints: what does not add up in them, and our numbers compared with them."""

PAPER_COMPARED = [
    f"{PAPER}/table{number}.csv" for number in (2, 6, 7, 8, 9, 10, 11, 17, 18)
]
"""Published numbers that ours are compared with, as far as their model ran."""


rule published:
    input:
        tables=PAPER_COMPARED,
        discrepancies=f"{PAPER}/discrepancies.csv",
    output:
        published="results/paper/published.parquet",
        discrepancies="results/paper/discrepancies.parquet",
    log:
        "logs/published.log",
    benchmark:
        "results/benchmarks/published.tsv"
    conda:
        "../envs/core.yaml"
    params:
        code=code("published.py", "core"),
    message:
        "Read and check the published numbers"
    script:
        "../workflow/scripts/published.py"
