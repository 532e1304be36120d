"""Where everything is, and which files a job or a research question needs."""


def shots_file(wildcards):
    """The draws of examples; none at k = 0."""
    if wildcards.k == "0":
        return []
    return ["results/datasets/{dataset}/shots_k{k}.parquet"]


def rules_file(wildcards):
    """The decision rules of an LLM-synthetic dataset; others have none."""
    if GRID.suite(wildcards.dataset) != "llm_synthetic":
        return []
    return ["results/datasets/{dataset}/rules.txt"]


def inference_datasets(wildcards):
    return GRID.inference_datasets(wildcards.suite, int(wildcards.k), wildcards.model)


def inference_prompts(wildcards):
    return [
        f"results/prompts/{name}/k{wildcards.k}.parquet"
        for name in inference_datasets(wildcards)
    ]


def inference_logs(wildcards):
    """Response logs of the datasets of a job, in the order of their prompts."""
    return [
        response_log(wildcards.model, name, wildcards.k)
        for name in inference_datasets(wildcards)
    ]


def weights_folder(wildcards):
    return converted_weights(wildcards.model)


def converted_weights(model):
    """Folder of converted weights; models of the hub or of an endpoint have none."""
    entry = MODELS[model]
    if entry["engine"] == "transformers" and "package" in entry["weights"]:
        return [f"results/models/{model}/weights"]
    return []


def dialogue_inputs(wildcards):
    return published_dialogue(*GRID.llm_table(wildcards.dataset))


def dialogue_model(wildcards):
    name = generator_model(wildcards.dataset)
    return [f"results/models/{name}/entry.json"] if name else []


def dialogue_weights(wildcards):
    name = generator_model(wildcards.dataset)
    return converted_weights(name) if name else []


def response_log(model, dataset, k):
    return f"results/responses/{model}/{dataset}/k{k}.jsonl"


def inference_marker(wildcards):
    batch = GRID.inference_batch(wildcards.dataset)
    return f"results/inference/{wildcards.model}/{batch}/k{wildcards.k}.json"


def prediction_paths(predictions):
    return [
        f"results/predictions/{model}/{dataset}/k{k}.parquet"
        for model, dataset, k in predictions
    ]


def prediction_files(question=None):
    """Predictions that a research question needs, or all."""
    return prediction_paths(GRID.predictions(question))


def baseline_shots(wildcards):
    """The draws that baselines are fitted on."""
    ks = GRID.baseline_shots(wildcards.dataset)
    return [f"results/datasets/{wildcards.dataset}/shots_k{k}.parquet" for k in ks]


def baseline_files(suites):
    if not GRID.baselines:
        return []
    return [f"results/baselines/{name}.parquet" for name in GRID.in_suites(suites)]


def question_predictions(wildcards):
    """Predictions behind a research question's scores; some compare with baselines."""
    question = wildcards.rq
    with_baselines = question in ("rq1", "rq5", "rq6")
    suites = GRID.question_suites(question) if with_baselines else ()
    return prediction_files(question) + baseline_files(suites)


def all_predictions(wildcards):
    return prediction_files() + baseline_files(SUITES)


def own_predictions(wildcards):
    """Predictions and baselines behind the summary of an own dataset."""
    name = wildcards.dataset
    if DATASETS.get(name, {}).get("suite") != "own":
        raise WorkflowError(
            f"no own dataset '{name}': write {OWN_FOLDER}/{name}.yaml (see config/README.md)"
        )
    baselines = [f"results/baselines/{name}.parquet"] if GRID.baselines else []
    return prediction_paths(GRID.own_predictions(name)) + baselines


def dataset_paths(name):
    """A file of every dataset of the configuration that has raw files."""
    return [f"results/datasets/{dataset}/{name}" for dataset in REGISTERED]


def splits_of(suites):
    return [f"results/datasets/{name}/split.parquet" for name in GRID.in_suites(suites)]


TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "md")
DATASET_TABLES = ("table1", "table12", "table13", "table14")
CONTEXT_FIGURES = {
    f"figure{number}": k
    for number, k in zip(range(24, 30), (0, 4, 8, 16, 32, 64))
    if "rq5" in GRID.questions and k in GRID.rq5_shots
}
"""Figures 24 to 29, as far as their number of examples is asked."""

ARTIFACTS = {
    "rq1": {"tables": ["table2"], "figures": ["figure6"]},
    "rq2": {"tables": ["table6"], "figures": ["figure9"]},
    "rq3": {"tables": ["table7"], "figures": ["figure10"]},
    "rq4": {"tables": ["table8"], "figures": ["figure2"]},
    "rq5": {
        "tables": ["table9"],
        "figures": [
            *("figure19", "figure20", "figure21", "figure22", "figure23"),
            *CONTEXT_FIGURES,
        ],
    },
    "rq6": {"tables": ["table10"], "figures": ["figure30", "figure31"]},
    "rq7": {"tables": ["table11"], "figures": []},
}


def table_files(question, name):
    return multiext(
        f"results/{question}/{name}", *(f".{form}" for form in TABLE_FORMATS)
    )


def figure_files(question, name):
    return multiext(
        f"results/{question}/{name}", *(f".{form}" for form in FIGURE_FORMATS)
    )


def dataset_artifacts():
    """The dataset tables and the audit; none without real datasets."""
    names = (*DATASET_TABLES, "audit") if REGISTERED else ()
    return [
        f"results/datasets/{name}.{form}" for name in names for form in TABLE_FORMATS
    ]


def artifacts(question):
    """All tables and figures of a research question."""
    made = ARTIFACTS[question]
    return [table_files(question, name) for name in made["tables"]] + [
        figure_files(question, name) for name in made["figures"]
    ]
