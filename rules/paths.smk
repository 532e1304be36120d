"""Where everything is, and which files a job or a research question needs."""


def prompts_shots(wildcards):
    """The draws of examples; none at k = 0."""
    if wildcards.k == "0":
        return []
    return ["results/datasets/{dataset}/shots_k{k}.parquet"]


def labelled_shots(wildcards):
    """The draw of a user dataset whose rows outside a prompt or fit are asked too."""
    own = GRID.own.get(wildcards.dataset)
    if own is None or not own.labelled:
        return []
    return [f"results/datasets/{wildcards.dataset}/shots_k{own.labelled}.parquet"]


def prompts_rules(wildcards):
    """The decision rules of an LLM-synthetic dataset; others and released tables have none."""
    if not GRID.has_rules(wildcards.dataset):
        return []
    return ["results/datasets/{dataset}/rules.txt"]


def inference_datasets(wildcards):
    """Datasets of a job: all of its suite, or those of its part."""
    job = wildcards.model, wildcards.suite, int(wildcards.k)
    part = wildcards.get("part")
    return job_parts(*job)[part] if part else job_datasets(*job)


def infer_marker(model, suite, k, part=None):
    """What a finished job of infer leaves."""
    ending = f"_part{part}" if part else ""
    return f"results/inference/{model}/{suite}/k{k}{ending}.json"


def part_markers(wildcards):
    """What the parts of a job leave."""
    job = wildcards.model, wildcards.suite, int(wildcards.k)
    return [infer_marker(*job, part) for part in job_parts(*job)]


def infer_prompts(wildcards):
    """Prompts of a job; none where the owner of a dataset has not allowed to send it."""
    for name in inference_datasets(wildcards):
        check_sharing(name, wildcards.model)
    return [
        f"results/prompts/{name}/k{wildcards.k}.parquet"
        for name in inference_datasets(wildcards)
    ]


def infer_logs(wildcards):
    """Response logs of the datasets of a job, in the order of their prompts."""
    return [
        response_log(wildcards.model, name, wildcards.k)
        for name in inference_datasets(wildcards)
    ]


def dialogue_inputs(wildcards):
    return published_dialogue(*GRID.llm_table(wildcards.dataset))


def response_log(model, dataset, k):
    return f"results/responses/{model}/{dataset}/k{k}.jsonl"


def prediction_paths(jobs):
    return [
        f"results/predictions/{model}/{batch}/k{k}.parquet" for model, batch, k in jobs
    ]


def prediction_files(question=None):
    """Predictions that a research question needs, or all."""
    return prediction_paths(GRID.inference_jobs(question))


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


def baseline_weights_file(wildcards):
    """The weights' file, where the configuration names one that is there."""
    wanted = wanted_weights(wildcards)
    return [wanted] if os.path.isfile(wanted) else []


def baseline_files(suites):
    return fitted_files(GRID.in_suites(suites))


def fitted_files(datasets, kind=""):
    """What the baselines predict of datasets, or under kind "fits/" what their fits were."""
    folders = {name: fitted_folders(name) for name in datasets}
    return [
        f"{folder}/{kind}{name}.parquet"
        for folder in dict.fromkeys(chain(*folders.values()))
        for name in datasets
        if folder in folders[name]
    ]


def fitted_folders(dataset):
    """Where the predictions of a dataset's baselines are."""
    folders = ["results/baselines"] if GRID.classical_of(dataset) else []
    return folders + [
        f"results/baselines/{model}" for model in GRID.pretrained_of(dataset)
    ]


def baseline_fits():
    return fitted_files(GRID.in_suites(SUITES), "fits/")


def score_fits(wildcards):
    """Predictions of what is fitted, behind a research question's scores; some compare with it."""
    question = wildcards.rq
    with_baselines = question in ("rq1", "rq3", "rq5", "rq6")
    suites = GRID.question_suites(question) if with_baselines else ()
    written = llm_baseline_files("predictions") if question == "rq3" else []
    return baseline_files(suites) + written


def score_all_fits(wildcards):
    return baseline_files(SUITES) + llm_baseline_files("predictions")


def own_baselines(name, kind=""):
    """Baselines of an own dataset; kind as in fitted_files."""
    return fitted_files([name], kind)


def own_sides(wildcards):
    """The rows of a user dataset, where its entry says on which side of the split they are."""
    if not given_split(wildcards.dataset):
        return []
    return [f"results/own/{wildcards.dataset}/rows.parquet"]


def own_summary_predictions(wildcards):
    """Predictions and baselines behind the summary of an own dataset."""
    baselines = own_baselines(wildcards.dataset)
    return prediction_paths(GRID.own_jobs(wildcards.dataset)) + baselines


OWN_DATA = ("classes", "parts", "audit", "sharing")
"""Tables on what went into a user dataset, in its folder of evidence."""


def own_page_prompts(wildcards):
    """The prompts that the page shows one of: with the fewest labels, none where there are none."""
    shots = GRID.dataset_shots(wildcards.dataset)
    return f"results/prompts/{wildcards.dataset}/k{min(filter(None, shots), default=0)}.parquet"


def own_page_placement(wildcards):
    """The placement of a user dataset, where it was made and can be made."""
    made = f"results/own/{wildcards.dataset}/placement.md"
    can_be = PLACING and GRID.mlp_tables and max(GRID.shots)
    return [made] if can_be and os.path.exists(made) else []


def own_page_probes(kind):
    """What the probes of each model found, where the user dataset is probed."""

    def files(wildcards):
        if wildcards.dataset not in probed_datasets():
            return []
        return [
            f"results/rq1/probes/{model}/{kind}.parquet" for model in probe_models()
        ]

    return files


def dataset_paths(name):
    """A file of every dataset of the configuration that has raw files."""
    return [f"results/datasets/{dataset}/{name}" for dataset in REGISTERED]


def mlp_tables():
    return [f"results/datasets/{table.id}/table.parquet" for table in GRID.mlp_tables]


def splits_of(suites):
    return [f"results/datasets/{name}/split.parquet" for name in GRID.in_suites(suites)]


def dimension_files(datasets):
    return [f"results/complexity/dimensions/{name}.parquet" for name in datasets]


def own_placement_predictions(wildcards):
    """What places an own dataset: its baselines and those of the complexity grid."""
    if not (PLACING and GRID.mlp_tables and max(GRID.shots)):
        raise WorkflowError(
            "nothing to place a dataset by: the configuration needs mlp.levels, examples in "
            "shots, and a baseline other than majority"
        )
    return [*own_baselines(wildcards.dataset), *baseline_files(["mlp"])]


def probed_datasets():
    return probe_settings().get("datasets", [])


def probe_inputs():
    """Prepared tables of the datasets that are probed."""
    for name, model in product(probed_datasets(), probe_models()):
        check_sharing(name, model)
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
