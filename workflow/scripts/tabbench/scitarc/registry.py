"""SciTaRC's tables and figures, each declared once; see `tabbench.reporting.registry`."""

from collections.abc import Callable, Mapping

from tabbench.reporting.artifact import Artifact, Frame, Run, at, figure, made_by_many, table

_SCHEMAS = "tabbench.scitarc.schemas"
SCORES = Frame(
    "scitarc_scores", f"{_SCHEMAS}.scores:SCITARC_SCORES", at("results/scitarc/scores.parquet")
)
COMPLEXITY = Frame(
    "scitarc_complexity",
    f"{_SCHEMAS}.complexity:SCITARC_COMPLEXITY",
    at("results/scitarc/complexity.parquet"),
)
RESPONSES = Frame(
    "scitarc_responses",
    f"{_SCHEMAS}.responses:SCITARC_RESPONSES",
    made_by_many("scitarc_responses"),
)
QUESTIONS = Frame(
    "scitarc_questions",
    f"{_SCHEMAS}.questions:SCITARC_QUESTIONS",
    at("results/scitarc/questions.parquet"),
)
TABLE_1, TABLE_2, TABLE_4, TABLE_11 = (
    Frame(
        f"scitarc_table{number}",
        f"{_SCHEMAS}.paper:SCITARC_TABLE_{number}",
        at(f"{{paper}}/scitarc_table{number}.csv"),
    )
    for number in (1, 2, 4, 11)
)
EDGES, DROPS, CORRELATIONS = (
    Frame(
        f"scitarc_{name}",
        f"{_SCHEMAS}.paper:SCITARC_{name.upper()}",
        at(f"{{paper}}/scitarc_{name}.csv"),
    )
    for name in ("edges", "drops", "correlations")
)
MODELS = {"models": "scitarc"}


def _asked(run: Run) -> bool:
    return bool(run.scitarc_models)


def _systems(group: str, least: int = 1) -> Callable[[Run], bool]:
    """Whether so many systems are asked under all conditions of a group."""
    return lambda run: run.systems[group] >= least


def _table(
    name: str,
    title: str,
    function: str,
    *frames: Frame,
    when: Callable[[Run], bool] = _asked,
    settings: Mapping[str, str] = MODELS,
) -> Artifact:
    return table(
        "scitarc",
        name,
        f"SciTaRC{title}",
        f"tabbench.scitarc.tables.{function}:{name}",
        frames,
        settings,
        when=when,
    )


def _figure(
    name: str,
    title: str,
    function: str,
    *frames: Frame,
    when: Callable[[Run], bool],
    next_to_table: bool = False,
) -> Artifact:
    return figure(
        "scitarc",
        name,
        f"SciTaRC{title}",
        f"tabbench.scitarc.figures.{function}:{name}",
        frames,
        MODELS,
        when=when,
        next_to_table=next_to_table,
    )


_direct, _plans = _systems("direct"), _systems("plans")

TABLE_3 = table(
    "scitarc",
    "table3",
    "SciTaRC, Table 3: why answers are wrong",
    when=lambda run: run.annotated,
)
JUDGES = table("scitarc", "judges", "SciTaRC: agreement of judges", when=_asked)
CORRECTED = table(
    "scitarc",
    "corrected",
    "SciTaRC: accuracy corrected for the judge's errors",
    when=lambda run: run.labelled and run.systems["direct"] > 0,
)
"""Each made by a rule of its own."""

ARTIFACTS = [
    _table(
        "table1", ", Table 1: complexity of the questions", "dataset", COMPLEXITY, TABLE_1,
        settings={},
    ),
    _table(
        "table2", ", Table 2: the leaderboard", "leaderboard", SCORES,
        when=_direct, settings=MODELS | {"cards": "cards"},
    ),
    _table(
        "differences", ": every two systems compared", "leaderboard", SCORES,
        when=_systems("direct", 2),
    ),
    _table("conditions", ": accuracy under every condition", "leaderboard", SCORES),
    _table(
        "answer_types", ": accuracy by type of the answer", "answer_types", SCORES, when=_direct
    ),
    _table("found_answers", ": where answers were found", "leaderboard", SCORES),
    TABLE_3,
    _table("table4", ", Table 4: what plans change", "planning", SCORES, when=_plans),
    _table(
        "failures", ": failures of plan and of execution", "planning", SCORES,
        when=_systems("decomposed"),
    ),
    _table(
        "own_plans", ": quality of the models' own plans", "own_plans", RESPONSES, QUESTIONS,
        when=_systems("own_plans"),
    ),
    _table(
        "table11", ", Table 11: what demonstrations change", "planning", SCORES,
        when=_systems("few_shot"),
    ),
    _table(
        "complexity_correlations", ": correlation of the complexity metrics", "trends",
        COMPLEXITY, CORRELATIONS, settings={},
    ),
    _table(
        "by_complexity", ": accuracy by complexity", "dataset", SCORES, COMPLEXITY, EDGES,
        when=_direct,
    ),
    _table(
        "complexity_changes", ": lowest and highest complexity compared", "trends",
        SCORES, COMPLEXITY, DROPS, when=_direct,
    ),
    _table(
        "complexity_model", ", table of the model of complexity", "trends", SCORES, COMPLEXITY,
        when=_direct,
    ),
    JUDGES,
    CORRECTED,
    _table("cost", ": tokens, seconds and cut responses", "cost", RESPONSES),
    _table(
        "comparison", ": our accuracies compared with the published", "paper",
        SCORES, TABLE_2, TABLE_4, TABLE_11, settings=MODELS | {"prompts": "scitarc_prompts"},
    ),
    _figure(
        "figure2", ", Figure 2: who answered which question", "difficulty", SCORES, when=_direct
    ),
    _figure(
        "figure3", ", Figure 3: accuracy by complexity of the plan", "difficulty",
        SCORES, COMPLEXITY, when=_direct,
    ),
    _figure(
        "figure4", ", Figure 4: failures of plan and of execution", "planning", SCORES,
        when=_systems("decomposed"),
    ),
    _figure("figure5", ", Figure 5: gain curves", "planning", SCORES, when=_plans),
    _figure(
        "figure6", ", Figure 6: accuracy by size of the tables", "difficulty",
        SCORES, COMPLEXITY, when=_direct,
    ),
    _figure(
        "complexity_model", ", figure of the model of complexity", "trends", SCORES, COMPLEXITY,
        when=_direct, next_to_table=True,
    ),
    _figure("figure7", ", Figure 7: what the own plan changes", "gains", SCORES, when=_plans),
    _figure("figure8", ", Figure 8: what the gold plan mends", "gains", SCORES, when=_plans),
    _figure("figure9", ", Figure 9: what the gold plan changes", "gains", SCORES, when=_plans),
]  # fmt: skip
"""In the order of the page."""
