"""A run of which every table and figure exists."""

from tabbench.reporting.artifact import Run

QUESTIONS = tuple(f"rq{number}" for number in range(1, 8))
SAMPLE_RUN = Run(
    questions=QUESTIONS,
    models={"small": "Small-1B"},
    baselines={"forest": "Random forest", "tabpfn": "TabPFN"},
    methods={"featllm_small": "FeatLLM, Small-1B"},
    mode="forward",
    shots={question: frozenset({0, 4, 8, 16, 32, 64}) for question in QUESTIONS},
    suites=frozenset({"core", "new", "llm_synthetic", "mlp"}),
    real_datasets=2,
    registered=True,
    generators={"repository": "written by hand"},
    few_shots=16,
    full_training=True,
    ruled=True,
    formats=dict.fromkeys(QUESTIONS, ("feat_val", "html")),
    rows=1000,
    tables={0: 5},
    recipe="centred_units",
    placed=True,
    probed={"small": "Small-1B"},
    thresholds={},
    scitarc={"small": "Small-1B"},
    cards={"small": {"developer": "Us", "access": "open weights", "size": "1B"}},
    scitarc_prompts="paper",
    scitarc_models=("small",),
    systems={"direct": 2, "plans": 2, "own_plans": 2, "decomposed": 2, "few_shot": 2},
    annotated=True,
    labelled=True,
    files={
        name: [f"results/{name}.parquet"]
        for name in (
            *("fits", "llm_queries", "recognition", "lifts", "completions"),
            *("scitarc_responses", "replication"),
        )
    },
    paper="resources/paper",
)
