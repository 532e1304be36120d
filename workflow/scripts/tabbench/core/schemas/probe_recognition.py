"""Recognition of columns."""

from tabbench.core.frames import FLAG, INT, REAL, TEXT, declare
from tabbench.core.schemas.probed import PROBED

PROBE_RECOGNITION = declare(
    "probe_recognition",
    *PROBED,
    ("title", TEXT, "title given to the model"),
    ("listed", INT, "different names that its answer lists"),
    ("telling", INT, "column names that cannot be guessed from the title"),
    ("found", INT, "those among the listed ones, up to signs and case"),
    ("share", REAL, "found / telling; NaN where no name tells"),
    ("found_names", TEXT, "the names found, ', ' between them"),
    ("outcome", TEXT, "leaked, knows name only, not recognized, or cannot be graded"),
    ("answer", TEXT, "the whole answer"),
    ("ended", FLAG, "whether the answer ended before the most tokens allowed"),
)
