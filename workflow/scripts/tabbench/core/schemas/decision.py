"""What the decision page of a user's own dataset says, as tables (`tabbench.decision`).

Every table names a model or baseline by the columns of `_SIDE`, and has a ``status``: `OK`, or
why some of its numbers are missing. A number that is not defined is NaN only where ``status``
says why. An interval covers the draw of test rows, and with two ``draws`` of examples or more that
of the examples too. Where an entry names ``groups``, rows of one group are alike, and intervals and
tests rest on groups.
"""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare

OK = "ok"
# Why a number is missing
NO_ANSWERS = "no_answers"
"""No test row has a probability under every draw: answers are invalid, errors or labels alone."""
ONE_CLASS = "one_class"
"""A class is missing among the rows in question; nothing can be ranked."""
ONE_ROW = "one_row"
"""A class has a single row: the estimate is there, its interval is not."""
ONE_GROUP = "one_group"
"""A class lies in a single group of rows: the estimate is there, its interval is not."""
CONSTANT = "constant"
"""Every row got the same probability: ROC-AUC is 0.5 by definition, without an interval."""
PERFECT = "perfect"
"""Both classes are told apart without an error (or all wrongly): there is no interval."""
SAME_RANKS = "same_ranks"
"""Both sides rank every pair of rows alike: the difference is 0 and p is 1."""
NO_TEST = "no_test"
"""A difference without any variance: DeLong's test has no scale."""
# Of crossings
WITHIN = "within"
"""The baseline overtakes between the fewest and the most labels that it was fitted on."""
BEFORE_FIRST = "before_first"
"""The baseline is better from the fewest labels on."""
NOT_WITHIN = "not_within"
"""The baseline is not better with any number of labels that it was fitted on."""
UNDEFINED = "undefined"
"""Fewer than two numbers of labels, or no rows to compare on."""
# Of power
MORE_DRAWS = "more_draws"
"""The draws of examples vary so much that no number of test rows is enough; draw more often."""
# Of recalibration and thresholds
NO_LABELLED_ROWS = "no_labelled_rows"
"""No labelled row outside the prompt or fit was asked, so there is nothing to fit on."""
TOO_FEW_ROWS = "too_few_rows"
"""Fewer labelled rows than the method needs."""
NONE_FLAGGED = "none_flagged"
"""No test row reaches the threshold in some draw: precision is not defined."""

_SIDE = (
    ("model", TEXT, "model or baseline id"),
    ("kind", TEXT, "model or baseline"),
    ("k", INT, "number of labelled examples in the prompt or fit"),
    ("full", FLAG, "whether k is the whole training part (fit_full)"),
)
_REFERENCE = (
    ("reference", TEXT, "what is subtracted: model or baseline id"),
    ("reference_kind", TEXT, "model or baseline"),
    ("reference_k", INT, "number of labelled examples of the reference"),
    ("reference_full", FLAG, "whether that is the whole training part"),
)
_ROWS = (
    ("draws", INT, "draws of examples averaged over; 1 at k = 0 and for the whole training part"),
    ("n", INT, "test rows that the numbers rest on: valid under every draw of every side"),
    ("n_positive", INT, "rows of class 1 among them"),
    ("n_dropped", INT, "test rows asked and left out because some answer was invalid"),
    ("n_groups", INT, "groups of rows that the n rows lie in; 0 where the entry names no groups"),
)
_LEVEL = ("level", REAL, "coverage of the intervals, 0.95")
_JUDGED = (
    "level",
    REAL,
    "coverage of the interval, 0.95 or more: the one at which Holm's method judges the difference, "
    "so that the interval leaves out 0 exactly where p_holm is below 0.05",
)
_STATUS = ("status", TEXT, "ok, or why numbers are missing: a constant of schemas.decision")

CURVES = declare(
    "curves",
    *_SIDE,
    *_ROWS,
    ("roc_auc", REAL, "mean plain ROC-AUC over the draws"),
    ("roc_auc_low", REAL, "lower bound of its interval"),
    ("roc_auc_high", REAL, "upper bound"),
    ("pr_auc", REAL, "mean average precision over the draws; without skill it is base_rate"),
    ("pr_auc_low", REAL, "lower bound of its interval"),
    ("pr_auc_high", REAL, "upper bound"),
    ("base_rate", REAL, "share of class 1 among the n rows"),
    _LEVEL,
    ("p_chance", REAL, "one-sided p that random ranking reaches roc_auc (Monte Carlo)"),
    ("p_chance_holm", REAL, "the same by Holm over the whole table"),
    _STATUS,
)
SAME_LABELS, ALL_LABELS, EXAMPLES, MODELS = "same_labels", "all_labels", "examples", "models"
DIFFERENCES = declare(
    "differences",
    (
        "comparison",
        TEXT,
        "same_labels (model and baseline at equal k), all_labels (model at any k and baseline "
        "fitted on the whole training part), examples (a model's k examples and none), models (two "
        "models at equal k)",
    ),
    *_SIDE,
    *_REFERENCE,
    *_ROWS,
    ("roc_auc", REAL, "ROC-AUC of model on these rows, mean over the draws"),
    ("reference_roc_auc", REAL, "ROC-AUC of reference on these rows"),
    ("difference", REAL, "roc_auc - reference_roc_auc"),
    ("low", REAL, "lower bound of its interval"),
    ("high", REAL, "upper bound"),
    _JUDGED,
    ("se_rows", REAL, "DeLong's standard error: test rows alone"),
    ("se", REAL, "standard error of rows and draws; interval and p rest on it"),
    ("p", REAL, "two-sided p-value"),
    ("p_holm", REAL, "the same by Holm within the comparison"),
    _STATUS,
)
FIXED = "fixed"
CROSSINGS = declare(
    "crossings",
    ("model", TEXT, "model id"),
    (
        "comparison",
        TEXT,
        "fixed (the model asked with model_k examples) or same_labels (the model with as many "
        "examples as the baseline, at most model_k)",
    ),
    ("model_k", INT, "number of labelled examples of the model"),
    ("baseline", TEXT, "baseline id"),
    ("first", INT, "fewest labels that the baseline was fitted on"),
    ("last", INT, "most labels that it was fitted on, the whole training part included"),
    ("draws", INT, "draws of examples of the baseline, fewest over its k below the full fit"),
    ("n", INT, "test rows that are valid on both sides"),
    ("labels", REAL, "labels from which on the baseline is better; NaN outside first to last"),
    ("low", REAL, "lower bound; 0 where the interval reaches below first"),
    ("high", REAL, "upper bound; infinite where it reaches beyond last"),
    _LEVEL,
    ("share_before", REAL, "share of resamples where the baseline is better from first on"),
    ("share_beyond", REAL, "share of resamples where it is not better up to last"),
    ("status", TEXT, "within, before_first, not_within or undefined"),
)
POWER = declare(
    "power",
    ("comparison", TEXT, "as in differences"),
    *_SIDE,
    *_REFERENCE,
    *_ROWS,
    ("delta", REAL, "difference of ROC-AUC to tell, 0.05"),
    ("power", REAL, "wanted probability of telling it, 0.8"),
    ("alpha", REAL, "two-sided level: 0.05 over the tests of the comparison, as Holm asks first"),
    ("power_now", REAL, "probability of telling delta on these n rows"),
    ("detectable", REAL, "smallest difference told with that power on these n rows"),
    ("rows_needed", INT, "test rows of the same class balance to tell delta; 0 where status says"),
    ("rows_there", INT, "test rows of the split, asked or not"),
    _STATUS,
)
CONTEXT_EFFECTS = declare(
    "context_effects",
    ("model", TEXT, "model id"),
    ("k", INT, "number of labelled examples in the prompt"),
    ("configuration", TEXT, "name of the context (Cols-Context is the main one), or empty"),
    ("prompt", TEXT, "contextual (with task text) or context_free"),
    ("serialization", TEXT, "text format of a row; feat_val_mask masks the column names"),
    *_ROWS,
    ("roc_auc", REAL, "mean ROC-AUC over the draws, on the rows shared with the main context"),
    ("main_roc_auc", REAL, "that of the main context (named columns, task text) on these rows"),
    ("difference", REAL, "main_roc_auc - roc_auc: what is lost without it; 0 for itself"),
    ("low", REAL, "lower bound of its interval"),
    ("high", REAL, "upper bound"),
    _JUDGED,
    ("p", REAL, "two-sided p-value; NaN for the main context itself"),
    ("p_holm", REAL, "the same by Holm over the whole table"),
    _STATUS,
)
AS_ANSWERED, PLATT, ISOTONIC = "as_answered", "platt", "isotonic"
_FITTED = (
    ("method", TEXT, "as_answered, platt or isotonic"),
    ("labels", INT, "labels used in all: in the prompt or fit, and to recalibrate (mean of draws)"),
    ("labelled_rows", INT, "those used to recalibrate: answers outside the prompt or fold"),
)
CALIBRATIONS = declare(
    "calibrations",
    *_SIDE,
    *_FITTED,
    *_ROWS,
    ("base_rate", REAL, "share of class 1 in the training part, the forecast without a model"),
    ("brier", REAL, "mean of (p_1 - y)²"),
    ("brier_base_rate", REAL, "that of base_rate as the forecast for every row"),
    ("brier_change", REAL, "brier less that as answered; negative is better; 0 as answered"),
    ("brier_change_low", REAL, "lower bound of its interval; NaN as answered"),
    ("brier_change_high", REAL, "upper bound"),
    _LEVEL,
    ("log_loss", REAL, "mean of -ln p(true label), nats; infinite where that p is 0"),
    ("log_loss_base_rate", REAL, "that of base_rate as the forecast"),
    ("calibration_error", REAL, "expected calibration error, 10 bins of equal width"),
    ("calibration_error_if_right", REAL, "its mean if every probability were right, groups or not"),
    _STATUS,
)
RELIABILITY_BINS = declare(
    "reliability_bins",
    *_SIDE,
    ("method", TEXT, "as_answered, platt or isotonic"),
    ("bin", INT, "number of the bin, from 0; bins without an answer have no row"),
    ("low", REAL, "lower edge of the bin"),
    ("high", REAL, "upper edge of the bin"),
    ("mean_predicted", REAL, "mean predicted probability of class 1"),
    ("observed", REAL, "share of class 1 among the answers"),
    ("observed_low", REAL, "lower bound of its interval (Wilson, n_rows rows)"),
    ("observed_high", REAL, "upper bound"),
    _LEVEL,
    ("n", INT, "answers in the bin, over the draws"),
    ("n_rows", INT, "distinct test rows behind them"),
)
THRESHOLDS = declare(
    "thresholds",
    *_SIDE,
    ("threshold", REAL, "rows with p_1 at or above it are called class 1; mean of draws if chosen"),
    ("chosen", FLAG, "whether it is the one with the best F1 on the labelled rows"),
    ("labelled_rows", INT, "rows that it was chosen on, never test rows; 0 where not chosen"),
    *_ROWS,
    ("flagged", REAL, "share of the rows called class 1"),
    ("precision", REAL, "share of class 1 among those, mean over the draws"),
    ("precision_low", REAL, "lower bound of its interval"),
    ("precision_high", REAL, "upper bound"),
    ("recall", REAL, "share of class 1 that is found"),
    ("recall_low", REAL, "lower bound"),
    ("recall_high", REAL, "upper bound"),
    ("f1", REAL, "harmonic mean of precision and recall, 0 where no row of class 1 is found"),
    ("f1_low", REAL, "lower bound"),
    ("f1_high", REAL, "upper bound"),
    _LEVEL,
    _STATUS,
)
COSTS = declare(
    "costs",
    *_SIDE,
    ("draws", INT, "draws of examples averaged over"),
    ("n", INT, "rows classified, over the draws"),
    ("n_errors", INT, "requests without a response; tokens and seconds are of the others"),
    ("prompt_tokens", REAL, "tokens read per 1,000 rows; 0 for baselines"),
    ("completion_tokens", REAL, "tokens generated per 1,000 rows"),
    ("seconds", REAL, "seconds per 1,000 rows, of baselines without the fit"),
    ("cost", REAL, "money per 1,000 rows if nothing is cached, so at most; NaN without a price"),
    ("currency", TEXT, "of the cost; empty where the model has no price"),
    ("fit_seconds", REAL, "seconds of a baseline's search and fit, mean over the draws; else 0"),
    ("file_rows", INT, "rows of the whole file, without those that the entry filters out"),
    ("file_seconds", REAL, "seconds to classify them all, the fit included"),
    ("file_cost", REAL, "money to classify them all, as cost"),
    ("reason", TEXT, "why a baseline was not fitted in some draw; else empty"),
    _STATUS,
)
EVIDENCE = {
    schema.name: schema
    for schema in (
        CURVES,
        DIFFERENCES,
        CROSSINGS,
        POWER,
        CONTEXT_EFFECTS,
        RELIABILITY_BINS,
        CALIBRATIONS,
        THRESHOLDS,
        COSTS,
    )
}
"""Schema by name; each is ``results/own/<dataset>/evidence/<name>.parquet``."""
