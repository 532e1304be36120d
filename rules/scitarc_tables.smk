"""SciTaRC's tables, from complexity and scores."""


rule scitarc_table1:
    input:
        scitarc_complexity="results/scitarc/complexity.parquet",
        scitarc_table1=f"{PAPER}/scitarc_table1.csv",
    output:
        table_files("scitarc", "table1"),
    log:
        "logs/scitarc_table1.log",
    benchmark:
        "results/benchmarks/scitarc_table1.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_dataset",
        name="table1",
        arguments=dict(),
        code=code("table.py", "core", ["tabbench.tables.scitarc_dataset"]),
    message:
        "SciTaRC, Table 1: complexity of the questions"
    script:
        "../workflow/scripts/table.py"


rule scitarc_table2:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "table2"),
    log:
        "logs/scitarc_table2.log",
    benchmark:
        "results/benchmarks/scitarc_table2.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_leaderboard",
        name="table2",
        arguments=dict(models=scitarc_titles(), sizes=scitarc_sizes()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_leaderboard"]),
    message:
        "SciTaRC, Table 2: the leaderboard"
    script:
        "../workflow/scripts/table.py"


rule scitarc_conditions:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "conditions"),
    log:
        "logs/scitarc_conditions.log",
    benchmark:
        "results/benchmarks/scitarc_conditions.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_leaderboard",
        name="conditions",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_leaderboard"]),
    message:
        "SciTaRC: accuracy under every condition"
    script:
        "../workflow/scripts/table.py"


rule scitarc_differences:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "differences"),
    log:
        "logs/scitarc_differences.log",
    benchmark:
        "results/benchmarks/scitarc_differences.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_leaderboard",
        name="differences",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_leaderboard"]),
    message:
        "SciTaRC: every two systems compared"
    script:
        "../workflow/scripts/table.py"


rule scitarc_found_answers:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "found_answers"),
    log:
        "logs/scitarc_found_answers.log",
    benchmark:
        "results/benchmarks/scitarc_found_answers.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_leaderboard",
        name="found_answers",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_leaderboard"]),
    message:
        "SciTaRC: where answers were found"
    script:
        "../workflow/scripts/table.py"


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
        table_files("scitarc", "table3"),
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


rule scitarc_table4:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "table4"),
    log:
        "logs/scitarc_table4.log",
    benchmark:
        "results/benchmarks/scitarc_table4.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_planning",
        name="table4",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_planning"]),
    message:
        "SciTaRC, Table 4: what plans change"
    script:
        "../workflow/scripts/table.py"


rule scitarc_failures:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "failures"),
    log:
        "logs/scitarc_failures.log",
    benchmark:
        "results/benchmarks/scitarc_failures.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_planning",
        name="failures",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_planning"]),
    message:
        "SciTaRC: failures of plan and of execution"
    script:
        "../workflow/scripts/table.py"


rule scitarc_table11:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
    output:
        table_files("scitarc", "table11"),
    log:
        "logs/scitarc_table11.log",
    benchmark:
        "results/benchmarks/scitarc_table11.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_planning",
        name="table11",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_planning"]),
    message:
        "SciTaRC, Table 11: what demonstrations change"
    script:
        "../workflow/scripts/table.py"


rule scitarc_by_complexity:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
        scitarc_complexity="results/scitarc/complexity.parquet",
    output:
        table_files("scitarc", "by_complexity"),
    log:
        "logs/scitarc_by_complexity.log",
    benchmark:
        "results/benchmarks/scitarc_by_complexity.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_dataset",
        name="by_complexity",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_dataset"]),
    message:
        "SciTaRC: accuracy by complexity"
    script:
        "../workflow/scripts/table.py"


rule scitarc_cost:
    input:
        scitarc_responses=[
            f"results/scitarc/{name}/responses.parquet" for name in scitarc_models()
        ],
    output:
        table_files("scitarc", "cost"),
    log:
        "logs/scitarc_cost.log",
    benchmark:
        "results/benchmarks/scitarc_cost.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_cost",
        name="cost",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_cost"]),
    message:
        "SciTaRC: tokens, seconds and cut responses"
    script:
        "../workflow/scripts/table.py"


rule scitarc_judges:
    input:
        pairs=f"{SCITARC}/matcher_pairs.csv",
        scores="results/scitarc/scores.parquet",
        second=scitarc_second_scores(),
        labels=scitarc_labels(),
    output:
        table_files("scitarc", "judges"),
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


rule scitarc_comparison:
    input:
        scitarc_scores="results/scitarc/scores.parquet",
        scitarc_table2=f"{PAPER}/scitarc_table2.csv",
        scitarc_table4=f"{PAPER}/scitarc_table4.csv",
        scitarc_table11=f"{PAPER}/scitarc_table11.csv",
    output:
        table_files("scitarc", "comparison"),
    log:
        "logs/scitarc_comparison.log",
    benchmark:
        "results/benchmarks/scitarc_comparison.tsv"
    conda:
        "../envs/core.yaml"
    params:
        module="tabbench.tables.scitarc_paper",
        name="comparison",
        arguments=dict(models=scitarc_titles()),
        code=code("table.py", "core", ["tabbench.tables.scitarc_paper"]),
    message:
        "SciTaRC: our accuracies beside the published"
    script:
        "../workflow/scripts/table.py"
