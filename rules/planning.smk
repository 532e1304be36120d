"""What the plan counts, and what it must leave out."""


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
    names = [f"{rule}/{dataset}" for rule in ("download", "prepare", "split")]
    for name in (*names, f"shots/{dataset}_k{k}", f"prompts/{dataset}_k{k}"):
        log = Path(f"logs/{name}.log")
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        for line in lines:
            if line.startswith("ERROR: "):
                return line.removeprefix("ERROR: ")
    return None


def planned_prompts():
    """Prompts file to the response log of each model that is asked."""
    files = {}
    for model, dataset, k in GRID.predictions():
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
    for _, dataset, k in GRID.predictions():
        reason = refusal(dataset, k)
        if reason:
            again = f"once that is mended: snakemake {prompts_file(dataset, k)}"
            gaps.setdefault(dataset, f"{reason} ({again})")
    for model in llm_baseline_models():
        if not engine(model).recorded:
            gaps[f"FeatLLM and LLM trees of {MODELS[model]['title']}"] = (
                f"{llm_texts():,} free texts of at most {llm_text_tokens():,} tokens"
            )
    return gaps | scitarc_texts()


def llm_texts():
    """Texts that FeatLLM and LLM trees ask of one model."""
    asked = [
        query
        for name in llm_baseline_datasets()
        for query in queries(
            llm_methods(),
            [
                Draw(k, seed, ())
                for k in llm_baseline_shots(name)
                for seed in GRID.seeds
            ],
            **llm_query_counts(),
        )
    ]
    return sum(len(METHODS[query.method].turns) for query in asked)


def llm_text_tokens():
    """Most tokens of one of these texts."""
    decodings = chain(*(METHODS[name].decodings for name in llm_methods()))
    return max(one.max_new_tokens for one in decodings)


def logged_bytes():
    """Sizes of the response logs: a plan is out of date once there are more answers."""
    logs = [log for models in planned_prompts().values() for log in models.values()]
    return sum(os.path.getsize(log) for log in logs if os.path.exists(log))


def unmade_prompts():
    """Prompts about tables that are to be written: place, number, the dataset mirrored."""
    found = []
    for model, dataset, k in GRID.predictions():
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
