"""Metrics per cell and tests per dataset, for one research question or for everything."""


rule score:
    input:
        predictions=lambda w: prediction_files(w.rq),
        fitted=score_fits,
        splits=lambda w: splits_of(GRID.question_suites(w.rq)),
    output:
        scores="results/{rq}/scores.parquet",
    log:
        "logs/score/{rq}.log",
    benchmark:
        "results/benchmarks/score/{rq}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=lambda w: GRID.asked_shots(w.rq),
        metadata=lambda w: dataset_metadata(GRID.in_suites(GRID.question_suites(w.rq))),
        code=code("score.py", "core"),
    message:
        "Score the cells of {wildcards.rq}"
    script:
        "../workflow/scripts/score.py"


rule score_all:
    input:
        predictions=prediction_files(),
        fitted=score_all_fits,
        splits=splits_of(SUITES),
    output:
        scores="results/scores.parquet",
    log:
        "logs/score_all.log",
    benchmark:
        "results/benchmarks/score_all.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=GRID.asked_shots(),
        metadata=dataset_metadata(GRID.in_suites(SUITES)),
        code=code("score.py", "core"),
    message:
        "Score every cell"
    script:
        "../workflow/scripts/score.py"


rule gains:
    input:
        predictions=lambda w: prediction_files(w.rq),
        splits=lambda w: splits_of(GRID.question_suites(w.rq)),
    output:
        tests="results/{rq}/gains.parquet",
    log:
        "logs/gains/{rq}.log",
    benchmark:
        "results/benchmarks/gains/{rq}.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=lambda w: GRID.asked_shots(w.rq),
        metadata=lambda w: dataset_metadata(GRID.in_suites(GRID.question_suites(w.rq))),
        code=code("gains.py", "core"),
    message:
        "Test the gains over zero-shot of {wildcards.rq}"
    script:
        "../workflow/scripts/gains.py"


rule chance:
    input:
        predictions=prediction_files("rq1"),
    output:
        chance="results/rq1/chance.parquet",
    log:
        "logs/chance.log",
    benchmark:
        "results/benchmarks/chance.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=GRID.asked_shots("rq1"),
        metadata=dataset_metadata(GRID.in_suites(GRID.question_suites("rq1"))),
        code=code("chance.py", "core"),
    message:
        "Test the zero-shot cells of rq1 against random rankings"
    script:
        "../workflow/scripts/chance.py"


rule intervals:
    input:
        predictions=prediction_files("rq1"),
        fitted=baseline_files(GRID.question_suites("rq1")),
    output:
        intervals="results/rq1/intervals.parquet",
        means="results/rq1/mean_intervals.parquet",
    log:
        "logs/intervals.log",
    benchmark:
        "results/benchmarks/intervals.tsv"
    conda:
        "../envs/core.yaml"
    params:
        models=list(GRID.models),
        baselines=list(GRID.baselines),
        mode=GRID.main_mode,
        shots=GRID.asked_shots("rq1"),
        fitted_shots=compared_shots(),
        metadata=dataset_metadata(GRID.in_suites(GRID.question_suites("rq1"))),
        code=code("intervals.py", "core"),
    message:
        "Compare zero-shot models and fitted baselines, with intervals"
    script:
        "../workflow/scripts/intervals.py"


rule contrasts:
    input:
        predictions=prediction_files("rq4"),
        splits=splits_of(GRID.question_suites("rq4")),
    output:
        contrasts="results/rq4/contrasts.parquet",
    log:
        "logs/contrasts.log",
    benchmark:
        "results/benchmarks/contrasts.tsv"
    conda:
        "../envs/core.yaml"
    params:
        metadata=dataset_metadata(GRID.in_suites(GRID.question_suites("rq4"))),
        ends=contrast_shots(),
        shots=GRID.asked_shots("rq4"),
        code=code("contrasts.py", "core"),
    message:
        "Test much context with few examples versus little context with many"
    script:
        "../workflow/scripts/contrasts.py"


rule calibration:
    input:
        predictions=prediction_files("rq7"),
        splits=splits_of(GRID.question_suites("rq7")),
    output:
        calibration="results/rq7/calibration.parquet",
        reliability="results/rq7/reliability.parquet",
    log:
        "logs/calibration.log",
    benchmark:
        "results/benchmarks/calibration.tsv"
    conda:
        "../envs/core.yaml"
    params:
        shots=GRID.asked_shots("rq7"),
        metadata=dataset_metadata(GRID.in_suites(GRID.question_suites("rq7"))),
        code=code("calibration.py", "core"),
    message:
        "Score the probabilities of both modes"
    script:
        "../workflow/scripts/calibration.py"
