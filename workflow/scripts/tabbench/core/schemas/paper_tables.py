"""Tables XV and XVI as the paper prints them."""

from tabbench.core.frames import INT, REAL, TEXT, declare

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
