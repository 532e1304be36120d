"""What every registered baseline and engine must take, or refuse in words: awkward tables.

A new entry of a registry is tested here by being registered.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import fake_vllm
import numpy as np
import pandas as pd
import pytest
from fault_server import MODEL, fault_server

from tabbench.baselines.classical import CLASSICAL
from tabbench.baselines.fitting import fit
from tabbench.baselines.foundation import PRETRAINED, silence
from tabbench.baselines.model import Baseline
from tabbench.baselines.runs import training_categories
from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.data.number_cells import LARGEST
from tabbench.inference.engines import ENGINES
from tabbench.inference.engines.base import (
    TOO_LONG,
    Engine,
    Failure,
    Generation,
    LabelScore,
    Mode,
    Outcome,
    Prompt,
    Request,
    Setting,
)
from tabbench.inference.models import load_engine
from tabbench.prompts.serialize import SERIALIZATIONS, serialize_frame

Table = tuple[pd.DataFrame, np.ndarray]
"""Features and labels; the last 12 rows are for testing."""

TEST_ROWS = 12
MODES: tuple[Mode, ...] = ("forward", "generation")


def _table(make: Callable[[np.random.Generator, np.ndarray], dict], rows: int = 24) -> Table:
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    return pd.DataFrame(make(rng, y)), y


def _one_feature(rng, y):
    return {"x": rng.normal(size=len(y)) + 2 * y}


def _unseen(rng, y):
    colours = np.where(y == 1, "red", "green").astype(object)
    colours[-TEST_ROWS:] = "violet"
    return {"x": rng.normal(size=len(y)), "colour": colours}


def _unbalanced() -> Table:
    rng = np.random.default_rng(0)
    y = np.zeros(102 + TEST_ROWS, dtype=int)
    y[[3, 60, -1, -2]] = 1  # 2 of 102 training rows
    return pd.DataFrame({"x": rng.normal(size=len(y)) + 2 * y, "z": rng.normal(size=len(y))}), y


def _one_odd_row(_rng, y):
    return {"x": np.arange(len(y)) == 3, "z": np.where(np.arange(len(y)) == 3, np.nan, 1.0)}


TABLES: dict[str, Table] = {
    "constant column": _table(lambda rng, y: _one_feature(rng, y) | {"c": 7.0}),
    "constant column alone": _table(lambda _rng, y: {"c": np.full(len(y), 7.0)}),
    "all-missing column": _table(lambda rng, y: _one_feature(rng, y) | {"none": np.nan}),
    "unseen category": _table(_unseen, rows=28),  # 16 to fit on, so settings are searched
    "1 feature": _table(_one_feature),
    "500 features": _table(
        lambda rng, y: {f"x{i}": rng.normal(size=len(y)) + (i == 0) * y for i in range(500)}
    ),
    # Some fold of a search holds the odd row out, and has nothing to learn from.
    "varies in one row": _table(_one_odd_row, rows=16 + TEST_ROWS),
    "4 shots": _table(_one_feature, rows=4 + TEST_ROWS),
    "unbalanced 1:50": _unbalanced(),
    # The largest numbers that a table may hold, and the smallest.
    "enormous and tiny numbers": _table(
        lambda rng, y: {
            "x": rng.normal(size=len(y)) + 2 * y,
            "large": np.where(np.arange(len(y)) == 3, LARGEST, 1e30 * rng.normal(size=len(y))),
            "tiny": 1e-310 * (1 + y),
        }
    ),
    "names of the workflow's columns": _table(
        lambda rng, y: {
            name: rng.integers(0, 9, len(y)) + y
            for name in ("label", "index", "mode", "k", "Answer is", "level_0")
        }
    ),
    "strings with commas": _table(
        lambda _rng, y: {
            "job": np.where(y == 1, 'clerk, "senior"', "a|b <i>\n2"),
            "city, state": np.where(y == 1, "x,y", ","),
        }
    ),
}
awkward = pytest.mark.parametrize("table", TABLES)


@pytest.fixture(scope="module")
def baseline(request: pytest.FixtureRequest) -> Baseline:
    """The baseline of a name; a pretrained one with small random weights."""
    name = request.param
    if name in PRETRAINED:
        silence()
        return PRETRAINED[name].baseline(request.getfixturevalue("checkpoints")[name], "cpu")
    if name == "catboost":
        pytest.importorskip("catboost", reason="optional: requirements-optional.txt")
    return CLASSICAL[name]


@pytest.mark.filterwarnings("ignore:.*:UserWarning", "ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("baseline", [*CLASSICAL, *PRETRAINED], indirect=True)
@awkward
def test_a_baseline_takes_every_table(baseline: Baseline, table: str) -> None:
    features, y = TABLES[table]
    train, test = features[:-TEST_ROWS], features[-TEST_ROWS:]
    categories = training_categories(features, train.index)

    def predicted(rows: pd.DataFrame) -> np.ndarray:
        return fit(baseline, train, y[:-TEST_ROWS], categories, seed=1).predict(rows)

    p = predicted(test)
    assert p.shape == (TEST_ROWS,)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_array_equal(predicted(test), p)
    # Test rows do not see each other; other shapes round otherwise, and the random weights of a
    # pretrained model make more of it.
    tolerance = 1e-3 if baseline.weights else 1e-9
    np.testing.assert_allclose(predicted(test[:3]), p[:3], atol=tolerance)


def _entry(engine: str) -> dict:
    return {
        "engine": engine,
        "weights": {"hub": "tests/tiny", "revision": "0" * 40},
        "style": "completion",
        "dtype": "float32",
        "generation": {"max_new_tokens": 4, "stop": ["\n"]},
    }


@pytest.fixture(scope="module")
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """The engine of a name, on the tiny model, a fake vLLM or a server of our own."""
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    entry = _entry(name)
    weights: Path | None = None
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        if name == "openai":
            server = stack.enter_context(fault_server())
            entry |= {
                "weights": {"served": MODEL},
                "dtype": "undisclosed",
                "server": "test",
                "endpoint": {"url": server.url},
            }
        elif name == "replay":
            entry["weights"] = {"folder": str(folder)}
        else:
            fake_vllm.install(patch)
            weights = request.getfixturevalue("tiny_model")
        yield load_engine(parse_model("tiny", entry), Setting(weights, 1, folder))


def _outcomes(engine: Engine, requests: list[Request]) -> dict[int, Outcome]:
    found: dict[int, Outcome] = {}
    for batch in engine.batches(requests):
        for outcomes in engine.answer(batch):
            found.update(outcomes)
    return found


@pytest.mark.parametrize("engine", list(ENGINES), indirect=True)
@awkward
def test_an_engine_answers_prompts_of_every_table(engine: Engine, table: str) -> None:
    features, y = TABLES[table]
    shown = features.iloc[[0, 1, -2, -1]]
    requests = []
    for serialization in SERIALIZATIONS.values():
        head, rows = serialize_frame(shown, serialization)
        examples = "".join(f"{row}{label}\n" for row, label in zip(rows[:2], y[:2], strict=True))
        requests += [
            Request(mode, Prompt("Answer 0 or 1.", f"{head}{examples}", row))
            for mode in MODES
            for row in rows[2:]
        ]
    try:
        found = _outcomes(engine, requests)
    except TabBenchError as error:
        if engine.description.engine == "replay":
            assert "classifies no rows" in str(error)
        else:  # the models of these tests read few tokens
            assert table == "500 features"
            assert "context" in str(error)
        return
    assert sorted(found) == list(range(len(requests)))
    for index, request in enumerate(requests):
        answer = found[index]
        if isinstance(answer, Failure):
            assert (table, answer.kind) == ("500 features", TOO_LONG)
            continue
        assert isinstance(answer, LabelScore if request.mode == "forward" else Generation)
        if isinstance(answer, LabelScore):
            assert np.isfinite([answer.logp_0, answer.logp_1]).all()
