"""Into each environment: what a process there loaded from elsewhere, one JSON line per process."""

import atexit
import json
import os
import sys
import sysconfig
from pathlib import Path


def _foreign() -> list[str]:
    own = (sys.prefix, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")))
    files = {
        name: getattr(module, "__file__", None) or ""
        for name, module in list(sys.modules.items())
        if "." not in name and name != "__main__"
    }
    return sorted(name for name, file in files.items() if file and not file.startswith(own))


def _record() -> None:
    line = json.dumps({"prefix": sys.prefix, "script": sys.argv[0], "foreign": _foreign()})
    with Path(os.environ["STAND_IN_WITNESS"]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


if "STAND_IN_WITNESS" in os.environ:
    atexit.register(_record)
