"""Parameters and files of SciTaRC's rules; all of them empty where it is not configured."""

from dataclasses import asdict

SCITARC = os.path.relpath(ROOT / "resources" / "scitarc")


def scitarc_local():
    """A file of questions; none where they come from the hub."""
    wanted = scitarc_settings().get("questions", f"{SCITARC}/questions.json")
    return [wanted] if isinstance(wanted, str) else []


def scitarc_hub():
    wanted = scitarc_settings().get("questions")
    return wanted if isinstance(wanted, dict) else None


def scitarc_demonstrations():
    return scitarc_settings().get("demonstrations", f"{SCITARC}/demonstrations.json")


def scitarc_demonstrated():
    """Questions whose rows the demonstrations count; none where these are the questions asked."""
    if "demonstrations" in scitarc_settings():
        return []
    return [f"{SCITARC}/questions.json"]


def scitarc_tokenizer():
    return scitarc_settings().get("tokenizer", GPT2)


def scitarc_tokenizer_folder():
    """Folder with the tokenizer; none for GPT-2's, which a package holds."""
    name = scitarc_tokenizer()
    folder = [] if name == GPT2 else converted_weights(name)
    if name != GPT2 and not folder:
        raise WorkflowError(
            f"configuration: scitarc.tokenizer is '{name}', whose weights come in no package; "
            f"name {GPT2} or a model with packaged weights"
        )
    return folder


def asked_conditions(model):
    """Plan mode, execution and demonstrations of each condition of a model, each once."""
    asked = [
        (plan_mode, execution, shots)
        for run in scitarc_settings().get("runs", [])
        if model in run["models"]
        for plan_mode in run["plan_modes"]
        for execution in run["executions"]
        for shots in run.get("shots", [0])
    ]
    return [list(condition) for condition in dict.fromkeys(asked)]


def scitarc_models():
    """Model id to the name that tables and figures show, of the models that are asked."""
    asked = [
        name for run in scitarc_settings().get("runs", []) for name in run["models"]
    ]
    return {name: MODELS[name]["title"] for name in dict.fromkeys(asked)}


def scitarc_decoding():
    """How texts are decoded: the released code's parameters, but for what is configured."""
    return asdict(FAITHFUL) | scitarc_settings().get("decoding", {})


def scitarc_seeds():
    """Seeds of the sampling, each of which answers every question once."""
    return scitarc_settings().get("seeds", [0])


def asked_plainly(model):
    """Whether prompts go without a chat template, as in the released code.

    Who serves a model under a name of its own offers it by chat alone.
    """
    entry = MODELS[model]
    if scitarc_settings().get("chat_template") or "served" in entry["weights"]:
        return entry["style"] == "completion"
    return True


def scitarc_prompts():
    """Whether prompts are those of the paper or of the released code."""
    return scitarc_settings().get("prompts", "paper")


def scitarc_judge():
    return judge_name(scitarc_settings().get("judge", MATCHER))


def scitarc_second_judge():
    return judge_name(scitarc_settings().get("second_judge", MATCHER))


def scitarc_answers():
    return [f"results/scitarc/{name}/answers.parquet" for name in scitarc_models()]


def first_judge(wildcards):
    """The model that scitarc_scores asks; None where the matcher judges."""
    return judging_model(scitarc_judge())


def second_judge(wildcards):
    """The model that scitarc_second_judge asks; None where the matcher judges."""
    return judging_model(scitarc_second_judge())


def judge_params(judge):
    """Params of a rule that judges."""
    model = judging_model(judge)
    return {
        "judge": judge,
        "responses": f"results/responses/{model}/scitarc/judge.jsonl",
        "plain": model is not None and asked_plainly(model),
        "prompts": "paper" if model is None else scitarc_prompts(),
    }


def scitarc_results():
    """What the analyses start from; nothing where SciTaRC is not configured."""
    if not scitarc_settings():
        return []
    second = ["second_judge"] if "second_judge" in scitarc_settings() else []
    names = ("complexity", "scores", *second)
    return [f"results/scitarc/{name}.parquet" for name in names]
