"""Estimators of intrinsic dimension (Table XVI)."""

ESTIMATORS = {"lPCA": "lPCA (FO)", "MLE": "MLE", "TwoNN": "TwoNN", "TLE": "TLE"}
"""Estimators of intrinsic dimension (paper, Table XVI), with the name that tables show."""
