"""Numbers of SciTaRC's paper."""

from tabbench.core.frames import REAL, TEXT, declare

SCITARC_TABLE_1 = declare(
    "scitarc_table_1",
    ("metric", TEXT, "complexity metric; s_cell by the released counter"),
    ("mean", REAL, "over the paper's 371 questions"),
    ("max", REAL, "largest"),
)
SCITARC_TABLE_2 = declare(
    "scitarc_table_2",
    ("model", TEXT, "name in the paper"),
    ("method", TEXT, "CoT or PoT"),
    ("size", TEXT, 'parameters, or "" where the paper prints a dash'),
    ("llm_judge", REAL, "accuracy, percent"),
    ("em", REAL, "exact match, percent"),
    open=True,
)
SCITARC_TABLE_4 = declare(
    "scitarc_table_4",
    ("model", TEXT, "short name in the paper"),
    ("direct", REAL, "accuracy without a plan, percent"),
    ("auto", REAL, "with the model's own plan"),
    ("oracle", REAL, "with the gold plan"),
    open=True,
)
SCITARC_TABLE_11 = declare(
    "scitarc_table_11",
    ("model", TEXT, "short name in the paper"),
    ("zs_direct", REAL, "accuracy without demonstrations and plan, percent"),
    ("fs_direct", REAL, "with two demonstrations"),
    ("fs_oracle", REAL, "with two demonstrations and the gold plan"),
    open=True,
)
SCITARC_EDGES = declare(
    "scitarc_edges",
    ("metric", TEXT, "complexity metric"),
    ("quantile", REAL, "of the questions"),
    ("in_text", REAL, "edge of a bin that the paper's text names"),
    ("in_questions", REAL, "that quantile of the published questions"),
)
SCITARC_DROPS = declare(
    "scitarc_drops",
    ("metric", TEXT, "complexity metric"),
    ("method", TEXT, "CoT or PoT"),
    ("drop", REAL, "of the mean accuracy, lowest to highest level, percentage points"),
)
SCITARC_CORRELATIONS = declare(
    "scitarc_correlations",
    ("metric", TEXT, "complexity metric"),
    ("other", TEXT, "another one"),
    ("rho", REAL, "Spearman's correlation over the published questions"),
)
