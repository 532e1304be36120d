"""A baseline: its entry in a registry, and its choices once it was fitted."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Literal, NamedTuple

from sklearn.base import ClassifierMixin

from tabbench.core.errors import TabBenchError

Encoding = Literal["as they are", "filled", "filled and scaled", "codes"]
"""Input of a model: numeric columns as they are, with missing values filled by the median of the
examples, or also scaled to mean 0 and variance 1; each with categories as indicators. ``codes``
leaves numbers as they are and encodes a category as one column of codes."""


class Size(NamedTuple):
    """Rows that a model is fitted on, and columns of either kind before they are encoded."""

    rows: int
    numeric: int
    categorical: int


@dataclass(frozen=True)
class Limits:
    """Size limits of a model, stated by its authors; None for no limit."""

    rows: int | None = None
    features: int | None = None
    classes: int | None = None

    def broken_by(self, size: Size, classes: int) -> str:
        """Describe what of a table is too large; empty if nothing is."""
        found = (
            ("rows", size.rows, self.rows),
            ("features", size.numeric + size.categorical, self.features),
            ("classes", classes, self.classes),
        )
        return "; ".join(
            f"{count:,} {name}, and it takes at most {most:,}"
            for name, count, most in found
            if most is not None and count > most
        )


@dataclass(frozen=True)
class Weights:
    """Pretrained weights: the file's name, its sha256 and its licence."""

    file: str
    sha256: str
    licence: str


def _not_tuned(_: Size) -> Mapping[str, Sequence[Any]]:
    return {}


@dataclass(frozen=True)
class Baseline:
    """A model of a registry.

    Attributes
    ----------
    name
        Its id in configurations and results.
    package
        Package that it comes from, as results name it.
    encoding
        What it reads.
    make
        From the table's size and a seed to the unfitted classifier. Without a search its settings
        are the ones used.
    space
        From the table's size to the settings that a search draws from; empty for none.
    dtype
        Number format that it computes in.
    limits, weights
        Of a pretrained model.
    """

    name: str
    package: str
    encoding: Encoding
    make: Callable[[Size, int], ClassifierMixin]
    space: Callable[[Size], Mapping[str, Sequence[Any]]] = _not_tuned
    dtype: str = "float64"
    limits: Limits = Limits()
    weights: Weights | None = None

    @property
    def version(self) -> str:
        """Version of the installed package; some come as a build for CPUs under another name."""
        for name in (self.package, f"{self.package}-cpu"):
            with contextlib.suppress(metadata.PackageNotFoundError):
                return metadata.version(name)
        raise TabBenchError(f"baseline '{self.name}': the package {self.package} is not installed")


@dataclass(frozen=True)
class Choice:
    """The settings that a model was fitted with.

    Attributes
    ----------
    settings
        Those that differ from the model's defaults here.
    candidates, folds
        Settings compared and folds of the cross-validation; 0 where nothing was searched.
    roc_auc
        Mean ROC-AUC of the chosen settings over the folds; None where nothing was searched.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    candidates: int = 0
    folds: int = 0
    roc_auc: float | None = None
