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
    priority: TO_MODELS
    conda:
        "../envs/core.yaml"
    params:
        hub=scitarc_hub(),
        rows=scitarc_settings().get("rows"),
        code=code("scitarc_questions.py", "core"),
    message:
        "Check SciTaRC's questions and draw a sample"
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
        "Compute the complexity of SciTaRC's questions"
    script:
        "../workflow/scripts/scitarc_complexity.py"


rule scitarc_responses:
    input:
        **model_input(named_model),
        questions="results/scitarc/questions.parquet",
        demonstrations="results/scitarc/demonstrations.parquet",
    output:
        responses="results/scitarc/{model}/responses.parquet",
    log:
        "logs/scitarc_responses/{model}.log",
    priority: ASKS_MODEL
    conda:
        model_conda(named_model)
    resources:
        **model_resources(named_model),
    params:
        **model_params("scitarc_responses.py", named_model),
        benchmark="results/benchmarks/scitarc_responses/{model}.tsv",
        responses=lambda w: f"results/responses/{w.model}/scitarc/answers.jsonl",
        conditions=lambda w: asked_conditions(w.model),
        decoding=scitarc_decoding(),
        seeds=scitarc_seeds(),
        plain=lambda w: asked_plainly(w.model),
        prompts=scitarc_prompts(),
    message:
        "Run {wildcards.model} on SciTaRC's questions"
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
        **model_input(first_judge),
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
    output:
        scores="results/scitarc/scores.parquet",
    log:
        "logs/scitarc_scores.log",
    priority: ASKS_MODEL
    conda:
        model_conda(first_judge)
    resources:
        **model_resources(first_judge),
    params:
        **model_params("scitarc_scores.py", first_judge),
        **judge_params(scitarc_judge()),
        benchmark="results/benchmarks/scitarc_scores.tsv",
    message:
        "Judge SciTaRC's answers"
    script:
        "../workflow/scripts/scitarc_scores.py"


rule scitarc_second_judge:
    input:
        **model_input(second_judge),
        questions="results/scitarc/questions.parquet",
        answers=scitarc_answers(),
    output:
        scores="results/scitarc/second_judge.parquet",
    log:
        "logs/scitarc_second_judge.log",
    priority: ASKS_MODEL
    conda:
        model_conda(second_judge)
    resources:
        **model_resources(second_judge),
    params:
        **model_params("scitarc_scores.py", second_judge),
        **judge_params(scitarc_second_judge()),
        benchmark="results/benchmarks/scitarc_second_judge.tsv",
    message:
        "Judge SciTaRC's answers with the second judge"
    script:
        "../workflow/scripts/scitarc_scores.py"
