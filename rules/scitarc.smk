"""SciTaRC (second paper): questions about tables of scientific papers, answered and judged.

A model is loaded once for all its plans and answers; reading them, running programs and judging by
the matcher load none. Its log is no declared output, as in inference.smk.
"""


rule scitarc_questions:
    input:
        questions=scitarc_local(),
        demonstrations=scitarc_demonstrations(),
        demonstrated=scitarc_demonstrated(),
    output:
        questions="results/scitarc/questions.parquet",
        demonstrations="results/scitarc/demonstrations.parquet",
    log:
        "logs/scitarc_questions.log",
    benchmark:
        "results/benchmarks/scitarc_questions.tsv"
    conda:
        "../envs/core.yaml"
    params:
        hub=scitarc_hub(),
        rows=scitarc_settings().get("rows"),
        code=code("scitarc_questions.py", "core"),
    message:
        "Check SciTaRC's questions and draw those to be asked"
    script:
        "../workflow/scripts/scitarc_questions.py"


rule scitarc_complexity:
    input:
        questions="results/scitarc/questions.parquet",
        tokenizer=scitarc_tokenizer_folder(),
    output:
        complexity="results/scitarc/complexity.parquet",
    log:
        "logs/scitarc_complexity.log",
    benchmark:
        "results/benchmarks/scitarc_complexity.tsv"
    conda:
        "../envs/transformers.yaml"
    params:
        tokenizer=scitarc_tokenizer(),
        code=code("scitarc_complexity.py", "transformers"),
    message:
        "Count the complexity of SciTaRC's questions"
    script:
        "../workflow/scripts/scitarc_complexity.py"


rule scitarc_responses:
    input:
        questions="results/scitarc/questions.parquet",
        demonstrations="results/scitarc/demonstrations.parquet",
        model="results/models/{model}/entry.json",
        weights=weights_folder,
    output:
        responses="results/scitarc/{model}/responses.parquet",
    log:
        "logs/scitarc_responses/{model}.log",
    conda:
        engine_environment
    resources:
        gpu=infer_resource("gpus"),
        mem_mb=infer_resource("mem_mb"),
        runtime=infer_resource("runtime"),
        endpoint=engine_endpoints,
    params:
        benchmark="results/benchmarks/scitarc_responses/{model}.tsv",
        asking=model_asking,
        responses=lambda w: f"results/responses/{w.model}/scitarc/answers.jsonl",
        conditions=lambda w: asked_conditions(w.model),
        decoding=scitarc_decoding(),
        plain=lambda w: asked_plainly(w.model),
        code=engine_code("scitarc_responses.py"),
    message:
        "Ask {wildcards.model} SciTaRC's questions"
    script:
        "../workflow/scripts/scitarc_responses.py"


rule scitarc_answers:
    input:
        responses="results/scitarc/{model}/responses.parquet",
    output:
        answers="results/scitarc/{model}/answers.parquet",
    log:
        "logs/scitarc_answers/{model}.log",
    benchmark:
        "results/benchmarks/scitarc_answers/{model}.tsv"
    conda:
        "../envs/core.yaml"
    resources:
        mem_mb=4000,
        runtime=1440,  # programs run one after the other, each up to 30 s
    params:
        sandbox=config.get("sandbox"),
        code=code("scitarc_answers.py", "core"),
    message:
        "Read {wildcards.model}'s answers and run its programs"
    script:
        "../workflow/scripts/scitarc_answers.py"


rule scitarc_scores:
    input:
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
        model=judge_entry(scitarc_judge()),
        weights=judge_weights(scitarc_judge()),
    output:
        scores="results/scitarc/scores.parquet",
    log:
        "logs/scitarc_scores.log",
    conda:
        judge_environment(scitarc_judge())
    resources:
        gpu=judge_resource(scitarc_judge(), "gpus"),
        mem_mb=judge_resource(scitarc_judge(), "mem_mb"),
        runtime=judge_resource(scitarc_judge(), "runtime"),
        endpoint=judge_endpoints(scitarc_judge()),
    params:
        benchmark="results/benchmarks/scitarc_scores.tsv",
        judge=scitarc_judge(),
        asking=judge_asking(scitarc_judge()),
        responses=judge_log(scitarc_judge()),
        plain=judge_plainly(scitarc_judge()),
        code=judge_code(scitarc_judge()),
    message:
        "Judge SciTaRC's answers"
    script:
        "../workflow/scripts/scitarc_scores.py"


rule scitarc_second_judge:
    input:
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
        model=judge_entry(scitarc_second_judge()),
        weights=judge_weights(scitarc_second_judge()),
    output:
        scores="results/scitarc/second_judge.parquet",
    log:
        "logs/scitarc_second_judge.log",
    conda:
        judge_environment(scitarc_second_judge())
    resources:
        gpu=judge_resource(scitarc_second_judge(), "gpus"),
        mem_mb=judge_resource(scitarc_second_judge(), "mem_mb"),
        runtime=judge_resource(scitarc_second_judge(), "runtime"),
        endpoint=judge_endpoints(scitarc_second_judge()),
    params:
        benchmark="results/benchmarks/scitarc_second_judge.tsv",
        judge=scitarc_second_judge(),
        asking=judge_asking(scitarc_second_judge()),
        responses=judge_log(scitarc_second_judge()),
        plain=judge_plainly(scitarc_second_judge()),
        code=judge_code(scitarc_second_judge()),
    message:
        "Judge SciTaRC's answers once more, by the second judge"
    script:
        "../workflow/scripts/scitarc_scores.py"
