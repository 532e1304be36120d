"""The driver that runs a model's program inside the sandbox.

Its text is given to `tabbench.sandbox.sandbox` as the driver; it imports nothing of this package.
"""

import contextlib
import io
import json
import math
import re
import sys
from typing import Any

import numpy as np
import pandas as pd


def main(code: str) -> str:
    """Run ``code`` as a script and return what it printed; ``exit()`` is a regular end.

    The names that the released code offers are there: pd, np, numpy, json, re, math.
    """
    names: dict[str, Any] = {"pd": pd, "np": np, "numpy": np, "json": json, "re": re, "math": math}
    names |= {"exit": sys.exit, "quit": sys.exit}  # a Python without the module site lacks them
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, "answer", "exec"), {"__name__": "__main__", **names})
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
    return printed.getvalue()
