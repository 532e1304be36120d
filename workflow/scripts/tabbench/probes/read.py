"""Read the datasets to probe from the files of a rule."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabbench.core.frames import read_table, read_tables
from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.core.schemas.table import TABLE
from tabbench.probes.canary import canary
from tabbench.probes.dataset import Probed, probed
from tabbench.probes.verdicts import is_flagged


def read_datasets(
    tables: Iterable[str],
    metadata: Mapping[str, Mapping[str, Any]],
    planted: bool,
    recognition: str | Path | Sequence[str] = (),
) -> list[Probed]:
    """Read prepared tables, each in the folder of its dataset.

    Parameters
    ----------
    metadata : of each dataset; see `dataset.probed`
    planted : whether the canary is added, which is always probed
    recognition : file of a model's graded recognition; only datasets that it flags are read then
    """
    names = {Path(path).parent.name: path for path in tables}
    if recognition:
        graded = read_tables(recognition, PROBE_RECOGNITION)
        flagged = set(graded.loc[graded["outcome"].map(is_flagged), "dataset"])
        names = {name: path for name, path in names.items() if name in flagged}
    found = [probed(name, read_table(path, TABLE), metadata[name]) for name, path in names.items()]
    return [*found, *([canary()] if planted else [])]
