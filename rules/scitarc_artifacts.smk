"""What SciTaRC's tables and figures are made for, and under which names."""

from collections import defaultdict
from itertools import product


def scitarc_titles():
    """Model id to the name that tables and figures show, those of judges after the others."""
    judges = map(judging_model, (scitarc_judge(), scitarc_second_judge()))
    return scitarc_models() | {
        name: MODELS[name]["title"] for name in judges if name is not None
    }


def scitarc_sizes():
    return {name: MODELS[name].get("size", "") for name in scitarc_models()}


def scitarc_second_scores():
    named = "second_judge" in scitarc_settings()
    return ["results/scitarc/second_judge.parquet"] if named else []


def scitarc_labels():
    return [scitarc_settings()["labels"]] if "labels" in scitarc_settings() else []


ERROR_SHEET = "results/scitarc/error_sheet.csv"


def annotated_sheet(wildcards):
    """The sheet that people filled in."""
    sheet = scitarc_settings().get("error_sheet")
    if sheet is None:
        raise WorkflowError(
            f"SciTaRC's Table 3 needs people: copy {ERROR_SHEET}, fill in 'category' and name the "
            "copy as scitarc.error_sheet in the configuration"
        )
    if Path(sheet).resolve() == Path(ERROR_SHEET).resolve():
        raise WorkflowError(
            f"configuration: scitarc.error_sheet is {ERROR_SHEET}, which the workflow writes anew; "
            "copy it elsewhere, fill in the copy and name that"
        )
    return sheet


def systems_asked(*conditions):
    """Number of models and executions that are asked under all conditions."""
    asked = defaultdict(set)
    for run in scitarc_settings().get("runs", []):
        for model, execution in product(run["models"], run["executions"]):
            asked[model, execution] |= {
                *product(run["plan_modes"], run.get("shots", [0]))
            }
    return sum(found >= set(conditions) for found in asked.values())


def scitarc_systems():
    """Systems by the conditions (plan mode, demonstrations) that tables and figures compare."""
    return {
        "direct": systems_asked(DIRECT),
        "plans": systems_asked(DIRECT, AUTONOMOUS, ORACLE),
        "decomposed": systems_asked(AUTONOMOUS, ORACLE),
        "few_shot": systems_asked(DIRECT, FEW_SHOT_DIRECT, FEW_SHOT_ORACLE),
    }


def scitarc_sheet():
    """The sheet for annotators."""
    return [ERROR_SHEET] if systems_asked(DIRECT) else []


def scitarc_artifacts():
    """Files of SciTaRC's tables and figures, and the sheet for annotators."""
    asked = [artifact for artifact in ARTIFACTS if artifact.folder == "scitarc"]
    return [path for artifact in asked for path in artifact.paths] + scitarc_sheet()


def scitarc_summary():
    """What the page of results says of SciTaRC; nothing where it is not configured."""
    settings = scitarc_settings()
    if not settings:
        return {}
    asked = settings["rows"] or "all"
    names = ", ".join(scitarc_models().values())
    judge = judge_title(scitarc_judge(), scitarc_titles())
    return {"SciTaRC": f"{asked} questions; {names}; judged by {judge}"}
