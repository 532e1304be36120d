"""Controls of the memorization probes: a model that was handed the data, and a planted dataset."""

from pathlib import Path

import pandas as pd
import pytest
from probe_engines import Guesser, Lookup, Writer, dataset

from tabbench.core.frames import write_table
from tabbench.core.schemas.probe_completion import PROBE_COMPLETIONS
from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.core.schemas.probe_reconstruction import PROBE_CELLS, PROBE_LIFTS
from tabbench.inference.responses import Identity
from tabbench.inference.texts import AskTexts, text_asker
from tabbench.probes.canary import CANARY, canary
from tabbench.probes.columns import is_telling
from tabbench.probes.completion import complete
from tabbench.probes.recognition import recognize
from tabbench.probes.reconstruction import reconstruct, summarize
from tabbench.probes.verdicts import (
    LEAKED,
    NO_EVIDENCE,
    NO_SIGNAL,
    NOT_RECOGNIZED,
    LiftThresholds,
    RecognitionThresholds,
    lift_verdict,
)
from tabbench.probes.windows import chance, window

IDENTITY = Identity("m", "w", "test/1", "chat", "none", "{}", True, 8, ())


def asker(engine: Writer, path: Path) -> AskTexts:
    return text_asker(IDENTITY, path / "log.jsonl", lambda: engine)


def verdicts(lifts: pd.DataFrame, name: str) -> set[str]:
    (row,) = lifts[lifts["dataset"] == name].to_dict("records")
    return {
        lift_verdict(
            *(row[f"{key}_{against}"] for key in ("lift", "low", "high")), LiftThresholds()
        )
        for against in ("random", "shuffled")
    }


@pytest.mark.parametrize("plain", [True, False])
def test_a_model_that_was_handed_the_data_is_found_out(tmp_path: Path, plain: bool) -> None:
    probed = [dataset(), canary()]
    ask = asker(Lookup(probed[0]), tmp_path)
    recognition = recognize(probed, ask, plain, RecognitionThresholds()).set_index("dataset")
    assert recognition.loc["ledger", "outcome"] == LEAKED
    assert recognition.loc["ledger", "share"] == 1
    assert recognition.loc[CANARY, "outcome"] == NOT_RECOGNIZED

    cells = reconstruct(probed, ask, plain, rows=100, cells=50)
    lifts = summarize(cells)
    assert verdicts(lifts, "ledger") == {LEAKED}
    known = lifts.set_index("dataset").loc["ledger"]
    assert (known["accuracy"], known["shuffled"], known["n"]) == (1, 0, 50)
    assert known["p_random"] < 1e-6
    assert known["p_shuffled"] == pytest.approx(0.5**50)
    assert verdicts(lifts, CANARY) <= {NO_SIGNAL, NO_EVIDENCE}

    completed = complete(probed, ask, plain, rows=10)
    assert completed.groupby("dataset")["verbatim"].sum().to_dict() == {"ledger": 10, CANARY: 0}


def test_the_canary_clears_a_model_that_guesses(tmp_path: Path) -> None:
    ask = asker(Guesser(), tmp_path)
    (row,) = recognize([canary()], ask, False, RecognitionThresholds()).to_dict("records")
    assert (row["outcome"], row["found"]) == (NOT_RECOGNIZED, 0)
    lifts = summarize(reconstruct([canary()], ask, False, rows=100, cells=50))
    assert verdicts(lifts, CANARY) <= {NO_SIGNAL, NO_EVIDENCE}
    assert (lifts["p_random"] > 0.05).all()
    assert lifts["lift_shuffled"].tolist() == [0]


def test_the_canary_rewards_no_constant_answer() -> None:
    """Always the most frequent category, or the middle of a range, is no better than chance."""
    features = canary().features
    for name, column in features.items():
        if column.dtype == float:
            middle = float(column.median())
            constant = chance(column, middle, window(column))
            random = column.map(lambda truth, c=column: chance(c, truth, window(c))).mean()
        else:
            constant = float(column.value_counts(normalize=True).max())
            random = float((column.value_counts(normalize=True) ** 2).sum())
        assert constant - random < 0.05, name


def test_the_canary_is_always_the_same_and_of_telling_names_only() -> None:
    first, second = canary(), canary()
    pd.testing.assert_frame_equal(first.features, second.features)
    assert first.namings[0]
    assert all(is_telling(name, first.title) for name in first.namings[0])
    assert not first.features.duplicated().any()


def test_a_full_log_loads_no_model_and_more_cells_ask_only_the_new_ones(tmp_path: Path) -> None:
    engine = Lookup(dataset())
    first = reconstruct([dataset()], asker(engine, tmp_path), True, rows=20, cells=5)
    assert len(engine.asked) == 10

    def load() -> Writer:
        raise AssertionError("loaded")

    ask = text_asker(IDENTITY, tmp_path / "log.jsonl", load)
    again = reconstruct([dataset()], ask, True, rows=20, cells=5)
    pd.testing.assert_frame_equal(first, again)

    engine.asked.clear()
    reconstruct([dataset()], asker(engine, tmp_path), True, rows=20, cells=7)
    assert len(engine.asked) == 4


def test_results_fit_their_schemas_also_without_any_dataset(tmp_path: Path) -> None:
    ask = asker(Guesser(), tmp_path)
    for datasets in ([dataset(), canary()], []):
        cells = reconstruct(datasets, ask, True, rows=10, cells=4)
        for frame, schema in (
            (cells, PROBE_CELLS),
            (summarize(cells), PROBE_LIFTS),
            (complete(datasets, ask, True, rows=3), PROBE_COMPLETIONS),
            (recognize(datasets, ask, True, RecognitionThresholds()), PROBE_RECOGNITION),
        ):
            write_table(frame.assign(model="m"), tmp_path / "file.parquet", schema)
