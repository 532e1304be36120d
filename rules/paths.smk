"""Where everything is, and which files a job or a research question needs."""


def shots_file(dataset, k):
    """The draws of examples; none at k = 0."""
    return [f"results/datasets/{dataset}/shots_k{k}.parquet"] if int(k) else []


def rules_file(dataset):
    """The decision rules of an LLM-synthetic dataset; others have none."""
    made = GRID.suite(dataset) == "llm_synthetic"
    return [f"results/datasets/{dataset}/rules.txt"] if made else []


def dataset_files(dataset, k):
    """Everything that the prompts of a dataset at k are built from."""
    folder = f"results/datasets/{dataset}"
    return [
        f"{folder}/table.parquet",
        f"{folder}/split.parquet",
        f"{folder}/serialized.parquet",
        *shots_file(dataset, k),
        *rules_file(dataset),
    ]


def inference_inputs(wildcards):
    datasets = GRID.inference_datasets(
        wildcards.suite, int(wildcards.k), wildcards.model
    )
    return [path for name in datasets for path in dataset_files(name, wildcards.k)]


def weights_folder(wildcards):
    return converted_weights(wildcards.model)


def converted_weights(model):
    """Folder of converted weights; models of the hub have none."""
    if "package" in MODELS[model]["weights"]:
        return [f"results/models/{model}"]
    return []


def response_log(model, dataset, k):
    return f"results/responses/{model}/{dataset}/k{k}.jsonl"


def inference_marker(wildcards):
    suite = GRID.suite(wildcards.dataset)
    return f"results/inference/{wildcards.model}/{suite}/k{wildcards.k}.json"


def prediction_files(question=None):
    """Predictions that a research question needs, or all."""
    return [
        f"results/predictions/{model}/{dataset}/k{k}.parquet"
        for model, dataset, k in GRID.predictions(question)
    ]


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


def splits_of(suites):
    return [f"results/datasets/{name}/split.parquet" for name in GRID.in_suites(suites)]


TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "md")
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


def artifacts(question):
    """All tables and figures of a research question."""
    made = ARTIFACTS[question]
    return [table_files(question, name) for name in made["tables"]] + [
        figure_files(question, name) for name in made["figures"]
    ]
