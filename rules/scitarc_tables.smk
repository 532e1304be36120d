"""SciTaRC's tables, from complexity and scores."""


rule scitarc_error_sheet:
    input:
        scores="results/scitarc/scores.parquet",
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
        template=f"{PAGES}/sheet.html",
    output:
        sheet=ERROR_SHEET,
        page=ERROR_PAGE,
    log:
        "logs/scitarc_error_sheet.log",
    benchmark:
        "results/benchmarks/scitarc_error_sheet.tsv"
    conda:
        "../envs/core.yaml"
    params:
        n=scitarc_settings().get("error_rows"),
        code=code("scitarc_error_sheet.py", "core"),
    message:
        "SciTaRC: a sheet of wrong answers to annotate"
    script:
        "../workflow/scripts/scitarc_error_sheet.py"


rule scitarc_table3:
    input:
        scores="results/scitarc/scores.parquet",
        sheets=annotated_sheets,
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


rule scitarc_label_sheet:
    input:
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
        template=f"{PAGES}/sheet.html",
    output:
        sheet=LABEL_SHEET,
        page="results/scitarc/label_sheet.html",
    log:
        "logs/scitarc_label_sheet.log",
    benchmark:
        "results/benchmarks/scitarc_label_sheet.tsv"
    conda:
        "../envs/core.yaml"
    params:
        n=scitarc_settings().get("label_rows", 50),
        code=code("scitarc_label_sheet.py", "core"),
    message:
        "SciTaRC: a sheet of answers to label"
    script:
        "../workflow/scripts/scitarc_label_sheet.py"


rule scitarc_corrected:
    input:
        scores="results/scitarc/scores.parquet",
        labels=scitarc_labels(),
    output:
        artifact_files(CORRECTED),
    log:
        "logs/scitarc_corrected.log",
    benchmark:
        "results/benchmarks/scitarc_corrected.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=scitarc_titles(),
        code=code("scitarc_corrected.py", "core"),
    message:
        "SciTaRC: accuracy corrected for the judge's errors"
    script:
        "../workflow/scripts/scitarc_corrected.py"
