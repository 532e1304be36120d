"""What LLMTabBench's tables and figures are made from."""

from tabbench.reporting.artifact import Frame, at, made_by_many

_SCHEMAS = "tabbench.core.schemas"
_SCORES = f"{_SCHEMAS}.scores:SCORES"
_GAINS = f"{_SCHEMAS}.gains:TESTS"

SCORES = Frame("scores", _SCORES, at("results/{folder}/scores.parquet"))
ALL_SCORES = Frame("scores", _SCORES, at("results/scores.parquet"))
FEW_SHOT_SCORES = Frame(
    "few_shot", _SCORES, at("results/rq3/scores.parquet"), lambda run: "rq3" in run.questions
)
GAINS = Frame("tests", _GAINS, at("results/{folder}/gains.parquet"))
RQ3_GAINS = Frame("tests", _GAINS, at("results/rq3/gains.parquet"), lambda run: run.gains("rq3"))
CHANCE = Frame("chance", f"{_SCHEMAS}.chance:CHANCE", at("results/rq1/chance.parquet"))
INTERVALS = Frame(
    "intervals", f"{_SCHEMAS}.intervals:INTERVALS", at("results/rq1/intervals.parquet")
)
MEAN_INTERVALS = Frame(
    "mean_intervals",
    f"{_SCHEMAS}.intervals:MEAN_INTERVALS",
    at("results/rq1/mean_intervals.parquet"),
)
RECOGNITION = Frame(
    "recognition",
    f"{_SCHEMAS}.probe_recognition:PROBE_RECOGNITION",
    made_by_many("recognition"),
)
LIFTS = Frame("lifts", f"{_SCHEMAS}.probe_reconstruction:PROBE_LIFTS", made_by_many("lifts"))
COMPLETIONS = Frame(
    "completions",
    f"{_SCHEMAS}.probe_completion:PROBE_COMPLETIONS",
    made_by_many("completions"),
)
LLM_QUERIES = Frame(
    "llm_queries", f"{_SCHEMAS}.llm_queries:LLM_QUERIES", made_by_many("llm_queries")
)
CONTRASTS = Frame(
    "contrasts", f"{_SCHEMAS}.contrasts:CONTRASTS", at("results/rq4/contrasts.parquet")
)
INTRINSIC = Frame(
    "intrinsic", f"{_SCHEMAS}.intrinsic:INTRINSIC", at("results/rq6/intrinsic.parquet")
)
TABLE_15 = Frame("table15", f"{_SCHEMAS}.paper_tables:TABLE_15", at("{paper}/table15.csv"))
TABLE_16 = Frame("table16", f"{_SCHEMAS}.paper_tables:TABLE_16", at("{paper}/table16.csv"))
PLACEMENT = Frame(
    "placement", f"{_SCHEMAS}.placement:PLACEMENT", at("results/complexity/placement.parquet")
)
SCALE = Frame(
    "scale", f"{_SCHEMAS}.placement:COMPLEXITY_SCALE", at("results/complexity/scale.parquet")
)
CALIBRATION = Frame(
    "calibration", f"{_SCHEMAS}.calibration:CALIBRATION", at("results/rq7/calibration.parquet")
)
BINS = Frame("bins", f"{_SCHEMAS}.calibration:RELIABILITY", at("results/rq7/reliability.parquet"))
FITS = Frame("fits", f"{_SCHEMAS}.fits:FITS", made_by_many("fits"))
PUBLISHED = Frame(
    "published", f"{_SCHEMAS}.published:PUBLISHED", at("results/paper/published.parquet")
)
RELEASED = Frame("released", f"{_SCHEMAS}.released:RELEASED", at("{paper}/released_cells.csv"))
RELEASED_ROWS = Frame(
    "released_rows", f"{_SCHEMAS}.released:RELEASED_ROWS", at("{paper}/released_rows.csv")
)
REPLICATED_SCORES = Frame(
    "scores", f"{_SCHEMAS}.replication:REPLICATION", made_by_many("replication")
)
DISCREPANCIES = Frame(
    "discrepancies",
    f"{_SCHEMAS}.published:DISCREPANCIES",
    at("results/paper/discrepancies.parquet"),
)
