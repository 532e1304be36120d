"""Which tables and figures a configuration gives, and the files of each."""

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png", "md")
DATASET_TABLES = ("table1", "table12", "table13", "table14")


def asked_shots(question):
    """Every k that a question asks of any dataset."""
    if question not in GRID.questions:
        return set()
    names = GRID.in_suites(GRID.question_suites(question))
    return {k for name in names for k in GRID.question_shots(question, name)}


def context_figures(question, numbers, shots):
    """Figures of the four contexts at one k each, as far as the question asks that k."""
    asked = asked_shots(question)
    return {
        f"figure{number}": k
        for number, k in zip(numbers, shots, strict=True)
        if k in asked
    }


CONTEXT_FIGURES = {
    "rq4": context_figures("rq4", range(14, 19), (4, 8, 16, 32, 64)),
    "rq5": context_figures("rq5", range(24, 30), (0, 4, 8, 16, 32, 64)),
}
AGE_FIGURES = ["figure7"] if all(GRID.in_suites([one]) for one in REAL_SUITES) else []
"""Classic beside new datasets: it needs both."""
GAIN_FIGURES = ["figure11", "figure12", "figure13"] if asked_shots("rq3") - {0} else []
"""Gains over zero-shot: they need examples."""
GRID_FIGURES = [*(["figure30"] if GRID.baselines else []), "figure31"]
"""Baselines on the complexity grid, and gains there."""
NEW_DATASET_TABLES = ["table17", "table18"] if GRID.in_suites(["new"]) else []

COMPARED = len(GRID.models) + len(GRID.baselines)
RANKED = COMPARED > 2 and len(GRID.in_suites(GRID.question_suites("rq1"))) > 1
"""Whether there are methods and datasets enough for ranks."""

ARTIFACTS = {
    "rq1": {
        "tables": [
            *("table2", "chance", "datasets"),
            *(["differences"] if COMPARED > 1 else []),
            *("folding", "folding_conclusions"),
        ],
        "figures": [
            *("figure1", "figure6"),
            *AGE_FIGURES,
            *(["ranks"] if RANKED else []),
        ],
    },
    "rq2": {"tables": ["table5", "table6"], "figures": ["figure9"]},
    "rq3": {
        "tables": [
            *("table7", *NEW_DATASET_TABLES),
            *(["llm_baselines"] if llm_baseline_files("queries") else []),
        ],
        "figures": ["figure10", *GAIN_FIGURES],
    },
    "rq4": {
        "tables": ["table8", "contrasts"],
        "figures": ["figure2", *CONTEXT_FIGURES["rq4"]],
    },
    "rq5": {
        "tables": ["table9"],
        "figures": [
            *("figure19", "figure20", "figure21", "figure22", "figure23"),
            *CONTEXT_FIGURES["rq5"],
        ],
    },
    "rq6": {
        "tables": ["table10", "table15", "table16"],
        "figures": GRID_FIGURES if asked_shots("rq6") - {0} else [],
    },
    "rq7": {"tables": ["table11", "calibration"], "figures": ["reliability"]},
}


def table_files(folder, name):
    """Outputs of a table: its raw numbers and its readable form go into Snakemake's report."""
    return shown(folder, name, TABLE_FORMATS, ("csv", "md"))


def figure_files(folder, name):
    """Outputs of a figure: the picture goes into Snakemake's report."""
    return shown(folder, name, FIGURE_FORMATS, ("png",))


def shown(folder, name, forms, reported):
    """The files of a table or figure, some of them marked for `snakemake --report`."""
    kind = "Figures" if forms == FIGURE_FORMATS else "Tables"
    return [
        marked(path, folder, name, kind) if form in reported else path
        for form, path in zip(forms, artifact_paths(folder, name, forms))
    ]


def marked(path, folder, name, kind):
    """A file for `snakemake --report`; its caption comes from the .md beside it."""
    return report(
        path,
        caption="../workflow/report/artifact.rst",
        category=section(folder).title,
        subcategory=kind,
        labels=dict(name=artifact_title(name, folder), file=path.rpartition(".")[2]),
    )


def artifact_paths(folder, name, forms):
    return multiext(f"results/{folder}/{name}", *(f".{form}" for form in forms))


PAPER_TABLES = ("discrepancies", "comparison")
PAPER_COMPARED = [
    f"{PAPER}/table{number}.csv" for number in (2, 6, 7, 8, 9, 10, 11, 17, 18)
]
"""Published numbers that ours stand beside, as far as their model ran."""


COMPARISON_FIGURE = [
    f"results/paper/{name}"
    for name in ("comparison.pdf", "comparison.png", "comparison_caption.md")
]
"""The caption's name leaves comparison.md to the table."""


def paper_artifacts():
    """The paper's own numbers, and ours beside them."""
    tables = [artifact_paths("paper", name, TABLE_FORMATS) for name in PAPER_TABLES]
    return tables + COMPARISON_FIGURE


def dataset_artifacts():
    """The dataset tables and the audit; none without real datasets."""
    names = (*DATASET_TABLES, "audit") if REGISTERED else ()
    return [artifact_paths("datasets", name, TABLE_FORMATS) for name in names]


def domain_artifacts():
    """Appendix F: every cell, as a table and as a page."""
    return ["results/domains/cells.parquet", "results/domains/cells.html"]


PLACING = placing_baselines(config)
REAL = GRID.in_suites(REAL_SUITES)
PLACED = bool(PLACING and REAL and GRID.mlp_tables and max(GRID.shots))
"""Whether there are datasets to place, tables to place them among, and a baseline to do it by."""

PLACEMENT_FIGURE = [
    f"results/complexity/{name}"
    for name in ("placement.pdf", "placement.png", "placement_caption.md")
]
"""The caption's name leaves placement.md to the table."""


def placement_artifacts():
    """Real datasets on the scale of the complexity grid; none where there is nothing to place."""
    if not PLACED:
        return []
    names = ("placement", "correlations")
    tables = [artifact_paths("complexity", name, TABLE_FORMATS) for name in names]
    return [*tables, PLACEMENT_FIGURE]


PROBE_TABLES = ("table3", "table4", "completion", "answers")


def baseline_artifacts():
    """What was fitted and how; none where the configuration names no baselines."""
    names = ("fitted",) if GRID.baselines else ()
    return [artifact_paths("baselines", name, TABLE_FORMATS) for name in names]


def probe_artifacts():
    """Tables of the memorization probes; none where the configuration asks none."""
    names = PROBE_TABLES if probe_settings() else ()
    return [artifact_paths("rq1/probes", name, TABLE_FORMATS) for name in names]


def artifacts(question):
    """All tables and figures of a research question."""
    made = ARTIFACTS[question]
    return [
        artifact_paths(question, name, forms)
        for kind, forms in (("tables", TABLE_FORMATS), ("figures", FIGURE_FORMATS))
        for name in made[kind]
    ]


def all_artifacts():
    """Every table and figure of the configuration, in the order of the page of results."""
    asked = [artifacts(question) for question in GRID.questions]
    shown = placement_artifacts() + probe_artifacts() + scitarc_artifacts()
    shown += baseline_artifacts()
    shown += dataset_artifacts() + domain_artifacts()
    return asked + shown + paper_artifacts()
