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


def declare(
    name: str,
    *columns: tuple[str, pa.DataType, str],
    open: bool = False,
    repeated: tuple[str, ...] = (),
) -> Schema:
    """Declare a schema: name, type and meaning of each column."""
    return Schema(name, tuple(Column(*column) for column in columns), open, repeated)


TEXT, INT, REAL, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_CELL = (
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model or baseline id"),
    ("mode", TEXT, "forward, generation, or fit, rules, tree (baselines)"),
    ("prompt", TEXT, "contextual, context_free, knowledge, or none (baselines)"),
    ("serialization", TEXT, "text format of a row, or none (baselines)"),
    ("k", INT, "labelled examples shown"),
    ("seed", INT, "seed of the draw of examples; 0 at k = 0"),
)
_PROVENANCE = (
    ("engine", TEXT, "engine that answered; mixing engines in one row is an error"),
    ("style", TEXT, "how prompts are put: chat, completion, or none"),
    ("dtype", TEXT, "number format of the weights at inference"),
    (
        "template",
        TEXT,
        "first 12 hex digits of the sha256 of the prompt template (or whose it is); "
        "of a pretrained baseline: of its weights",
    ),
)

TABLE = declare(
    "table",
    ("row_id", INT, "row number in the prepared table"),
    ("y", INT, "label, 0 or 1"),
    open=True,
)
SPLIT = declare(
    "split",
    ("row_id", INT, "row number in the prepared table"),
    ("part", TEXT, "train, test, or unused (test rows over the cap)"),
    ("position", INT, "order within the part; growing the cap keeps the first positions"),
)
SHOTS = declare(
    "shots",
    ("k", INT, "labelled examples shown"),
    ("seed", INT, "seed of the draw"),
    ("position", INT, "order in the prompt, from 0"),
    ("row_id", INT, "row number in the prepared table"),
)
SERIALIZED = declare(
    "serialized",
    ("serialization", TEXT, "text format"),
    ("row_id", INT, "row number in the prepared table; -1 is the table's head"),
    ("text", TEXT, "the row as text, up to the place of its label"),
)
PROMPTS = declare(
    "prompts",
    ("dataset", TEXT, "dataset id"),
    ("mode", TEXT, "forward or generation"),
    ("prompt", TEXT, "contextual, context_free or knowledge"),
    ("serialization", TEXT, "text format of a row"),
    ("k", INT, "labelled examples shown"),
    ("seed", INT, "seed of the draw of examples; 0 at k = 0"),
    ("row_id", INT, "row number in the prepared table"),
    ("y_true", INT, "label, 0 or 1"),
    ("system", TEXT, "system message"),
    ("prefix", TEXT, "task text and examples: what the cell's prompts share"),
    ("query", TEXT, "the row to classify, up to the place of its label"),
    repeated=("system", "prefix"),
)
PREDICTIONS = declare(
    "predictions",
    *_CELL,
    ("row_id", INT, "row number in the prepared table"),
    ("y_true", INT, "label, 0 or 1"),
    ("logp_0", REAL, "natural-log probability of the label 0; NaN where not defined"),
    ("logp_1", REAL, "natural-log probability of the label 1; NaN where not defined"),
    ("p_1", REAL, "probability of class 1 given that one of the labels is answered"),
    ("label_mass", REAL, "probability that one of the two labels is answered"),
    ("y_pred", pa.int8(), "predicted label; null when there is none"),
    ("status", TEXT, "ok, label_only (no probabilities), invalid (cannot be read) or error"),
    ("bounded", FLAG, "whether p_1 rests on a bound: an endpoint did not list one of the labels"),
    ("prompt_tokens", INT, "tokens of the prompt; 0 for baselines, null after an error"),
    ("completion_tokens", INT, "tokens generated; 0 in forward mode and for baselines"),
    ("seconds", REAL, "wall-clock seconds, shared prefix spread over the rows that use it"),
    *_PROVENANCE,
)
FITS = declare(
    "fits",
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "baseline id"),
    ("k", INT, "labelled examples fitted on"),
    ("seed", INT, "seed of their draw, of the search and of the model"),
    ("reason", TEXT, "why nothing was fitted; empty where something was"),
    ("package", TEXT, "package and version; empty for a model without weights"),
    ("candidates", INT, "settings compared by cross-validation; 0 where they are fixed"),
    ("folds", INT, "stratified folds of the cross-validation"),
    ("cv_roc_auc", REAL, "mean ROC-AUC of the chosen settings over the folds; NaN without them"),
    ("settings", TEXT, "chosen settings that are not the defaults, as JSON"),
    ("weights", TEXT, "of a pretrained model: file name and sha256"),
    ("licence", TEXT, "of these weights"),
    ("seconds", REAL, "search, fit and prediction of the test rows"),
)
SCORES = declare(
    "scores",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *_CELL,
    ("n", INT, "test rows asked"),
    ("n_positive", INT, "test rows of class 1"),
    ("n_scored", INT, "test rows with status ok; ROC-AUC uses these"),
    ("n_errors", INT, "test rows whose request got no answer"),
    ("invalid_rate", REAL, "share of test rows without a label: invalid or an error"),
    ("bounded_rate", REAL, "share of scored rows whose p_1 rests on a bound"),
    ("roc_auc", REAL, "plain ROC-AUC; NaN when a class is missing"),
    ("roc_auc_folded", REAL, "max(AUC, 1 - AUC), only for comparison with the paper"),
    ("accuracy", REAL, "share of rows with a label whose label is right"),
    ("label_mass", REAL, "median probability mass on the two labels; NaN for baselines"),
    ("prompt_tokens", REAL, "mean tokens per prompt"),
    ("completion_tokens", REAL, "mean tokens generated per prompt"),
    ("seconds", REAL, "mean wall-clock seconds per prompt"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    *_PROVENANCE,
)
TESTS = declare(
    "tests",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in _CELL if name != "seed"),
    ("n", INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("n_seeds", INT, "draws of examples averaged over"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("auc_zero_shot", REAL, "ROC-AUC at k = 0 on those rows"),
    ("auc_k_shot", REAL, "mean ROC-AUC at k over the draws on those rows"),
    ("difference", REAL, "auc_k_shot - auc_zero_shot"),
    ("se", REAL, "DeLong standard error of the difference"),
    ("z", REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_greater", REAL, "one-sided p-value of 'k-shot is better'"),
    ("p_two_sided", REAL, "two-sided p-value"),
)
CONTRASTS = declare(
    "contrasts",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model id"),
    ("mode", TEXT, "forward or generation"),
    ("contrast", TEXT, "planned (few examples against many) or equal_k"),
    ("k_maximal", INT, "labelled examples shown with the maximal context (Cols-Context)"),
    ("k_minimal", INT, "labelled examples shown with the minimal context (NoCols-NoContext)"),
    ("n", INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("draws_maximal", INT, "draws of examples averaged over, maximal context"),
    ("draws_minimal", INT, "draws of examples averaged over, minimal context"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("auc_maximal", REAL, "mean ROC-AUC of the maximal context over its draws"),
    ("auc_minimal", REAL, "mean ROC-AUC of the minimal context over its draws"),
    ("difference", REAL, "auc_maximal - auc_minimal"),
    ("se", REAL, "DeLong standard error of the difference"),
    ("z", REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_two_sided", REAL, "two-sided p-value"),
)
CALIBRATION = declare(
    "calibration",
    *((column.name, column.type, column.meaning) for column in SCORES.columns),
    ("brier", REAL, "mean of (p_1 - y)²; NaN when no row was scored"),
    ("brier_base_rate", REAL, "Brier score of the scored rows' own share of class 1"),
    ("log_loss", REAL, "mean of -ln p(true label), nats; infinite where that p is 0"),
    ("calibration_error", REAL, "expected calibration error, 10 bins of equal width"),
    ("calibration_error_if_right", REAL, "its mean over 1,000 draws of labels from p_1"),
)
RELIABILITY = declare(
    "reliability",
    ("model", TEXT, "model id"),
    ("mode", TEXT, "forward or generation"),
    ("k", INT, "labelled examples shown"),
    ("bin", INT, "number of the bin, from 0; bins without an answer have no row"),
    ("low", REAL, "lower edge of the bin, inside it"),
    ("high", REAL, "upper edge of the bin; inside the last bin only"),
    ("mean_predicted", REAL, "mean predicted probability of class 1"),
    ("observed", REAL, "share of class 1 among the answers"),
    ("n", INT, "valid answers in the bin, over datasets and draws"),
    ("n_positive", INT, "those whose row is of class 1"),
    ("n_rows", INT, "distinct test rows behind them"),
    ("n_datasets", INT, "datasets pooled in this model, mode and k"),
)
_ESTIMATES = (
    ("lPCA", REAL, "principal components, Fukunaga and Olsen; NaN where it failed"),
    ("MLE", REAL, "maximum likelihood, Levina and Bickel; NaN where it failed"),
    ("TwoNN", REAL, "two nearest neighbours, Facco et al.; NaN where it failed"),
    ("TLE", REAL, "tight local estimator, Amsaleg et al.; NaN where it failed"),
)
_FAILURES = ("failures", TEXT, "estimators that failed and why; empty where none did")
INTRINSIC = declare(
    "intrinsic",
    ("level", TEXT, "MLP level"),
    ("dataset", TEXT, "dataset id"),
    ("features", INT, "columns of the table, without the label"),
    *_ESTIMATES,
    ("mean", REAL, "mean of the four; NaN where one of them failed"),
    ("n_rows", INT, "distinct complete rows that entered"),
    ("n_left_out", INT, "rows with a missing value, and repeated ones"),
    _FAILURES,
)
_ROWS_DRAWN = (
    ("n_rows", INT, "distinct complete rows that the estimators saw"),
    ("n_left_out", INT, "rows with a missing number, and repeated ones"),
    ("n_not_drawn", INT, "further distinct complete rows, more than the MLP tables have"),
)
DIMENSION = declare(
    "dimension",
    ("dataset", TEXT, "dataset id"),
    ("columns", INT, "columns of the table, without the label"),
    ("columns_left_out", TEXT, "columns that did not enter and why; empty where all did"),
    ("features", INT, "numbers per row: numeric columns, and an indicator per category"),
    *_ESTIMATES,
    *_ROWS_DRAWN,
    _FAILURES,
)
_LEVEL = "; -inf: easier than the easiest level, inf: harder than the hardest"
PLACEMENT = declare(
    "placement",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "baseline whose ROC-AUC places the dataset"),
    ("k", INT, "labelled examples that it was fitted on"),
    ("n_draws", INT, "draws of examples averaged over; 0 where it was not fitted"),
    ("n", INT, "test rows that it ranked"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("roc_auc", REAL, "mean plain ROC-AUC over the draws; NaN where undefined"),
    ("level_auc", REAL, f"MLP level with that ROC-AUC{_LEVEL}; NaN where undefined"),
    ("level_auc_low", REAL, f"lower bound of its bootstrap interval{_LEVEL}"),
    ("level_auc_high", REAL, f"upper bound of its bootstrap interval{_LEVEL}"),
    ("determined", FLAG, "whether the interval leaves anything out; false: it spans all levels"),
    ("coverage", REAL, "coverage of the interval"),
    ("resamples", INT, "resamples of test rows, draws, and MLP tables of each level"),
    *_ESTIMATES,
    ("n_estimators", INT, "estimators that failed neither here nor on an MLP table"),
    ("dimension", REAL, "mean over those; NaN where all failed"),
    ("level_dimension", REAL, f"MLP level with that mean of the same estimators{_LEVEL}"),
    ("level_dimension_low", REAL, f"lowest level by one estimator alone{_LEVEL}"),
    ("level_dimension_high", REAL, f"highest level by one estimator alone{_LEVEL}"),
    ("columns_left_out", TEXT, "columns that the dimension leaves out and why"),
    *_ROWS_DRAWN,
    _FAILURES,
    ("undefined", TEXT, "why there is no ROC-AUC; empty where there is one"),
)
COMPLEXITY_SCALE = declare(
    "complexity_scale",
    ("level", INT, "MLP level"),
    ("n_tables", INT, "tables of the level with a ROC-AUC"),
    ("roc_auc", REAL, "mean over those of the mean ROC-AUC over draws"),
    ("roc_auc_fitted", REAL, "the same, made to fall with the level (isotonic regression)"),
    ("n_estimated", INT, "tables of the level whose dimension was estimated"),
    *((name, kind, f"mean over tables: {text}") for name, kind, text in _ESTIMATES),
)
TABLE_15 = declare(
    "published Table XV",
    ("level", TEXT, "MLP level"),
    ("layers", INT, "hidden layers"),
    ("features", INT, "columns of the table"),
    ("hidden", REAL, "units of a hidden layer; NaN where there is none"),
)
TABLE_16 = declare(
    "published Table XVI",
    ("level", TEXT, "MLP level"),
    ("value", REAL, "average intrinsic dimension"),
)

CHANCE = declare(
    "chance",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    *_CELL,
    ("n", INT, "test rows with a valid answer; the tests use these"),
    ("n_positive", INT, "rows of class 1 among them"),
    ("n_dropped", INT, "test rows left out because their answer is invalid"),
    ("roc_auc", REAL, "plain ROC-AUC on those rows"),
    ("draws", INT, "random rankings drawn"),
    ("null_mean", REAL, "mean ROC-AUC of the random rankings"),
    ("null_sd", REAL, "sample standard deviation of their ROC-AUCs"),
    ("p_monte_carlo", REAL, "one-sided: (1 + rankings that reach the AUC) / (1 + draws)"),
    ("t", REAL, "the paper's one-sample t; positive above chance"),
    ("z_t", REAL, "standard normal quantile with the tail of t"),
    ("p_t", REAL, "one-sided p-value of t; it shrinks with the number of draws"),
    ("log10_p_t", REAL, "log10 of p_t, also where p_t is below the smallest double"),
)
_COMPARED = (
    ("model", TEXT, "model or baseline id"),
    ("k", INT, "labelled examples it saw"),
    ("reference", TEXT, "what is subtracted: model or baseline id; empty: nothing"),
    ("reference_k", INT, "labelled examples the reference saw; 0 where there is none"),
)
_BOUNDS = (
    ("low", REAL, "lower bound of the bootstrap interval; NaN where a class has one row"),
    ("high", REAL, "upper bound of the bootstrap interval"),
    ("level", REAL, "coverage of the interval"),
    ("resamples", INT, "resamples of the test rows"),
)
INTERVALS = declare(
    "intervals",
    ("suite", TEXT, "core or new"),
    ("domain", TEXT, "knowledge domain of the dataset"),
    ("dataset", TEXT, "dataset id"),
    *_COMPARED,
    ("n", INT, "test rows that are valid under every curve involved"),
    ("n_positive", INT, "rows of class 1 among them"),
    ("n_dropped", INT, "test rows left out because some answer was invalid"),
    ("estimate", REAL, "ROC-AUC (mean over draws), or its difference to the reference's"),
    *_BOUNDS,
    ("se", REAL, "DeLong standard error of the estimate"),
    ("z", REAL, "difference / se; 0 where both rank alike, NaN where undefined or no reference"),
    ("p_two_sided", REAL, "DeLong's two-sided p-value; NaN like z"),
)
MEAN_INTERVALS = declare(
    "mean_intervals",
    ("group", TEXT, "group of datasets: All, Classic or New"),
    *_COMPARED,
    ("mean", REAL, "mean of the estimates over the datasets"),
    *_BOUNDS,
    ("n_datasets", INT, "datasets with an interval; mean and interval rest on these"),
    ("n_left_out", INT, "datasets where a class has fewer than two valid rows"),
    ("n_tests", INT, "datasets whose DeLong test is defined and enters Stouffer's method"),
    ("z", REAL, "unweighted Stouffer sum of the datasets' z; NaN without reference"),
    ("p_two_sided", REAL, "two-sided p-value of z"),
    ("log10_p", REAL, "log10 of p_two_sided, also where that is below the smallest double"),
)

CELLS = declare(
    "cells",
    ("suite", TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in _CELL if name != "seed"),
    ("roc_auc", REAL, "mean of plain ROC-AUC over the seeds; NaN when none is defined"),
    ("roc_auc_std", REAL, "sample standard deviation over the seeds; NaN for one seed"),
    ("n_seeds", INT, "seeds with a defined ROC-AUC"),
    ("n_undefined", INT, "seeds left out because a class is missing"),
    ("n", INT, "test rows asked per seed"),
    ("test_rows", INT, "test rows of the split before the cap"),
    ("capped", FLAG, "whether the configuration's cap left test rows out"),
    ("invalid_rate", REAL, "share of all answers that are invalid or an error"),
    ("label_mass", REAL, "median over seeds of the median mass on the two labels"),
)
PUBLISHED = declare(
    "published",
    ("table", TEXT, "table of the paper, in Roman numerals"),
    ("question", TEXT, "research question that it answers"),
    ("condition", TEXT, "what the row is about, in the paper's words"),
    ("name", TEXT, "the paper's name of the model"),
    ("suites", TEXT, "suites of the datasets averaged over, '; ' between them"),
    ("level", TEXT, "MLP level, where the number is of one; else empty"),
    ("only_dataset", TEXT, "dataset id, where the number is of one; else empty"),
    ("mode", TEXT, "forward or generation"),
    ("configuration", TEXT, "context configuration (Table V), or with rules (Table IX)"),
    ("minus_mode", TEXT, "of a difference: mode of what is subtracted; else empty"),
    ("minus_configuration", TEXT, "of a difference: configuration of what is subtracted"),
    ("k", INT, "labelled examples shown"),
    ("mean", REAL, "ROC-AUC or difference, as printed"),
    ("std", REAL, "the printed ±; NaN where none is printed"),
    ("spread", TEXT, "what ± is: over_seeds or over_datasets (see aggregate)"),
    ("n_datasets", TEXT, "datasets averaged over, as the paper says"),
)
DISCREPANCIES = declare(
    "discrepancies",
    ("place", TEXT, "where the paper prints the number"),
    ("statement", TEXT, "what the number is said to be"),
    ("relation", TEXT, "what the parts give should be = the printed number, or ≥ or ≤ it"),
    ("printed", REAL, "the printed number, or the bound that is stated"),
    ("derived", REAL, "what the printed parts give"),
    ("difference", REAL, "derived - printed"),
    ("tolerance", REAL, "difference that rounding of the printed numbers can make"),
)
_PROBED = (
    ("model", TEXT, "model id"),
    ("dataset", TEXT, "dataset id, or canary for the planted one"),
)
PROBE_RECOGNITION = declare(
    "probe_recognition",
    *_PROBED,
    ("title", TEXT, "what the model was told of the dataset"),
    ("listed", INT, "different names that its answer lists"),
    ("telling", INT, "column names that cannot be guessed from the title"),
    ("found", INT, "those among the listed ones, up to signs and case"),
    ("share", REAL, "found / telling; NaN where no name tells"),
    ("found_names", TEXT, "the names found, ', ' between them"),
    ("outcome", TEXT, "leaked, knows name only, not recognized, or cannot be graded"),
    ("answer", TEXT, "the whole answer"),
    ("ended", FLAG, "whether the answer ended before the most tokens allowed"),
)
PROBE_CELLS = declare(
    "probe_cells",
    *_PROBED,
    ("copy", TEXT, "real, or shuffled (columns permuted independently)"),
    ("row_id", INT, "row number in the prepared table"),
    ("column", TEXT, "column of the hidden cell"),
    ("truth", TEXT, "the hidden value"),
    ("answer", TEXT, "the whole answer"),
    ("value", TEXT, "the value read from it; empty where there is none"),
    ("valid", FLAG, "whether a number, or a category of the column, was answered"),
    ("window", REAL, "largest error that counts as right; 0 for categories"),
    ("correct", FLAG, "whether the value is right; an invalid answer is not"),
    ("chance", REAL, "share of the column's values that would be right"),
)
_LIFT_NUMBERS = (
    ("lift", "accuracy minus that of"),
    ("low", "lower bound of the 95 % bootstrap interval of the lift over"),
    ("high", "upper bound of the 95 % bootstrap interval of the lift over"),
    ("p", "one-sided p-value of an exact permutation test against"),
)
PROBE_LIFTS = declare(
    "probe_lifts",
    *_PROBED,
    ("n", INT, "hidden cells of the real rows, and as many of the copy"),
    ("rows", INT, "different rows that they lie in"),
    ("invalid", INT, "answers about real rows without a readable value; they count as wrong"),
    ("invalid_shuffled", INT, "the same about the shuffled copy"),
    ("accuracy", REAL, "share of the hidden cells of real rows that are filled right"),
    ("random", REAL, "mean chance of a random value of the column"),
    ("shuffled", REAL, "share of the hidden cells of the shuffled copy that are filled right"),
    *(
        (f"{key}_{name}", REAL, f"{meaning} {against}")
        for name, against in (("random", "a random value"), ("shuffled", "the shuffled copy"))
        for key, meaning in _LIFT_NUMBERS
    ),
)
PROBE_COMPLETIONS = declare(
    "probe_completions",
    *_PROBED,
    ("row_id", INT, "row number in the prepared table"),
    ("cells", INT, "cells to go on with"),
    ("right", INT, "those that are right, in their place"),
    ("verbatim", FLAG, "whether all are"),
    ("chance", REAL, "expected share of right cells, each drawn from its column"),
    ("chance_verbatim", REAL, "probability that all cells so drawn are right"),
    ("truth", TEXT, "the rest of the row, as CSV"),
    ("answer", TEXT, "the whole answer"),
)
_QUERY = (
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "model id"),
    ("method", TEXT, "featllm or llm_tree"),
    ("k", INT, "labelled examples shown"),
    ("seed", INT, "seed of the draw of examples; 0 at k = 0"),
    ("query", INT, "number of the query in its ensemble, from 1"),
)
_QUERY_TOKENS = (
    ("prompt_tokens", INT, "tokens of its prompts, all turns"),
    ("completion_tokens", INT, "tokens that the model wrote, all turns"),
)
LLM_ANSWERS = declare(
    "llm_answers",
    *_QUERY,
    ("rules", TEXT, "the rules in words; empty for trees, which are asked as code at once"),
    ("code", TEXT, "the answer that holds the code"),
    ("ended", FLAG, "whether every answer ended before the most tokens allowed"),
    *_QUERY_TOKENS,
    ("seconds", REAL, "wall-clock seconds of its answers"),
    *_PROVENANCE,
)
LLM_QUERIES = declare(
    "llm_queries",
    *_QUERY,
    ("ended", FLAG, "whether every answer ended before the most tokens allowed"),
    ("status", TEXT, "ok, or why it gives no scores: unreadable, invalid, or the sandbox's"),
    ("message", TEXT, "what went wrong, or the first call that failed; empty where none did"),
    ("functions", INT, "rules or trees found in its code"),
    ("calls", INT, "functions times rows (test rows and examples); 0 where it gives no scores"),
    ("calls_failed", INT, "calls without a valid value; a rule then does not hold"),
    *_QUERY_TOKENS,
    ("sandbox_seconds", REAL, "wall-clock seconds of the sandbox; equal code runs once"),
    ("program", TEXT, "the code that was run; empty where none was read"),
)


def write_table(frame: pd.DataFrame, path: str | Path, schema: Schema) -> None:
    """Write ``frame`` as parquet, declared columns first and cast to their types.

    Raises
    ------
    TabBenchError
        When columns are missing, not declared, or do not fit their type.
    """
    write_tables([frame], path, schema)


def write_tables(frames: Iterable[pd.DataFrame], path: str | Path, schema: Schema) -> None:
    """Write frames below each other, each as a row group of its own; see `write_table`."""
    writer = None
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    try:
        for frame in frames:
            table = _typed(frame, path, schema)
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table, row_group_size=max(1, len(frame)))
    finally:
        if writer is not None:
            writer.close()


def _typed(frame: pd.DataFrame, path: str | Path, schema: Schema) -> pa.Table:
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
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


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
    check_columns(path, table.schema, schema)
    return cast(pd.DataFrame, table.to_pandas())


def check_columns(path: str | Path, found: pa.Schema, schema: Schema) -> None:
    """Check that a file's columns are those that are declared.

    Raises
    ------
    TabBenchError
        When a declared column is missing or has another type.
    """
    for column in schema.columns:
        if column.name not in found.names:
            raise TabBenchError(f"{path}: not a '{schema.name}' table: no column '{column.name}'")
        kind = found.field(column.name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if kind != column.type:
            raise TabBenchError(f"{path}: column '{column.name}' is {kind}, declared {column.type}")


def read_tables(paths: str | Path | Iterable[str | Path], schema: Schema) -> pd.DataFrame:
    """Read one file, or several of the same schema below each other; see `read_table`."""
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if not files:
        return pd.DataFrame(columns=schema.names)
    return pd.concat([read_table(path, schema) for path in files], ignore_index=True)
