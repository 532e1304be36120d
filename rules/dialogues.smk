"""LLM-synthetic tables (section A-D): a dialogue writes their schema, code and rules."""


def turn_files(folder):
    return [f"{folder}/turn{number}.md" for number in (1, 2, 3)]


def published_dialogue(dataset, generator):
    """The dialogue that ships with the workflow, where there is one."""
    turns = turn_files(ROOT / "resources" / "dialogues" / generator / dataset)
    return turns if all(map(os.path.isfile, turns)) else []


def dialogue_inputs(wildcards):
    return published_dialogue(*GRID.llm_table(wildcards.dataset))


def dialogue_weights(wildcards):
    name = generator_model(wildcards.dataset)
    return converted_weights(name) if name else []


def dialogue_topic(wildcards):
    """Domain and task as the templates of the dialogue show them."""
    entry = real_entry(wildcards.dataset)
    return [entry["domain"].replace("_", " "), f"predict {entry['task']['task']}"]


def generator_model(dataset):
    """Model that holds the dialogue of a dataset; None where one is replayed."""
    table = GRID.llm_table(dataset)
    if published_dialogue(*table):
        return None
    return generators()[table.generator]["model"]


def generator_entry(wildcards):
    """Name and entry of that model."""
    name = generator_model(wildcards.dataset)
    return name and [name, model_entry_of(name)]


def dialogue_code(wildcards):
    name = generator_model(wildcards.dataset)
    modules = [ENGINES[MODELS[name]["engine"]].module] if name else []
    return code("dialogue.py", "transformers", modules)


def generator_titles():
    """Generator to who wrote its dialogues, as tables and figures show it."""
    shown = {}
    for table in GRID.llm_tables:
        turns = published_dialogue(*table)
        if turns:
            shown[table.generator] = read_turn(Path(turns[0])).model
        else:
            shown[table.generator] = MODELS[generator_model(table.id)]["title"]
    return shown


def check_dialogues():
    """Each table has a dialogue that ships with the workflow, or a model to hold one."""
    for table in GRID.llm_tables:
        settings = generators()[table.generator]
        if "model" not in settings and not published_dialogue(*table):
            raise WorkflowError(
                f"configuration: generator '{table.generator}' names no model, and "
                f"resources/dialogues/{table.generator}/{table.dataset} holds no dialogue; "
                f"give it a model, or put turn1.md, turn2.md and turn3.md there"
            )


check_dialogues()


rule dialogue:
    input:
        published=dialogue_inputs,
        weights=dialogue_weights,
    output:
        turn_files("results/dialogues/{dataset}"),
    log:
        "logs/dialogue/{dataset}.log",
    benchmark:
        "results/benchmarks/dialogue/{dataset}.tsv"
    conda:
        "../envs/transformers.yaml"
    resources:
        mem_mb=2000,
    params:
        topic=dialogue_topic,
        task=dataset_task,
        model=generator_entry,
        rows=config.get("llm_synthetic", {}).get("rows"),
        attempts=config.get("llm_synthetic", {}).get("attempts"),
        sandbox=config.get("sandbox"),
        code=dialogue_code,
    message:
        "Hold the dialogue of {wildcards.dataset}, or take the one that is there"
    script:
        "../workflow/scripts/dialogue.py"


rule llm_table:
    input:
        turns=turn_files("results/dialogues/{dataset}"),
    output:
        table="results/datasets/{dataset}/table.parquet",
        rules="results/datasets/{dataset}/rules.txt",
    log:
        "logs/llm_table/{dataset}.log",
    benchmark:
        "results/benchmarks/llm_table/{dataset}.tsv"
    wildcard_constraints:
        dataset=r"[A-Za-z0-9_]+_ls_[A-Za-z0-9_]+",
    conda:
        "../envs/core.yaml"
    params:
        task=dataset_task,
        rows=config.get("llm_synthetic", {}).get("rows"),
        sandbox=config.get("sandbox"),
        code=code("llm_table.py", "core"),
    message:
        "Make the table and the rules of {wildcards.dataset} from its dialogue"
    script:
        "../workflow/scripts/llm_table.py"
