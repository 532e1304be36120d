"""SciTaRC's tables, from complexity and scores."""


rule scitarc_error_sheet:
    input:
        scores="results/scitarc/scores.parquet",
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
    output:
        sheet="results/scitarc/error_sheet.csv",
    log:
        "logs/scitarc_error_sheet.log",
    benchmark:
        "results/benchmarks/scitarc_error_sheet.tsv"
    conda:
        "../envs/core.yaml"
    params:
        n=98,  # as many as the paper annotated
        code=code("scitarc_error_sheet.py", "core"),
    message:
        "SciTaRC: a sheet of wrong answers to annotate"
    script:
        "../workflow/scripts/scitarc_error_sheet.py"


rule scitarc_table3:
    input:
        sheet=annotated_sheet,
        published=f"{PAPER}/scitarc_table3.csv",
    output:
        artifact_files(TABLE_3),
    log:
        "logs/scitarc_table3.log",
    benchmark:
        "results/benchmarks/scitarc_table3.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=scitarc_titles(),
        code=code("scitarc_table3.py", "core"),
    message:
        "SciTaRC, Table 3: why answers are wrong"
    script:
        "../workflow/scripts/scitarc_table3.py"


rule scitarc_judges:
    input:
        pairs=f"{SCITARC}/matcher_pairs.csv",
        scores="results/scitarc/scores.parquet",
        second=scitarc_second_scores(),
        labels=scitarc_labels(),
    output:
        artifact_files(JUDGES),
    log:
        "logs/scitarc_judges.log",
    benchmark:
        "results/benchmarks/scitarc_judges.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=scitarc_titles(),
        code=code("scitarc_judges.py", "core"),
    message:
        "SciTaRC: agreement of judges"
    script:
        "../workflow/scripts/scitarc_judges.py"
