"""Parameters of the rules.

Each comes from the one entry that it concerns: editing another reruns nothing.
"""

import csv
import json
from collections import Counter
from functools import cache


def code(script, env, modules=()):
    """Hash of a rule's script, of the package modules behind it and of its environment."""
    return cached_code(script, env, tuple(modules))


@cache
def cached_code(script, env, modules):
    made = [load_yaml(ROOT / "envs" / f"{env}.yaml")]
    installed_after = ROOT / "envs" / f"{env}.post-deploy.sh"
    if installed_after.exists():
        made.append(installed_after.read_text())
    return code_hash(SCRIPTS, SCRIPTS / script, modules, json.dumps(made).encode())


DISPLAY_KEYS = (
    *("title", "developer", "family", "size", "licence", "homepage", "notes"),
)
"""Keys of an entry that make neither a table nor an answer."""


def raw_entry(dataset):
    """Entry of a dataset that has raw files."""
    return RELEASED_TABLES.get(dataset) or DATASETS[dataset]


def download_sources(wildcards):
    return raw_entry(wildcards.dataset)["sources"]


def prepare_entry(wildcards):
    """A dataset's entry as far as it makes the table."""
    used_later = ("domain", "task", "openml_task", "max_shots", "share", "ask")
    other = (*DISPLAY_KEYS, "suite", *used_later)
    return {
        key: value
        for key, value in raw_entry(wildcards.dataset).items()
        if key not in other
    }


def split_rows(wildcards):
    """Largest number of test rows of a dataset; None for all."""
    own = GRID.own.get(wildcards.dataset)
    return own.test_rows if own else config.get("test_rows")


def given_split(dataset):
    """Columns of a user dataset that say on which side of the split a row is."""
    keys = ("split", "groups") if dataset in GRID.own else ()
    return {key: DATASETS[dataset][key] for key in keys if key in DATASETS[dataset]}


def split_settings(wildcards):
    """How the configuration wants the dataset split; the default needs no arguments."""
    wanted = config.get("split", {})
    if "openml_task" in wanted:
        task = DATASETS.get(wildcards.dataset, {}).get("openml_task")
        return {"openml_task": task} if wanted["openml_task"] and task else {}
    return wanted


def real_entry(dataset):
    """Entry of a dataset, or of the real one that an LLM-synthetic dataset mirrors."""
    if GRID.suite(dataset) == "llm_synthetic":
        return DATASETS[GRID.llm_table(dataset).dataset]
    return DATASETS.get(dataset)


def dataset_task(wildcards):
    """Task text of a dataset; None for a table of the complexity grid."""
    entry = real_entry(wildcards.dataset)
    return entry and entry["task"]


def model_prices(models):
    """Prices of those of the models whose entries state them."""
    return {name: MODELS[name]["prices"] for name in models if "prices" in MODELS[name]}


def draw_seeds(wildcards):
    return list(GRID.draw_seeds(int(wildcards.k), wildcards.dataset))


def prompts_variants(wildcards):
    return [
        list(variant) for variant in GRID.variants(wildcards.dataset, int(wildcards.k))
    ]


def mlp_table(wildcards):
    return list(GRID.mlp_table(wildcards.dataset))


def mlp_recipe():
    return config["mlp"].get("recipe", DEFAULT_RECIPE)


def titles():
    """Model id to the name that tables and figures show, in order."""
    return {name: MODELS[name]["title"] for name in GRID.models}


def own_titles(dataset):
    """As `titles`, of the models that are asked about a user dataset."""
    return {name: MODELS[name]["title"] for name in GRID.own[dataset].models}


def own_baseline_titles(dataset):
    """As `baseline_titles`, of the baselines that are fitted on a user dataset."""
    return {name: BASELINES[name] for name in GRID.own[dataset].baselines}


def own_addresses(dataset):
    """Model to the address that it is asked at, empty on this machine, and whether data leaves."""
    urls = addresses({name: MODELS[name] for name in GRID.own[dataset].models})
    return {
        name: [urls.get(name, ""), name in urls and not stays_here(urls[name])]
        for name in GRID.own[dataset].models
    }


def leaves_to(dataset, models):
    """Model to the address that rows of a user dataset would leave this machine to."""
    if DATASETS.get(dataset, {}).get("suite") != OWN:
        return {}
    urls = addresses({name: MODELS[name] for name in models})
    return {name: url for name, url in urls.items() if not stays_here(url)}


def unshared(dataset, models):
    """Why models must not be asked about a user dataset; None where its owner allows it."""
    away = leaves_to(dataset, models)
    if not away or DATASETS[dataset].get("share"):
        return None
    path = f"{OWN_FOLDER}/{dataset}.yaml"
    return sharing_refusal(dataset, path, away, personal_in(dataset))


@cache
def check_sharing(dataset, model):
    """Refuse to send what is not allowed, and point out what is allowed and looks personal."""
    if reason := unshared(dataset, [model]):
        raise WorkflowError(reason)
    if workflow.is_main_process:
        for name, url in leaves_to(dataset, [model]).items():
            logger.warning(sharing_notice(dataset, name, url, personal_in(dataset)))


@cache
def personal_in(dataset):
    """Columns of a user dataset's file that look personal, with the reason."""
    # Only runs that would send something need to read the file.
    from tabbench.data.personal import personal_columns
    from tabbench.data.readers import read_raw

    try:
        source = parse_dataset(dataset, DATASETS[dataset]).sources[0]
        folder = Path(source.files[0].path).parent
        return personal_columns(read_raw(folder, source))
    except TabBenchError:  # told by the job that prepares the table
        return {}


def baseline_titles():
    """Baseline id to the name that tables and figures show, in order."""
    return {name: BASELINES[name] for name in GRID.baselines}


def wanted_weights(wildcards):
    """A file, cache or download: where the configuration has a pretrained baseline's weights."""
    return config.get("baseline_weights", {}).get(wildcards.model, "cache")


def baseline_device():
    """Where pretrained baselines compute: cpu or cuda."""
    return config.get("baseline_device", "cpu")


def full_seed():
    """Seed of the fit on all training rows; None where the configuration asks for none."""
    return GRID.seeds[0] if config.get("full_training") else None


def dataset_full_seed(wildcards):
    """As `full_seed`; a user dataset's baselines are always fitted on all training rows too."""
    return GRID.seeds[0] if wildcards.dataset in GRID.own else full_seed()


def baseline_gpus():
    return int(baseline_device() == "cuda")


def compared_shots():
    """All k that baselines of RQ1's datasets are fitted on."""
    datasets = GRID.in_suites(GRID.question_suites("rq1"))
    return sorted({k for name in datasets for k in GRID.baseline_shots(name)})


def dataset_metadata(datasets):
    """Suite and domain of each dataset, as scores carry them."""
    return {
        name: [
            GRID.suite(name),
            (real_entry(name) or {"domain": None})["domain"]
            or GRID.mlp_table(name).domain,
        ]
        for name in datasets
    }


@cache
def job_datasets(model, suite, k):
    """Datasets that a model is asked about in a job, in the configuration's order."""
    return GRID.inference_datasets(suite, k, model)


@cache
def job_parts(model, suite, k):
    """Name of each part of a job to its datasets, for models whose entries cut their jobs."""
    tokens = {name: dataset_tokens(name, k) for name in job_datasets(model, suite, k)}
    parts = cut(tokens, MODELS[model]["shards"])
    return dict(zip(part_names(parts), parts))


@cache
def dataset_tokens(dataset, k):
    """Tokens that a dataset's prompts at k are expected to take.

    Known without any file of the run, so that a part never changes while its datasets are made.
    """
    groups = len(GRID.draw_seeds(k, dataset)) * len(GRID.variants(dataset, k))
    rows = expected_test_rows(expected_rows(dataset))
    return expected_tokens(rows, expected_features(dataset), k, groups)


USUAL_ROWS = 1000
"""Rows of a dataset that the paper does not list: it cut large ones to as many."""


def expected_rows(dataset):
    suite = GRID.suite(dataset)
    if suite in ("mlp", "llm_synthetic"):
        return config[suite]["rows"]
    return published_rows().get(dataset, USUAL_ROWS)


@cache
def published_rows():
    """Rows of each dataset of the paper."""
    with open(ROOT / "resources" / "paper" / "datasets.csv", newline="") as file:
        return {row["dataset"]: int(row["rows"]) for row in csv.DictReader(file)}


def expected_test_rows(rows):
    """Test rows of a table that has so many rows."""
    share = config.get("split", {}).get("test_fraction", 1 / 3)
    return min(round(rows * share), config.get("test_rows") or rows)


def expected_features(dataset):
    entry = real_entry(dataset)
    if entry is None:
        return LEVELS[level_number(GRID.mlp_table(dataset).domain)].features
    return len(entry.get("features", ()))


def infer_priority(wildcards):
    """Expected seconds: the longest jobs first, so that none is left to run alone at the end."""
    model, k = wildcards.model, int(wildcards.k)
    tokens = sum(dataset_tokens(name, k) for name in inference_datasets(wildcards))
    rate = parse_resources(MODELS[model]).planned_rate
    return min(ASKS_MODEL + round(tokens / rate), TO_MODELS - 1)


REGISTERED = [name for name, entry in DATASETS.items() if entry["suite"] != "own"]


def displayed_entries():
    """What the dataset tables show of each entry."""
    keys = ("suite", "domain", "licence", "notes")
    return {
        name: {key: DATASETS[name][key] for key in keys if key in DATASETS[name]}
        for name in REGISTERED
    }


def suite_counts():
    return {suite: len(GRID.in_suites([suite])) for suite in SUITES}


def contrast_shots():
    """Fewest and most examples of the planned contrast of RQ4; None where there are not two."""
    datasets = GRID.in_suites(GRID.question_suites("rq4"))
    shots = {k for name in datasets for k in GRID.question_shots("rq4", name) if k}
    return [min(shots), max(shots)] if len(shots) > 1 else [None, None]


def mlp_levels():
    """Level of each table of the complexity grid."""
    return {table.id: table.domain for table in GRID.mlp_tables}


def tables_by_level():
    """Number of tables by level of the complexity grid."""
    return dict(Counter(table.level for table in GRID.mlp_tables))


def placing_shots():
    """Examples that the placing baseline is fitted on: 16, or else the most."""
    return reference_shots(GRID.shots)


# LLM-synthetic tables


def generator_model(dataset):
    """Model that holds the dialogue of a dataset; None where one is replayed, or none needed."""
    table = GRID.llm_table(dataset)
    if dataset in RELEASED_TABLES or published_dialogue(*table):
        return None
    return generators()[table.generator]["model"]


def dialogue_model(wildcards):
    """The model that a job of the rule dialogue asks; None where the dialogue is replayed."""
    return generator_model(wildcards.dataset)


def dialogue_settings(wildcards):
    """What a dialogue is about and when it is usable; None where one is replayed."""
    if dialogue_model(wildcards) is None:
        return None
    entry = real_entry(wildcards.dataset)
    return {
        "topic": [
            domain_title(entry["domain"]).lower(),
            f"predict {entry['task']['task']}",
        ],
        "task": entry["task"],
        "rows": config["llm_synthetic"]["rows"],
        "attempts": config["llm_synthetic"]["attempts"],
        "sandbox": config["sandbox"],
    }


def generator_titles():
    """Generator to who wrote its dialogues, as tables and figures show it."""
    shown = {}
    for table in GRID.llm_tables:
        turns = published_dialogue(*table)
        if table.id in RELEASED_TABLES:
            shown[table.generator] = released_title(table.generator)
        elif turns:
            shown[table.generator] = read_turn(Path(turns[0])).model
        else:
            shown[table.generator] = MODELS[generator_model(table.id)]["title"]
    return shown


def released_title(generator):
    """Who wrote a generator's released tables, and the datasets that have none."""
    absent = missing(config["llm_synthetic"]["datasets"], generator, RELEASED)
    without = f"; none of {', '.join(absent)} was released" if absent else ""
    return f"{AUTHORS[generator].title} (released tables, without rules{without})"


def few_shots():
    """Examples of the few-shot regimes; 0 where the question is not asked."""
    return GRID.few_shots if "rq5" in GRID.questions else 0


def own_page_asked(wildcards):
    """What was asked about a user dataset, for the steps that its page offers next."""
    name = wildcards.dataset
    shots = list(GRID.dataset_shots(name))
    return {
        "entry": DATASETS[name].get("ask", {}),
        "shots": shots,
        "contexts_at": list(GRID.own[name].contexts_at),
        "formats": list(GRID.own[name].formats),
        "most_labels": GRID.limits.get(name, max(shots, default=0)),
    }


def own_page_probed(wildcards):
    """As `probe_models`, where the user dataset is probed."""
    return probe_models() if wildcards.dataset in probed_datasets() else {}


# Memorization probes


def probe_models():
    """Model id to the name that tables show, of the models that are probed."""
    settings = probe_settings()
    names = settings.get("models", GRID.models) if settings else ()
    return {name: MODELS[name]["title"] for name in names}


def probe_metadata():
    """What the probes know of each dataset besides its prepared table; see dataset.probed."""
    return {name: probed_entry(DATASETS[name]) for name in probed_datasets()}


def probed_entry(entry):
    dropped = [name for name in entry.get("drop", ()) if name != REST]
    return {
        "title": entry["title"],
        "others": [*dropped, entry["target"]["column"]],
        "renames": [source.get("rename", {}) for source in entry["sources"]],
    }


def probe_rows():
    """Rows to go on with: as many as cells are hidden."""
    settings = probe_settings()
    return min(settings["rows"], settings["cells"]) if settings else None


def probe_thresholds(test):
    """Thresholds of the recognition test or of lifts; the defaults need no arguments."""
    return probe_settings().get("thresholds", {}).get(test, {})


# Baselines whose logic a language model writes


def llm_baseline_models():
    """Models that are asked for rules and trees."""
    settings = llm_baseline_settings()
    return settings.get("models", list(GRID.models)) if settings else []


def llm_methods():
    return llm_baseline_settings().get("methods", [])


def llm_baseline_shots(dataset):
    """The k at which the methods are asked about a dataset; none where it is left out."""
    settings = llm_baseline_settings()
    wanted = settings.get("shots", GRID.shots) if settings else ()
    if dataset not in settings.get("datasets", GRID.in_suites(REAL_SUITES)):
        return []
    return [k for k in GRID.dataset_shots(dataset) if k in wanted]


def llm_zero_shot(wildcards):
    """Seeds of the queries without examples, one for each draw with examples."""
    asked = 0 in llm_baseline_shots(wildcards.dataset)
    return list(GRID.seeds) if asked else []


def llm_query_counts():
    """Queries of an ensemble, and trees that are scored alone."""
    settings = llm_baseline_settings()
    return {"members": settings.get("queries"), "trees": settings.get("trees", 5)}


def llm_baseline_titles():
    """Id of each method and model to the name that tables show, in order."""
    return {
        llm_baseline_id(
            method, model
        ): f"{LLM_METHODS[method]}, {MODELS[model]['title']}"
        for method in llm_methods()
        for model in llm_baseline_models()
    }


# The page of results


def run_settings():
    """What the page of results says of the configuration, as label and text."""

    def listed(values):
        return ", ".join(map(str, values))

    rows = config["test_rows"]
    counts = suite_counts()
    return {
        "Research questions": listed(GRID.questions),
        "Language models": listed(titles().values()),
        "Baselines": listed(baseline_titles().values()) or "none",
        "LLM-written baselines": listed(llm_baseline_titles().values()) or "none",
        "Main mode": GRID.main_mode,
        "Examples (k)": listed(GRID.shots),
        "At most so many for": listed(
            f"{name} {k}" for name, k in GRID.max_shots.items()
        )
        or "no dataset",
        "Seeds of the draws": listed(GRID.seeds),
        "Test rows per dataset": "all" if rows is None else f"at most {rows}",
        "Datasets of the suites": listed(
            f"{name} {count}" for name, count in counts.items()
        ),
    } | scitarc_summary()
