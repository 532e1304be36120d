"""Jobs that may ask a model: what they are given of it, in one way for all of them.

``asked`` gives the model of a job by the job's wildcards, or None where it asks none, such as a
dialogue that is replayed. Each ``model_...(asked)`` fills the section of a rule that it is named
after, together with what is the rule's own:

    input: **model_input(asked)
    conda: model_conda(asked)
    resources: **model_resources(asked)
    params: **model_params(script, asked)

The package takes it from there: tabbench/inference/open_model.py.
"""

SERVING = ("endpoint", "limits", "prices", "batch")
"""Keys of a model's entry that say where and how it is asked; they change no answer."""


def named_model(wildcards):
    """The model in the names of a job's files."""
    return wildcards.model


def model_input(asked):
    return {
        "model": of_model(asked, lambda name: f"results/models/{name}/entry.json", []),
        "weights": of_model(asked, converted_weights, []),
    }


def model_conda(asked):
    return of_model(
        asked,
        lambda name: f"../envs/{engine(name).environment}.yaml",
        "../envs/core.yaml",
    )


def model_resources(asked):
    def of_entry(key):
        return of_model(
            asked,
            lambda name: getattr(parse_resources(MODELS[name], weights_mb(name)), key),
            getattr(LIGHT, key),
        )

    return {
        "gpu": of_entry("gpus"),
        "mem_mb": of_entry("mem_mb"),
        "runtime": of_entry("runtime"),
        "endpoint": of_model(asked, endpoints_at_work, 0),
    }


def model_params(script, asked):
    """How the model is asked, and the hash of the code that asks: the script's and its engine's."""

    def hashed(name):
        return code(script, engine(name).environment, [engine(name).module])

    return {
        "serving": of_model(asked, serving, {}),
        "code": of_model(asked, hashed, code(script, "core")),
    }


def of_model(asked, value, without):
    """From a job's wildcards to ``value`` of its model; ``without`` for a job that asks none."""

    def found(wildcards):
        name = asked(wildcards)
        return without if name is None else value(name)

    return found


def endpoints_at_work(name):
    """1 for a job that keeps an endpoint busy; jobs that wait for batches go on side by side."""
    return int("endpoint" in MODELS[name] and not MODELS[name].get("batch", False))


def engine(name):
    return ENGINES[MODELS[name]["engine"]]


def serving(name):
    given = {key: value for key, value in MODELS[name].items() if key in SERVING}
    if "budget" in config and "prices" in given:
        total = {"total_budget": config["budget"]}
        given["limits"] = given.get("limits", {}) | total
    return given


def converted_weights(name):
    """Folder of local weights; models of the hub or of an endpoint have none."""
    if engine(name).in_process and are_local(MODELS[name]["weights"]):
        return [f"results/models/{name}/weights"]
    return []


def weights_mb(name, dtype=None):
    """Size of local weights as a job loads them; 0 where they are elsewhere or missing yet."""
    entry = MODELS[name]
    if not converted_weights(name):
        return 0
    try:
        return loaded_mb(entry["weights"], dtype or entry["dtype"])
    except TabBenchError:  # told by the job that makes the folder
        return 0


def local_weight_files(wildcards):
    """Files behind ``weights.path``, so that a changed one is checked again."""
    weights = MODELS[wildcards.model]["weights"]
    try:
        return weight_files(weights) if "path" in weights else []
    except TabBenchError:  # told by the job
        return []


def model_entry(wildcards):
    """A model's entry as far as it makes the answers; with the hash of recorded texts."""
    other = (*DISPLAY_KEYS, *SERVING, "resources", "shards")
    entry = {
        key: value for key, value in MODELS[wildcards.model].items() if key not in other
    }
    if folder := entry["weights"].get("folder"):
        entry["weights"] = {"folder": folder, "sha256": folder_hash(Path(folder))}
    elif "path" in entry["weights"]:  # wherever the file lies, its content counts
        entry["weights"] = {"sha256": entry["weights"]["sha256"]}
    return entry
