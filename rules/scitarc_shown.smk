"""What is shown of SciTaRC: which tables and figures, under which names."""

from collections import defaultdict
from itertools import product


def scitarc_titles():
    """Model id to the name that tables and figures show, those of judges after the others."""
    judges = (scitarc_judge(), scitarc_second_judge())
    return scitarc_models() | {
        name: MODELS[name]["title"] for name in judges if name != MATCHER
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


def scitarc_systems(*conditions):
    """Models and executions that are asked under all conditions (plan mode, demonstrations)."""
    asked = defaultdict(set)
    for run in scitarc_settings().get("runs", []):
        for model, execution in product(run["models"], run["executions"]):
            asked[model, execution] |= {
                *product(run["plan_modes"], run.get("shots", [0]))
            }
    return [system for system, found in asked.items() if found >= set(conditions)]


def scitarc_shown():
    """Tables and figures that the conditions asked allow, each in the order of the page."""
    if not scitarc_settings():
        return [], []
    direct = scitarc_systems(DIRECT)
    plans = scitarc_systems(DIRECT, AUTONOMOUS, ORACLE)
    decomposed = scitarc_systems(AUTONOMOUS, ORACLE)
    tables = [
        "table1",
        *(["table2"] if direct else []),
        *(["differences"] if len(direct) > 1 else []),
        "conditions",
        "found_answers",
        *(["table3"] if "error_sheet" in scitarc_settings() else []),
        *(["table4"] if plans else []),
        *(["failures"] if decomposed else []),
        *(
            ["table11"]
            if scitarc_systems(DIRECT, FEW_SHOT_DIRECT, FEW_SHOT_ORACLE)
            else []
        ),
        *(["by_complexity"] if direct else []),
        "judges",
        "cost",
        "comparison",
    ]
    figures = [
        *(["figure2", "figure3"] if direct else []),
        *(["figure4"] if decomposed else []),
        *(["figure5"] if plans else []),
        *(["figure6"] if direct else []),
        *(["figure7", "figure8", "figure9"] if plans else []),
    ]
    return tables, figures


def scitarc_artifacts():
    """All of them, and the sheet for annotators; nothing where SciTaRC is not configured."""
    tables, figures = scitarc_shown()
    shown = [artifact_paths("scitarc", name, TABLE_FORMATS) for name in tables]
    shown += [artifact_paths("scitarc", name, FIGURE_FORMATS) for name in figures]
    return shown + ([ERROR_SHEET] if scitarc_systems(DIRECT) else [])


def scitarc_summary():
    """What the page of results says of SciTaRC; nothing where it is not configured."""
    settings = scitarc_settings()
    if not settings:
        return {}
    asked = settings["rows"] or "all"
    names = ", ".join(scitarc_models().values())
    judge = judge_title(scitarc_judge(), scitarc_titles())
    return {"SciTaRC": f"{asked} questions; {names}; judged by {judge}"}
