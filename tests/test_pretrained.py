"""Pretrained baselines: the real classes on small random weights, and missing weights."""

import os
import subprocess
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fixtures_tabular import tabpfn_checkpoint

from tabbench.baselines import foundation
from tabbench.baselines.foundation import PRETRAINED, silence
from tabbench.baselines.model import Limits, Size
from tabbench.baselines.runs import leave_out, run_baselines
from tabbench.baselines.weights import MissingWeightsError, Record, load, look_for_weights
from tabbench.core.errors import TabBenchError
from tabbench.core.files import sha256
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.fits import FITS
from tabbench.core.schemas.predictions import PREDICTIONS

each = pytest.mark.parametrize("name", list(PRETRAINED))


@pytest.fixture(autouse=True)
def no_network_nor_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    silence()


def frames(columns: int = 3) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Table, split and two draws of 4 and 8 examples."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{i}": rng.normal(size=30) for i in range(columns)})
    table.insert(0, "y", np.arange(30) % 2)
    table.insert(0, "row_id", np.arange(30))
    table["colour"] = np.where(rng.random(30) < 0.5, "red", "green")
    split = pd.DataFrame(
        {"row_id": np.arange(30), "part": ["train"] * 20 + ["test"] * 10, "position": np.arange(30)}
    )
    shots = [(k, 7, place, place) for k in (4, 8) for place in range(k)]
    return table, split, pd.DataFrame(shots, columns=["k", "seed", "position", "row_id"])


@each
def test_weights_of_a_named_file_predict(name: str, checkpoints, tmp_path: Path) -> None:
    record = look_for_weights(PRETRAINED[name], str(checkpoints[name]), "error")
    record.write(tmp_path / "weights.json")
    assert Record.read(tmp_path / "weights.json") == record
    assert record.sha256 == sha256(checkpoints[name])
    predictions, fits = run_baselines("toy", [load(record, "cpu")], *frames())
    write_table(predictions, tmp_path / "p.parquet", PREDICTIONS)
    write_table(fits, tmp_path / "f.parquet", FITS)
    assert len(predictions) == 20
    assert predictions["p_1"].nunique() > 10
    assert set(predictions["template"]) == {record.sha256[:12]}
    assert set(predictions["engine"]) == {name}
    assert list(fits["k"]) == [4, 8]
    assert set(fits["reason"]) == {""}
    assert set(fits["weights"]) == {f"{PRETRAINED[name].file} {record.sha256}"}
    assert fits["licence"].iloc[0]


@each
def test_missing_weights_are_an_error_that_says_how_to_get_them(name: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone.ckpt"
    with pytest.raises(MissingWeightsError) as error:
        look_for_weights(PRETRAINED[name], str(gone), "error")
    said = str(error.value)
    for part in (str(gone), PRETRAINED[name].file, "https://huggingface.co/", "licence", "skip"):
        assert part in said
    record = look_for_weights(PRETRAINED[name], str(gone), "skip")
    assert record == Record(name, reason="it has no weights: no file gone.ckpt was found")


@pytest.mark.parametrize(
    ("name", "variable"), [("tabpfn", "TABPFN_MODEL_CACHE_DIR"), ("tabicl", "HF_HUB_CACHE")]
)
def test_the_packages_own_cache_is_looked_in(name, variable, checkpoints, tmp_path: Path) -> None:
    """In a process of its own, as a job is: the packages read their settings when imported."""
    file = PRETRAINED[name].file
    place = tmp_path / "cache"
    if name == "tabicl":
        place = place / "models--jingang--TabICL" / "snapshots" / ("0" * 40)
        refs = place.parents[1] / "refs"
        refs.mkdir(parents=True)
        (refs / "main").write_text("0" * 40)
    place.mkdir(parents=True)
    code = (
        "import shutil, sys; from tabbench.baselines.foundation import PRETRAINED, silence\n"
        "from tabbench.baselines.weights import look_for_weights\n"
        "silence(); model = PRETRAINED[sys.argv[1]]\n"
        "print(look_for_weights(model, 'cache', 'skip').reason)\n"
        "shutil.copy(*sys.argv[2:4])\n"
        "print(look_for_weights(model, 'cache', 'error').path)\n"
    )
    arguments = [sys.executable, "-c", code, name, str(checkpoints[name]), str(place / file)]
    scripts = Path(foundation.__file__).parents[2]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(scripts)}
    done = subprocess.run(
        arguments,
        env=environment | {variable: str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == [
        f"it has no weights: {file} is not in the cache of {name}",
        str((place / file).resolve()),
    ]


@each
def test_nothing_is_downloaded_without_the_word(name: str, tmp_path: Path) -> None:
    asked = []
    model = PRETRAINED[name]
    fields = {"cached": lambda _file: None, "download": asked.append}
    closed = type(model)(**{**vars(model), **fields})
    for source in ("cache", str(tmp_path / "gone.ckpt")):
        look_for_weights(closed, source, "skip")
    assert asked == []
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_a_download_is_used_and_its_failure_explained(checkpoints) -> None:
    model = PRETRAINED["tabicl"]

    def refuse(_file: str) -> Path:
        raise OSError("no route")

    uncached = {**vars(model), "cached": lambda _file: None}
    fetched = type(model)(**{**uncached, "download": lambda _file: checkpoints["tabicl"]})
    assert look_for_weights(fetched, "download", "error").path == str(checkpoints["tabicl"])
    failing = type(model)(**{**uncached, "download": refuse})
    with pytest.raises(MissingWeightsError, match=r"could not be downloaded \(OSError: no route\)"):
        look_for_weights(failing, "download", "error")


def test_the_cause_of_a_failed_download_stays_when_the_model_is_left_out(capsys) -> None:
    model = PRETRAINED["tabpfn"]

    def refuse(_file: str) -> Path:
        raise RuntimeError("no licence in '/home/me/cache', see https://x.org/a\n1. Log in")

    failing = replace(model, cached=lambda _file: None, download=refuse)
    record = look_for_weights(failing, "download", "skip")
    assert record.reason == (
        f"it has no weights: {model.file} could not be downloaded (RuntimeError: no licence in "
        "'…', see https://x.org/a)"
    )
    logged = capsys.readouterr().out
    for part in ("/home/me/cache", "1. Log in", "TABPFN_TOKEN", "accepted its licence"):
        assert part in logged


@each
@pytest.mark.parametrize("content", [b"", b"not weights at all"])
def test_a_file_that_is_no_weights_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    broken = tmp_path / "broken.ckpt"
    broken.write_bytes(content)
    with pytest.raises(TabBenchError, match=r"broken\.ckpt is not weights"):
        look_for_weights(PRETRAINED[name], str(broken), "skip")


def test_weights_that_changed_are_found_again(checkpoints, tmp_path: Path) -> None:
    copy = tmp_path / "copy.ckpt"
    copy.write_bytes(checkpoints["tabicl"].read_bytes())
    record = look_for_weights(PRETRAINED["tabicl"], str(copy), "error")
    copy.write_bytes(b"another")
    with pytest.raises(TabBenchError, match="--forcerun baseline_weights"):
        load(record, "cpu")


def test_limits_are_those_that_the_weights_state(tmp_path: Path) -> None:
    path = tabpfn_checkpoint(tmp_path / "w.ckpt", MAX_NUMBER_OF_FEATURES=2, MAX_NUMBER_OF_SAMPLES=5)
    baseline = PRETRAINED["tabpfn"].baseline(path, "cpu")
    assert baseline.limits == Limits(rows=5, features=2, classes=10)
    predictions, fits = run_baselines("toy", [baseline], *frames(columns=1))
    assert list(fits["reason"]) == ["", "the table has 8 rows, and it takes at most 5"]
    assert set(predictions["k"]) == {4}
    predictions, fits = run_baselines("toy", [baseline], *frames(columns=2))
    assert predictions.empty
    assert fits["reason"].iloc[0] == "the table has 3 features, and it takes at most 2"


def test_what_exceeds_a_limit_is_said() -> None:
    limits = Limits(rows=4, features=3, classes=1)
    assert limits.broken_by(Size(4, 2, 1), 1) == ""
    said = limits.broken_by(Size(1000, 2, 2), 2)
    assert said == (
        "1,000 rows, and it takes at most 4; 4 features, and it takes at most 3; "
        "2 classes, and it takes at most 1"
    )
    assert Limits().broken_by(Size(10**9, 10**6, 0), 99) == ""


def test_a_model_that_is_left_out_has_fits_with_a_reason_and_no_predictions(tmp_path) -> None:
    predictions, fits = leave_out("toy", "tabpfn", frames()[2], "it has no weights")
    write_table(predictions, tmp_path / "p.parquet", PREDICTIONS)
    write_table(fits, tmp_path / "f.parquet", FITS)
    assert read_table(tmp_path / "p.parquet", PREDICTIONS).empty
    assert list(read_table(tmp_path / "f.parquet", FITS)["reason"]) == ["it has no weights"] * 2


@pytest.mark.parametrize(
    ("name", "file", "licence"),
    [
        ("tabpfn", "tabpfn-v2-classifier.ckpt", "attribution"),
        ("tabpfn", "tabpfn-v2.5-classifier-v2.5_default.ckpt", "non-commercial"),
        ("tabpfn", PRETRAINED["tabpfn"].file, "non-commercial"),
        ("tabpfn", "mine.ckpt", "unknown"),
        ("tabicl", PRETRAINED["tabicl"].file, "BSD"),
    ],
)
def test_the_licence_is_told_by_the_files_name(name: str, file: str, licence: str) -> None:
    assert licence in PRETRAINED[name].licence(file)


def test_files_are_those_that_the_packages_know() -> None:
    from tabicl import TabICLClassifier
    from tabpfn.model_loading import ModelSource

    known = ModelSource.get_classifier_v3()
    assert known.default_filename == PRETRAINED["tabpfn"].file
    assert PRETRAINED["tabpfn"].source.endswith(known.repo_id)
    newest = signature(TabICLClassifier).parameters["checkpoint_version"].default
    assert newest == PRETRAINED["tabicl"].file


def test_categories_reach_tabpfn_as_categories(checkpoints) -> None:
    model = PRETRAINED["tabpfn"].make(checkpoints["tabpfn"], "cpu", Size(8, 2, 3), 0)
    assert model.categorical_features_indices == [2, 3, 4]
