"""How each baseline was fitted."""

from tabbench.core.frames import INT, REAL, TEXT, declare

FITS = declare(
    "fits",
    ("dataset", TEXT, "dataset id"),
    ("model", TEXT, "baseline id"),
    ("k", INT, "training-set size: number of labelled examples"),
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
    ("fit_seconds", REAL, "search and fit alone; NaN where nothing was fitted"),
)
