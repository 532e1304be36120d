"""Pretrained tabular models: places, licences and loading of their weights.

Their packages are imported inside functions, after `silence`. Only `Pretrained.download` downloads,
and only if the user configured it.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from tabbench.baselines.model import Baseline, Limits, Size, Weights
from tabbench.core.errors import TabBenchError
from tabbench.core.files import sha256

_SWITCHES = {
    "TABPFN_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # A job has no browser to accept a licence in; the token shows that its user accepted it.
    "TABPFN_NO_BROWSER": "1",
    # Weights stay loaded from fit to fit of a job.
    "TABPFN_MODEL_CACHE_SIZE": "1",
}


def silence(*, download: bool = False) -> None:
    """Turn off telemetry in this process, and access to the hub unless weights are downloaded.

    Call this before a model's package is imported.
    """
    os.environ.update(_SWITCHES, HF_HUB_OFFLINE="0" if download else "1")


@dataclass(frozen=True)
class Pretrained:
    """A pretrained model.

    Attributes
    ----------
    name, package
        As in `Baseline`.
    file
        Default name of the weights' file.
    source
        Where that file comes from.
    licences
        Start of a file's name to the licence of such weights; the longest start that fits counts.
    cached
        Where the package keeps the file, or would; None where its cache lacks it.
    download
        Download the file into that cache, and give the path.
    make
        From a file, a device, the table's size and a seed to the unfitted classifier.
    limits
        From a fitted classifier and its device to its limits.
    access
        What a download needs beforehand, to follow "the workflow downloads it".
    """

    name: str
    package: str
    file: str
    source: str
    licences: dict[str, str]
    cached: Callable[[str], Path | None]
    download: Callable[[str], Path]
    make: Callable[[Path, str, Size, int], ClassifierMixin]
    limits: Callable[[Any, str], Limits]
    access: str = ""

    def licence(self, file: str) -> str:
        """Licence of weights, told by their file's name."""
        fitting = [start for start in self.licences if file.startswith(start)]
        if not fitting:
            return "unknown: ask where the file comes from"
        return self.licences[max(fitting, key=len)]

    def baseline(self, path: Path, device: str) -> Baseline:
        """Load weights and give the model as a baseline, with the limits that they state.

        Raises
        ------
        TabBenchError
            When the file is not weights that the installed package reads.
        """
        weights = Weights(path.name, sha256(path), self.licence(path.name))
        made = Baseline(
            name=self.name,
            package=self.package,
            encoding="codes",
            make=lambda size, seed: self.make(path, device, size, seed),
            dtype="float32",
            weights=weights,
        )
        # A trial fit finds any kind of broken weights before the first dataset.
        trial = self.make(path, device, Size(4, 1, 0), 0)
        try:
            trial.fit(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
            trial.predict_proba(np.array([[1.0]]))
        except Exception as error:
            raise TabBenchError(
                f"baseline '{self.name}': {path} is not weights that {self.package} "
                f"{made.version} reads ({type(error).__name__}: {error}); it expects a file such "
                f"as {self.file} from {self.source}"
            ) from error
        return replace(made, limits=self.limits(trial, device))


def _tabpfn_cached(file: str) -> Path | None:
    from tabpfn.model_loading import get_cache_dir

    path = Path(get_cache_dir()) / file
    return path if path.is_file() else None


def _tabpfn_download(file: str) -> Path:
    from tabpfn.constants import ModelVersion
    from tabpfn.model_loading import download_model, get_cache_dir

    path = Path(get_cache_dir()) / file
    found = download_model(path, version=ModelVersion.V3, which="classifier", model_name=file)
    if found != "ok":
        raise RuntimeError("; ".join(map(str, found)))
    return path


def _tabpfn_make(path: Path, device: str, size: Size, seed: int) -> ClassifierMixin:
    from tabpfn import TabPFNClassifier

    model: ClassifierMixin = TabPFNClassifier(
        model_path=path,
        device=device,
        random_state=seed,
        categorical_features_indices=list(range(size.numeric, size.numeric + size.categorical)),
    )
    return model


def _tabpfn_limits(model: Any, device: str) -> Limits:
    stated = model.inference_config_
    rows = stated.MAX_NUMBER_OF_SAMPLES
    return Limits(
        rows=min(rows, stated.MAX_CPU_SAMPLES) if device == "cpu" else rows,
        features=stated.MAX_NUMBER_OF_FEATURES,
        classes=stated.MAX_NUMBER_OF_CLASSES,
    )


_TABICL_HUB = "jingang/TabICL"


def _tabicl_cached(file: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(_TABICL_HUB, file)
    return Path(path) if isinstance(path, str) else None


def _tabicl_download(file: str) -> Path:
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(_TABICL_HUB, file))


def _tabicl_make(path: Path, device: str, _size: Size, seed: int) -> ClassifierMixin:
    from tabicl import TabICLClassifier

    model: ClassifierMixin = TabICLClassifier(
        model_path=path, allow_auto_download=False, device=device, random_state=seed
    )
    return model


def _tabicl_limits(model: Any, _device: str) -> Limits:
    # Rows and features: what its authors benchmarked it with (README of tabicl 2.2.0).
    return Limits(rows=100_000, features=2_000, classes=model.model_config_["max_classes"])


_PRIOR_LABS = "Prior Labs' licence of the model, non-commercial use only"

PRETRAINED: dict[str, Pretrained] = {
    one.name: one
    for one in (
        Pretrained(
            name="tabpfn",
            package="tabpfn",
            # The open weights nearest to the paper's TabPFN-3 Plus, which is a paid service.
            file="tabpfn-v3-classifier-v3_default.ckpt",
            source="https://huggingface.co/Prior-Labs/tabpfn_3",
            licences={
                "tabpfn-v2-": "Prior Labs Licence (Apache-2.0 with attribution)",
                "tabpfn-v2.": _PRIOR_LABS,
                "tabpfn-v3": _PRIOR_LABS,
            },
            cached=_tabpfn_cached,
            download=_tabpfn_download,
            make=_tabpfn_make,
            limits=_tabpfn_limits,
            access=(
                ", once you have accepted its licence at https://ux.priorlabs.ai and set "
                "TABPFN_TOKEN to your API key from there"
            ),
        ),
        Pretrained(
            name="tabicl",
            package="tabicl",
            file="tabicl-classifier-v2-20260212.ckpt",
            source=f"https://huggingface.co/{_TABICL_HUB}",
            licences={"tabicl-": "BSD-3-Clause"},
            cached=_tabicl_cached,
            download=_tabicl_download,
            make=_tabicl_make,
            limits=_tabicl_limits,
        ),
    )
}
"""By name: the two of the paper (section III-A)."""
