"""What the plan counts, and what it must leave out."""

from types import SimpleNamespace


def prompts_file(dataset, k):
    return f"results/prompts/{dataset}/k{k}.parquet"


def to_be_written(dataset):
    """Whether a language model has yet to write a table: planning must not make it answer."""
    if GRID.suite(dataset) != "llm_synthetic" or generator_model(dataset) is None:
        return False
    return not os.path.exists(f"results/datasets/{dataset}/table.parquet")


def refusal(dataset, k):
    """Why a dataset's prompts could not be made in an earlier run; None if nothing is known."""
    if os.path.exists(prompts_file(dataset, k)):
        return None
    return first_error(
        *(f"{rule}/{dataset}" for rule in ("download", "prepare", "split")),
        f"shots/{dataset}_k{k}",
        f"prompts/{dataset}_k{k}",
    )


def table_refusal(dataset):
    """Why a dataset could not be had in an earlier run; None if nothing is known."""
    if os.path.exists(f"results/datasets/{dataset}/split.parquet"):
        return None
    return first_error(
        *(f"{rule}/{dataset}" for rule in ("download", "prepare", "split"))
    )


def first_error(*names):
    """The error in the first of these logs that has one."""
    for name in names:
        log = Path(f"logs/{name}.log")
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        for line in lines:
            if line.startswith("ERROR: "):
                return line.removeprefix("ERROR: ")
    return None


def asked_datasets():
    """(model, dataset, k) of everything that is asked about rows, own tables last."""
    own = [
        (model, dataset, k)
        for dataset in USER_DATASETS
        for model, _, k in GRID.own_jobs(dataset)
        if not unshared(dataset, [model])
    ]
    return GRID.predictions() + own


def planned_prompts():
    """Prompts file to the response log of each model that is asked."""
    files = {}
    for model, dataset, k in asked_datasets():
        path = prompts_file(dataset, k)
        made = os.path.exists(path)
        if made or not (to_be_written(dataset) or refusal(dataset, k)):
            files.setdefault(path, {})[model] = response_log(model, dataset, k)
    return files


def prompts_to_make():
    """Prompts that the plan may bring up to date: those behind which no language model answers."""
    return [
        path
        for path in planned_prompts()
        if not (
            GRID.suite(Path(path).parent.name) == "llm_synthetic"
            and generator_model(Path(path).parent.name)
        )
    ]


def planning_gaps():
    """What is not counted, and why."""
    gaps = {}
    for _, dataset, k in asked_datasets():
        reason = refusal(dataset, k)
        if reason:
            again = f"once that is mended: snakemake {prompts_file(dataset, k)}"
            gaps.setdefault(dataset, f"{reason} ({again})")
    for dataset in {*probed_datasets(), *llm_baseline_datasets()}:
        if reason := table_refusal(dataset):
            gaps.setdefault(dataset, reason)
    for dataset in USER_DATASETS:
        if reason := unshared(dataset, GRID.own[dataset].models):
            gaps.setdefault(dataset, reason)
    for model, title in probe_models().items():
        for dataset in probed_datasets():
            if reason := unshared(dataset, [model]):
                gaps.setdefault(f"probes of {title}", reason)
    if reason := scitarc_refusal():
        gaps["SciTaRC"] = reason
    return gaps


# Free texts: kind, model, and arguments of tabbench.planning.kinds


def text_jobs():
    """What `tabbench.planning.text_lines.TextJob` takes, of each job that asks for free texts."""
    return [*probe_texts(), *logic_texts(), *dialogue_texts(), *scitarc_texts()]


def text_inputs():
    """Files that the plan reads to count them."""
    probed = plannable_probes() if probe_models() else []
    asked = plannable_logic() if llm_baseline_models() else []
    files = [f"results/datasets/{name}/table.parquet" for name in [*probed, *asked]]
    for name in asked:
        files += logic_files(name)
    if scitarc_settings() and not scitarc_refusal():
        files += [SCITARC_FILES["questions"], SCITARC_FILES["demonstrations"]]
    return list(dict.fromkeys(files))


def by_completion(model):
    return MODELS[model]["style"] == "completion"


def plannable_probes():
    return [name for name in probed_datasets() if not table_refusal(name)]


def probe_texts():
    settings, names = probe_settings(), plannable_probes()
    found = []
    for model in probe_models():
        if any(unshared(name, [model]) for name in names):
            continue
        graded = f"results/rq1/probes/{model}/recognition.parquet"
        flagged = settings["reconstruct"] == "flagged"
        known = [graded] if flagged and os.path.exists(graded) else []
        every = {
            "tables": [f"results/datasets/{name}/table.parquet" for name in names],
            "metadata": {name: probed_entry(DATASETS[name]) for name in names},
            "planted": settings.get("canary", True),
        }
        some = {"datasets": every | {"recognition": known}}
        sizes = {key: settings[key] for key in ("rows", "cells")}
        for kind, at_most, given in (
            ("recognition", False, {"datasets": every}),
            ("reconstruction", flagged and not known, some | sizes),
            ("completion", flagged and not known, some | {"rows": probe_rows()}),
        ):
            log = probe_log(kind)(SimpleNamespace(model=model))
            given |= {"plain": by_completion(model)}
            found.append([model, kind, "", log, at_most, given])
    return found


def plannable_logic():
    return [name for name in llm_baseline_datasets() if not table_refusal(name)]


def logic_files(dataset):
    shots = llm_baseline_shot_files(SimpleNamespace(dataset=dataset))
    split = f"results/datasets/{dataset}/split.parquet"
    return [split, *(path.format(dataset=dataset) for path in shots)]


def logic_texts():
    found = []
    for model, name in product(llm_baseline_models(), plannable_logic()):
        wildcards = SimpleNamespace(dataset=name)
        split, *shots = logic_files(name)
        given = {
            "dataset": name,
            "table": f"results/datasets/{name}/table.parquet",
            "split": split,
            "shots": shots,
            "task": dataset_task(wildcards),
            "methods": llm_methods(),
            "zero_shot": llm_zero_shot(wildcards),
            "counts": llm_query_counts(),
            "plain": by_completion(model),
        }
        log = f"results/responses/{model}/llm_baselines/{name}.jsonl"
        kind = "rules and trees"
        found.append([model, kind, name, log, False, given])
    return found


def dialogue_texts():
    found = []
    for name in filter(GRID.has_rules, GRID.in_suites(["llm_synthetic"])):
        model = generator_model(name)
        if model is None:
            continue
        settings = dialogue_settings(SimpleNamespace(dataset=name))
        folder = f"results/dialogues/{name}"
        given = {key: settings[key] for key in ("topic", "attempts")}
        open_ = not all(map(os.path.exists, turn_files(folder)))
        given |= {"folder": folder}
        found.append([model, "dialogues", name, "", open_, given])
    return found


SCITARC_FILES = {
    "questions": "results/scitarc/questions.parquet",
    "demonstrations": "results/scitarc/demonstrations.parquet",
}


def scitarc_refusal():
    """Why SciTaRC's questions could not be had in an earlier run; None if nothing is known."""
    if not scitarc_settings() or os.path.exists(SCITARC_FILES["questions"]):
        return None
    return first_error("scitarc_questions")


def scitarc_texts():
    if not scitarc_settings() or scitarc_refusal():
        return []
    shared = {
        **SCITARC_FILES,
        "decoding": scitarc_decoding(),
        "prompts": scitarc_prompts(),
        "seeds": scitarc_seeds(),
    }
    asked = {
        model: shared
        | {"conditions": asked_conditions(model), "plain": asked_plainly(model)}
        for model in scitarc_models()
    }
    answers = scitarc_answers()
    there = answers if all(map(os.path.exists, answers)) else []
    found = []
    for model, given in asked.items():
        log = f"results/responses/{model}/scitarc/answers.jsonl"
        found.append([model, "SciTaRC", "", log, False, given])
    for judge in dict.fromkeys([scitarc_judge(), scitarc_second_judge()]):
        model, params = judging_model(judge), judge_params(judge)
        if model is not None:
            given = {
                "given": SCITARC_FILES["questions"],
                "answers": there,
                "expected": list(asked.values()),
                "name": judge,
                "prompts": params["prompts"],
                "plain": params["plain"],
            }
            log = params["responses"]
            found.append([model, "SciTaRC's judge", "", log, True, given])
    return found


def planned_questions():
    """The combined tests whose power is planned: see tabbench.planning.worth.Question."""
    found = []
    for name in ("rq1", "rq3", "rq4", "rq6"):
        if name not in GRID.questions:
            continue
        datasets = GRID.in_suites(GRID.question_suites(name))
        if name == "rq6":  # the tables of a level are tested together
            level = min((one.level for one in GRID.mlp_tables), default=None)
            datasets = [one.id for one in GRID.mlp_tables if one.level == level]
        shots = sorted(
            {k for dataset in datasets for k in GRID.question_shots(name, dataset)}
        )
        some = [k for k in shots if k]
        models = len(GRID.models)
        if name == "rq1" and 0 in shots:
            test = "zero-shot against chance"
            found.append([name, test, datasets, [0], [0], [False, None], 1, models])
        elif name in ("rq3", "rq6") and some and 0 in shots:
            test = f"{some[-1]} examples against none"
            test += ", tables of one level" if name == "rq6" else ""
            ends = [0, some[-1]]
            several = len(some) if name == "rq3" else 1
            found.append([name, test, datasets, shots, ends, [True, False], 1, several])
        elif name == "rq4" and len(some) > 1:
            test = f"context with {some[0]} examples against none with {some[-1]}"
            ends = [some[0], some[-1]]
            found.append([name, test, datasets, shots, ends, [True, True], 2, models])
    return found


def pilot():
    """Gains of this configuration, where they were tested before."""
    made = "results/rq3/gains.parquet"
    return [made] if "rq3" in GRID.questions and os.path.exists(made) else []


def logged_bytes():
    """Sizes of what is answered: a plan is out of date once there is more."""
    logs = [log for models in planned_prompts().values() for log in models.values()]
    logs += [log for _, _, _, log, *_ in text_jobs() if log]
    turns = [str(path) for path in Path("results/dialogues").glob("*/seed*/turn*.md")]
    return sum(
        os.path.getsize(path) for path in {*logs, *turns} if os.path.exists(path)
    )


def unmade_prompts():
    """Prompts about tables that are to be written: place, number, the dataset mirrored."""
    found = []
    for model, dataset, k in asked_datasets():
        if to_be_written(dataset):
            modes = [variant.mode for variant in GRID.variants(dataset, k)]
            repeats = 1 if k else MODELS[model].get("zero_shot_repeats", 1)
            each = repeats * len(GRID.draw_seeds(k)) * written_test_rows()
            found += [
                [
                    [model, dataset, k, mode],
                    each * modes.count(mode),
                    GRID.llm_table(dataset).dataset,
                ]
                for mode in sorted(set(modes))
            ]
    return found


def written_test_rows():
    """Test rows of a table that has all the rows that are asked for."""
    return expected_test_rows(config["llm_synthetic"]["rows"])


def status_jobs():
    """Jobs of infer: model, prompts, logs, how often a prompt is sent, and the marker."""
    return [
        [
            model,
            [prompts_file(name, k) for name in names],
            [response_log(model, name, k) for name in names],
            1 if k else MODELS[model].get("zero_shot_repeats", 1),
            infer_marker(model, suite, k, part),
        ]
        for model, suite, k in GRID.inference_jobs()
        for part, names in (
            job_parts(model, suite, k)
            if model in SHARDED
            else {None: job_datasets(model, suite, k)}
        ).items()
    ]
