"""Open a model for the probes, from the files of a rule."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabbench.engines.base import Setting
from tabbench.models import identity, load_engine, read_model
from tabbench.probes.canary import canary
from tabbench.probes.dataset import Probed, probed
from tabbench.probes.verdicts import is_flagged
from tabbench.schemas import PROBE_RECOGNITION, TABLE, read_table, read_tables
from tabbench.texts import AskTexts, text_asker


class Asked(NamedTuple):
    """A model by its id, how it is asked, and whether without a chat template."""

    model: str
    ask: AskTexts
    plain: bool


def open_model(
    entry: Path,
    asking: Mapping[str, Any],
    weights: Iterable[str],
    log: Path,
    threads: int,
    gpus: int,
) -> Asked:
    """Open a model whose answers are in ``log``; it is loaded when one is missing.

    Parameters
    ----------
    entry, asking : see `tabbench.models.read_model`
    weights : folder of converted weights, or nothing
    """
    model = read_model(entry, asking)
    setting = Setting(next(map(Path, weights), None), threads, entry.parent, gpus)
    ask = text_asker(identity(model), log, lambda: load_engine(model, setting))
    return Asked(model.id, ask, plain=model.style == "completion")


def read_datasets(
    tables: Iterable[str],
    facts: Mapping[str, Mapping[str, Any]],
    planted: bool,
    recognition: str | Path | Sequence[str] = (),
) -> list[Probed]:
    """Read prepared tables, each in the folder of its dataset.

    Parameters
    ----------
    facts : of each dataset; see `dataset.probed`
    planted : whether the canary is added, which is always probed
    recognition : file of a model's graded recognition; only datasets that it flags are read then
    """
    names = {Path(path).parent.name: path for path in tables}
    if recognition:
        graded = read_tables(recognition, PROBE_RECOGNITION)
        flagged = set(graded.loc[graded["outcome"].map(is_flagged), "dataset"])
        names = {name: path for name, path in names.items() if name in flagged}
    found = [probed(name, read_table(path, TABLE), facts[name]) for name, path in names.items()]
    return [*found, *([canary()] if planted else [])]
