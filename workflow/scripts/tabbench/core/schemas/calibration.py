"""Metrics and bins of probabilities."""

from tabbench.core.frames import INT, REAL, TEXT, declare
from tabbench.core.schemas.scores import SCORES

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
    ("k", INT, "number of labelled examples"),
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
