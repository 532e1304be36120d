"""Which tables and figures the configuration has, and the files of each."""


def question_shots(question):
    """Every k that a question asks of any dataset."""
    names = GRID.in_suites(GRID.question_suites(question))
    return frozenset(k for name in names for k in GRID.question_shots(question, name))


PLACING = placing_baselines(config)
REAL = GRID.in_suites(REAL_SUITES)
RUN = Run(
    questions=tuple(GRID.questions),
    models=titles(),
    baselines=baseline_titles(),
    methods=llm_baseline_titles(),
    mode=GRID.main_mode,
    shots={question: question_shots(question) for question in GRID.questions},
    suites=frozenset(suite for suite in SUITES if GRID.in_suites([suite])),
    real_datasets=len(REAL),
    registered=bool(REGISTERED),
    generators=generator_titles(),
    few_shots=few_shots(),
    full_training=full_seed() is not None,
    ruled="rq5" in GRID.questions and GRID.ruled,
    formats={question: GRID.serializations(question) for question in GRID.questions},
    rows=config["mlp"]["rows"],
    recipe=mlp_recipe(),
    tables=tables_by_level(),
    placed=bool(PLACING and REAL and GRID.mlp_tables and max(GRID.shots)),
    probed=probe_models(),
    thresholds=probe_thresholds("lift"),
    scitarc=scitarc_titles(),
    cards=scitarc_cards(),
    scitarc_prompts=scitarc_prompts(),
    scitarc_models=tuple(scitarc_models()),
    systems=scitarc_systems(),
    annotated="error_sheet" in scitarc_settings(),
    labelled="labels" in scitarc_settings(),
    files={
        "fits": baseline_fits(),
        "replication": [f"results/replication/{name}.parquet" for name in REAL],
        "llm_queries": llm_baseline_files("queries"),
        **{
            name: probe_results(name)
            for name in ("recognition", "lifts", "completions")
        },
        "scitarc_responses": [
            f"results/scitarc/{name}/responses.parquet" for name in scitarc_models()
        ],
    },
    paper=PAPER,
)


def of_run(artifacts):
    return [artifact for artifact in artifacts if artifact.exists(RUN)]


QUESTION_ARTIFACTS = of_run(
    chain(*(registry.QUESTIONS[name] for name in GRID.questions))
)
ARTIFACTS = [
    *QUESTION_ARTIFACTS,
    *of_run([*registry.COMPLEXITY, *registry.PROBES, *SCITARC_ARTIFACTS]),
    *of_run([*registry.BASELINES, *registry.DATASETS, *registry.PAPER]),
]
"""Every table and figure of the configuration, in the order of the page of results."""
REPLICATION = of_run(registry.REPLICATION)


def all_artifacts():
    """Files of every table and figure, in the order of the page of results."""
    files = [path for artifact in ARTIFACTS for path in artifact.paths]
    return [*files, *scitarc_sheet(), *domain_artifacts()]


def domain_artifacts():
    """Appendix F: every cell, as a table and as a page."""
    return ["results/domains/cells.parquet", "results/domains/cells.html"]


def artifact_files(*artifacts):
    """Outputs of a rule of its own that makes tables of the registry."""
    return [reported(artifact) for artifact in artifacts]


def reported(artifact):
    """An artifact's files, those that `snakemake --report` shows marked for it.

    Of a table these are its raw numbers and its readable form, of a figure its picture.
    """
    forms = ("csv", "md") if artifact.kind == "table" else ("png",)
    return [
        marked(path, artifact) if path.endswith(forms) else path
        for path in artifact.paths
    ]


def marked(path, artifact):
    """A file for `snakemake --report`; its caption comes from the .md of the same artifact."""
    return report(
        path,
        caption="../workflow/report/artifact.rst",
        category=section(artifact.folder).title,
        subcategory=f"{artifact.kind.capitalize()}s",
        labels=dict(
            name=artifact_title(artifact.name, artifact.folder),
            file=path.rpartition(".")[2],
        ),
    )
