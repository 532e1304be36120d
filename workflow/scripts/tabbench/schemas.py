"""Declared columns of every parquet file: name, type, meaning; checked on write and on read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tabbench.errors import TabBenchError


@dataclass(frozen=True)
class Column:
    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True)
class Schema:
    """``open`` schemas allow further columns after the declared ones (a dataset's features).

    ``repeated`` columns hold few different texts, which may be long; they are read as categories,
    each text once.
    """

    name: str
    columns: tuple[Column, ...]
    open: bool = False
    repeated: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def _schema(
    name: str,
    *columns: tuple[str, pa.DataType, str],
    open: bool = False,
    repeated: tuple[str, ...] = (),
) -> Schema:
    return Schema(name, tuple(Column(*column) for column in columns), open, repeated)


_TEXT, _INT, _REAL, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_CELL = (
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "model or baseline id"),
    ("mode", _TEXT, "forward, generation, or fit, rules, tree (baselines)"),
    ("prompt", _TEXT, "contextual, context_free, knowledge, or none (baselines)"),
    ("serialization", _TEXT, "text format of a row, or none (baselines)"),
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw of examples; 0 at k = 0"),
)
_PROVENANCE = (
    ("engine", _TEXT, "engine that answered; mixing engines in one row is an error"),
    ("style", _TEXT, "how prompts are put: chat, completion, or none"),
    ("dtype", _TEXT, "number format of the weights at inference"),
    (
        "template",
        _TEXT,
        "first 12 hex digits of the sha256 of the prompt template (or whose it is); "
        "of a pretrained baseline: of its weights",
    ),
)

TABLE = _schema(
    "table",
    ("row_id", _INT, "row number in the prepared table"),
    ("y", _INT, "label, 0 or 1"),
    open=True,
)
SPLIT = _schema(
    "split",
    ("row_id", _INT, "row number in the prepared table"),
    ("part", _TEXT, "train, test, or unused (test rows over the cap)"),
    ("position", _INT, "order within the part; growing the cap keeps the first positions"),
)
SHOTS = _schema(
    "shots",
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw"),
    ("position", _INT, "order in the prompt, from 0"),
    ("row_id", _INT, "row number in the prepared table"),
)
SERIALIZED = _schema(
    "serialized",
    ("serialization", _TEXT, "text format"),
    ("row_id", _INT, "row number in the prepared table; -1 is the table's head"),
    ("text", _TEXT, "the row as text, up to the place of its label"),
)
PROMPTS = _schema(
    "prompts",
    ("dataset", _TEXT, "dataset id"),
    ("mode", _TEXT, "forward or generation"),
    ("prompt", _TEXT, "contextual, context_free or knowledge"),
    ("serialization", _TEXT, "text format of a row"),
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw of examples; 0 at k = 0"),
    ("row_id", _INT, "row number in the prepared table"),
    ("y_true", _INT, "label, 0 or 1"),
    ("system", _TEXT, "system message"),
    ("prefix", _TEXT, "task text and examples: what the cell's prompts share"),
    ("query", _TEXT, "the row to classify, up to the place of its label"),
    repeated=("system", "prefix"),
)
PREDICTIONS = _schema(
    "predictions",
    *_CELL,
    ("row_id", _INT, "row number in the prepared table"),
    ("y_true", _INT, "label, 0 or 1"),
    ("logp_0", _REAL, "natural-log probability of the label 0; NaN where not defined"),
    ("logp_1", _REAL, "natural-log probability of the label 1; NaN where not defined"),
    ("p_1", _REAL, "probability of class 1 given that one of the labels is answered"),
    ("label_mass", _REAL, "probability that one of the two labels is answered"),
    ("y_pred", pa.int8(), "predicted label; null when there is none"),
    ("status", _TEXT, "ok, label_only (no probabilities), invalid (cannot be read) or error"),
    ("bounded", _FLAG, "whether p_1 rests on a bound: an endpoint did not list one of the labels"),
    ("prompt_tokens", _INT, "tokens of the prompt; 0 for baselines, null after an error"),
    ("completion_tokens", _INT, "tokens generated; 0 in forward mode and for baselines"),
    ("seconds", _REAL, "wall-clock seconds, shared prefix spread over the rows that use it"),
    *_PROVENANCE,
)
FITS = _schema(
    "fits",
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "baseline id"),
    ("k", _INT, "labelled examples fitted on"),
    ("seed", _INT, "seed of their draw, of the search and of the model"),
    ("reason", _TEXT, "why nothing was fitted; empty where something was"),
    ("package", _TEXT, "package and version; empty for a model without weights"),
    ("candidates", _INT, "settings compared by cross-validation; 0 where they are fixed"),
    ("folds", _INT, "stratified folds of the cross-validation"),
    ("cv_roc_auc", _REAL, "mean ROC-AUC of the chosen settings over the folds; NaN without them"),
    ("settings", _TEXT, "chosen settings that are not the defaults, as JSON"),
    ("weights", _TEXT, "of a pretrained model: file name and sha256"),
    ("licence", _TEXT, "of these weights"),
    ("seconds", _REAL, "search, fit and prediction of the test rows"),
)
SCORES = _schema(
    "scores",
    ("suite", _TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", _TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *_CELL,
    ("n", _INT, "test rows asked"),
    ("n_positive", _INT, "test rows of class 1"),
    ("n_scored", _INT, "test rows with status ok; ROC-AUC uses these"),
    ("n_errors", _INT, "test rows whose request got no answer"),
    ("invalid_rate", _REAL, "share of test rows without a label: invalid or an error"),
    ("bounded_rate", _REAL, "share of scored rows whose p_1 rests on a bound"),
    ("roc_auc", _REAL, "plain ROC-AUC; NaN when a class is missing"),
    ("roc_auc_folded", _REAL, "max(AUC, 1 - AUC), only for comparison with the paper"),
    ("accuracy", _REAL, "share of rows with a label whose label is right"),
    ("label_mass", _REAL, "median probability mass on the two labels; NaN for baselines"),
    ("prompt_tokens", _REAL, "mean tokens per prompt"),
    ("completion_tokens", _REAL, "mean tokens generated per prompt"),
    ("seconds", _REAL, "mean wall-clock seconds per prompt"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    *_PROVENANCE,
)
TESTS = _schema(
    "tests",
    ("suite", _TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", _TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in _CELL if name != "seed"),
    ("n", _INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", _INT, "test rows left out because some answer was invalid"),
    ("n_seeds", _INT, "draws of examples averaged over"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    ("auc_zero_shot", _REAL, "ROC-AUC at k = 0 on those rows"),
    ("auc_k_shot", _REAL, "mean ROC-AUC at k over the draws on those rows"),
    ("difference", _REAL, "auc_k_shot - auc_zero_shot"),
    ("se", _REAL, "DeLong standard error of the difference"),
    ("z", _REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_greater", _REAL, "one-sided p-value of 'k-shot is better'"),
    ("p_two_sided", _REAL, "two-sided p-value"),
)
CONTRASTS = _schema(
    "contrasts",
    ("suite", _TEXT, "core or new"),
    ("domain", _TEXT, "knowledge domain of the dataset"),
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "model id"),
    ("mode", _TEXT, "forward or generation"),
    ("contrast", _TEXT, "planned (few examples against many) or equal_k"),
    ("k_maximal", _INT, "labelled examples shown with the maximal context (Cols-Context)"),
    ("k_minimal", _INT, "labelled examples shown with the minimal context (NoCols-NoContext)"),
    ("n", _INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", _INT, "test rows left out because some answer was invalid"),
    ("draws_maximal", _INT, "draws of examples averaged over, maximal context"),
    ("draws_minimal", _INT, "draws of examples averaged over, minimal context"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    ("auc_maximal", _REAL, "mean ROC-AUC of the maximal context over its draws"),
    ("auc_minimal", _REAL, "mean ROC-AUC of the minimal context over its draws"),
    ("difference", _REAL, "auc_maximal - auc_minimal"),
    ("se", _REAL, "DeLong standard error of the difference"),
    ("z", _REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_two_sided", _REAL, "two-sided p-value"),
)
CALIBRATION = _schema(
    "calibration",
    *((column.name, column.type, column.meaning) for column in SCORES.columns),
    ("brier", _REAL, "mean of (p_1 - y)²; NaN when no row was scored"),
    ("brier_base_rate", _REAL, "Brier score of the scored rows' own share of class 1"),
    ("log_loss", _REAL, "mean of -ln p(true label), nats; infinite where that p is 0"),
    ("calibration_error", _REAL, "expected calibration error, 10 bins of equal width"),
    ("calibration_error_if_right", _REAL, "its mean over 1,000 draws of labels from p_1"),
)
RELIABILITY = _schema(
    "reliability",
    ("model", _TEXT, "model id"),
    ("mode", _TEXT, "forward or generation"),
    ("k", _INT, "labelled examples shown"),
    ("bin", _INT, "number of the bin, from 0; bins without an answer have no row"),
    ("low", _REAL, "lower edge of the bin, inside it"),
    ("high", _REAL, "upper edge of the bin; inside the last bin only"),
    ("mean_predicted", _REAL, "mean predicted probability of class 1"),
    ("observed", _REAL, "share of class 1 among the answers"),
    ("n", _INT, "valid answers in the bin, over datasets and draws"),
    ("n_positive", _INT, "those whose row is of class 1"),
    ("n_rows", _INT, "distinct test rows behind them"),
    ("n_datasets", _INT, "datasets pooled in this model, mode and k"),
)
_ESTIMATES = (
    ("lPCA", _REAL, "principal components, Fukunaga and Olsen; NaN where it failed"),
    ("MLE", _REAL, "maximum likelihood, Levina and Bickel; NaN where it failed"),
    ("TwoNN", _REAL, "two nearest neighbours, Facco et al.; NaN where it failed"),
    ("TLE", _REAL, "tight local estimator, Amsaleg et al.; NaN where it failed"),
)
_FAILURES = ("failures", _TEXT, "estimators that failed and why; empty where none did")
INTRINSIC = _schema(
    "intrinsic",
    ("level", _TEXT, "MLP level"),
    ("dataset", _TEXT, "dataset id"),
    ("features", _INT, "columns of the table, without the label"),
    *_ESTIMATES,
    ("mean", _REAL, "mean of the four; NaN where one of them failed"),
    ("n_rows", _INT, "distinct complete rows that entered"),
    ("n_left_out", _INT, "rows with a missing value, and repeated ones"),
    _FAILURES,
)
_ROWS_DRAWN = (
    ("n_rows", _INT, "distinct complete rows that the estimators saw"),
    ("n_left_out", _INT, "rows with a missing number, and repeated ones"),
    ("n_not_drawn", _INT, "further distinct complete rows, more than the MLP tables have"),
)
DIMENSION = _schema(
    "dimension",
    ("dataset", _TEXT, "dataset id"),
    ("columns", _INT, "columns of the table, without the label"),
    ("columns_left_out", _TEXT, "columns that did not enter and why; empty where all did"),
    ("features", _INT, "numbers per row: numeric columns, and an indicator per category"),
    *_ESTIMATES,
    *_ROWS_DRAWN,
    _FAILURES,
)
_LEVEL = "; -inf: easier than the easiest level, inf: harder than the hardest"
PLACEMENT = _schema(
    "placement",
    ("suite", _TEXT, "core or new"),
    ("domain", _TEXT, "knowledge domain of the dataset"),
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "baseline whose ROC-AUC places the dataset"),
    ("k", _INT, "labelled examples that it was fitted on"),
    ("n_draws", _INT, "draws of examples averaged over; 0 where it was not fitted"),
    ("n", _INT, "test rows that it ranked"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    ("roc_auc", _REAL, "mean plain ROC-AUC over the draws; NaN where undefined"),
    ("level_auc", _REAL, f"MLP level with that ROC-AUC{_LEVEL}; NaN where undefined"),
    ("level_auc_low", _REAL, f"lower bound of its bootstrap interval{_LEVEL}"),
    ("level_auc_high", _REAL, f"upper bound of its bootstrap interval{_LEVEL}"),
    ("determined", _FLAG, "whether the interval leaves anything out; false: it spans all levels"),
    ("coverage", _REAL, "coverage of the interval"),
    ("resamples", _INT, "resamples of test rows, draws, and MLP tables of each level"),
    *_ESTIMATES,
    ("n_estimators", _INT, "estimators that failed neither here nor on an MLP table"),
    ("dimension", _REAL, "mean over those; NaN where all failed"),
    ("level_dimension", _REAL, f"MLP level with that mean of the same estimators{_LEVEL}"),
    ("level_dimension_low", _REAL, f"lowest level by one estimator alone{_LEVEL}"),
    ("level_dimension_high", _REAL, f"highest level by one estimator alone{_LEVEL}"),
    ("columns_left_out", _TEXT, "columns that the dimension leaves out and why"),
    *_ROWS_DRAWN,
    _FAILURES,
    ("undefined", _TEXT, "why there is no ROC-AUC; empty where there is one"),
)
COMPLEXITY_SCALE = _schema(
    "complexity_scale",
    ("level", _INT, "MLP level"),
    ("n_tables", _INT, "tables of the level with a ROC-AUC"),
    ("roc_auc", _REAL, "mean over those of the mean ROC-AUC over draws"),
    ("roc_auc_fitted", _REAL, "the same, made to fall with the level (isotonic regression)"),
    ("n_estimated", _INT, "tables of the level whose dimension was estimated"),
    *((name, kind, f"mean over tables: {text}") for name, kind, text in _ESTIMATES),
)
TABLE_15 = _schema(
    "published Table XV",
    ("level", _TEXT, "MLP level"),
    ("layers", _INT, "hidden layers"),
    ("features", _INT, "columns of the table"),
    ("hidden", _REAL, "units of a hidden layer; NaN where there is none"),
)
TABLE_16 = _schema(
    "published Table XVI",
    ("level", _TEXT, "MLP level"),
    ("value", _REAL, "average intrinsic dimension"),
)

CHANCE = _schema(
    "chance",
    ("suite", _TEXT, "core or new"),
    ("domain", _TEXT, "knowledge domain of the dataset"),
    *_CELL,
    ("n", _INT, "test rows with a valid answer; the tests use these"),
    ("n_positive", _INT, "rows of class 1 among them"),
    ("n_dropped", _INT, "test rows left out because their answer is invalid"),
    ("roc_auc", _REAL, "plain ROC-AUC on those rows"),
    ("draws", _INT, "random rankings drawn"),
    ("null_mean", _REAL, "mean ROC-AUC of the random rankings"),
    ("null_sd", _REAL, "sample standard deviation of their ROC-AUCs"),
    ("p_monte_carlo", _REAL, "one-sided: (1 + rankings that reach the AUC) / (1 + draws)"),
    ("t", _REAL, "the paper's one-sample t; positive above chance"),
    ("z_t", _REAL, "standard normal quantile with the tail of t"),
    ("p_t", _REAL, "one-sided p-value of t; it shrinks with the number of draws"),
    ("log10_p_t", _REAL, "log10 of p_t, also where p_t is below the smallest double"),
)
_COMPARED = (
    ("model", _TEXT, "model or baseline id"),
    ("k", _INT, "labelled examples it saw"),
    ("reference", _TEXT, "what is subtracted: model or baseline id; empty: nothing"),
    ("reference_k", _INT, "labelled examples the reference saw; 0 where there is none"),
)
_BOUNDS = (
    ("low", _REAL, "lower bound of the bootstrap interval; NaN where a class has one row"),
    ("high", _REAL, "upper bound of the bootstrap interval"),
    ("level", _REAL, "coverage of the interval"),
    ("resamples", _INT, "resamples of the test rows"),
)
INTERVALS = _schema(
    "intervals",
    ("suite", _TEXT, "core or new"),
    ("domain", _TEXT, "knowledge domain of the dataset"),
    ("dataset", _TEXT, "dataset id"),
    *_COMPARED,
    ("n", _INT, "test rows that are valid under every curve involved"),
    ("n_positive", _INT, "rows of class 1 among them"),
    ("n_dropped", _INT, "test rows left out because some answer was invalid"),
    ("estimate", _REAL, "ROC-AUC (mean over draws), or its difference to the reference's"),
    *_BOUNDS,
    ("se", _REAL, "DeLong standard error of the estimate"),
    ("z", _REAL, "difference / se; 0 where both rank alike, NaN where undefined or no reference"),
    ("p_two_sided", _REAL, "DeLong's two-sided p-value; NaN like z"),
)
MEAN_INTERVALS = _schema(
    "mean_intervals",
    ("group", _TEXT, "group of datasets: All, Classic or New"),
    *_COMPARED,
    ("mean", _REAL, "mean of the estimates over the datasets"),
    *_BOUNDS,
    ("n_datasets", _INT, "datasets with an interval; mean and interval rest on these"),
    ("n_left_out", _INT, "datasets where a class has fewer than two valid rows"),
    ("n_tests", _INT, "datasets whose DeLong test is defined and enters Stouffer's method"),
    ("z", _REAL, "unweighted Stouffer sum of the datasets' z; NaN without reference"),
    ("p_two_sided", _REAL, "two-sided p-value of z"),
    ("log10_p", _REAL, "log10 of p_two_sided, also where that is below the smallest double"),
)

CELLS = _schema(
    "cells",
    ("suite", _TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", _TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in _CELL if name != "seed"),
    ("roc_auc", _REAL, "mean of plain ROC-AUC over the seeds; NaN when none is defined"),
    ("roc_auc_std", _REAL, "sample standard deviation over the seeds; NaN for one seed"),
    ("n_seeds", _INT, "seeds with a defined ROC-AUC"),
    ("n_undefined", _INT, "seeds left out because a class is missing"),
    ("n", _INT, "test rows asked per seed"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    ("invalid_rate", _REAL, "share of all answers that are invalid or an error"),
    ("label_mass", _REAL, "median over seeds of the median mass on the two labels"),
)
PUBLISHED = _schema(
    "published",
    ("table", _TEXT, "table of the paper, in Roman numerals"),
    ("question", _TEXT, "research question that it answers"),
    ("condition", _TEXT, "what the row is about, in the paper's words"),
    ("name", _TEXT, "the paper's name of the model"),
    ("suites", _TEXT, "suites of the datasets averaged over, '; ' between them"),
    ("level", _TEXT, "MLP level, where the number is of one; else empty"),
    ("only_dataset", _TEXT, "dataset id, where the number is of one; else empty"),
    ("mode", _TEXT, "forward or generation"),
    ("configuration", _TEXT, "context configuration (Table V), or with rules (Table IX)"),
    ("minus_mode", _TEXT, "of a difference: mode of what is subtracted; else empty"),
    ("minus_configuration", _TEXT, "of a difference: configuration of what is subtracted"),
    ("k", _INT, "labelled examples shown"),
    ("mean", _REAL, "ROC-AUC or difference, as printed"),
    ("std", _REAL, "the printed ±; NaN where none is printed"),
    ("spread", _TEXT, "what ± is: over_seeds or over_datasets (see aggregate)"),
    ("n_datasets", _TEXT, "datasets averaged over, as the paper says"),
)
DISCREPANCIES = _schema(
    "discrepancies",
    ("place", _TEXT, "where the paper prints the number"),
    ("statement", _TEXT, "what the number is said to be"),
    ("relation", _TEXT, "what the parts give should be = the printed number, or ≥ or ≤ it"),
    ("printed", _REAL, "the printed number, or the bound that is stated"),
    ("derived", _REAL, "what the printed parts give"),
    ("difference", _REAL, "derived - printed"),
    ("tolerance", _REAL, "difference that rounding of the printed numbers can make"),
)
_PROBED = (
    ("model", _TEXT, "model id"),
    ("dataset", _TEXT, "dataset id, or canary for the planted one"),
)
PROBE_RECOGNITION = _schema(
    "probe_recognition",
    *_PROBED,
    ("title", _TEXT, "what the model was told of the dataset"),
    ("listed", _INT, "different names that its answer lists"),
    ("telling", _INT, "column names that cannot be guessed from the title"),
    ("found", _INT, "those among the listed ones, up to signs and case"),
    ("share", _REAL, "found / telling; NaN where no name tells"),
    ("found_names", _TEXT, "the names found, ', ' between them"),
    ("outcome", _TEXT, "leaked, knows name only, not recognized, or cannot be graded"),
    ("answer", _TEXT, "the whole answer"),
    ("ended", _FLAG, "whether the answer ended before the most tokens allowed"),
)
PROBE_CELLS = _schema(
    "probe_cells",
    *_PROBED,
    ("copy", _TEXT, "real, or shuffled (columns permuted independently)"),
    ("row_id", _INT, "row number in the prepared table"),
    ("column", _TEXT, "column of the hidden cell"),
    ("truth", _TEXT, "the hidden value"),
    ("answer", _TEXT, "the whole answer"),
    ("value", _TEXT, "the value read from it; empty where there is none"),
    ("valid", _FLAG, "whether a number, or a category of the column, was answered"),
    ("window", _REAL, "largest error that counts as right; 0 for categories"),
    ("correct", _FLAG, "whether the value is right; an invalid answer is not"),
    ("chance", _REAL, "share of the column's values that would be right"),
)
_LIFT_NUMBERS = (
    ("lift", "accuracy minus that of"),
    ("low", "lower bound of the 95 % bootstrap interval of the lift over"),
    ("high", "upper bound of the 95 % bootstrap interval of the lift over"),
    ("p", "one-sided p-value of an exact permutation test against"),
)
PROBE_LIFTS = _schema(
    "probe_lifts",
    *_PROBED,
    ("n", _INT, "hidden cells of the real rows, and as many of the copy"),
    ("rows", _INT, "different rows that they lie in"),
    ("invalid", _INT, "answers about real rows without a readable value; they count as wrong"),
    ("invalid_shuffled", _INT, "the same about the shuffled copy"),
    ("accuracy", _REAL, "share of the hidden cells of real rows that are filled right"),
    ("random", _REAL, "mean chance of a random value of the column"),
    ("shuffled", _REAL, "share of the hidden cells of the shuffled copy that are filled right"),
    *(
        (f"{key}_{name}", _REAL, f"{meaning} {against}")
        for name, against in (("random", "a random value"), ("shuffled", "the shuffled copy"))
        for key, meaning in _LIFT_NUMBERS
    ),
)
PROBE_COMPLETIONS = _schema(
    "probe_completions",
    *_PROBED,
    ("row_id", _INT, "row number in the prepared table"),
    ("cells", _INT, "cells to go on with"),
    ("right", _INT, "those that are right, in their place"),
    ("verbatim", _FLAG, "whether all are"),
    ("chance", _REAL, "expected share of right cells, each drawn from its column"),
    ("chance_verbatim", _REAL, "probability that all cells so drawn are right"),
    ("truth", _TEXT, "the rest of the row, as CSV"),
    ("answer", _TEXT, "the whole answer"),
)
_QUERY = (
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "model id"),
    ("method", _TEXT, "featllm or llm_tree"),
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw of examples; 0 at k = 0"),
    ("query", _INT, "number of the query in its ensemble, from 1"),
)
_QUERY_TOKENS = (
    ("prompt_tokens", _INT, "tokens of its prompts, all turns"),
    ("completion_tokens", _INT, "tokens that the model wrote, all turns"),
)
LLM_ANSWERS = _schema(
    "llm_answers",
    *_QUERY,
    ("rules", _TEXT, "the rules in words; empty for trees, which are asked as code at once"),
    ("code", _TEXT, "the answer that holds the code"),
    ("ended", _FLAG, "whether every answer ended before the most tokens allowed"),
    *_QUERY_TOKENS,
    ("seconds", _REAL, "wall-clock seconds of its answers"),
    *_PROVENANCE,
)
LLM_QUERIES = _schema(
    "llm_queries",
    *_QUERY,
    ("ended", _FLAG, "whether every answer ended before the most tokens allowed"),
    ("status", _TEXT, "ok, or why it gives no scores: unreadable, invalid, or the sandbox's"),
    ("message", _TEXT, "what went wrong, or the first call that failed; empty where none did"),
    ("functions", _INT, "rules or trees found in its code"),
    ("calls", _INT, "functions times rows (test rows and examples); 0 where it gives no scores"),
    ("calls_failed", _INT, "calls without a valid value; a rule then does not hold"),
    *_QUERY_TOKENS,
    ("sandbox_seconds", _REAL, "wall-clock seconds of the sandbox; equal code runs once"),
    ("program", _TEXT, "the code that was run; empty where none was read"),
)
_ASKED = (
    ("plan_mode", _TEXT, "none, self or gold"),
    ("execution", _TEXT, "language or code"),
    ("shots", _INT, "demonstrations shown"),
    ("row", _INT, "question, by its place in the file from 0"),
)
SCITARC_QUESTIONS = _schema(
    "scitarc_questions",
    ("row", _INT, "place in the file, from 0"),
    ("paper", _TEXT, "paper that the tables are from"),
    ("question", _TEXT, "question"),
    ("answer", _TEXT, "gold answer; null when there is none"),
    ("plan", _TEXT, "gold plan; null when there is none"),
    ("relevant_tables", pa.list_(_TEXT), "LaTeX of the tables needed"),
    ("asked", _FLAG, "whether models are asked"),
)
SCITARC_DEMONSTRATIONS = _schema(
    "scitarc_demonstrations",
    *((column.name, column.type, column.meaning) for column in SCITARC_QUESTIONS.columns[:-1]),
    ("language", _TEXT, "reasoning in words"),
    ("code", _TEXT, "program that prints the answer"),
)
SCITARC_RESPONSES = _schema(
    "scitarc_responses",
    ("model", _TEXT, "model id"),
    *_ASKED,
    ("plan", _TEXT, "plan in the prompt, of the data or of the model; null in direct inference"),
    ("plan_status", _TEXT, 'whole, cut or empty of the model\'s own plan; "" without one'),
    ("prompt", _TEXT, "prompt, word for word"),
    ("response", _TEXT, "what the model wrote"),
    ("ended", _FLAG, "false where the response was cut at the most tokens allowed"),
    ("prompt_tokens", _INT, "tokens read"),
    ("completion_tokens", _INT, "tokens written"),
    ("seconds", _REAL, "wall-clock time"),
)
SCITARC_ANSWERS = _schema(
    "scitarc_answers",
    ("model", _TEXT, "model id"),
    *_ASKED,
    ("prediction", _TEXT, "answer found in the response; null when there is none"),
    ("released", _TEXT, "what the released code takes instead; null when a program gave none"),
    ("source", _TEXT, "form of the answer (language) or status of the program (code)"),
    ("message", _TEXT, 'why a program gave no answer, or ""'),
    ("response", _TEXT, "what the model wrote"),
    ("ended", _FLAG, "false where the response was cut at the most tokens allowed"),
)
SCITARC_COMPLEXITY = _schema(
    "scitarc_complexity",
    ("row", _INT, "question, by its place in the file from 0"),
    ("s_tab", _INT, "tables needed"),
    ("s_cell_released", _INT, "cells by the released counter, quirks included"),
    ("s_cell", _REAL, "cells of the grids as LaTeX sets them; NaN where latex_fault says why"),
    ("latex_fault", _TEXT, 'what is wrong with the LaTeX, a table without a grid included, or ""'),
    ("s_tok", _INT, "tokens of the tables"),
    ("tokenizer", _TEXT, "whose tokens s_tok counts"),
    ("l_plan", _REAL, "lines of the plan; this and the next are NaN without a plan"),
    ("i_retr", _REAL, "SELECT and IF lines"),
    ("i_calc", _REAL, "COMPUTE lines"),
    ("c_flow", _REAL, "n_loop + n_if + d_max"),
    ("n_loop", _REAL, "LOOP lines"),
    ("n_if", _REAL, "IF lines"),
    ("d_max", _REAL, "deepest nesting"),
    ("plan_fault", _TEXT, 'where the plan leaves the plan language, or ""'),
)
SCITARC_SCORES = _schema(
    "scitarc_scores",
    ("model", _TEXT, "model id"),
    *_ASKED,
    ("gold", _TEXT, "gold answer"),
    ("prediction", _TEXT, "answer found in the response; null when there is none"),
    ("source", _TEXT, "form of the answer (language) or status of the program (code)"),
    ("judge", _TEXT, "who gave the verdict: matcher, or a model id"),
    ("status", _TEXT, "correct, partly correct, wrong, no answer or judge failed"),
    ("score", _REAL, "1, 0.5 or 0; null when the judge failed"),
    ("correct", _FLAG, "score is 1; null when the judge failed"),
    ("reasoning", _TEXT, "the judge's, or the matcher's; what a failed judge said last"),
    ("asked", _INT, "times a model was asked for the verdict; 0: matcher, or no answer"),
    ("exact_match", _FLAG, "what the released code takes is the gold answer but for blanks around"),
    ("exact_match_normalised", _FLAG, "equal once LaTeX, Markdown, case and dashes are folded"),
)
SCITARC_TABLE_1 = _schema(
    "scitarc_table_1",
    ("metric", _TEXT, "complexity metric; s_cell by the released counter"),
    ("mean", _REAL, "over the paper's 371 questions"),
    ("max", _REAL, "largest"),
)
SCITARC_TABLE_2 = _schema(
    "scitarc_table_2",
    ("model", _TEXT, "name in the paper"),
    ("method", _TEXT, "CoT or PoT"),
    ("size", _TEXT, 'parameters, or "" where the paper prints a dash'),
    ("llm_judge", _REAL, "accuracy, percent"),
    ("em", _REAL, "exact match, percent"),
    open=True,
)
SCITARC_TABLE_4 = _schema(
    "scitarc_table_4",
    ("model", _TEXT, "short name in the paper"),
    ("direct", _REAL, "accuracy without a plan, percent"),
    ("auto", _REAL, "with the model's own plan"),
    ("oracle", _REAL, "with the gold plan"),
    open=True,
)
SCITARC_TABLE_11 = _schema(
    "scitarc_table_11",
    ("model", _TEXT, "short name in the paper"),
    ("zs_direct", _REAL, "accuracy without demonstrations and plan, percent"),
    ("fs_direct", _REAL, "with two demonstrations"),
    ("fs_oracle", _REAL, "with two demonstrations and the gold plan"),
    open=True,
)

ARTIFACT_INPUTS = {
    "scores": SCORES,
    "fits": FITS,
    "few_shot": SCORES,
    "tests": TESTS,
    "chance": CHANCE,
    "intervals": INTERVALS,
    "mean_intervals": MEAN_INTERVALS,
    "contrasts": CONTRASTS,
    "calibration": CALIBRATION,
    "bins": RELIABILITY,
    "intrinsic": INTRINSIC,
    "placement": PLACEMENT,
    "scale": COMPLEXITY_SCALE,
    "table15": TABLE_15,
    "table16": TABLE_16,
    "published": PUBLISHED,
    "discrepancies": DISCREPANCIES,
    "recognition": PROBE_RECOGNITION,
    "lifts": PROBE_LIFTS,
    "completions": PROBE_COMPLETIONS,
    "llm_queries": LLM_QUERIES,
    "scitarc_complexity": SCITARC_COMPLEXITY,
    "scitarc_scores": SCITARC_SCORES,
    "scitarc_responses": SCITARC_RESPONSES,
    "scitarc_table1": SCITARC_TABLE_1,
    "scitarc_table2": SCITARC_TABLE_2,
    "scitarc_table4": SCITARC_TABLE_4,
    "scitarc_table11": SCITARC_TABLE_11,
}
"""Schema by the name of the input of a rule that makes a table or a figure."""


def write_table(frame: pd.DataFrame, path: str | Path, schema: Schema) -> None:
    """Write ``frame`` as parquet, declared columns first and cast to their types.

    Raises
    ------
    TabBenchError
        When columns are missing, not declared, or do not fit their type.
    """
    missing = [name for name in schema.names if name not in frame.columns]
    extra = [name for name in frame.columns if name not in schema.names]
    if missing or (extra and not schema.open):
        raise TabBenchError(
            f"{path}: not a '{schema.name}' table: missing columns {missing}, undeclared {extra}"
        )
    arrays, fields = [], []
    for column in schema.columns:
        try:
            array = pa.Array.from_pandas(frame[column.name], type=column.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TabBenchError(f"{path}: column '{column.name}': {error}") from error
        arrays.append(array)
        fields.append(pa.field(column.name, column.type))
    for name in extra if schema.open else []:
        array = pa.Array.from_pandas(frame[name])
        arrays.append(array)
        fields.append(pa.field(name, array.type))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), path)


def read_table(path: str | Path, schema: Schema) -> pd.DataFrame:
    """Read a parquet file, or a .csv one, and check that it holds the declared columns.

    Raises
    ------
    TabBenchError
        When the file lacks a declared column or a column has another type.
    """
    if Path(path).suffix == ".csv":
        types = {column.name: column.type for column in schema.columns}
        table = pc.read_csv(path, convert_options=pc.ConvertOptions(column_types=types))
    else:
        table = pq.read_table(path, read_dictionary=list(schema.repeated))
    for column in schema.columns:
        if column.name not in table.schema.names:
            raise TabBenchError(f"{path}: not a '{schema.name}' table: no column '{column.name}'")
        found = table.schema.field(column.name).type
        if pa.types.is_dictionary(found):
            found = found.value_type
        if found != column.type:
            raise TabBenchError(
                f"{path}: column '{column.name}' is {found}, declared {column.type}"
            )
    return cast(pd.DataFrame, table.to_pandas())


def read_tables(paths: str | Path | Iterable[str | Path], schema: Schema) -> pd.DataFrame:
    """Read one file, or several of the same schema below each other; see `read_table`."""
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if not files:
        return pd.DataFrame(columns=schema.names)
    return pd.concat([read_table(path, schema) for path in files], ignore_index=True)
