"""The search for a pretrained model's weights, and the record of its result."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tabbench.baselines.foundation import PRETRAINED, Pretrained
from tabbench.baselines.model import Baseline
from tabbench.core.errors import TabBenchError
from tabbench.core.files import sha256

WORDS = ("cache", "download")
"""Values that may replace the path of a file."""
_PLACE = re.compile(r"(?<![\w:/.])/[^\s'\",;)]+")
"""A path of this machine, within a text."""


class MissingWeightsError(TabBenchError):
    """There are no weights. ``reason`` is the text for results, without a path of this machine."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Record:
    """Where a model's weights are, or why it is left out.

    Attributes
    ----------
    path, sha256
        Of the file; empty where there is none.
    licence
        Of the weights.
    reason
        Why the model is left out; empty where it is not.
    """

    model: str
    path: str = ""
    sha256: str = ""
    licence: str = ""
    reason: str = ""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Record":
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(**content)


def look_for_weights(
    model: Pretrained, source: str, on_missing: Literal["error", "skip"]
) -> Record:
    """Find a model's weights and load them once, on the CPU, whatever the fits run on.

    Parameters
    ----------
    source : path of a file; ``cache``, where the model's package keeps its own; or ``download``,
        which fetches them there if need be; see `Pretrained.access`
    on_missing : ``skip`` prints and records that there are none instead of raising it

    Raises
    ------
    MissingWeightsError
        When there are no weights.
    TabBenchError
        When there is a file that is no such weights.
    """
    try:
        path = _find(model, source)
    except MissingWeightsError as error:
        if on_missing == "error":
            raise
        print(error)
        return Record(model.name, reason=error.reason)
    weights = model.baseline(path, "cpu").weights
    assert weights is not None
    return Record(model.name, str(path.resolve()), weights.sha256, weights.licence)


def load(record: Record, device: str) -> Baseline:
    """Load the weights of a record as a baseline.

    Raises
    ------
    TabBenchError
        When the file is gone or another than was found.
    """
    path = Path(record.path)
    if not path.is_file() or sha256(path) != record.sha256:
        raise TabBenchError(
            f"baseline '{record.model}': {path} is gone or has changed since it was found; run "
            "`snakemake --forcerun baseline_weights`"
        )
    return PRETRAINED[record.model].baseline(path, device)


def _find(model: Pretrained, source: str) -> Path:
    if source not in WORDS:
        path = Path(source)
        if path.is_file():
            return path
        raise _missing(model, f"there is no file {source}", f"no file {path.name} was found")
    found = model.cached(model.file)
    if found:
        return found
    if source == "cache":
        what = f"{model.file} is not in the cache of {model.package}"
        raise _missing(model, what, what)
    try:
        return model.download(model.file)
    except Exception as error:
        what = f"{model.file} could not be downloaded"
        said = f"{type(error).__name__}: {error}"
        first = _PLACE.sub("…", said.splitlines()[0])
        raise _missing(model, f"{what} ({said})", f"{what} ({first})") from error


def _missing(model: Pretrained, what: str, reason: str) -> MissingWeightsError:
    return MissingWeightsError(
        f"baseline '{model.name}' has no weights: {what}. Get {model.file} from {model.source} "
        f"(licence: {model.licence(model.file)}) and name it in the configuration: "
        f"`baseline_weights: {{{model.name}: path/to/{model.file}}}`. With "
        f"`{model.name}: download` the workflow downloads it{model.access}. With "
        "`on_missing_weights: skip` the model is left out, and results say so",
        f"it has no weights: {reason}",
    )
