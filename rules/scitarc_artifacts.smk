"""What SciTaRC's tables and figures are made for, and under which names."""

from collections import defaultdict
from itertools import product


def scitarc_titles():
    """Model id to the name that tables and figures show, those of judges after the others."""
    judges = map(judging_model, (scitarc_judge(), scitarc_second_judge()))
    return scitarc_models() | {
        name: MODELS[name]["title"] for name in judges if name is not None
    }


def scitarc_cards():
    return {name: model_card(MODELS[name]) for name in scitarc_models()}


def scitarc_second_scores():
    named = "second_judge" in scitarc_settings()
    return ["results/scitarc/second_judge.parquet"] if named else []


ERROR_SHEET = "results/scitarc/error_sheet.csv"
ERROR_PAGE = "results/scitarc/error_sheet.html"
LABEL_SHEET = "results/scitarc/label_sheet.csv"
"""Sheets for people, which the workflow writes anew."""


def scitarc_labels():
    """The sheet of labels that a person filled in; none without one."""
    return [filled_in("labels", sheet, LABEL_SHEET) for sheet in named_sheets("labels")]


def named_sheets(key):
    """Files that the configuration names under a key, one or several."""
    named = scitarc_settings().get(key, [])
    return [named] if isinstance(named, str) else named


def filled_in(key, sheet, template):
    """A sheet that people filled in, which is not the one that is written anew."""
    if Path(sheet).resolve() == Path(template).resolve():
        raise WorkflowError(
            f"configuration: scitarc.{key} is {template}, which the workflow writes anew; copy it "
            "elsewhere, fill in the copy and name that"
        )
    return sheet


def annotated_sheets(wildcards):
    """The sheets of wrong answers that people filled in, of one annotator or two."""
    sheets = named_sheets("error_sheet")
    if not sheets:
        raise WorkflowError(
            f"SciTaRC's Table 3 needs people: copy {ERROR_SHEET}, fill in 'category' and name the "
            "copy as scitarc.error_sheet in the configuration"
        )
    return [filled_in("error_sheet", sheet, ERROR_SHEET) for sheet in sheets]


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
        "own_plans": systems_asked(AUTONOMOUS),
        "decomposed": systems_asked(AUTONOMOUS, ORACLE),
        "few_shot": systems_asked(DIRECT, FEW_SHOT_DIRECT, FEW_SHOT_ORACLE),
    }


def scitarc_sheet():
    """The sheet for annotators, and its page."""
    return [ERROR_SHEET, ERROR_PAGE] if systems_asked(DIRECT) else []


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
