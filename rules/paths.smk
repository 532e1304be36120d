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
    in_process = entry["engine"] in ("transformers", "vllm")
    if in_process and "package" in entry["weights"]:
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


def answered_before(wildcards):
    """The marker of infer as input of predict: ancient, unless the prediction is out of date.

    Snakemake would not see that it is when infer reruns in the same call.
    """
    marker = inference_marker(wildcards)
    made = f"results/predictions/{wildcards.model}/{wildcards.dataset}/k{wildcards.k}.parquet"
    sources = (
        f"results/prompts/{wildcards.dataset}/k{wildcards.k}.parquet",
        f"results/models/{wildcards.model}/entry.json",
        "results/predictions/code.json",
    )
    if not os.path.exists(made):
        return ancient(marker)
    age = os.path.getmtime(made)
    newer = any(
        os.path.exists(path) and os.path.getmtime(path) > age for path in sources
    )
    return marker if newer else ancient(marker)


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


def llm_baseline_datasets():
    return [name for name in GRID.in_suites(REAL_SUITES) if llm_baseline_shots(name)]


def llm_baseline_shot_files(wildcards):
    """The draws of examples that the methods are given."""
    ks = [k for k in llm_baseline_shots(wildcards.dataset) if k]
    return [f"results/datasets/{wildcards.dataset}/shots_k{k}.parquet" for k in ks]


def llm_baseline_files(name):
    """A file of each model and dataset whose rules and trees are run."""
    return [
        f"results/llm_baselines/{model}/{dataset}/{name}.parquet"
        for model in llm_baseline_models()
        for dataset in llm_baseline_datasets()
    ]


def weights_file(wildcards):
    """The weights' file, where the configuration names one that is there."""
    wanted = wanted_weights(wildcards)
    return [wanted] if os.path.isfile(wanted) else []


def baseline_files(suites):
    return fitted_files(GRID.in_suites(suites))


def fitted_files(datasets, kind=""):
    """What the baselines predict of datasets, or under kind "fits/" what their fits were."""
    folders = ["results/baselines"] if GRID.classical else []
    folders += [f"results/baselines/{model}" for model in GRID.pretrained]
    return [f"{folder}/{kind}{name}.parquet" for folder in folders for name in datasets]


def baseline_fits():
    return fitted_files(GRID.in_suites(SUITES), "fits/")


def question_predictions(wildcards):
    """Predictions behind a research question's scores; some compare with baselines."""
    question = wildcards.rq
    with_baselines = question in ("rq1", "rq3", "rq5", "rq6")
    suites = GRID.question_suites(question) if with_baselines else ()
    written = llm_baseline_files("predictions") if question == "rq3" else []
    return prediction_files(question) + baseline_files(suites) + written


def compared_predictions():
    """Predictions of zero-shot models and of the baselines that stand beside them."""
    return prediction_files("rq1") + baseline_files(GRID.question_suites("rq1"))


def all_predictions(wildcards):
    written = llm_baseline_files("predictions")
    return prediction_files() + baseline_files(SUITES) + written


def own_baselines(name, kind=""):
    """Baselines of an own dataset; kind as in fitted_files."""
    if DATASETS.get(name, {}).get("suite") != "own":
        raise WorkflowError(
            f"no own dataset '{name}': write {OWN_FOLDER}/{name}.yaml (see config/README.md)"
        )
    return fitted_files([name], kind)


def own_predictions(wildcards):
    """Predictions and baselines behind the summary of an own dataset."""
    baselines = own_baselines(wildcards.dataset)
    return prediction_paths(GRID.own_predictions(wildcards.dataset)) + baselines


def dataset_paths(name):
    """A file of every dataset of the configuration that has raw files."""
    return [f"results/datasets/{dataset}/{name}" for dataset in REGISTERED]


def mlp_tables():
    return [f"results/datasets/{table.id}/table.parquet" for table in GRID.mlp_tables]


def folding_inputs(wildcards):
    """Zero-shot scores, and those with examples where they are asked."""
    few_shot = {"few_shot": "results/rq3/scores.parquet"}
    return {"scores": "results/rq1/scores.parquet"} | (
        few_shot if "rq3" in GRID.questions else {}
    )


def splits_of(suites):
    return [f"results/datasets/{name}/split.parquet" for name in GRID.in_suites(suites)]


TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "md")
DATASET_TABLES = ("table1", "table12", "table13", "table14")


def asked_shots(question):
    """Every k that a question asks of any dataset."""
    if question not in GRID.questions:
        return set()
    names = GRID.in_suites(GRID.question_suites(question))
    return {k for name in names for k in GRID.question_shots(question, name)}


def context_figures(question, numbers, shots):
    """Figures of the four contexts at one k each, as far as the question asks that k."""
    asked = asked_shots(question)
    return {
        f"figure{number}": k
        for number, k in zip(numbers, shots, strict=True)
        if k in asked
    }


CONTEXT_FIGURES = {
    "rq4": context_figures("rq4", range(14, 19), (4, 8, 16, 32, 64)),
    "rq5": context_figures("rq5", range(24, 30), (0, 4, 8, 16, 32, 64)),
}
AGE_FIGURES = ["figure7"] if all(GRID.in_suites([one]) for one in REAL_SUITES) else []
"""Classic beside new datasets: it needs both."""
GAIN_FIGURES = ["figure11", "figure12", "figure13"] if asked_shots("rq3") - {0} else []
"""Gains over zero-shot: they need examples."""
GRID_FIGURES = [*(["figure30"] if GRID.baselines else []), "figure31"]
"""Baselines on the complexity grid, and gains there."""
NEW_DATASET_TABLES = ["table17", "table18"] if GRID.in_suites(["new"]) else []

COMPARED = len(GRID.models) + len(GRID.baselines)
RANKED = COMPARED > 2 and len(GRID.in_suites(GRID.question_suites("rq1"))) > 1
"""Whether there are methods and datasets enough for ranks."""

ARTIFACTS = {
    "rq1": {
        "tables": [
            *("table2", "chance", "datasets"),
            *(["differences"] if COMPARED > 1 else []),
            *("folding", "folding_conclusions"),
        ],
        "figures": [
            *("figure1", "figure6"),
            *AGE_FIGURES,
            *(["ranks"] if RANKED else []),
        ],
    },
    "rq2": {"tables": ["table5", "table6"], "figures": ["figure9"]},
    "rq3": {
        "tables": [
            *("table7", *NEW_DATASET_TABLES),
            *(["llm_baselines"] if llm_baseline_files("queries") else []),
        ],
        "figures": ["figure10", *GAIN_FIGURES],
    },
    "rq4": {
        "tables": ["table8", "contrasts"],
        "figures": ["figure2", *CONTEXT_FIGURES["rq4"]],
    },
    "rq5": {
        "tables": ["table9"],
        "figures": [
            *("figure19", "figure20", "figure21", "figure22", "figure23"),
            *CONTEXT_FIGURES["rq5"],
        ],
    },
    "rq6": {
        "tables": ["table10", "table15", "table16"],
        "figures": GRID_FIGURES if asked_shots("rq6") - {0} else [],
    },
    "rq7": {"tables": ["table11", "calibration"], "figures": ["reliability"]},
}


def table_files(folder, name):
    """Outputs of a table: its raw numbers and its readable form go into Snakemake's report."""
    return shown(folder, name, TABLE_FORMATS, ("csv", "md"))


def figure_files(folder, name):
    """Outputs of a figure: the picture goes into Snakemake's report."""
    return shown(folder, name, FIGURE_FORMATS, ("png",))


def shown(folder, name, forms, reported):
    """The files of a table or figure, some of them marked for `snakemake --report`."""
    kind = "Figures" if forms == FIGURE_FORMATS else "Tables"
    return [
        marked(path, folder, name, kind) if form in reported else path
        for form, path in zip(forms, artifact_paths(folder, name, forms))
    ]


def marked(path, folder, name, kind):
    """A file for `snakemake --report`; its caption comes from the .md beside it."""
    return report(
        path,
        caption="../workflow/report/artifact.rst",
        category=section(folder).title,
        subcategory=kind,
        labels=dict(name=artifact_title(name, folder), file=path.rpartition(".")[2]),
    )


def artifact_paths(folder, name, forms):
    return multiext(f"results/{folder}/{name}", *(f".{form}" for form in forms))


PAPER_TABLES = ("discrepancies", "comparison")
PAPER_COMPARED = [
    f"{PAPER}/table{number}.csv" for number in (2, 6, 7, 8, 9, 10, 11, 17, 18)
]
"""Published numbers that ours stand beside, as far as their model ran."""


COMPARISON_FIGURE = [
    f"results/paper/{name}"
    for name in ("comparison.pdf", "comparison.png", "comparison_caption.md")
]
"""The caption's name leaves comparison.md to the table."""


def paper_artifacts():
    """The paper's own numbers, and ours beside them."""
    tables = [artifact_paths("paper", name, TABLE_FORMATS) for name in PAPER_TABLES]
    return tables + COMPARISON_FIGURE


def dataset_artifacts():
    """The dataset tables and the audit; none without real datasets."""
    names = (*DATASET_TABLES, "audit") if REGISTERED else ()
    return [artifact_paths("datasets", name, TABLE_FORMATS) for name in names]


def domain_artifacts():
    """Appendix F: every cell, as a table and as a page."""
    return ["results/domains/cells.parquet", "results/domains/cells.html"]


PLACING = placing_baselines(config)
REAL = GRID.in_suites(REAL_SUITES)
PLACED = bool(PLACING and REAL and GRID.mlp_tables and max(GRID.shots))
"""Whether there are datasets to place, tables to place them among, and a baseline to do it by."""

PLACEMENT_FIGURE = [
    f"results/complexity/{name}"
    for name in ("placement.pdf", "placement.png", "placement_caption.md")
]
"""The caption's name leaves placement.md to the table."""


def dimension_files(datasets):
    return [f"results/complexity/dimensions/{name}.parquet" for name in datasets]


def own_placed(wildcards):
    """What places an own dataset: its baselines and those of the complexity grid."""
    if not (PLACING and GRID.mlp_tables and max(GRID.shots)):
        raise WorkflowError(
            "nothing to place a dataset by: the configuration needs mlp.levels, examples in "
            "shots, and a baseline other than majority"
        )
    return [*own_baselines(wildcards.dataset), *baseline_files(["mlp"])]


def placed_gains(wildcards):
    """The gains of examples on real datasets, where a question asks them."""
    asked = "rq3" in GRID.questions and asked_shots("rq3") - {0}
    return {"tests": "results/rq3/gains.parquet"} if asked else {}


def placement_artifacts():
    """Real datasets on the scale of the complexity grid; none where there is nothing to place."""
    if not PLACED:
        return []
    names = ("placement", "correlations")
    tables = [artifact_paths("complexity", name, TABLE_FORMATS) for name in names]
    return [*tables, PLACEMENT_FIGURE]


PROBE_TABLES = ("table3", "table4", "completion", "answers")


def probed_datasets():
    return probe_settings().get("datasets", [])


def probe_inputs():
    """Prepared tables of the datasets that are probed."""
    return [f"results/datasets/{name}/table.parquet" for name in probed_datasets()]


def probe_flags(wildcards):
    """The graded recognition, where only the datasets that it flags are probed further."""
    if probe_settings().get("reconstruct") == "all":
        return []
    return ["results/rq1/probes/{model}/recognition.parquet"]


def probe_log(test):
    return lambda wildcards: (
        f"results/responses/{wildcards.model}/probes/{test}.jsonl"
    )


def probe_results(name):
    """A file of each model that is probed."""
    return [f"results/rq1/probes/{model}/{name}.parquet" for model in probe_models()]


def baseline_artifacts():
    """What was fitted and how; none where the configuration names no baselines."""
    names = ("fitted",) if GRID.baselines else ()
    return [artifact_paths("baselines", name, TABLE_FORMATS) for name in names]


def probe_artifacts():
    """Tables of the memorization probes; none where the configuration asks none."""
    names = PROBE_TABLES if probe_settings() else ()
    return [artifact_paths("rq1/probes", name, TABLE_FORMATS) for name in names]


def artifacts(question):
    """All tables and figures of a research question."""
    made = ARTIFACTS[question]
    return [
        artifact_paths(question, name, forms)
        for kind, forms in (("tables", TABLE_FORMATS), ("figures", FIGURE_FORMATS))
        for name in made[kind]
    ]


def all_artifacts():
    """Every table and figure of the configuration, in the order of the page of results."""
    asked = [artifacts(question) for question in GRID.questions]
    shown = placement_artifacts() + probe_artifacts() + scitarc_artifacts()
    shown += baseline_artifacts()
    shown += dataset_artifacts() + domain_artifacts()
    return asked + shown + paper_artifacts()
