"""LLMTabBench's tables and figures, each declared once; rules, page and report follow from it."""

from collections.abc import Callable, Iterable, Mapping

from tabbench.reporting.artifact import Artifact, Frame, Run, figure, same, table
from tabbench.reporting.inputs import (
    ALL_SCORES,
    BINS,
    CALIBRATION,
    CHANCE,
    COMPLETIONS,
    CONTRASTS,
    DISCREPANCIES,
    FEW_SHOT_SCORES,
    FITS,
    GAINS,
    INTERVALS,
    INTRINSIC,
    LIFTS,
    LLM_QUERIES,
    MEAN_INTERVALS,
    PLACEMENT,
    PUBLISHED,
    RECOGNITION,
    RELEASED,
    RELEASED_ROWS,
    REPLICATED_SCORES,
    RQ3_GAINS,
    SCALE,
    SCORES,
    TABLE_15,
    TABLE_16,
)

TABLES, FIGURES = "tabbench.reporting.tables", "tabbench.reporting.figures"
MODELS = same("models", "mode")
COMPARED = same("models", "baselines", "mode")


def _compared(run: Run) -> int:
    return len(run.models) + len(run.baselines)


def _asks(question: str, k: int) -> Callable[[Run], bool]:
    return lambda run: k in run.shots[question]


def _contexts(
    question: str,
    numbers: Iterable[int],
    shots: Iterable[int],
    settings: Mapping[str, str],
    of: str = "",
) -> list[Artifact]:
    """Figures of the four contexts, one for each k that the question asks."""
    return [
        figure(
            question,
            f"figure{number}",
            f"Figure {number}: ROC-AUC by context at k = {k}{of}",
            f"{FIGURES}.{question}:figure_of_contexts",
            frames=(SCORES,),
            settings=settings,
            fixed={"k": k},
            when=_asks(question, k),
        )
        for number, k in zip(numbers, shots, strict=True)
    ]


def _formats(question: str, draw: str, **fixed: object) -> list[Artifact]:
    """Table and figure of the text formats, where a question asks several."""
    cells = {name: value for name, value in fixed.items() if name in ("suites", "prompt")}
    return [
        table(
            question, "formats", "Table of the serializations: means, ranks and tests",
            f"{TABLES}.formats:formats", frames=(SCORES,), settings=MODELS, fixed=fixed,
            when=lambda run: run.several_formats(question),
        ),
        figure(
            question, "formats", "Figure of the serializations",
            f"{FIGURES}.formats:{draw}", frames=(SCORES,), settings=MODELS, fixed=cells,
            when=lambda run: run.several_formats(question), next_to_table=True,
        ),
    ]  # fmt: skip


RQ1 = [
    table(
        "rq1", "table2", "Table II: zero-shot ROC-AUC by group of datasets",
        f"{TABLES}.rq1:table2", frames=(SCORES, CHANCE), settings=COMPARED,
    ),
    table(
        "rq1", "chance", "Zero-shot models against chance",
        f"{TABLES}.rq1_chance:chance_summary", frames=(SCORES, CHANCE), settings=MODELS,
    ),
    table(
        "rq1", "datasets", "Zero-shot ROC-AUC of each dataset, with intervals",
        f"{TABLES}.rq1_chance:datasets", frames=(SCORES, CHANCE, INTERVALS), settings=MODELS,
    ),
    table(
        "rq1", "differences", "Differences between zero-shot models and fitted baselines",
        f"{TABLES}.rq1_differences:differences", frames=(SCORES, MEAN_INTERVALS),
        settings=COMPARED, when=lambda run: _compared(run) > 1,
    ),
    table(
        "rq1", "folding", "Plain and folded ROC-AUC",
        f"{TABLES}.folding:folding", frames=(SCORES,), settings=MODELS,
    ),
    table(
        "rq1", "folding_conclusions", "Conclusions that folding the ROC-AUC changes",
        f"{TABLES}.conclusions:folding_conclusions", frames=(SCORES, FEW_SHOT_SCORES),
        settings=MODELS,
    ),
    figure(
        "rq1", "figure1",
        "Figure 1: zero-shot models and a baseline on few examples, by domain",
        f"{FIGURES}.rq1:figure1", frames=(SCORES,), settings=COMPARED,
        when=lambda run: "core" in run.suites,
    ),
    figure(
        "rq1", "figure6", "Figure 6: zero-shot ROC-AUC by domain",
        f"{FIGURES}.rq1:figure6", frames=(SCORES,), settings=COMPARED,
        when=lambda run: "core" in run.suites,
    ),
    figure(
        "rq1", "figure7", "Figure 7: zero-shot ROC-AUC on classic and on new datasets",
        f"{FIGURES}.rq1:figure7", frames=(SCORES,), settings=COMPARED,
        when=lambda run: run.aged,
    ),
    *_formats("rq1", "bars", shots=[0]),
    table(
        "rq1", "age_gap", "The gap between classic and new datasets, by serialization",
        f"{TABLES}.formats:age_gap", frames=(SCORES,), settings=COMPARED,
        when=lambda run: run.aged,
    ),
    table(
        "rq1", "full_training", "Zero-shot models and baselines on all training rows",
        f"{TABLES}.full_training:full_training", frames=(SCORES,), settings=COMPARED,
        when=lambda run: run.full_training and bool(run.baselines),
    ),
    figure(
        "rq1", "ranks", "Ranks of zero-shot models and fitted baselines",
        f"{FIGURES}.ranks:ranks", frames=(SCORES,), settings=COMPARED,
        when=lambda run: _compared(run) > 2 and run.real_datasets > 1,
    ),
]  # fmt: skip

RQ2 = [
    table(
        "rq2", "table5", "Table V: the context configurations", f"{TABLES}.configurations:table5"
    ),
    table(
        "rq2", "table6", "Table VI: zero-shot ROC-AUC by context",
        f"{TABLES}.rq2:table6", frames=(SCORES,), settings=MODELS,
    ),
    figure(
        "rq2", "figure9", "Figure 9: zero-shot ROC-AUC by context",
        f"{FIGURES}.rq2:figure9", frames=(SCORES,), settings=MODELS,
    ),
]  # fmt: skip

RQ3 = [
    table(
        "rq3", "table7", "Table VII: ROC-AUC by number of examples",
        f"{TABLES}.rq3:table7", frames=(SCORES, GAINS), settings=MODELS,
    ),
    table(
        "rq3", "table17", "Table XVII: zero-shot ROC-AUC on the new datasets",
        f"{TABLES}.new_datasets:table17", frames=(SCORES,), settings=COMPARED | same("methods"),
        when=lambda run: "new" in run.suites,
    ),
    table(
        "rq3", "table18", "Table XVIII: ROC-AUC over the new datasets by number of examples",
        f"{TABLES}.new_datasets:table18", frames=(SCORES,), settings=COMPARED | same("methods"),
        when=lambda run: "new" in run.suites,
    ),
    table(
        "rq3", "llm_baselines",
        "FeatLLM, LLM trees and direct prompting, by number of examples",
        f"{TABLES}.llm_baselines:llm_baselines", frames=(SCORES, LLM_QUERIES),
        settings=COMPARED | same("methods"), when=lambda run: bool(run.files["llm_queries"]),
    ),
    figure(
        "rq3", "figure10", "Figure 10: ROC-AUC by number of examples",
        f"{FIGURES}.rq3:figure10", frames=(SCORES,), settings=MODELS,
    ),
    figure(
        "rq3", "figure11", "Figure 11: gain over zero-shot by number of examples",
        f"{FIGURES}.gains:figure11", frames=(SCORES,), settings=MODELS,
        when=lambda run: run.gains("rq3"),
    ),
    figure(
        "rq3", "figure12", "Figure 12: gain over zero-shot by domain and number of examples",
        f"{FIGURES}.gains:figure12", frames=(SCORES,), settings=MODELS,
        when=lambda run: run.gains("rq3"),
    ),
    figure(
        "rq3", "figure13", "Figure 13: significance of each gain over zero-shot",
        f"{FIGURES}.gains:figure13", frames=(GAINS,), settings=MODELS,
        when=lambda run: run.gains("rq3"),
    ),
    *_formats("rq3", "curves"),
]  # fmt: skip

RQ4 = [
    table(
        "rq4", "table8", "Table VIII: gap between most and least context by number of examples",
        f"{TABLES}.rq4:table8", frames=(SCORES,), settings=MODELS,
    ),
    table(
        "rq4", "contrasts", "Planned contrasts of context and examples",
        f"{TABLES}.contrasts:contrasts", frames=(CONTRASTS,), settings=MODELS,
    ),
    figure(
        "rq4", "figure2", "Figure 2: ROC-AUC by context and number of examples",
        f"{FIGURES}.rq4:figure2", frames=(SCORES,), settings=MODELS,
    ),
    *_contexts("rq4", range(14, 19), (4, 8, 16, 32, 64), MODELS),
]  # fmt: skip

_WRITTEN = same("models", "generators", "mode")
_SUITE = ", LLM-synthetic suite"
RQ5 = [
    table(
        "rq5", "table9", "Table IX: ROC-AUC by prompting regime",
        f"{TABLES}.rq5:table9", frames=(SCORES,),
        settings=COMPARED | same("generators", "few_shots"),
    ),
    table(
        "rq5", "rules", "What decision rules add, with and without a task text",
        f"{TABLES}.rules:rules", frames=(SCORES,), settings=MODELS,
        when=lambda run: run.ruled,
    ),
    figure(
        "rq5", "figure19", f"Figure 19: ROC-AUC by context and number of examples{_SUITE}",
        f"{FIGURES}.rq5:figure19", frames=(SCORES,), settings=_WRITTEN,
    ),
    figure(
        "rq5", "figure20", f"Figure 20: models against number of examples{_SUITE}",
        f"{FIGURES}.rq5:figure20", frames=(SCORES,), settings=COMPARED | same("generators"),
    ),
    figure(
        "rq5", "figure21", f"Figure 21: zero-shot ROC-AUC by domain{_SUITE}",
        f"{FIGURES}.rq5:figure21", frames=(SCORES,), settings=_WRITTEN,
    ),
    figure(
        "rq5", "figure22", f"Figure 22: few-shot ROC-AUC by domain{_SUITE}",
        f"{FIGURES}.rq5:figure22", frames=(SCORES,), settings=_WRITTEN | same("few_shots"),
    ),
    figure(
        "rq5", "figure23", f"Figure 23: mean ROC-AUC by domain{_SUITE}",
        f"{FIGURES}.rq5:figure23", frames=(SCORES,), settings=_WRITTEN,
    ),
    *_contexts("rq5", range(24, 30), (0, 4, 8, 16, 32, 64), _WRITTEN, _SUITE),
]  # fmt: skip

RQ6 = [
    table(
        "rq6", "table10", "Table X: ROC-AUC on the complexity grid",
        f"{TABLES}.rq6:table10", frames=(SCORES,), settings=MODELS,
    ),
    table(
        "rq6", "table15", "Table XV: the levels of the complexity grid",
        f"{TABLES}.complexity:table15", frames=(TABLE_15,),
        settings=same("tables", "rows", "recipe"),
    ),
    table(
        "rq6", "table16", "Table XVI: intrinsic dimension of the complexity grid",
        f"{TABLES}.complexity:table16", frames=(INTRINSIC, TABLE_16), settings=same("rows"),
    ),
    figure(
        "rq6", "figure30", "Figure 30: the strongest baseline on the complexity grid",
        f"{FIGURES}.rq6:figure30", frames=(SCORES,), settings=same("baselines"),
        when=lambda run: run.gains("rq6") and bool(run.baselines),
    ),
    figure(
        "rq6", "figure31", "Figure 31: significance of the gain over zero-shot by level",
        f"{FIGURES}.rq6:figure31", frames=(GAINS,), settings=MODELS,
        when=lambda run: run.gains("rq6"),
    ),
    *_formats(
        "rq6", "curves", suites=["mlp"], prompt="context_free", main="feat_val_mask"
    ),
]  # fmt: skip

RQ7 = [
    table(
        "rq7", "table11", "Table XI: forward scoring against generation, and their cost",
        f"{TABLES}.rq7:table11", frames=(SCORES,), settings=same("models"),
    ),
    table(
        "rq7", "robustness", "Forward scoring and generation by group of datasets and "
        "serialization",
        f"{TABLES}.mode_robustness:robustness", frames=(SCORES,), settings=same("models"),
        when=lambda run: run.aged or run.several_formats("rq7"),
    ),
    table(
        "rq7", "calibration", "Calibration of forward scoring and generation",
        f"{TABLES}.calibration:calibration", frames=(CALIBRATION,), settings=same("models"),
    ),
    figure(
        "rq7", "reliability", "Reliability of the probabilities",
        f"{FIGURES}.reliability:reliability", frames=(BINS,), settings=same("models"),
    ),
]  # fmt: skip


def _placed(run: Run) -> bool:
    return run.placed


COMPLEXITY = [
    table(
        "complexity", "placement", "Table of the real datasets on the complexity grid",
        f"{TABLES}.placement:placement", frames=(PLACEMENT, SCALE),
        settings=same("baselines", "rows"), when=_placed,
    ),
    table(
        "complexity", "correlations",
        "Rank correlations between complexity and the gain from examples",
        f"{TABLES}.placement:correlations", frames=(RQ3_GAINS, PLACEMENT), settings=COMPARED,
        when=_placed,
    ),
    figure(
        "complexity", "placement", "Figure of the real datasets on the complexity grid",
        f"{FIGURES}.placement:placement", frames=(RQ3_GAINS, PLACEMENT, SCALE),
        settings=COMPARED, when=_placed, next_to_table=True,
    ),
]  # fmt: skip


def _probes(
    name: str, title: str, *frames: Frame, settings: Mapping[str, str] | None = None
) -> Artifact:
    return table(
        "rq1/probes",
        name,
        title,
        f"{TABLES}.probes:{name}",
        frames=frames,
        settings={"models": "probed"} | dict(settings or {}),
        when=lambda run: bool(run.probed),
    )


PROBES = [
    _probes("table3", "Table III: which datasets are recognized by their titles", RECOGNITION),
    _probes(
        "table4", "Table IV: hidden cells filled, against chance and shuffled rows",
        RECOGNITION, LIFTS, settings=same("thresholds"),
    ),
    _probes("completion", "Rows continued word for word", COMPLETIONS),
    _probes("answers", "Every answer of the recognition test", RECOGNITION),
]  # fmt: skip

BASELINES = [
    table(
        "baselines", "fitted", "Fitted baselines with their settings and weights",
        f"{TABLES}.baselines:fitted", frames=(FITS,), settings=same("baselines"),
        when=lambda run: bool(run.baselines),
    ),
]  # fmt: skip


def _registered(run: Run) -> bool:
    return run.registered


DATASET_TABLES = [
    table("datasets", "table1", "Table I: the suites", when=_registered),
    table("datasets", "table12", "Table XII: datasets of the classic suite", when=_registered),
    table("datasets", "table13", "Table XIII: datasets of the new suite", when=_registered),
    table("datasets", "table14", "Table XIV: LLM-synthetic datasets", when=_registered),
]
AUDIT = table("datasets", "audit", "Leaks, identifiers and duplicates", when=_registered)
DATASETS = [*DATASET_TABLES, AUDIT]
"""Each made by a rule of its own."""

PAPER = [
    table(
        "paper", "discrepancies", "Numbers of the paper that do not add up",
        f"{TABLES}.paper:discrepancies", frames=(DISCREPANCIES,),
    ),
    table(
        "paper", "comparison", "Our numbers compared with the published",
        f"{TABLES}.paper:comparison", frames=(ALL_SCORES, PUBLISHED),
        settings=same("models", "generators"),
    ),
    figure(
        "paper", "comparison", "Figure of our numbers compared with the published",
        f"{FIGURES}.paper:comparison", frames=(ALL_SCORES, PUBLISHED), settings=same("models"),
        next_to_table=True,
    ),
    table(
        "paper", "cells", "Table of released cells, each next to ours",
        f"{TABLES}.cells:cells", frames=(ALL_SCORES, RELEASED, RELEASED_ROWS),
        settings=same("models", "baselines"),
    ),
    table(
        "paper", "cells_summary", "Agreement with the released cells",
        f"{TABLES}.cells:cells_summary", frames=(ALL_SCORES, RELEASED, RELEASED_ROWS),
        settings=same("models", "baselines"),
    ),
    figure(
        "paper", "cells", "Figure of released cells against ours",
        f"{FIGURES}.cells:cells", frames=(ALL_SCORES, RELEASED, RELEASED_ROWS),
        settings=same("models", "baselines"), next_to_table=True,
    ),
]  # fmt: skip

_REPLICATION = (REPLICATED_SCORES, RELEASED, RELEASED_ROWS)


def _real(run: Run) -> bool:
    return run.real_datasets > 0


REPLICATION = [
    table(
        "replication", "cells", "Table of released cells, refitted as released",
        f"{TABLES}.cells:replicated_cells", frames=_REPLICATION, when=_real,
    ),
    table(
        "replication", "cells_summary", "Agreement of the refitted released baselines",
        f"{TABLES}.cells:replicated_summary", frames=_REPLICATION, when=_real,
    ),
    figure(
        "replication", "cells", "Figure of released cells, refitted as released",
        f"{FIGURES}.cells:replicated_cells", frames=_REPLICATION, when=_real,
        next_to_table=True,
    ),
]  # fmt: skip
"""On request only: `snakemake replication`."""

QUESTIONS = {
    "rq1": RQ1, "rq2": RQ2, "rq3": RQ3, "rq4": RQ4, "rq5": RQ5, "rq6": RQ6, "rq7": RQ7,
}  # fmt: skip
"""Tables and figures of each research question, in the order of the page."""
